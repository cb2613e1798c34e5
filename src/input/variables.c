#include "input/variables.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

enum { NAME_ROOM = 256 }; // of longer names the end counts

enum kind { KIND_SECRET, KIND_MACHINERY, KIND_JOINED };

static const struct {
	enum kind kind;
	const char *glob;
} rules[] = {
#define SECRET(glob) {KIND_SECRET, glob},
#define MACHINERY(glob, why) {KIND_MACHINERY, glob},
#define JOINED(glob) {KIND_JOINED, glob},
#include "input/variables.def"
#undef SECRET
#undef MACHINERY
#undef JOINED
};

static bool is_of(enum kind kind, const char *name, int flags)
{
	char text[NAME_ROOM];
	size_t length = strcspn(name, "="), from = length < sizeof text ? 0 : length - sizeof text + 1;
	memcpy(text, name + from, length - from);
	text[length - from] = 0;
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rules[i].kind == kind && fnmatch(rules[i].glob, text, flags) == 0)
			return true;
	return false;
}

bool variable_is_secret(const char *name)
{
	return is_of(KIND_SECRET, name, FNM_CASEFOLD);
}

bool variable_is_machinery(const char *name)
{
	return is_of(KIND_MACHINERY, name, 0);
}

bool variable_is_joined(const char *name)
{
	return is_of(KIND_JOINED, name, 0);
}
