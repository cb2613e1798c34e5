// Earlier answers. A query is a set of conditions; an answer about one set often answers
// about another: unsat holds for all larger sets, a model for all smaller ones, and a
// model of a similar query is worth a try. Unknown is not kept.
//
// Entries are found by their conditions. A set that is inside of the query has its
// newest condition in the query, so entries are listed under their newest condition; a
// set around the query is listed under each of its conditions, of which the rarest is
// looked at. Lists are short: old entries leave them, which only costs an answer.
//
// Memory: two generations. When the young one has half of the memory, it becomes the
// old one, and what was old is dropped at once.
#include "solver/cache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/vec.h"
#include "solver/check.h"

enum {
	LIST_MAX = 16,       // entries under a condition
	RECENT = 16,         // models that are tried on every query
	RECENT_VARS = 256,   // larger models are not among them
	TRIES = 16,          // models of subsets that are tried
	TRY_STEPS = 1 << 16, // evaluated for a query at most, to try models that may not be right
};

struct entry {
	struct entry *next; // in its bucket
	uint64_t hash;
	uint32_t n, n_model;
	uint32_t *ids; // ascending
	uint32_t *vars;
	uint8_t *values;
	bool sat;
};

struct link {
	struct link *next;
	struct entry *entry;
};

struct list {
	struct link *first;
	uint32_t n;
};

struct place {
	uint32_t condition; // 0: free
	struct list newest; // entries of which it is the newest condition
	struct list any;    // sat entries it is in
};

struct generation {
	struct arena memory; // of entries, and what they point to
	struct entry **buckets;
	struct place *places; // hash table by condition; not base/map.h's, since cost() has to know when it grows
	uint32_t n_entries, n_buckets;
	uint32_t n_places, max_places;
	size_t bytes; // of the tables
};

struct cache {
	struct solver solver;
	struct generation young, old;
	struct cache_counts counts;
	struct check check; // of the query; set when `checking`
	bool checking;
	uint64_t tried; // steps evaluated for the query
	struct model recent[RECENT];
	uint32_t next_recent;
	// The query: its conditions ascending, each once; and marks, per node.
	uint32_t *ids;
	uint32_t n, max;
	uint64_t hash;
	uint32_t *mark;
	uint32_t n_mark, now;
};

// --- a generation --------------------------------------------------------------------------------

static void release_generation(struct generation *g)
{
	arena_release(&g->memory);
	mem_free(g->buckets);
	mem_free(g->places);
	*g = (struct generation){0};
}

static uint32_t place_at(const struct generation *g, uint32_t condition)
{
	uint32_t at = (uint32_t)(condition * 0x9e3779b97f4a7c15u >> 32) & (g->max_places - 1);
	while (g->places[at].condition && g->places[at].condition != condition)
		at = (at + 1) & (g->max_places - 1);
	return at;
}

static const struct place *find_place(const struct generation *g, uint32_t condition)
{
	const struct place *p = g->max_places ? &g->places[place_at(g, condition)] : NULL;
	return p && p->condition ? p : NULL;
}

static void enlarge_places(struct generation *g)
{
	struct place *old = g->places;
	uint32_t n = g->max_places;
	g->max_places = n ? 2 * n : 64;
	g->places = mem_zero(g->max_places * sizeof *g->places);
	for (uint32_t i = 0; i < n; i++)
		if (old[i].condition)
			g->places[place_at(g, old[i].condition)] = old[i];
	g->bytes += (g->max_places - n) * sizeof *g->places;
	mem_free(old);
}

static struct place *make_place(struct generation *g, uint32_t condition)
{
	assert(condition);
	if (2 * g->n_places >= g->max_places)
		enlarge_places(g);
	struct place *p = &g->places[place_at(g, condition)];
	g->n_places += !p->condition;
	p->condition = condition;
	return p;
}

static void enlarge_buckets(struct generation *g)
{
	struct entry **old = g->buckets;
	uint32_t n = g->n_buckets;
	g->n_buckets = n ? 2 * n : 64;
	g->buckets = mem_zero(g->n_buckets * sizeof *g->buckets);
	for (uint32_t i = 0; i < n; i++)
		for (struct entry *e = old[i], *next; e; e = next) {
			next = e->next;
			e->next = g->buckets[e->hash & (g->n_buckets - 1)];
			g->buckets[e->hash & (g->n_buckets - 1)] = e;
		}
	g->bytes += (g->n_buckets - n) * sizeof *g->buckets;
	mem_free(old);
}

// In front. The oldest leaves a list that is full.
static void put(struct generation *g, struct list *l, struct entry *e)
{
	struct link *link = NULL;
	if (l->n == LIST_MAX) {
		struct link **at = &l->first;
		while ((*at)->next)
			at = &(*at)->next;
		link = *at;
		*at = NULL;
		l->n--;
	} else {
		link = arena_alloc(&g->memory, sizeof *link);
	}
	*link = (struct link){l->first, e};
	l->first = link;
	l->n++;
}

static void keep_entry(struct generation *g, struct entry *e)
{
	assert(e->n && (!e->n_model || e->sat));
	if (g->n_entries >= g->n_buckets)
		enlarge_buckets(g);
	struct entry **bucket = &g->buckets[e->hash & (g->n_buckets - 1)];
	e->next = *bucket;
	*bucket = e;
	g->n_entries++;
	put(g, &make_place(g, e->ids[e->n - 1])->newest, e);
	for (uint32_t i = 0; e->sat && i < e->n; i++)
		put(g, &make_place(g, e->ids[i])->any, e);
}

static size_t size_of(const struct generation *g)
{
	return g->memory.bytes + g->bytes;
}

// At most what keeping a set of n conditions with a model of m variables adds to `bytes`.
static size_t cost(const struct generation *g, uint32_t n, uint32_t m)
{
	size_t links = (n + 1) * sizeof(struct link), entry = sizeof(struct entry) + 4 * (size_t)n + 5 * (size_t)m;
	size_t tables = 0;
	uint32_t places = g->max_places;
	for (; 2 * (g->n_places + n) >= places; places = places ? 2 * places : 64)
		tables += (places ? places : 64) * sizeof(struct place);
	if (g->n_entries >= g->n_buckets)
		tables += (g->n_buckets ? g->n_buckets : 64) * sizeof(struct entry *);
	return arena_cost(&g->memory, n + 1 + 4, links + entry) + tables;
}

static void drop(struct cache *c, struct generation *g)
{
	c->counts.dropped += g->n_entries;
	release_generation(g);
}

// Makes room for an entry; false when it is too large.
static bool make_room(struct cache *c, uint32_t n, uint32_t m)
{
	size_t most = c->solver.env->bytes / 2;
	if (!most || size_of(&c->young) + cost(&c->young, n, m) <= most)
		return true;
	if (cost(&(struct generation){0}, n, m) > most)
		return false;
	drop(c, &c->old);
	c->old = c->young;
	c->young = (struct generation){0};
	return true;
}

static void keep(struct cache *c, bool sat, const struct model *m)
{
	uint32_t n_model = sat ? m->n : 0;
	if (c->n == 0 || !make_room(c, c->n, n_model))
		return;
	struct generation *g = &c->young;
	struct entry *e = arena_alloc(&g->memory, sizeof *e);
	*e = (struct entry){.hash = c->hash, .n = c->n, .n_model = n_model, .sat = sat};
	e->ids = arena_alloc(&g->memory, 4 * (size_t)c->n);
	memcpy(e->ids, c->ids, 4 * (size_t)c->n);
	if (n_model) {
		e->vars = arena_alloc(&g->memory, 4 * (size_t)n_model);
		e->values = arena_alloc(&g->memory, n_model);
		memcpy(e->vars, m->vars, 4 * (size_t)n_model);
		memcpy(e->values, m->values, n_model);
	}
	keep_entry(g, e);
}

// --- the query -----------------------------------------------------------------------------------

static int compare(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return a < b ? -1 : a > b;
}

static void mark_conditions(struct cache *c)
{
	uint32_t nodes = c->solver.env->pool->max;
	if (c->n_mark < nodes) {
		vec_cover(c->mark, c->n_mark, nodes);
		c->n_mark = nodes;
	}
	if (!++c->now) {
		memset(c->mark, 0, c->n_mark * sizeof *c->mark);
		c->now = 1;
	}
	for (uint32_t i = 0; i < c->n; i++)
		c->mark[c->ids[i]] = c->now;
}

static void set_query(struct cache *c, const struct query *q)
{
	if (c->max < q->n) {
		c->max = 2 * q->n;
		c->ids = mem_resize(c->ids, c->max * sizeof *c->ids);
	}
	c->n = 0;
	bool sorted = true;
	for (uint32_t i = 0; i < q->n; i++) {
		sorted = sorted && (!i || q->conditions[i - 1] < q->conditions[i]);
		c->ids[c->n++] = q->conditions[i];
	}
	if (!sorted) {
		qsort(c->ids, c->n, sizeof *c->ids, compare);
		uint32_t n = 0;
		for (uint32_t i = 0; i < c->n; i++)
			if (!n || c->ids[n - 1] != c->ids[i])
				c->ids[n++] = c->ids[i];
		c->n = n;
	}
	c->hash = c->n ? XXH3_64bits(c->ids, c->n * sizeof *c->ids) : 0;
	c->checking = false;
	c->tried = 0;
	mark_conditions(c);
}

static void start_checking(struct cache *c)
{
	if (!c->checking)
		check_set(&c->check, c->ids, c->n);
	c->checking = true;
}

// The values that the query was last evaluated with; other variables do not matter.
static void take_values(struct cache *c, struct model *ret)
{
	const struct tape *t = &c->check.tape;
	model_clear(ret);
	for (uint32_t i = 0; i < t->n_vars; i++)
		model_add(ret, t->vars[i], (uint8_t)t->values[t->var_steps[i]]);
}

// Is it a model of the query? Nothing is handed out that was not evaluated.
static bool holds(struct cache *c, const struct query *q, const struct model *m, struct model *ret)
{
	start_checking(c);
	if (!check_model(&c->check, q->seed, m))
		return false;
	take_values(c, ret);
	return true;
}

static bool entry_holds(struct cache *c, const struct query *q, const struct entry *e, struct model *ret)
{
	const struct model m = {.vars = e->vars, .values = e->values, .n = e->n_model};
	return holds(c, q, &m, ret);
}

// A model that may be right. It is not when it says about the query what the seed says, which an earlier
// stage tried; and it is not worth it when evaluating takes long.
static bool worth_a_try(struct cache *c, const struct query *q, const struct model *m)
{
	bool differs = false;
	start_checking(c);
	for (uint32_t i = 0; i < m->n && !differs; i++)
		differs = m->values[i] != q->seed[m->vars[i]] && tape_has(&c->check.tape, m->vars[i]);
	if (!differs || c->tried + c->check.tape.n > TRY_STEPS)
		return false;
	c->tried += c->check.tape.n;
	return true;
}

// --- looking up ----------------------------------------------------------------------------------

static const struct entry *find_exact(const struct cache *c, const struct generation *g)
{
	const struct entry *e = g->n_buckets ? g->buckets[c->hash & (g->n_buckets - 1)] : NULL;
	for (; e; e = e->next)
		if (e->hash == c->hash && e->n == c->n && memcmp(e->ids, c->ids, 4 * (size_t)c->n) == 0)
			return e;
	return NULL;
}

static bool inside_of_query(const struct cache *c, const struct entry *e)
{
	if (e->n > c->n)
		return false;
	for (uint32_t i = e->n; i-- > 0;) // the newest differ most
		if (c->mark[e->ids[i]] != c->now)
			return false;
	return true;
}

static bool around_query(const struct cache *c, const struct entry *e)
{
	if (e->n < c->n)
		return false;
	uint32_t at = 0;
	for (uint32_t i = 0; i < e->n && at < c->n; i++)
		at += e->ids[i] == c->ids[at];
	return at == c->n;
}

static bool has_unsat_subset(const struct cache *c, const struct generation *g)
{
	for (uint32_t i = c->n; i-- > 0;) {
		const struct place *p = find_place(g, c->ids[i]);
		for (const struct link *l = p ? p->newest.first : NULL; l; l = l->next)
			if (!l->entry->sat && inside_of_query(c, l->entry))
				return true;
	}
	return false;
}

static bool try_supersets(struct cache *c, const struct generation *g, const struct query *q, struct model *ret)
{
	const struct place *rarest = NULL;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct place *p = find_place(g, c->ids[i]);
		if (!p || !p->any.n)
			return false;
		if (!rarest || p->any.n < rarest->any.n)
			rarest = p;
	}
	for (const struct link *l = rarest ? rarest->any.first : NULL; l; l = l->next)
		if (around_query(c, l->entry) && entry_holds(c, q, l->entry, ret))
			return true;
	return false;
}

static bool try_subsets(struct cache *c, const struct generation *g, const struct query *q, struct model *ret)
{
	uint32_t tries = 0;
	for (uint32_t i = c->n; i-- > 0;) {
		const struct place *p = find_place(g, c->ids[i]);
		for (const struct link *l = p ? p->newest.first : NULL; l; l = l->next) {
			const struct entry *e = l->entry;
			const struct model m = {.vars = e->vars, .values = e->values, .n = e->n_model};
			if (!e->sat || !inside_of_query(c, e) || !worth_a_try(c, q, &m))
				continue;
			if (holds(c, q, &m, ret))
				return true;
			if (++tries == TRIES)
				return false;
		}
	}
	return false;
}

static bool try_recent(struct cache *c, const struct query *q, struct model *ret)
{
	for (uint32_t i = 1; i <= RECENT; i++) {
		const struct model *m = &c->recent[(c->next_recent - i) % RECENT];
		if (m->n && worth_a_try(c, q, m) && holds(c, q, m, ret))
			return true;
	}
	return false;
}

static void remember_model(struct cache *c, const struct model *m)
{
	if (m->n && m->n <= RECENT_VARS)
		model_copy(&c->recent[c->next_recent++ % RECENT], m);
}

// What is still asked for stays.
static enum answer answer_exactly(struct cache *c, const struct query *q, struct model *ret)
{
	const struct entry *e = find_exact(c, &c->young), *old = e ? NULL : find_exact(c, &c->old);
	if (old)
		e = old;
	if (!e || (e->sat && !entry_holds(c, q, e, ret)))
		return ANSWER_UNKNOWN;
	bool sat = e->sat;
	c->counts.exact++;
	if (old)
		keep(c, sat, ret);
	return sat ? ANSWER_SAT : ANSWER_UNSAT;
}

// Answers that are certain; ANSWER_UNKNOWN: none.
static enum answer look_up(struct cache *c, const struct query *q, struct model *ret)
{
	enum answer a = answer_exactly(c, q, ret);
	if (a != ANSWER_UNKNOWN)
		return a;
	if (has_unsat_subset(c, &c->young) || has_unsat_subset(c, &c->old)) {
		c->counts.subset++;
		return ANSWER_UNSAT;
	}
	if (try_supersets(c, &c->young, q, ret) || try_supersets(c, &c->old, q, ret)) {
		c->counts.superset++;
		return ANSWER_SAT;
	}
	return ANSWER_UNKNOWN;
}

static enum answer solve(struct solver *solver, const struct query *q, struct model *ret)
{
	struct cache *c = (struct cache *)solver;
	set_query(c, q);
	enum answer a = look_up(c, q, ret);
	if (a != ANSWER_UNKNOWN)
		return a;
	if (try_subsets(c, &c->young, q, ret) || try_subsets(c, &c->old, q, ret) || try_recent(c, q, ret)) {
		c->counts.reused++;
		keep(c, true, ret);
		return ANSWER_SAT;
	}
	c->counts.missed++;
	a = solver_pass(solver, q, ret);
	if (a != ANSWER_UNKNOWN)
		keep(c, a == ANSWER_SAT, ret);
	if (a == ANSWER_SAT)
		remember_model(c, ret);
	return a;
}

struct cache_counts cache_counts(const struct solver *cache)
{
	const struct cache *c = (const struct cache *)cache;
	struct cache_counts counts = c->counts;
	counts.entries = c->young.n_entries + c->old.n_entries;
	return counts;
}

size_t cache_bytes(const struct solver *cache)
{
	const struct cache *c = (const struct cache *)cache;
	return size_of(&c->young) + size_of(&c->old);
}

static void release(struct solver *solver)
{
	struct cache *c = (struct cache *)solver;
	release_generation(&c->young);
	release_generation(&c->old);
	check_release(&c->check);
	for (uint32_t i = 0; i < RECENT; i++)
		model_release(&c->recent[i]);
	mem_free(c->ids);
	mem_free(c->mark);
}

struct solver *cache_new(struct solver_env *env, struct solver *next)
{
	static const struct solver_type type = {"cache", solve, release};
	struct cache *c = solver_new(&type, sizeof *c, env, next);
	check_init(&c->check, env->pool);
	return &c->solver;
}
