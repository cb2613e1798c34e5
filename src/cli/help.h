// The list of commands that `veer help` and a wrong command print.
#ifndef VEER_CLI_HELP_H
#define VEER_CLI_HELP_H

#include <stdio.h>

// A line for each command.
void help_all(FILE *out);

#endif
