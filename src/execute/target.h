// What is tested: a program in one of its versions, from its beginning or from one of its functions on.
#ifndef VEER_EXECUTE_TARGET_H
#define VEER_EXECUTE_TARGET_H

#include <stdint.h>

// Whoever fills it in owns what it points to.
struct target {
	const char *program; // path of the executable, as the user or the recorded test names it
	uint32_t version;    // 0: the program itself; others are compared with it
	const char *entry;   // function that runs begin with; NULL: main
	uint64_t root;       // what keys of its paths begin with (decisions_read)
};

#endif
