// What the programs here share. NAME.c has a function NAME whose result is the exit status.
#ifndef BENIGN_H
#define BENIGN_H

#include <stddef.h>
#include <stdio.h>

int input(int n); // n, from the program's second argument: no compiler knows it
void *null(void); // likewise

#endif
