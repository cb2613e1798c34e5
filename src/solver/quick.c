// Answers that need no search: sets of values per byte, decided by enumeration; and one
// byte at a time changed, with everything evaluated. What it cannot decide goes on.
//
// Conditions on a single byte are by far the most frequent ones of programs that read
// text. Their sets are exact, so "unsat" is, too.
#include "solver/quick.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "expr/tape.h"
#include "solver/check.h"
#include "solver/sets.h"

enum {
	STEPS_MAX = 20000,        // evaluated per query, at most
	ENUMERATED_MAX = 4000000, // steps, for all values of two bytes
	DIVIDED_MAX = 20000000,   // likewise, where others take seconds, or give up
	SETS_MAX = 1 << 20,       // kept
	SINGLE_MAX = 1 << 15,     // steps of a condition of one byte that is evaluated for all values
};

struct entry {
	uint32_t id; // of the condition; 0: free
	bool large;  // it has no set
	struct byteset set;
};

struct quick {
	struct solver base;
	struct check check; // the conditions of the query of several bytes, and those without a set
	struct tape single; // some conditions
	struct entry *sets; // hash table
	uint32_t n_sets, sets_size;
	struct byteset *domains; // per variable of the query
	uint32_t max_vars;
	uint32_t *place_of; // per variable of the pool: its place on the tape + 1
	uint32_t n_place_of;
	uint32_t *roots; // these conditions
	uint32_t n_roots, max_roots;
	uint32_t *violated; // steps of `single`
	uint32_t n_violated;
	struct sets *by_sets;         // of the tape
	struct byteset *tape_domains; // per variable of the tape
	uint32_t max_tape_domains;
};

// --- sets of values ----------------------------------------------------------------------------

static unsigned kind_of(unsigned c)
{
	return c >= '0' && c <= '9'                               ? 1
	       : (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? 2
	       : c >= ' ' && c < 127                              ? 3
	                                                          : 4;
}

// The smaller, the better.
static unsigned distance(unsigned value, unsigned seed)
{
	unsigned far = value > seed ? value - seed : seed - value;
	unsigned kind = kind_of(value) == kind_of(seed) ? 0 : kind_of(value) == 4 ? 2 : 1;
	return kind * 256 + far;
}

int byteset_choose(const struct byteset *s, uint8_t seed, uint8_t like)
{
	int best = -1;
	if (byteset_has(s, seed))
		return seed;
	for (unsigned v = 0; v < 256; v++)
		if (byteset_has(s, v) && (best < 0 || distance(v, like) < distance((unsigned)best, like)))
			best = (int)v;
	return best;
}

// Behind the end of an argument something readable is wanted.
static uint8_t liked(const struct quick *q, uint32_t var, uint8_t seed)
{
	const struct expr_pool *p = q->base.env->pool;
	return seed == 0 && input_is_string(p->sources[p->vars[var].source].type) ? 'a' : seed;
}

static uint32_t place_for(const struct quick *q, uint32_t id)
{
	uint32_t at = (id * 0x9e3779b1u) & (q->sets_size - 1);
	while (q->sets[at].id && q->sets[at].id != id)
		at = (at + 1) & (q->sets_size - 1);
	return at;
}

// Makes room for one more: a larger table, or, where memory does not allow that, an empty one. (base/map.h's always
// grows.)
static void enlarge_sets(struct quick *q)
{
	struct entry *old = q->sets;
	uint32_t n = q->sets_size, size = n ? 2 * n : 16;
	size_t limit = q->base.env->bytes / 4;
	if (n && (q->n_sets > SETS_MAX || (limit && size * sizeof *q->sets > limit))) {
		memset(q->sets, 0, n * sizeof *q->sets);
		q->n_sets = 0;
		return;
	}
	q->sets_size = size;
	q->sets = mem_zero(size * sizeof *q->sets);
	for (uint32_t i = 0; i < n; i++)
		if (old[i].id)
			q->sets[place_for(q, old[i].id)] = old[i];
	mem_free(old);
}

// The values of its only variable that make the condition true.
static const struct entry *set_of(struct quick *q, uint32_t id)
{
	if (2 * (q->n_sets + 1) > q->sets_size)
		enlarge_sets(q);
	struct entry *e = &q->sets[place_for(q, id)];
	if (e->id)
		return e;
	uint32_t var = q->base.env->pool->only[id];
	assert(var != EXPR_MANY && !expr_is_const(q->base.env->pool, id));
	tape_clear(&q->single);
	uint32_t step = tape_add(&q->single, id);
	*e = (struct entry){.id = id, .large = q->single.n > SINGLE_MAX};
	q->n_sets++;
	if (e->large)
		return e;
	tape_set(&q->single, var, 0);
	tape_run(&q->single);
	tape_focus(&q->single, var);
	for (unsigned v = 0; v < 256; v++) {
		tape_try(&q->single, (uint8_t)v);
		e->set.word[v / 64] |= (uint64_t)(q->single.values[step] & 1) << v % 64;
	}
	return e;
}

// --- the query ---------------------------------------------------------------------------------

static void make_room(struct quick *q, uint32_t n_conditions)
{
	const struct expr_pool *p = q->base.env->pool;
	if (q->n_place_of < p->n_vars) {
		vec_cover(q->place_of, q->n_place_of, p->max_vars);
		q->n_place_of = p->max_vars;
	}
	if (q->max_roots < n_conditions) {
		q->max_roots = 2 * n_conditions;
		q->roots = mem_resize(q->roots, q->max_roots * sizeof *q->roots);
		q->violated = mem_resize(q->violated, q->max_roots * sizeof *q->violated);
	}
}

// The domain of a variable; all values when it is new.
static struct byteset *domain_of(struct quick *q, uint32_t var, const uint8_t *seed, struct model *vars)
{
	assert(var < q->n_place_of);
	if (q->place_of[var])
		return &q->domains[q->place_of[var] - 1];
	model_add(vars, var, seed[var]);
	vec_room(q->domains, vars->n, q->max_vars);
	q->place_of[var] = vars->n;
	struct byteset *d = &q->domains[vars->n - 1];
	memset(d, 0xff, sizeof *d);
	return d;
}

// Puts the conditions without a set on the tape, those of several bytes above all, and intersects the sets of the
// others. The variables are in *vars, with their seeds. Unsat: a set is empty; sat: none is; unknown: no time is left.
static enum answer prepare(struct quick *q, const struct query *query, struct model *vars)
{
	const struct expr_pool *p = q->base.env->pool;
	assert(query->n <= q->max_roots);
	q->n_roots = 0;
	for (uint32_t i = 0; i < query->n; i++) {
		uint32_t id = query->conditions[i], known = q->n_sets;
		const struct entry *single = p->only[id] == EXPR_MANY ? NULL : set_of(q, id);
		if (!single || single->large) {
			q->roots[q->n_roots++] = id;
			continue;
		}
		struct byteset *d = domain_of(q, p->only[id], query->seed, vars);
		for (int w = 0; w < 4; w++)
			d->word[w] &= single->set.word[w];
		if (byteset_is_empty(d))
			return ANSWER_UNSAT;
		if (q->n_sets != known && solver_out_of_time(q->base.env)) // of what is known already all is used
			return ANSWER_UNKNOWN;
	}
	check_set(&q->check, q->roots, q->n_roots);
	for (uint32_t i = 0; i < q->check.tape.n_vars; i++)
		domain_of(q, q->check.tape.vars[i], query->seed, vars);
	return ANSWER_SAT;
}

// The values of the variable that make true what is violated, which is on the tape `single`, and that are in
// its domain.
static struct byteset repairing(struct quick *q, uint32_t var, const struct byteset *domain, int64_t *left)
{
	struct byteset good = {{0}};
	tape_focus(&q->single, var);
	*left -= q->single.n;
	for (unsigned v = 0; v < 256 && *left > 0; v++) {
		if (!byteset_has(domain, v))
			continue;
		tape_try(&q->single, (uint8_t)v);
		*left -= q->single.n_focus;
		bool holds = true;
		for (uint32_t i = 0; i < q->n_violated && holds; i++)
			holds = q->single.values[q->violated[i]];
		good.word[v / 64] |= (uint64_t)holds << v % 64;
	}
	return good;
}

// Whether one of these values makes everything true; the best comes first. -1: none.
static int first_good(struct quick *q, uint32_t var, struct byteset good, uint8_t seed, int64_t *left)
{
	int value;
	tape_focus(&q->check.tape, var);
	*left -= q->check.tape.n;
	while ((value = byteset_choose(&good, seed, liked(q, var, seed))) >= 0 && *left > 0) {
		tape_try(&q->check.tape, (uint8_t)value);
		*left -= q->check.tape.n_focus;
		if (check_all(&q->check))
			return value;
		good.word[value / 64] &= ~((uint64_t)1 << value % 64);
	}
	return -1;
}

// Puts the conditions that do not hold on the tape `single`.
static void collect_violated(struct quick *q, const struct model *m)
{
	tape_clear(&q->single);
	q->n_violated = 0;
	for (uint32_t i = 0; i < q->n_roots; i++)
		if (!check_one(&q->check, i))
			q->violated[q->n_violated++] = tape_add(&q->single, q->roots[i]);
	for (uint32_t k = 0; k < m->n; k++)
		if (tape_has(&q->single, m->vars[k]))
			tape_set(&q->single, m->vars[k], m->values[k]);
	tape_run(&q->single);
}

// Whether one byte, changed alone, makes everything true.
static bool change_one(struct quick *q, struct model *m)
{
	int64_t left = STEPS_MAX;
	collect_violated(q, m);
	for (uint32_t k = 0; k < m->n && left > 0; k++) {
		uint32_t var = m->vars[k];
		if (!tape_has(&q->single, var))
			continue;
		struct byteset good = repairing(q, var, &q->domains[k], &left);
		tape_try(&q->single, m->values[k]);
		if (byteset_is_empty(&good))
			continue;
		int value = first_good(q, var, good, m->values[k], &left);
		if (value >= 0) {
			m->values[k] = (uint8_t)value;
			return true;
		}
		tape_try(&q->check.tape, m->values[k]);
	}
	return false;
}

// Whether a product with it takes many additions: no constant, or one with many bits, as hashes have.
static bool mixes(const struct expr_pool *p, uint32_t factor)
{
	enum { FEW = 8 };
	eval_value value = expr_is_const(p, factor) ? expr_value(p, factor) : 0;
	return !expr_is_const(p, factor) ||
	       __builtin_popcountll((uint64_t)value) + __builtin_popcountll((uint64_t)(value >> 64)) > FEW;
}

// How many steps may be taken to try all values: by operators that other solvers have a hard time with; 0: none.
static uint64_t worth(const struct quick *q)
{
	const struct expr_pool *p = q->base.env->pool;
	uint64_t steps = 0;
	for (uint32_t i = 0; i < q->check.tape.n; i++) {
		const struct expr_node *n = &p->nodes[q->check.tape.steps[i].id];
		if ((n->op == OP_MUL || n->op == OP_UMULO || n->op == OP_SMULO) && mixes(p, n->a) && mixes(p, n->b))
			steps = ENUMERATED_MAX;
		if (op_class(n->op) == OP_CLASS_DIVISION || (n->flags & EXPR_FLOAT))
			return DIVIDED_MAX;
	}
	return steps;
}

static uint32_t size_of(const struct byteset *s)
{
	uint32_t n = 0;
	for (int w = 0; w < 4; w++)
		n += (uint32_t)__builtin_popcountll(s->word[w]);
	return n;
}

// All values of two bytes, if that is not too much: sat or unsat, else unknown.
static enum answer enumerate(struct quick *q, struct model *m)
{
	if (m->n != 2 || !tape_has(&q->check.tape, m->vars[0]) || !tape_has(&q->check.tape, m->vars[1]) ||
	    (uint64_t)size_of(&q->domains[0]) * size_of(&q->domains[1]) * q->check.tape.n > worth(q))
		return ANSWER_UNKNOWN;
	tape_focus(&q->check.tape, m->vars[1]);
	struct byteset first = q->domains[0];
	for (int v; (v = byteset_choose(&first, m->values[0], liked(q, m->vars[0], m->values[0]))) >= 0;) {
		first.word[v / 64] &= ~((uint64_t)1 << v % 64);
		tape_set(&q->check.tape, m->vars[0], (uint8_t)v);
		tape_run(&q->check.tape);
		struct byteset good = {{0}};
		for (unsigned w = 0; w < 256; w++) {
			if (!byteset_has(&q->domains[1], w))
				continue;
			tape_try(&q->check.tape, (uint8_t)w);
			good.word[w / 64] |= (uint64_t)check_all(&q->check) << w % 64;
		}
		int second = byteset_choose(&good, m->values[1], liked(q, m->vars[1], m->values[1]));
		if (second >= 0) {
			m->values[0] = (uint8_t)v;
			m->values[1] = (uint8_t)second;
			return ANSWER_SAT;
		}
	}
	return ANSWER_UNSAT;
}

static enum answer decide_by_sets(struct quick *q, struct model *m)
{
	assert(q->n_roots);
	uint32_t n = q->check.tape.n_vars;
	if (q->max_tape_domains < n) {
		q->max_tape_domains = 2 * n;
		q->tape_domains = mem_resize(q->tape_domains, q->max_tape_domains * sizeof *q->tape_domains);
	}
	for (uint32_t i = 0; i < n; i++)
		q->tape_domains[i] = q->domains[q->place_of[q->check.tape.vars[i]] - 1];
	enum answer a = sets_solve(q->by_sets, q->check.steps, q->n_roots, q->tape_domains);
	for (uint32_t i = 0; a == ANSWER_SAT && i < n; i++)
		m->values[q->place_of[q->check.tape.vars[i]] - 1] =
			(uint8_t)q->check.tape.values[q->check.tape.var_steps[i]];
	return a;
}

static enum answer decide(struct quick *q, const struct query *query, struct model *m)
{
	enum answer possible = prepare(q, query, m);
	if (possible != ANSWER_SAT)
		return possible;
	for (uint32_t k = 0; k < m->n; k++) {
		int value = byteset_choose(&q->domains[k], m->values[k], liked(q, m->vars[k], m->values[k]));
		assert(value >= 0); // no domain is empty: prepare() says so
		m->values[k] = (uint8_t)value;
	}
	if (q->n_roots == 0)
		return ANSWER_SAT;
	for (uint32_t k = 0; k < m->n; k++)
		if (tape_has(&q->check.tape, m->vars[k]))
			tape_set(&q->check.tape, m->vars[k], m->values[k]);
	tape_run(&q->check.tape);
	if (check_all(&q->check) || change_one(q, m))
		return ANSWER_SAT;
	enum answer a = enumerate(q, m);
	return a == ANSWER_UNKNOWN ? decide_by_sets(q, m) : a;
}

static enum answer quick_solve(struct solver *base, const struct query *query, struct model *ret)
{
	struct quick *q = (struct quick *)base;
	make_room(q, query->n);
	model_clear(ret);
	enum answer a = decide(q, query, ret);
	for (uint32_t i = 0; i < ret->n; i++)
		q->place_of[ret->vars[i]] = 0;
	return a == ANSWER_UNKNOWN && !solver_out_of_time(base->env) ? solver_pass(base, query, ret) : a;
}

static void quick_release(struct solver *base)
{
	struct quick *q = (struct quick *)base;
	sets_free(q->by_sets);
	mem_free(q->tape_domains);
	check_release(&q->check);
	tape_release(&q->single);
	mem_free(q->sets);
	mem_free(q->domains);
	mem_free(q->place_of);
	mem_free(q->roots);
	mem_free(q->violated);
}

size_t quick_bytes(const struct solver *quick)
{
	return ((const struct quick *)quick)->sets_size * sizeof(struct entry);
}

struct solver *quick_new(struct solver_env *env, struct solver *next)
{
	static const struct solver_type type = {.name = "quick", .solve = quick_solve, .release = quick_release};
	struct quick *q = solver_new(&type, sizeof *q, env, next);
	check_init(&q->check, env->pool);
	tape_init(&q->single, env->pool);
	q->by_sets = sets_new(&q->check.tape, env);
	return &q->base;
}
