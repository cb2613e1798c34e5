// Don't-care analysis with a SAT solver: bits of the assignment are assumed, and that
// one of the conditions fails is refuted. What the refutation uses matters.
#include <assert.h>
#include <ccadical.h>
#include <string.h>

#include "base/mem.h"
#include "solver/care_slice.h"

struct refuter {
	struct care_slice *slice;
	CCaDiCaL *solver;
	int *var;      // per bit of the slice; 0: it has none
	uint8_t *used; // per variable of the slice: bits that the last refutation used
	unsigned calls;
};

static int terminate(void *opaque)
{
	enum { EVERY = 64 };
	struct refuter *r = opaque;
	if (r->slice->env->interrupted)
		return 1;
	return r->calls++ % EVERY == 0 && solver_out_of_time(r->slice->env);
}

// That a condition fails, as a literal; AIG_FALSE: no memory.
static aig_lit some_fails(struct care_slice *s)
{
	aig_lit all = AIG_TRUE;
	for (uint32_t i = 0; i < s->n_roots && !s->aig->full; i++)
		all = aig_and(s->aig, all, s->roots[i]);
	return s->aig->full ? AIG_FALSE : all ^ 1;
}

// False: there is no room for the clauses, and nothing to release.
static bool refuter_init(struct refuter *r, struct care_slice *s)
{
	*r = (struct refuter){.slice = s};
	aig_lit root = some_fails(s);
	if (root == AIG_FALSE) {
		s->env->reason = SOLVER_MEMORY;
		return false;
	}
	assert(root != AIG_TRUE);
	bool holds = cnf_make(s->cnf, &root, 1, s->bytes);
	assert(!holds);
	(void)holds;
	r->var = mem_zero(8 * s->n * sizeof *r->var);
	r->used = mem_alloc(s->n);
	for (uint32_t i = 0; i < s->cnf->n; i++)
		if (aig_is_input(s->aig, s->cnf->nodes[i]))
			r->var[care_bit_of(s, s->aig->nodes[s->cnf->nodes[i]].b)] = s->cnf->vars[i];
	r->solver = ccadical_init();
	ccadical_set_option(r->solver, "quiet", 1);
	ccadical_set_terminate(r->solver, r, terminate);
	for (uint32_t i = 0; i < s->cnf->n_clauses; i++)
		ccadical_add(r->solver, s->cnf->clauses[i]);
	return true;
}

static void refuter_release(struct refuter *r)
{
	ccadical_release(r->solver);
	mem_free(r->var);
	mem_free(r->used);
}

// Whether no values of the other bits make a condition fail; r->used is then what that takes. False as
// well when the solver does not know.
static bool refute(struct refuter *r, const uint8_t *bits)
{
	const struct care_slice *s = r->slice;
	for (uint32_t i = 0; i < 8 * s->n; i++)
		if (r->var[i] && bits[i / 8] >> i % 8 & 1)
			ccadical_assume(r->solver, -r->var[i]); // as in the assignment
	uint64_t conflicts = s->env->conflicts;
	if (conflicts)
		ccadical_limit(r->solver, "conflicts", conflicts < 0x7fffffff ? (int)conflicts : 0x7fffffff);
	int answer = ccadical_solve(r->solver);
	if (answer == 0 && !solver_out_of_time(s->env))
		s->env->reason = SOLVER_CONFLICTS;
	if (answer != 20)
		return false;
	memset(r->used, 0, s->n);
	for (uint32_t i = 0; i < 8 * s->n; i++)
		if (r->var[i] && bits[i / 8] >> i % 8 & 1 && ccadical_failed(r->solver, -r->var[i]))
			r->used[i / 8] |= (uint8_t)(1u << i % 8);
	return true;
}

// Leaves out bits of a variable, and with them whatever the refutation does not use. `bits` is room.
static bool try_without(struct refuter *r, uint32_t place, uint8_t without, uint8_t *bits)
{
	struct care_slice *s = r->slice;
	uint8_t rest = s->care[place] & (uint8_t)~without;
	if (!care_suffices(s, place, rest))
		return false;
	memcpy(bits, s->care, s->n);
	bits[place] = rest;
	if (!refute(r, bits))
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		s->care[i] = care_complete(&s->open[i], r->used[i], bits[i]);
	return true;
}

void care_core(struct care_slice *s)
{
	struct refuter r;
	if (!refuter_init(&r, s))
		return;
	uint8_t *bits = mem_alloc(s->n);
	try_without(&r, 0, 0, bits);
	mem_free(bits);
	refuter_release(&r);
}

// Bytes, then bits. More bits never hurt, so once is enough for each.
static void search(struct refuter *r)
{
	struct care_slice *s = r->slice;
	uint8_t *bits = mem_alloc(s->n);
	for (uint32_t i = s->n; i-- > 0 && !solver_out_of_time(s->env);)
		if (s->care[i])
			try_without(r, i, s->care[i], bits);
	for (uint32_t i = s->n; i-- > 0;)
		for (unsigned bit = 8; bit-- > 0 && !solver_out_of_time(s->env);)
			if (s->care[i] >> bit & 1)
				try_without(r, i, (uint8_t)(1u << bit), bits);
	mem_free(bits);
}

void care_prime(struct care_slice *s)
{
	struct refuter r;
	care_ternary(s);
	if (!refuter_init(&r, s))
		return;
	search(&r);
	refuter_release(&r);
}
