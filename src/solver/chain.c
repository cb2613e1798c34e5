#include "solver/chain.h"

#include <string.h>

static struct solver *last_z3(struct solver_env *env, struct solver *next)
{
	solver_free(next);
	return z3_new(env);
}

static struct solver *last_z3_here(struct solver_env *env, struct solver *next)
{
	solver_free(next);
	return z3_here_new(env);
}

typedef struct solver *constructor(struct solver_env *env, struct solver *next);

static const struct {
	const char *name;
	constructor *make;
} stages[] = {
#define CHAIN(name, stages)
#define STAGE(name, function) {name, function},
#include "solver/stages.def"
#undef STAGE
#undef CHAIN
};

static const struct {
	const char *name, *stages;
} chains[] = {
#define CHAIN(name, stages) {name, stages},
#define STAGE(name, function)
#include "solver/stages.def"
#undef STAGE
#undef CHAIN
};

static constructor *find_stage(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
		if (strlen(stages[i].name) == length && memcmp(stages[i].name, name, length) == 0)
			return stages[i].make;
	return NULL;
}

struct solver *chain_new(struct solver_env *env, const char *name)
{
	struct solver *chain = NULL;
	for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
		if (strcmp(chains[i].name, name) == 0)
			name = chains[i].stages;
	for (const char *end = name + strlen(name); end > name;) { // from the last one on
		const char *from = end;
		while (from > name && from[-1] != ',')
			from--;
		constructor *make = find_stage(from, (size_t)(end - from));
		if (!make) {
			solver_free(chain);
			return NULL;
		}
		chain = make(env, chain);
		end = from > name ? from - 1 : name;
	}
	return chain;
}
