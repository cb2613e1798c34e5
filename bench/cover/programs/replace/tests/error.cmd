'(a' b
