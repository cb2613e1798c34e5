#include "session/tools.h"

#include <assert.h>

#include "findings/oracle.h"

static const struct {
	const char *traced;
	const struct oracle *oracle;
	const char *variants[USE_VARIANTS];
} uses[] = {
#define USE(name, traced, oracle, ...) {traced, &oracle, {__VA_ARGS__}},
#include "session/uses.def"
#undef USE
};

int session_tools_find(struct session_tools *ret, struct err *err)
{
	if (cache_open(&ret->cache, err) < 0 || toolchain_find(&ret->tools, err) < 0)
		return -1;
	const struct builder builder = {.cache = &ret->cache, .tools = &ret->tools};
	ret->explored = ret->sanitized = ret->native = builder;
	ret->explored.variant = "explored";
	ret->sanitized.variant = "sanitized";
	ret->native.variant = "native";
	return 0;
}

void session_tools_release(struct session_tools *t)
{
	toolchain_release(&t->tools);
	cache_close(&t->cache);
}

const char *use_traced(enum use use)
{
	assert(use < USES);
	return uses[use].traced;
}

const struct oracle *use_oracle(enum use use)
{
	assert(use < USES);
	return uses[use].oracle;
}

unsigned use_builders(enum use use, const struct session_tools *tools, struct builder ret[USE_VARIANTS])
{
	unsigned n = 0;
	assert(use < USES);
	for (; n < USE_VARIANTS && uses[use].variants[n]; n++) {
		ret[n] = tools->explored;
		ret[n].variant = uses[use].variants[n];
	}
	return n;
}
