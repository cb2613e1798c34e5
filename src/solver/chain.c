#include "solver/chain.h"

#include <string.h>

static struct solver *make_all(struct solver_env *env)
{
	struct solver *s = sat_new(env, z3_new(env));
	return rewrite_new(env, near_new(env, slice_new(env, cache_new(env, quick_new(env, s)))));
}

// Every query as hard as it is.
static struct solver *make_uncached(struct solver_env *env)
{
	struct solver *s = sat_new(env, z3_new(env));
	return rewrite_new(env, slice_new(env, quick_new(env, s)));
}

static struct solver *make_sat(struct solver_env *env)
{
	return rewrite_new(env, sat_new(env, NULL));
}

static struct solver *make_z3(struct solver_env *env)
{
	return rewrite_new(env, near_new(env, z3_new(env)));
}

static const struct {
	const char *name;
	struct solver *(*make)(struct solver_env *);
} chains[] = {
	{"chain", make_all},
	{"uncached", make_uncached},
	{"sat", make_sat},
	{"z3", make_z3},
};

const char *chain_name(unsigned i)
{
	return i < sizeof chains / sizeof *chains ? chains[i].name : NULL;
}

struct solver *chain_new(struct solver_env *env, const char *name)
{
	for (unsigned i = 0; chain_name(i); i++)
		if (strcmp(chains[i].name, name) == 0)
			return chains[i].make(env);
	return NULL;
}
