// Functions of the system whose results a run in the middle of a program makes up (abi/outside.def), and the cells that
// its calls have: "read#2" what the second call returns, "read#2.out" what it writes, "read#2:errno".
#ifndef VEER_SHAPE_SYSTEM_H
#define VEER_SHAPE_SYSTEM_H

#include <stdint.h>

enum system_result { SYSTEM_NUMBER, SYSTEM_TEXT, SYSTEM_STREAM };

struct system_call {
	const char *name;
	enum system_result result;
	unsigned out; // the argument, from 1, behind which it writes; 0: none
};

uint32_t system_calls(void);
const struct system_call *system_call(uint32_t number);
const struct system_call *system_find(const char *name); // NULL: it is none of these

#endif
