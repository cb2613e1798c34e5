// range
