#include "explore/strategies/walks.h"

#include "base/mem.h"

enum {
	ASK = 64,     // ways of a walk that are solved until one has a solution: most have none
	STEPS = 2000, // over runs that are known, before something else has its turn
	OLD = 8,      // ways that no walk chose, tried together
};

struct walks_slot {
	struct walk *walk; // NULL: none
	uint32_t tag;
	bool walks;     // what it was given is the walk's
	uint64_t *keys; // being asked for
	uint32_t n, max;
};

struct walks *walks_new(const struct strategy_setup *setup, struct paths *paths, const struct walks_class *class)
{
	struct walks *ws = mem_zero(sizeof *ws);
	*ws = (struct walks){
		.setup = setup, .paths = paths, .class = class, .random = setup->random};
	ws->slots = mem_zero((setup->slots + 1) * sizeof *ws->slots);
	return ws;
}

static bool next_one(struct walks *ws, struct walk_plan *ret)
{
	*ret = (struct walk_plan){.how = ws->only, .weights = ws->setup->weights};
	return true;
}

struct walks *walks_new_one(const struct strategy_setup *setup, struct paths *paths, const struct heuristic *how)
{
	static const struct walks_class class = {.next = next_one, .pool = 1};
	struct walks *ws = walks_new(setup, paths, &class);
	ws->only = how;
	return ws;
}

void walks_free(void *own)
{
	struct walks *ws = own;
	for (unsigned i = 0; i < ws->setup->slots; i++)
		walk_free(ws->slots[i].walk);
	for (unsigned i = 0; i < ws->setup->slots; i++)
		mem_free(ws->slots[i].keys);
	mem_free(ws->slots);
	mem_free(ws->seeds);
	mem_free(ws->own);
	mem_free(ws);
}

uint64_t walks_random(struct walks *ws)
{
	uint64_t x = ws->random += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

// --- how long -------------------------------------------------------------------------------------

uint64_t walks_steps(const struct walks *ws)
{
	uint64_t n = ws->steps;
	for (unsigned i = 0; i < ws->setup->slots; i++)
		n += ws->slots[i].walk ? ws->slots[i].walk->runs : 0;
	return n;
}

// What there is of the budget, and what was used, in runs or seconds; false: there is no end.
static bool budget(const struct strategy_setup *s, double *ret_left, double *ret_used)
{
	double all = s->runs ? (double)s->runs : s->elapsed ? s->seconds : 0;
	*ret_used = s->runs && s->ran ? (double)*s->ran : s->elapsed ? *s->elapsed : 0;
	*ret_left = all > *ret_used ? all - *ret_used : 0;
	return all > 0;
}

double walks_left(const struct walks *ws)
{
	enum { FEW = 100 }; // steps: less says nothing of how fast they are
	double left, used, steps = (double)walks_steps(ws);
	if (!budget(ws->setup, &left, &used))
		return -1;
	return left * (steps > FEW && used > 0 ? steps / used : ws->setup->runs ? 1 : 50);
}

uint32_t walks_fit(double n)
{
	return n < 0 || n > WALKS_RUNS ? WALKS_RUNS : n < WALKS_RUNS_MIN ? WALKS_RUNS_MIN : (uint32_t)n;
}

uint32_t walks_runs(const struct walks *ws)
{
	double ahead = (double)WALKS_ROUNDS * ws->class->pool - (double)ws->started;
	if (ws->setup->tuning.runs)
		return ws->setup->tuning.runs;
	return walks_fit(walks_left(ws) / (ahead > ws->class->pool ? ahead : ws->class->pool));
}

// --- walking --------------------------------------------------------------------------------------

bool walks_busy(void *own, uint64_t key)
{
	const struct walks *ws = own;
	for (unsigned i = 0; i < ws->setup->slots; i++)
		for (uint32_t k = 0; k < ws->slots[i].n; k++)
			if (ws->slots[i].keys[k] == key)
				return true;
	return false;
}

static bool begin(struct walks *ws, struct walks_slot *s)
{
	struct walk_plan plan = {0};
	if (!ws->n_seeds || !ws->class->next(ws, &plan))
		return false;
	uint32_t runs = plan.runs ? plan.runs : walks_runs(ws);
	ws->started++;
	s->tag = plan.tag;
	s->walk = walk_new(ws->paths, plan.how, plan.weights, runs, walks_random(ws), ws->seeds, ws->n_seeds);
	return true;
}

static void end(struct walks *ws, struct walks_slot *s)
{
	ws->steps += s->walk->runs;
	ws->known += s->walk->known;
	ws->questions += s->walk->questions;
	if (ws->class->done)
		ws->class->done(ws, s->tag, s->walk);
	walk_free(s->walk);
	s->walk = NULL;
}

static uint32_t take(struct walks_slot *s, const struct flip *flips, uint32_t n, bool walks)
{
	if (n > s->max) {
		s->max = n;
		s->keys = mem_resize(s->keys, n * sizeof *s->keys);
	}
	for (uint32_t i = 0; i < n; i++)
		s->keys[i] = flips[i].turn.key;
	s->n = n;
	s->walks = walks;
	return n;
}

void walks_hold(void *own, unsigned slot, const struct flip *v, uint32_t n)
{
	take(&((struct walks *)own)->slots[slot], v, n, false);
}

// One walk after the other, until one asks something. What none of them comes to, since all that is near the seed is
// known or fails, is tried by age.
uint32_t walks_choose(void *own, unsigned slot, struct flip *ret, uint32_t most, bool *ret_first)
{
	struct walks *ws = own;
	struct walks_slot *s = &ws->slots[slot];
	struct flip old[OLD];
	uint32_t n_old = paths_oldest(ws->paths, old, most < OLD ? most : OLD, walks_busy, ws);
	*ret_first = true;
	if (!n_old)
		return 0; // of no use to walk when all is known
	for (uint32_t steps = 0; steps < STEPS && (s->walk || begin(ws, s));) {
		uint32_t before = s->walk->runs;
		uint32_t n = walk_ask(s->walk, ret, most < ASK ? most : ASK, STEPS - steps, walks_busy, ws);
		steps += s->walk->runs - before + 1;
		if (n)
			return take(s, ret, n, true);
		if (s->walk->waits)
			return 0;
		if (s->walk->done)
			end(ws, s);
	}
	*ret_first = false;
	for (uint32_t i = 0; i < n_old; i++)
		ret[i] = old[i];
	ws->by_age += n_old;
	return take(s, ret, n_old, false);
}

void walks_seed(void *own, int64_t input)
{
	struct walks *ws = own;
	ws->seeds = mem_resize(ws->seeds, (ws->n_seeds + 1) * sizeof *ws->seeds);
	ws->seeds[ws->n_seeds++] = input;
}

void walks_answer(void *own, unsigned slot, uint32_t i, int64_t input)
{
	struct walks_slot *s = &((struct walks *)own)->slots[slot];
	if (s->walks && s->walk)
		walk_answer(s->walk, i, input);
}

void walks_answered(void *own, unsigned slot)
{
	struct walks_slot *s = &((struct walks *)own)->slots[slot];
	if (s->walks && s->walk)
		walk_answered(s->walk);
	s->n = 0;
	s->walks = false;
}

void walks_lost(void *own, int64_t input)
{
	struct walks *ws = own;
	for (unsigned i = 0; i < ws->setup->slots; i++) {
		struct walk *w = ws->slots[i].walk;
		if (w && w->waits && (!input || w->waits == input) &&
		    (input || paths_run_of(ws->paths, w->waits) == PATHS_NONE))
			walk_lost(w, w->waits);
	}
}

void walks_tell(const void *own, struct buf *out)
{
	const struct walks *ws = own;
	uint64_t known = ws->known;
	uint32_t in_graph = 0;
	for (unsigned i = 0; i < ws->setup->slots; i++)
		known += ws->slots[i].walk ? ws->slots[i].walk->known : 0;
	for (uint32_t i = 0; i < ws->paths->n_nodes; i++)
		in_graph += ws->paths->nodes[i].point != PATHS_NONE;
	buf_printf(out,
	           "%llu walks, %llu runs of them, %llu of which were known; %llu ways by age; %u of %u decisions are "
	           "branches of the program",
	           (unsigned long long)ws->started, (unsigned long long)walks_steps(ws), (unsigned long long)known,
	           (unsigned long long)ws->by_age, in_graph, ws->paths->n_nodes);
}
