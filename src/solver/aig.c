// aig
