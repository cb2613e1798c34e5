#include "search/strategies/episodes.h"

#include <assert.h>

#include "base/mem.h"
#include "base/random.h"

enum {
	QUERIES = 64, // candidates of an episode that are solved until one has a solution: most have none
	STEPS = 2000, // over cached runs, before the slot does something else
	OLD = 8,      // candidates that no episode chose, solved together
};

struct episodes_slot {
	struct episode *episode; // NULL: none
	uint32_t tag;
	bool episodes;  // its candidates are the episode's
	uint64_t *keys; // being solved
	uint32_t n, max;
};

struct episodes *episodes_new(const struct strategy_setup *setup, struct paths *paths,
                              const struct episodes_class *class)
{
	struct episodes *ws = mem_zero(sizeof *ws);
	*ws = (struct episodes){.setup = setup, .paths = paths, .class = class, .random = setup->random};
	ws->slots = mem_zero((setup->slots + 1) * sizeof *ws->slots);
	return ws;
}

static bool next_one(struct episodes *ws, struct episode_plan *ret)
{
	*ret = (struct episode_plan){.how = ws->only, .weights = ws->setup->weights};
	return true;
}

struct episodes *episodes_new_one(const struct strategy_setup *setup, struct paths *paths, const struct heuristic *how)
{
	static const struct episodes_class class = {.next = next_one, .pool = 1};
	struct episodes *ws = episodes_new(setup, paths, &class);
	ws->only = how;
	return ws;
}

void episodes_free(void *own)
{
	struct episodes *ws = own;
	for (unsigned i = 0; i < ws->setup->slots; i++)
		episode_free(ws->slots[i].episode);
	for (unsigned i = 0; i < ws->setup->slots; i++)
		mem_free(ws->slots[i].keys);
	mem_free(ws->slots);
	mem_free(ws->seeds);
	mem_free(ws->own);
	mem_free(ws);
}

uint64_t episodes_random(struct episodes *ws)
{
	return random_next(&ws->random);
}

// --- how long ------------------------------------------------------------------------------------

uint64_t episodes_steps(const struct episodes *ws)
{
	uint64_t n = ws->steps;
	for (unsigned i = 0; i < ws->setup->slots; i++)
		n += ws->slots[i].episode ? ws->slots[i].episode->runs : 0;
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

double episodes_left(const struct episodes *ws)
{
	enum { FEW = 100 }; // steps: less says nothing of how fast they are
	double left, used, steps = (double)episodes_steps(ws);
	if (!budget(ws->setup, &left, &used))
		return -1;
	return left * (steps > FEW && used > 0 ? steps / used : ws->setup->runs ? 1 : 50);
}

uint32_t episodes_fit(double n)
{
	return n < 0 || n > EPISODES_RUNS ? EPISODES_RUNS : n < EPISODES_RUNS_MIN ? EPISODES_RUNS_MIN : (uint32_t)n;
}

uint32_t episodes_runs(const struct episodes *ws)
{
	double ahead = (double)EPISODES_ROUNDS * ws->class->pool - (double)ws->started;
	if (ws->setup->tuning.runs)
		return ws->setup->tuning.runs;
	return episodes_fit(episodes_left(ws) / (ahead > ws->class->pool ? ahead : ws->class->pool));
}

// --- episodes ------------------------------------------------------------------------------------

bool episodes_busy(void *own, uint64_t key)
{
	const struct episodes *ws = own;
	for (unsigned i = 0; i < ws->setup->slots; i++)
		for (uint32_t k = 0; k < ws->slots[i].n; k++)
			if (ws->slots[i].keys[k] == key)
				return true;
	return false;
}

static bool begin(struct episodes *ws, struct episodes_slot *s)
{
	struct episode_plan plan = {0};
	if (!ws->n_seeds || !ws->class->next(ws, &plan))
		return false;
	uint32_t runs = plan.runs ? plan.runs : episodes_runs(ws);
	ws->started++;
	s->tag = plan.tag;
	s->episode = episode_new(ws->paths, plan.how, plan.weights, runs, episodes_random(ws), ws->seeds, ws->n_seeds);
	return true;
}

static void end(struct episodes *ws, struct episodes_slot *s)
{
	ws->steps += s->episode->runs;
	ws->known += s->episode->known;
	ws->queries += s->episode->queries;
	if (ws->class->done)
		ws->class->done(ws, s->tag, s->episode);
	episode_free(s->episode);
	s->episode = NULL;
}

static uint32_t take(struct episodes_slot *s, const struct candidate *candidates, uint32_t n, bool episodes)
{
	if (n > s->max) {
		s->max = n;
		s->keys = mem_resize(s->keys, n * sizeof *s->keys);
	}
	for (uint32_t i = 0; i < n; i++)
		s->keys[i] = candidates[i].alternative.key;
	s->n = n;
	s->episodes = episodes;
	return n;
}

void episodes_hold(void *own, unsigned slot, const struct candidate *v, uint32_t n)
{
	take(&((struct episodes *)own)->slots[slot], v, n, false);
}

// Runs one episode after the other, until one issues queries. Candidates that no episode chooses, since all that is
// near the seed is known or fails, are solved by age.
uint32_t episodes_choose(void *own, unsigned slot, struct candidate *ret, uint32_t most, bool *ret_first)
{
	struct episodes *ws = own;
	assert(slot < ws->setup->slots);
	struct episodes_slot *s = &ws->slots[slot];
	struct candidate old[OLD];
	uint32_t n_old = paths_oldest(ws->paths, old, most < OLD ? most : OLD, episodes_busy, ws);
	*ret_first = true;
	if (!n_old)
		return 0; // an episode would only replay cached runs
	for (uint32_t steps = 0; steps < STEPS && (s->episode || begin(ws, s));) {
		uint32_t before = s->episode->runs;
		uint32_t n = episode_query(s->episode, ret, most < QUERIES ? most : QUERIES, STEPS - steps,
		                           episodes_busy, ws);
		steps += s->episode->runs - before + 1;
		if (n)
			return take(s, ret, n, true);
		if (s->episode->waits)
			return 0;
		if (s->episode->done)
			end(ws, s);
	}
	*ret_first = false;
	for (uint32_t i = 0; i < n_old; i++)
		ret[i] = old[i];
	ws->by_age += n_old;
	return take(s, ret, n_old, false);
}

void episodes_seed(void *own, int64_t input)
{
	struct episodes *ws = own;
	ws->seeds = mem_resize(ws->seeds, (ws->n_seeds + 1) * sizeof *ws->seeds);
	ws->seeds[ws->n_seeds++] = input;
}

void episodes_answer(void *own, unsigned slot, uint32_t i, int64_t input)
{
	struct episodes_slot *s = &((struct episodes *)own)->slots[slot];
	if (s->episodes && s->episode)
		episode_answer(s->episode, i, input);
}

void episodes_answered(void *own, unsigned slot)
{
	struct episodes_slot *s = &((struct episodes *)own)->slots[slot];
	if (s->episodes && s->episode)
		episode_answered(s->episode);
	s->n = 0;
	s->episodes = false;
}

void episodes_lost(void *own, int64_t input)
{
	struct episodes *ws = own;
	for (unsigned i = 0; i < ws->setup->slots; i++) {
		struct episode *w = ws->slots[i].episode;
		if (w && w->waits && (!input || w->waits == input) &&
		    (input || paths_run_of(ws->paths, w->waits) == PATHS_NONE))
			episode_lost(w, w->waits);
	}
}

void episodes_report(const void *own, struct buf *out)
{
	const struct episodes *ws = own;
	uint64_t known = ws->known;
	uint32_t in_graph = 0;
	for (unsigned i = 0; i < ws->setup->slots; i++)
		known += ws->slots[i].episode ? ws->slots[i].episode->known : 0;
	for (uint32_t i = 0; i < ws->paths->n_nodes; i++)
		in_graph += ws->paths->nodes[i].point != PATHS_NONE;
	buf_printf(out,
	           "%llu episodes, %llu runs of them, %llu of which were cached; %llu candidates by age; %u of %u "
	           "decisions are "
	           "branches of the program",
	           (unsigned long long)ws->started, (unsigned long long)episodes_steps(ws), (unsigned long long)known,
	           (unsigned long long)ws->by_age, in_graph, ws->paths->n_nodes);
}
