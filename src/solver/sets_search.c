// The queries of sets.h: what is kept from one to the next, and the search.
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "solver/sets_internal.h"

// --- what is kept ----------------------------------------------------------------------------------

// Copies an array into another, which grows.
static void *keep(void *to, uint32_t *max, const void *from, uint32_t n, size_t each)
{
	if (*max < n) {
		*max = n + n / 2;
		to = mem_resize(to, *max * each);
	}
	if (n)
		memcpy(to, from, n * each);
	return to;
}

#define KEEP(to, from, field, count, max)                                                                              \
	(to)->field = keep((to)->field, max, (from)->field, count, sizeof *(to)->field)

// The arrays that grow with the variables, from where they are kept or to there.
#define KEEP_VARIABLES(to, from)                                                                                       \
	do {                                                                                                           \
		KEEP(to, from, variables, (from)->n_variables, &(to)->max_variables);                                  \
		KEEP(to, from, constraints, (from)->n_constraints, &(to)->max_constraints);                            \
		KEEP(to, from, values, (from)->n_values, &(to)->max_values);                                           \
		(to)->n_variables = (from)->n_variables;                                                               \
		(to)->n_constraints = (from)->n_constraints;                                                           \
		(to)->n_values = (from)->n_values;                                                                     \
		(to)->clock = (from)->clock;                                                                           \
	} while (0)

static void keep_state(struct sets *s, const uint32_t *roots, uint32_t n_roots, const struct byteset *domains)
{
	struct sets_kept *k = &s->kept;
	if (k->max_roots < n_roots) {
		k->max_roots = n_roots + n_roots / 2;
		k->roots = mem_resize(k->roots, k->max_roots * sizeof *k->roots);
		k->ids = mem_resize(k->ids, k->max_roots * sizeof *k->ids);
	}
	for (uint32_t i = 0; i < n_roots; i++) {
		k->roots[i] = roots[i];
		k->ids[i] = s->tape->steps[roots[i]].id;
	}
	k->n_roots = n_roots;
	k->visited = s->visited;
	k->inputs = s->inputs;
	k->domains = keep(k->domains, &k->max_domains, domains, s->inputs, sizeof *domains);
	if (k->max_steps < s->visited) {
		k->max_steps = s->max_steps;
		k->supports = mem_resize(k->supports, k->max_steps * sizeof *k->supports);
		k->variable_of = mem_resize(k->variable_of, k->max_steps * sizeof *k->variable_of);
		k->reads = mem_resize(k->reads, k->max_steps * sizeof *k->reads);
	}
	memcpy(k->supports, s->supports, s->visited * sizeof *k->supports);
	memcpy(k->variable_of, s->variable_of, s->visited * sizeof *k->variable_of);
	memcpy(k->reads, s->reads, s->visited * sizeof *k->reads);
	KEEP_VARIABLES(k, s);
}

static bool is_within(const struct byteset *a, const struct byteset *b)
{
	bool within = true;
	for (int w = 0; w < 4; w++)
		within &= !(a->word[w] & ~b->word[w]);
	return within;
}

// Does the query begin with what is kept, and allow no value more?
static bool continues(const struct sets *s, const uint32_t *roots, uint32_t n_roots, const struct byteset *domains)
{
	const struct sets_kept *k = &s->kept;
	if (!k->n_roots || k->n_roots > n_roots)
		return false;
	for (uint32_t i = k->n_roots; i-- > 0;)
		if (k->roots[i] != roots[i] || k->ids[i] != s->tape->steps[roots[i]].id)
			return false;
	for (uint32_t i = 0; i < k->inputs; i++)
		if (!is_within(&domains[i], &k->domains[i]))
			return false;
	return true;
}

// Inputs have all values of a domain at first, in ascending order.
static bool restrict_input(struct sets *s, uint32_t input, const struct byteset *domain)
{
	struct variable *v = &s->variables[s->variable_of[s->tape->var_steps[input]]];
	uint32_t n = 0;
	for (uint32_t i = 0; i < v->n; i++) {
		if (!byteset_has(domain, (unsigned)s->values[v->first + i]))
			v->alive.word[i / 64] &= ~((uint64_t)1 << i % 64);
		n += byteset_has(&v->alive, i);
	}
	if (n < v->n_alive)
		v->changed = ++s->clock;
	v->n_alive = n;
	return n > 0;
}

// False: a variable has no value left.
static bool restore_state(struct sets *s, const struct byteset *domains)
{
	const struct sets_kept *k = &s->kept;
	bool possible = true;
	s->visited = k->visited;
	s->inputs = k->inputs;
	memcpy(s->supports, k->supports, k->visited * sizeof *k->supports);
	memcpy(s->variable_of, k->variable_of, k->visited * sizeof *k->variable_of);
	memcpy(s->reads, k->reads, k->visited * sizeof *k->reads);
	KEEP_VARIABLES(s, k);
	for (uint32_t i = 0; i < k->inputs && possible; i++)
		possible = restrict_input(s, i, &domains[i]);
	return possible;
}

// --- refutation ------------------------------------------------------------------------------------

// Queries with few look-ups are small for a SAT solver; large ones would not be done within STEPS_MAX.
static bool is_worth_it(const struct tape *t)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < t->n && t->n <= TAPE_MAX && n < LOOKUPS_MIN; i++)
		n += sets_narrows(t, i);
	return n == LOOKUPS_MIN;
}

// Values that the seed does not have are those of a condition on one byte that is to be another: no query after this
// one has them.
static bool allows_seed(const struct sets *s, const struct byteset *domains)
{
	bool allows = true;
	for (uint32_t i = 0; i < s->inputs && allows; i++)
		allows = byteset_has(&domains[i], (unsigned)s->seed[s->tape->var_steps[i]]);
	return allows;
}

// False: a variable has no value left.
static bool enforce_all(struct sets *s, const uint32_t *roots, uint32_t n_roots, const struct byteset *domains)
{
	bool kept = continues(s, roots, n_roots - 1, domains);
	uint32_t r = kept ? s->kept.n_roots : 0;
	sets_reset(s);
	if (kept && !restore_state(s, domains))
		return false;
	for (; r + 1 < n_roots && s->left > 0 && !solver_out_of_time(s->env); r++)
		if (!sets_enforce(s, roots[r], domains))
			return false;
	if (!sets_propagate(s))
		return false;
	if (r + 1 < n_roots)
		s->left = 0;
	if (s->left > 0 && n_roots > 1 && (!kept || r > s->kept.n_roots) && allows_seed(s, domains))
		keep_state(s, roots, r, domains);
	return s->left <= 0 || (sets_enforce(s, roots[r], domains) && sets_propagate(s));
}

// --- search ----------------------------------------------------------------------------------------

struct search {
	struct sets *sets;
	const uint32_t *roots;
	uint32_t n_roots;
};

// The value that a variable has under the seed if it is left, or else the first that is.
static uint32_t preferred(const struct sets *s, const struct variable *v)
{
	uint32_t index = sets_index(s, v, s->seed[v->step]);
	return index != NONE && byteset_has(&v->alive, index) ? index : sets_first(&v->alive);
}

// Whether all conditions hold when each input has the value that it prefers.
static bool try_inputs(struct search *x)
{
	struct sets *s = x->sets;
	struct tape *t = s->tape;
	bool good = true;
	for (uint32_t i = 0; i < t->n_vars; i++) {
		const struct variable *v = &s->variables[s->variable_of[t->var_steps[i]]];
		tape_set(t, t->vars[i], (uint8_t)s->values[v->first + preferred(s, v)]);
	}
	tape_run(t);
	s->left -= t->n;
	for (uint32_t r = 0; r < x->n_roots && good; r++)
		good = t->values[x->roots[r]];
	return good;
}

// The variable to decide next: one with few values that was often in the way; of several the last. NONE: all have one.
static uint32_t choose(const struct sets *s)
{
	uint32_t best = NONE;
	for (uint32_t i = 0; i < s->n_variables; i++) {
		const struct variable *v = &s->variables[i], *b = best == NONE ? NULL : &s->variables[best];
		if (v->n_alive > 1 &&
		    (!b || (uint64_t)v->n_alive * (1 + b->weight) <= (uint64_t)b->n_alive * (1 + v->weight)))
			best = i;
	}
	return best;
}

static void decide(struct sets *s, struct variable *v, uint32_t index)
{
	v->alive = (struct byteset){{0}};
	v->alive.word[index / 64] = (uint64_t)1 << index % 64;
	v->n_alive = 1;
	v->changed = ++s->clock;
}

// All constraints were enforced on these sets: they need not be again.
static void take_back(struct sets *s, const struct variable *saved)
{
	for (uint32_t i = 0; i < s->n_variables; i++) {
		uint32_t weight = s->variables[i].weight;
		s->variables[i] = saved[i];
		s->variables[i].weight = weight;
	}
}

// All constraints are enforced. Each variable is a function of the inputs whose value is in its set, so that one of the
// decisions is right if there is a solution; where all inputs are decided, try_inputs knows.
static enum answer search(struct search *x, uint32_t depth)
{
	struct sets *s = x->sets;
	if (try_inputs(x))
		return ANSWER_SAT;
	uint32_t var = choose(s);
	if (var == NONE)
		return ANSWER_UNSAT;
	if (s->left <= 0 || depth == DEPTH_MAX || solver_out_of_time(s->env))
		return ANSWER_UNKNOWN;
	struct variable *saved = (struct variable *)mem_copy(s->variables, s->n_variables * sizeof *saved);
	struct byteset open = saved[var].alive;
	enum answer a = ANSWER_UNSAT;
	while (a == ANSWER_UNSAT && !byteset_is_empty(&open)) {
		uint32_t index = preferred(s, &s->variables[var]);
		index = byteset_has(&open, index) ? index : sets_first(&open);
		open.word[index / 64] &= ~((uint64_t)1 << index % 64);
		decide(s, &s->variables[var], index);
		bool possible = sets_propagate(s);
		a = !possible ? ANSWER_UNSAT : s->left <= 0 ? ANSWER_UNKNOWN : search(x, depth + 1);
		if (a == ANSWER_UNSAT)
			take_back(s, saved);
	}
	mem_free(saved);
	return a;
}

// A condition that is to become true, and whose sets are not known, can only be guessed.
static bool is_blind(const struct sets *s, const uint32_t *roots, uint32_t n_roots)
{
	for (uint32_t r = 0; r < n_roots; r++)
		if (!s->seed[roots[r]] && s->supports[roots[r]].n == TOO_MANY)
			return true;
	return false;
}

enum answer sets_solve(struct sets *s, const uint32_t *roots, uint32_t n_roots, const struct byteset *domains)
{
	assert(n_roots > 0);
	if (!is_worth_it(s->tape))
		return ANSWER_UNKNOWN;
	if (!enforce_all(s, roots, n_roots, domains))
		return ANSWER_UNSAT;
	if (s->left <= 0 || is_blind(s, roots, n_roots))
		return ANSWER_UNKNOWN;
	s->left = SEARCH_MAX;
	struct search x = {.sets = s, .roots = roots, .n_roots = n_roots};
	return search(&x, 0);
}
