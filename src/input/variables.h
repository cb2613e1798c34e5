// Variables of the environment by their names: which hold secrets, which belong to the machinery that runs a suite
// (variables.def).
#ifndef VEER_INPUT_VARIABLES_H
#define VEER_INPUT_VARIABLES_H

#include <stdbool.h>

// What a recorded variable has in place of a value that is not stored.
#define VARIABLE_MASK "value-not-stored-by-veer"

// The names end at '=' or at the end of the text.
bool variable_is_secret(const char *name);
bool variable_is_machinery(const char *name);
bool variable_is_joined(const char *name); // libc asks for it by a name that stands nowhere as a whole

#endif
