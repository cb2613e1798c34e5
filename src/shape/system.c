#include "shape/system.h"

#include <assert.h>
#include <string.h>

enum { NUMBER = SYSTEM_NUMBER, TEXT = SYSTEM_TEXT, STREAM = SYSTEM_STREAM };

static const struct system_call calls[] = {
#define CALL(name, result, low, high, limit, out, size) {name, (enum system_result)(result), out},
#include "abi/outside.def"
};

uint32_t system_calls(void)
{
	return sizeof calls / sizeof *calls;
}

const struct system_call *system_call(uint32_t number)
{
	assert(number < system_calls());
	return &calls[number];
}

const struct system_call *system_find(const char *name)
{
	for (uint32_t i = 0; i < system_calls(); i++)
		if (strcmp(calls[i].name, name) == 0)
			return &calls[i];
	return NULL;
}
