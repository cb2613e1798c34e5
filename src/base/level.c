#include "base/level.h"

#include <assert.h>
#include <string.h>

static const char *const names[LEVELS] = {
#define LEVEL(NAME, name) name,
#include "base/levels.def"
};

const char *level_name(enum finding_level level)
{
	assert(level >= 0 && level < LEVELS);
	return names[level];
}

bool level_parse(const char *name, enum finding_level *ret)
{
	for (int i = 0; i < LEVELS; i++)
		if (strcmp(names[i], name) == 0) {
			*ret = (enum finding_level)i;
			return true;
		}
	return false;
}
