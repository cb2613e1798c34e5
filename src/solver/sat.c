// Bit-blasting and CaDiCaL: a fresh solver for every query. Queries come in slices, and
// are small; that was measured to be faster than one that is kept.
#include <assert.h>
#include <ccadical.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "solver/blast.h"
#include "solver/cnf.h"
#include "solver/solver.h"

// std::set_new_handler: CaDiCaL's C interface has no way to say that memory ran out.
void (*_ZSt15set_new_handlerPFvvE(void (*handler)(void)))(void);

struct sat {
	struct solver base;
	struct blaster blaster;
	struct cnf cnf;
	aig_lit *roots;
	uint32_t max_roots;
	unsigned calls;  // of terminate, in this query
	size_t resident; // pages of memory when the query began
	bool out_of_memory;
};

static size_t resident_pages(void)
{
	char line[128];
	size_t size = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "re");
	if (!f)
		return 0;
	if (!fgets(line, sizeof line, f) || sscanf(line, "%zu %zu", &size, &resident) != 2)
		resident = 0;
	fclose(f);
	return resident;
}

// CaDiCaL asks this at every tenth conflict. Of a hard query ten conflicts take some milliseconds: the clock is read
// each time.
static int terminate(void *opaque)
{
	enum { MEMORY_EVERY = 64 };
	struct sat *s = opaque;
	if (s->base.env->interrupted)
		return 1;
	if (s->calls++ % MEMORY_EVERY == 0 && s->base.env->bytes) {
		size_t now = resident_pages();
		size_t more = now > s->resident ? (now - s->resident) * (size_t)sysconf(_SC_PAGESIZE) : 0;
		s->out_of_memory = more > s->base.env->bytes;
	}
	return s->out_of_memory || solver_out_of_time(s->base.env);
}

static void read_model(const struct sat *s, CCaDiCaL *c, const uint8_t *seed, struct model *ret)
{
	const struct cnf *cnf = &s->cnf;
	model_clear(ret);
	// The bits of a byte are made together, but stand in the order in which they were needed.
	for (uint32_t i = 0; i < cnf->n; i++) {
		const struct aig_node *n = &cnf->aig->nodes[cnf->nodes[i]];
		if (n->a != AIG_INPUT)
			continue;
		bool bit = cnf->known[i] ? cnf->known[i] == CNF_IS_TRUE
		                         : cnf->values[i] ^ (cnf->vars[i] && ccadical_val(c, cnf->vars[i]) > 0);
		uint32_t var = n->b / 8, k = ret->n;
		while (k > 0 && ret->vars[k - 1] != var)
			k--;
		if (k == 0) {
			model_add(ret, var, seed[var]);
			k = ret->n;
		}
		uint8_t mask = (uint8_t)(1u << n->b % 8);
		ret->values[k - 1] = (uint8_t)((ret->values[k - 1] & ~mask) | (bit ? mask : 0));
	}
}

// Every decision is for the seed's value, and nothing walks off to others.
static void stay_near(CCaDiCaL *c)
{
	ccadical_set_option(c, "phase", 0);
	ccadical_set_option(c, "walk", 0);
	ccadical_set_option(c, "lucky", 0);
	ccadical_set_option(c, "rephase", 0);
}

static CCaDiCaL *new_cadical(struct sat *s)
{
	CCaDiCaL *c = ccadical_init();
	ccadical_set_option(c, "quiet", 1);
	if (!s->base.env->far)
		stay_near(c);
	ccadical_set_terminate(c, s, terminate);
	if (s->base.env->conflicts)
		ccadical_limit(c, "conflicts",
		               s->base.env->conflicts < 0x7fffffff ? (int)s->base.env->conflicts : 0x7fffffff);
	return c;
}

static enum answer run(struct sat *s, const struct query *q, struct model *ret)
{
	CCaDiCaL *c = new_cadical(s);
	assert(!s->cnf.n_clauses || !s->cnf.clauses[s->cnf.n_clauses - 1]);
	for (uint32_t i = 0; i < s->cnf.n_clauses; i++)
		ccadical_add(c, s->cnf.clauses[i]);
	s->calls = 0;
	s->resident = s->base.env->bytes ? resident_pages() : 0;
	s->out_of_memory = false;
	int r = ccadical_solve(c);
	enum answer a = r == 10 ? ANSWER_SAT : r == 20 ? ANSWER_UNSAT : ANSWER_UNKNOWN;
	if (a == ANSWER_SAT)
		read_model(s, c, q->seed, ret);
	if (a == ANSWER_UNKNOWN && !solver_out_of_time(s->base.env))
		s->base.env->reason = s->out_of_memory ? SOLVER_MEMORY : SOLVER_CONFLICTS;
	ccadical_release(c);
	return a;
}

// The literals of the conditions; returns false when one of them is false.
static bool make_roots(struct sat *s, const struct query *q, uint32_t *ret_n)
{
	*ret_n = 0;
	if (s->max_roots < q->n) {
		s->max_roots = 2 * q->n;
		s->roots = mem_resize(s->roots, s->max_roots * sizeof *s->roots);
	}
	s->blaster.stopped = false;
	for (uint32_t i = 0; i < q->n && !s->blaster.aig.full; i++) {
		aig_lit l = blast_condition(&s->blaster, q->conditions[i]);
		if (l == AIG_FALSE)
			return false;
		if (l != AIG_TRUE)
			s->roots[(*ret_n)++] = l;
	}
	return true;
}

static enum answer sat_solve(struct solver *base, const struct query *q, struct model *ret)
{
	struct sat *s = (struct sat *)base;
	for (uint32_t i = 0; i < q->n; i++)
		if (!blast_can(base->env->pool, q->conditions[i]))
			return base->next ? solver_pass(base, q, ret) : solver_unknown(base, SOLVER_FLOATS);
	uint32_t n;
	blaster_tidy(&s->blaster);
	bool possible = make_roots(s, q, &n);
	if (s->blaster.aig.full) {
		blaster_clear(&s->blaster);
		return base->next ? solver_pass(base, q, ret) : solver_unknown(base, SOLVER_MEMORY);
	}
	if (s->blaster.stopped)
		return ANSWER_UNKNOWN;
	if (!possible)
		return ANSWER_UNSAT;
	enum cnf_result r = cnf_make_reduced(&s->cnf, s->roots, n, q->seed);
	if (r == CNF_CONTRADICTION)
		return ANSWER_UNSAT;
	if (solver_out_of_time(base->env))
		return ANSWER_UNKNOWN;
	if (r == CNF_HOLDS) {
		model_clear(ret);
		return ANSWER_SAT;
	}
	enum answer a = run(s, q, ret);
	if (a == ANSWER_UNKNOWN && base->next && !solver_out_of_time(base->env))
		return solver_pass(base, q, ret);
	return a;
}

static void sat_release(struct solver *base)
{
	struct sat *s = (struct sat *)base;
	blaster_release(&s->blaster);
	cnf_release(&s->cnf);
	mem_free(s->roots);
}

// Circuits of long products take longer to make than a query has.
static bool out_of_time(void *env)
{
	return solver_out_of_time(env);
}

struct solver *sat_new(struct solver_env *env, struct solver *next)
{
	static const struct solver_type type = {.name = "sat", .solve = sat_solve, .release = sat_release};
	struct sat *s = solver_new(&type, sizeof *s, env, next);
	_ZSt15set_new_handlerPFvvE(mem_exhausted);
	blaster_init(&s->blaster, env->pool, env->bytes);
	cnf_init(&s->cnf, &s->blaster.aig);
	s->blaster.stop = s->cnf.stop = out_of_time;
	s->blaster.opaque = s->cnf.opaque = env;
	return &s->base;
}
