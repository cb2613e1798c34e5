// What golden programs share. INPUT declares a variable that is symbolic and has the
// given value; IF is a branch.
#include "veer.h"

static volatile int taken;

#define INPUT(type, name, value)                                                                                       \
	type name = value;                                                                                             \
	veer_make_symbolic(&name, sizeof name, #name)
#define IF(condition)                                                                                                  \
	do {                                                                                                           \
		if (condition)                                                                                         \
			taken++;                                                                                       \
	} while (0)
