o 0
