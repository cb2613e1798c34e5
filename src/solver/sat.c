// sat
