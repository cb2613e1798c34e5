// The frame of don't-care analysis: simplifies, takes the conditions apart into slices
// that share no input, answers those of a single byte by enumeration, and gives the
// others to a method.
#include "solver/care.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "solver/care_internal.h"
#include "solver/care_words.h"

static const struct method {
	const char *name, *what;
	void (*reduce)(struct care_slice *s);
	bool plain;
	uint32_t limit;
} methods[] = {
#define CARE(NAME, name, function, plain, limit, what) {name, what, function, plain, limit},
#include "solver/care.def"
#undef CARE
};

const char *care_method_name(enum care_method method)
{
	assert(method < CARE_METHODS);
	return methods[method].name;
}

const char *care_method_what(enum care_method method)
{
	return methods[method].what;
}

bool care_method_find(const char *name, enum care_method *ret)
{
	for (unsigned i = 0; i < CARE_METHODS; i++)
		if (!strcmp(methods[i].name, name))
			return *ret = (enum care_method)i, true;
	return false;
}

void care_release(struct care *c)
{
	mem_free(c->masks);
	*c = (struct care){0};
}

uint32_t care_bits(const struct care *c)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->n; i++)
		n += (uint32_t)__builtin_popcount(c->masks[i]);
	return n;
}

uint32_t care_bytes(const struct care *c)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->n; i++)
		n += c->masks[i] != 0;
	return n;
}

struct care_solver *care_new(struct solver_env *env)
{
	struct care_solver *s = mem_zero(sizeof *s);
	s->env = env;
	blaster_init(&s->blaster, env->pool, env->bytes);
	cnf_init(&s->cnf, &s->blaster.aig);
	tape_init(&s->tape, env->pool);
	tape_init(&s->one, env->pool);
	return s;
}

void care_free(struct care_solver *s)
{
	blaster_release(&s->blaster);
	cnf_release(&s->cnf);
	tape_release(&s->tape);
	tape_release(&s->one);
	mem_free(s->conditions);
	mem_free(s->below);
	mem_free(s->visited);
	vec_release(&s->walk);
	mem_free(s->parent);
	mem_free(s->place_of);
	mem_free(s->open);
	mem_free(s->words);
	mem_free(s->scratch.numbers);
	mem_free(s->roots);
	mem_free(s);
}

static void cover_pool(struct care_solver *s)
{
	const struct expr_pool *p = s->env->pool;
	if (s->n_below < p->max) {
		vec_cover(s->below, s->n_below, p->max);
		s->n_below = p->max;
	}
	if (s->max_vars < p->n_vars) {
		s->max_vars = p->max_vars;
		s->parent = mem_resize(s->parent, s->max_vars * sizeof *s->parent);
		s->place_of = mem_resize(s->place_of, s->max_vars * sizeof *s->place_of);
		s->open = mem_resize(s->open, s->max_vars * sizeof *s->open);
		s->words = mem_resize(s->words, s->max_vars);
	}
	for (uint32_t i = 0; i < p->n_vars; i++)
		s->parent[i] = i;
	memset(s->open, 0xff, p->n_vars * sizeof *s->open);
}

// --- conditions of one byte --------------------------------------------------------------------

static void add_set(struct care_sets *sets, unsigned set)
{
	sets->has[set / 64] |= (uint64_t)1 << set % 64;
}

// The sets of bits that may have any values: with a set, all its subsets.
static struct care_sets closed_sets(const bool *holds, uint8_t byte)
{
	assert(holds[byte]); // care_take_conditions() says so
	struct care_sets r = {0};
	for (unsigned set = 0; set < 256; set++) {
		bool all = holds[byte ^ set];
		for (unsigned bit = 0; bit < 8 && all; bit++)
			if (set >> bit & 1)
				all = care_has_set(&r, (uint8_t)(set ^ 1u << bit));
		if (all)
			add_set(&r, set);
	}
	return r;
}

// What conditions of one variable leave open, by its 256 values. They share much of what they
// compute, so all go at once.
static void restrict_open(struct care_solver *s, const struct care_condition *conditions, uint32_t n,
                          const uint8_t *bytes)
{
	uint32_t var = conditions[0].only;
	bool holds[256];
	assert(n && var != EXPR_MANY);
	tape_clear(&s->one);
	for (uint32_t i = 0; i < n; i++)
		tape_add(&s->one, conditions[i].id);
	tape_load(&s->one, bytes);
	tape_run(&s->one);
	tape_focus(&s->one, var);
	for (unsigned v = 0; v < 256; v++) {
		tape_try(&s->one, (uint8_t)v);
		holds[v] = true;
		for (uint32_t i = 0; i < n && holds[v]; i++)
			holds[v] = s->one.values[s->one.step_of[conditions[i].id] - 1];
	}
	struct care_sets sets = closed_sets(holds, bytes[var]);
	for (unsigned i = 0; i < 4; i++)
		s->open[var].has[i] &= sets.has[i];
}

uint8_t care_complete(const struct care_sets *open, uint8_t needed, uint8_t within)
{
	assert(!(needed & ~within));
	unsigned best = within;
	for (unsigned bits = needed; bits < 256; bits = (bits + 1) | needed)
		if (!(bits & ~(unsigned)within) && care_has_set(open, (uint8_t)~bits) &&
		    __builtin_popcount(bits) < __builtin_popcount(best))
			best = bits;
	return (uint8_t)best;
}

// --- on expressions ----------------------------------------------------------------------------

static bool is_enumerated(const struct care_solver *s, uint32_t id, bool plain)
{
	return s->env->pool->only[id] != EXPR_MANY && (!plain || !blast_can(s->env->pool, id));
}

// Bits from which conditions follow: those that are opaque, or all that are not enumerated.
static void find_words(struct care_solver *s, bool plain, bool only_opaque)
{
	uint32_t *roots = mem_alloc((s->n + 1) * sizeof *roots), n = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t id = s->conditions[i].id;
		if (only_opaque ? care_is_opaque(s, id) : !is_enumerated(s, id, plain))
			roots[n++] = s->tape.step_of[id] - 1;
	}
	memset(s->words, 0, s->env->pool->n_vars);
	if (n)
		care_words(&s->tape, roots, n, s->words);
	mem_free(roots);
}

// Bits that are relevant to opaque conditions are not open; to the methods these conditions are not known.
static void close_bits(struct care_solver *s)
{
	for (uint32_t i = 0; i < s->env->pool->n_vars; i++)
		for (unsigned set = 1; s->words[i] && set < 256; set++)
			if (set & s->words[i])
				s->open[i].has[set / 64] &= ~((uint64_t)1 << set % 64);
}

// What the conditions of one byte leave open, and the opaque ones; then what follows from expressions
// alone. Out of time it is incomplete, and returns false.
static bool prepare(struct care *ret, struct care_solver *s, const uint8_t *bytes, bool plain)
{
	for (uint32_t i = 0, end; i < s->n; i = end) {
		const struct care_condition *c = &s->conditions[i];
		for (end = i + 1; is_enumerated(s, c->id, plain) && end < s->n;) {
			const struct care_condition *next = &s->conditions[end];
			if (next->only != c->only || !is_enumerated(s, next->id, plain))
				break;
			end++;
		}
		if (solver_out_of_time(s->env))
			return false;
		if (is_enumerated(s, c->id, plain))
			restrict_open(s, c, end - i, bytes);
	}
	find_words(s, plain, true);
	close_bits(s);
	find_words(s, plain, false);
	for (uint32_t i = 0; i < ret->n; i++)
		if (ret->masks[i])
			ret->masks[i] = care_complete(&s->open[i], s->words[i], 0xff);
	return true;
}

// --- slices ------------------------------------------------------------------------------------

// The literals of conditions; false: a limit was met.
static bool make_roots(struct care_solver *s, const struct care_condition *conditions, uint32_t n, bool plain,
                       uint32_t *ret_n)
{
	*ret_n = 0;
	if (s->max_roots < n) {
		s->max_roots = n;
		s->roots = mem_resize(s->roots, n * sizeof *s->roots);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = conditions[i].id;
		if (is_enumerated(s, id, plain))
			continue;
		aig_lit l = blast_condition(&s->blaster, id);
		if (s->blaster.aig.full) {
			s->env->reason = SOLVER_MEMORY;
			return false;
		}
		if (solver_out_of_time(s->env))
			return false;
		assert(l != AIG_FALSE);
		if (l != AIG_TRUE)
			s->roots[(*ret_n)++] = l;
	}
	return true;
}

// make_roots, within the limit of the method; false, too, when that is met.
static bool make_few_roots(struct care_solver *s, const struct method *m, const struct care_condition *conditions,
                           uint32_t n, uint32_t *ret_n)
{
	struct aig *g = &s->blaster.aig;
	const uint32_t limit = g->limit;
	const enum solver_reason reason = s->env->reason;
	bool limited = m->limit && m->limit < limit - g->n;
	if (limited)
		g->limit = g->n + m->limit;
	bool r = make_roots(s, conditions, n, m->plain, ret_n);
	g->limit = limit;
	if (!r)
		blaster_clear(&s->blaster);
	if (!r && limited && s->env->reason == SOLVER_MEMORY)
		s->env->reason = reason;
	return r;
}

// Out of memory or time, `care` stays what it is.
static void reduce(struct care_solver *s, const struct method *m, struct care_slice *slice,
                   const struct care_condition *conditions, uint32_t n)
{
	blaster_tidy(&s->blaster);
	if (!make_few_roots(s, m, conditions, n, &slice->n_roots))
		return;
	slice->roots = s->roots;
	memset(slice->care, 0xff, slice->n);
	if (slice->n_roots) {
		m->reduce(slice);
		return;
	}
	for (uint32_t i = 0; i < slice->n; i++)
		slice->care[i] = care_complete(&slice->open[i], 0, 0xff);
}

// Variables, sorted by slice: those of slice v begin at first[v].
struct groups {
	uint32_t *vars, *first;
};

static void group(struct care_solver *s, struct groups *g)
{
	uint32_t n = s->env->pool->n_vars;
	g->vars = mem_alloc((n + 1) * sizeof *g->vars);
	g->first = mem_zero((n + 2) * sizeof *g->first);
	for (uint32_t i = 0; i < n; i++)
		g->first[care_slice_of(s, i) + 2]++;
	for (uint32_t i = 2; i < n + 2; i++)
		g->first[i] += g->first[i - 1];
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *at = &g->first[care_slice_of(s, i) + 1];
		g->vars[(*at)++] = i;
	}
	for (uint32_t i = 0; i < n; i++)
		s->place_of[g->vars[i]] = i - g->first[care_slice_of(s, g->vars[i])];
}

// By bytes, then bits.
static bool is_smaller(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	int bytes = 0, bits = 0;
	for (uint32_t i = 0; i < n; i++) {
		bytes += (a[i] != 0) - (b[i] != 0);
		bits += __builtin_popcount(a[i]) - __builtin_popcount(b[i]);
	}
	return bytes ? bytes < 0 : bits < 0;
}

static void reduce_all(struct care *ret, struct care_solver *s, const struct method *m, const uint8_t *bytes)
{
	struct groups g;
	group(s, &g);
	uint32_t n_vars = s->env->pool->n_vars;
	uint8_t *care = mem_alloc(n_vars + 1), *words = mem_alloc(n_vars + 1);
	struct care_sets *open = mem_alloc((n_vars + 1) * sizeof *open);
	for (uint32_t i = 0, end; i < s->n && !solver_out_of_time(s->env); i = end) {
		uint32_t name = s->conditions[i].slice;
		for (end = i + 1; end < s->n && s->conditions[end].slice == name;)
			end++;
		if (name == NO_VARIABLE)
			break; // the last ones: they have no variables, or are opaque
		struct care_slice slice = {.env = s->env,
		                           .scratch = &s->scratch,
		                           .aig = &s->blaster.aig,
		                           .cnf = &s->cnf,
		                           .bytes = bytes,
		                           .place_of = s->place_of,
		                           .vars = g.vars + g.first[name],
		                           .n = g.first[name + 1] - g.first[name],
		                           .care = care,
		                           .open = open};
		for (uint32_t k = 0; k < slice.n; k++) {
			open[k] = s->open[slice.vars[k]];
			words[k] = care[k] = ret->masks[slice.vars[k]];
		}
		reduce(s, m, &slice, s->conditions + i, end - i);
		const uint8_t *best = m->limit && is_smaller(words, care, slice.n) ? words : care;
		for (uint32_t k = 0; k < slice.n; k++)
			ret->masks[slice.vars[k]] = best[k];
	}
	mem_free(open);
	mem_free(care);
	mem_free(words);
	mem_free(g.vars);
	mem_free(g.first);
}

// --- all ---------------------------------------------------------------------------------------

// Every byte that the simplified conditions read.
static void mark_inputs(struct care *ret, struct care_solver *s)
{
	memset(ret->masks, 0, ret->n);
	for (uint32_t i = 0; i < s->tape.n_vars; i++)
		ret->masks[s->tape.vars[i]] = 0xff;
}

bool care_find(struct care *ret, struct care_solver *s, const uint32_t *conditions, uint32_t n, const uint8_t *bytes,
               enum care_method method)
{
	const struct method *m = &methods[method];
	struct solver_env *env = s->env;
	env->deadline = env->nanoseconds ? clock_nanoseconds() + env->nanoseconds : 0;
	env->reason = SOLVER_NONE;
	ret->n = env->pool->n_vars;
	if (ret->max < ret->n) {
		ret->max = env->pool->max_vars;
		ret->masks = mem_resize(ret->masks, ret->max);
	}
	if (ret->n)
		memset(ret->masks, 0xff, ret->n);
	if (!care_take_conditions(s, conditions, n, bytes))
		return false;
	if (!ret->n || method == CARE_NONE)
		return true;
	mark_inputs(ret, s);
	if (method == CARE_SIMPLIFY)
		return true;
	// A graph that was made for something else has its nodes in another order: the answer would depend on that.
	blaster_clear(&s->blaster);
	cover_pool(s);
	care_find_slices(s);
	if (prepare(ret, s, bytes, m->plain) && m->reduce)
		reduce_all(ret, s, m, bytes);
	return true;
}
