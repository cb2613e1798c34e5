// What cannot happen unless veer itself is wrong: says where, and aborts. In release builds, too; what the user or the
// environment did wrong is an error, not a bug.
#ifndef VEER_BASE_BUG_H
#define VEER_BASE_BUG_H

#include <stdio.h>
#include <stdlib.h>

#define BUG(what)                                                                                                      \
	do {                                                                                                           \
		fprintf(stderr, "veer: %s:%d: %s; this is a bug in veer, please report it\n", __FILE__, __LINE__,      \
		        (what));                                                                                       \
		abort();                                                                                               \
	} while (0)

#endif
