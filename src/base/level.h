// How bad a finding is (levels.def): an enum in the code, a name in the store and in reports.
#ifndef VEER_BASE_LEVEL_H
#define VEER_BASE_LEVEL_H

#include <stdbool.h>

enum finding_level {
#define LEVEL(NAME, name) LEVEL_##NAME,
#include "base/levels.def"
	LEVELS
};

const char *level_name(enum finding_level level);

// False: there is no level of this name, and *ret is as it was.
bool level_parse(const char *name, enum finding_level *ret);

#endif
