// Answers to queries that are the same but for the names of their bytes. A scanner puts
// the same conditions to every byte of a file, and every test of a suite begins alike,
// in a file of its own: what was solved for some bytes is solved for all.
//
// A query is written down with its bytes numbered in the order in which they come up,
// which a tape does: operands first, each node once, operands named by their place on
// the tape. Equal tapes are queries that a renaming makes equal, so "unsat" holds for
// both, and a model of one is a model of the other, byte by byte. Queries are compared
// by a hash of 128 bits; a model is evaluated before it is handed out.
//
// Queries of one path share all conditions but the last few: hashes of those that are the
// same are kept.
//
// Memory: two generations, as in cache.c.
#include "solver/renamed.h"

#include <assert.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/vec.h"
#include "solver/check.h"

enum { SLOTS_MIN = 64 };

// `values` has, for each byte in the order of the tape, the model's value, and behind these whether it differs from
// the seed's of that query.
struct entry {
	XXH128_hash_t key;
	uint8_t *values;
	bool used, sat;
};

struct generation {
	struct entry *slots; // hash table
	uint32_t n, max;
	size_t bytes;
};

struct renamed {
	struct solver solver;
	struct renamed_counts counts;
	struct generation young, old;
	struct check check;    // of the query
	XXH128_hash_t *hashes; // per condition: of the steps that it added to the tape
	uint32_t max_hashes;
	uint32_t *words; // of the condition that is being written down
	uint32_t n_words, max_words;
};

// --- a generation --------------------------------------------------------------------------------

static void release_generation(struct generation *g)
{
	for (uint32_t i = 0; i < g->max; i++)
		mem_free(g->slots[i].values);
	mem_free(g->slots);
	*g = (struct generation){0};
}

// Not base/map.h's table: make_room() has to know before when it grows, and by how much.
static struct entry *slot_of(const struct generation *g, XXH128_hash_t key)
{
	uint32_t at = (uint32_t)key.low64 & (g->max - 1);
	while (g->slots[at].used && !XXH128_isEqual(g->slots[at].key, key))
		at = (at + 1) & (g->max - 1);
	return &g->slots[at];
}

static const struct entry *find(const struct generation *g, XXH128_hash_t key)
{
	const struct entry *e = g->max ? slot_of(g, key) : NULL;
	return e && e->used ? e : NULL;
}

static void enlarge(struct generation *g)
{
	struct entry *old = g->slots;
	uint32_t n = g->max;
	g->max = n ? 2 * n : SLOTS_MIN;
	g->slots = mem_zero(g->max * sizeof *g->slots);
	for (uint32_t i = 0; i < n; i++)
		if (old[i].used)
			*slot_of(g, old[i].key) = old[i];
	g->bytes += (g->max - n) * sizeof *g->slots;
	mem_free(old);
}

// Takes over e->values.
static void put(struct generation *g, struct entry e, size_t bytes)
{
	if (2 * (g->n + 1) > g->max)
		enlarge(g);
	struct entry *slot = slot_of(g, e.key);
	assert(!slot->used && (e.sat || !e.values));
	*slot = e;
	g->n++;
	g->bytes += bytes;
}

// Makes room for an entry of that size; false when there is none.
static bool make_room(struct renamed *r, size_t bytes)
{
	size_t most = r->solver.env->bytes / 2;
	const struct generation *g = &r->young;
	size_t table = 2 * (g->n + 1) > g->max ? (g->max ? g->max : SLOTS_MIN) * sizeof *g->slots : 0;
	if (!most || g->bytes + table + bytes <= most)
		return true;
	if (SLOTS_MIN * sizeof *g->slots + bytes > most)
		return false;
	release_generation(&r->old);
	r->old = r->young;
	r->young = (struct generation){0};
	return true;
}

// --- writing a query down ------------------------------------------------------------------------

static void add_word(struct renamed *r, uint32_t word)
{
	vec_room(r->words, r->n_words + 1, r->max_words);
	r->words[r->n_words++] = word;
}

static void add_two(struct renamed *r, uint64_t words)
{
	add_word(r, (uint32_t)words);
	add_word(r, (uint32_t)(words >> 32));
}

// What it says, with the steps of entries that are input in place of their bytes.
static void write_table(struct renamed *r, const struct expr_table *t)
{
	add_word(r, t->size);
	add_word(r, t->exprs != NULL);
	if (!t->exprs)
		add_two(r, t->hash);
	for (uint32_t i = 0; t->exprs && i < t->size; i++) {
		add_word(r, t->exprs[i] ? r->check.tape.step_of[t->exprs[i]] : 0);
		add_word(r, t->exprs[i] ? 0 : t->bytes[i]);
	}
}

// All that its value depends on.
static void write_step(struct renamed *r, uint32_t at)
{
	const struct tape *t = &r->check.tape;
	const struct tape_step *s = &t->steps[at];
	const uint32_t operands[] = {s->a, s->b, s->c};
	add_word(r, s->node.op | (uint32_t)s->node.width << 8);
	for (unsigned i = 0; i < op_operands(s->node.op); i++)
		add_word(r, operands[i]);
	if (s->node.op == OP_CONST) {
		add_two(r, (uint64_t)t->values[at]);
		add_two(r, (uint64_t)(t->values[at] >> 64));
	} else if (op_extra(s->node.op)) {
		add_word(r, op_extra(s->node.op) == OP_EXTRA_B ? s->node.b : s->node.c);
	} else if (s->node.op == OP_LOOKUP) {
		write_table(r, &t->pool->tables[s->node.b]);
	}
}

static XXH128_hash_t hash_condition(struct renamed *r, uint32_t i)
{
	const struct check *c = &r->check;
	uint32_t end = i + 1 < c->n ? c->from[i + 1] : c->tape.n;
	assert(i < c->n && c->from[i] <= end);
	r->n_words = 0;
	for (uint32_t at = c->from[i]; at < end; at++)
		write_step(r, at);
	add_word(r, c->steps[i]);
	r->counts.steps += end - c->from[i];
	return XXH3_128bits(r->words, r->n_words * sizeof *r->words);
}

static XXH128_hash_t hash_query(struct renamed *r, const struct query *q)
{
	uint32_t same = check_set(&r->check, q->conditions, q->n);
	if (r->max_hashes < q->n) {
		r->max_hashes = 2 * q->n;
		r->hashes = mem_resize(r->hashes, r->max_hashes * sizeof *r->hashes);
	}
	for (uint32_t i = same; i < q->n; i++)
		r->hashes[i] = hash_condition(r, i);
	return XXH3_128bits(r->hashes, q->n * sizeof *r->hashes);
}

// --- answers -------------------------------------------------------------------------------------

// The bytes of the model; where it has the seed of the other query, the seed of this one, if that will do.
static bool try_values(struct renamed *r, const struct query *q, const uint8_t *values, struct model *ret)
{
	const struct tape *t = &r->check.tape;
	for (int all = 0; all < 2; all++) {
		model_clear(ret);
		for (uint32_t i = 0; i < t->n_vars; i++)
			model_add(ret, t->vars[i], all || values[t->n_vars + i] ? values[i] : q->seed[t->vars[i]]);
		if (check_model(&r->check, q->seed, ret))
			return true;
	}
	return false;
}

static enum answer look_up(struct renamed *r, const struct query *q, XXH128_hash_t key, struct model *ret)
{
	const struct entry *e = find(&r->young, key);
	if (!e)
		e = find(&r->old, key);
	if (!e)
		return ANSWER_UNKNOWN;
	if (!e->sat)
		return ANSWER_UNSAT;
	return try_values(r, q, e->values, ret) ? ANSWER_SAT : ANSWER_UNKNOWN;
}

static void keep(struct renamed *r, const struct query *q, XXH128_hash_t key, const struct model *m)
{
	struct tape *t = &r->check.tape;
	struct entry e = {.key = key, .used = true, .sat = m != NULL};
	size_t bytes = m ? 2 * (size_t)t->n_vars : 0;
	if (find(&r->young, key) || !make_room(r, bytes))
		return;
	if (m) {
		tape_load(t, q->seed);
		for (uint32_t i = 0; i < m->n; i++)
			if (tape_has(t, m->vars[i]))
				tape_set(t, m->vars[i], m->values[i]);
		e.values = mem_alloc(bytes + 1);
		for (uint32_t i = 0; i < t->n_vars; i++) {
			e.values[i] = (uint8_t)t->values[t->var_steps[i]];
			e.values[t->n_vars + i] = e.values[i] != q->seed[t->vars[i]];
		}
	}
	put(&r->young, e, bytes);
}

static enum answer solve(struct solver *solver, const struct query *q, struct model *ret)
{
	struct renamed *r = (struct renamed *)solver;
	XXH128_hash_t key = hash_query(r, q);
	enum answer a = look_up(r, q, key, ret);
	r->counts.sat += a == ANSWER_SAT;
	r->counts.unsat += a == ANSWER_UNSAT;
	if (a != ANSWER_UNKNOWN)
		return a;
	r->counts.missed++;
	a = solver_pass(solver, q, ret);
	if (a != ANSWER_UNKNOWN)
		keep(r, q, key, a == ANSWER_SAT ? ret : NULL);
	return a;
}

struct renamed_counts renamed_counts(const struct solver *renamed)
{
	const struct renamed *r = (const struct renamed *)renamed;
	struct renamed_counts counts = r->counts;
	counts.entries = r->young.n + r->old.n;
	return counts;
}

size_t renamed_bytes(const struct solver *renamed)
{
	const struct renamed *r = (const struct renamed *)renamed;
	return r->young.bytes + r->old.bytes;
}

static void release(struct solver *solver)
{
	struct renamed *r = (struct renamed *)solver;
	release_generation(&r->young);
	release_generation(&r->old);
	check_release(&r->check);
	mem_free(r->hashes);
	mem_free(r->words);
}

struct solver *renamed_new(struct solver_env *env, struct solver *next)
{
	static const struct solver_type type = {"renamed", solve, release};
	struct renamed *r = solver_new(&type, sizeof *r, env, next);
	check_init(&r->check, env->pool);
	return &r->solver;
}
