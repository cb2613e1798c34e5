// slice
