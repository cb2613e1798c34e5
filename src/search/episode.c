#include "search/episode.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/vec.h"
#include "search/features.h"

enum { CONTEXTS_MAX = 1 << 20, ISSUED_MAX = 64 };

static uint32_t *numbers(size_t n)
{
	return mem_zero((n + 1) * sizeof(uint32_t));
}

struct episode *episode_new(struct paths *p, const struct heuristic *how, const double *weights, uint32_t runs,
                            uint64_t random, const int64_t *seeds, size_t n_seeds)
{
	const struct graph *g = p->graph;
	struct episode *w = mem_zero(sizeof *w);
	*w = (struct episode){.paths = p,
	                      .how = how,
	                      .weights = weights,
	                      .random = random,
	                      .seeds = seeds,
	                      .n_seeds = n_seeds,
	                      .most = runs,
	                      .at = PATHS_NONE,
	                      .negated_at = PATHS_NONE};
	w->covered = mem_zero(p->set_size + 1);
	w->covered_in = numbers(g->n_cover);
	w->reached = numbers(g->n_functions);
	w->uncovered = numbers(g->n_functions);
	for (uint32_t i = 0; i < g->n_functions; i++)
		w->uncovered[i] = g->functions[i].edges;
	tree_init(&w->contexts, CONTEXTS_MAX);
	w->issued = mem_zero(ISSUED_MAX * sizeof *w->issued);
	w->features = features_new(g);
	w->own = how->new ? how->new(w) : NULL;
	return w;
}

void episode_free(struct episode *w)
{
	if (!w)
		return;
	if (w->how->release)
		w->how->release(w->own);
	features_free(w->features);
	tree_release(&w->contexts);
	mem_free(w->covered);
	mem_free(w->covered_in);
	mem_free(w->reached);
	mem_free(w->uncovered);
	mem_free(w->negated);
	mem_free(w->failed);
	mem_free(w->chosen);
	mem_free(w->nodes);
	mem_free(w->picks);
	mem_free(w->issued);
	mem_free(w);
}

uint64_t episode_random(struct episode *w)
{
	return random_next(&w->random);
}

// --- what it knows -------------------------------------------------------------------------------

static void make_room(struct episode *w)
{
	uint32_t n = paths_ids(w->paths);
	if (n <= w->max_ids)
		return;
	uint32_t more = n + n / 4 + 256;
	vec_cover(w->negated, w->max_ids, more);
	vec_cover(w->failed, w->max_ids, more);
	vec_cover(w->chosen, w->max_ids, more);
	w->max_ids = more;
}

// This episode covered the branch edge first.
static void cover(struct episode *w, uint32_t number)
{
	const struct graph *g = w->paths->graph;
	w->covered_in[number] = w->runs;
	w->n_covered++;
	uint32_t edge = number < g->n_cover ? g->edges_of_cover[number] : GRAPH_NONE;
	if (edge == GRAPH_NONE)
		return;
	uint32_t function = g->points[g->edges[edge].point].function;
	w->uncovered[function] -= w->uncovered[function] > 0;
	if (!w->reached[function])
		w->reached[function] = w->runs;
}

static bool take_edges(struct episode *w, const uint8_t *edges)
{
	uint32_t was = w->n_covered;
	for (uint32_t i = 0; i < w->paths->set_size; i++) {
		unsigned fresh = edges[i] & ~w->covered[i] & 0xffu;
		w->covered[i] |= (uint8_t)fresh;
		for (; fresh; fresh &= fresh - 1)
			cover(w, 8 * i + (uint32_t)__builtin_ctz(fresh));
	}
	w->gain = w->n_covered - was;
	return w->gain > 0;
}

// Makes the path of the run the current one.
static void stand(struct episode *w, uint32_t run)
{
	uint32_t n = w->paths->runs[run].n;
	if (n > w->max_nodes) {
		w->max_nodes = n + n / 4;
		w->nodes = mem_resize(w->nodes, w->max_nodes * sizeof *w->nodes);
	}
	w->at = run;
	w->n = n;
	paths_get(w->paths, run, w->nodes);
	make_room(w);
}

void episode_enter(struct episode *w, uint32_t run, uint32_t negated_at)
{
	assert(run < w->paths->n_runs);
	w->runs++;
	stand(w, run);
	w->negated_at = negated_at;
	w->since = take_edges(w, paths_edges(w->paths, run)) ? 0 : w->since + 1;
	w->chose = false;
	w->n_picks = w->how->keeps_picks ? w->n_picks : 0;
	if (w->how->ran)
		w->how->ran(w->own, w);
}

uint64_t episode_context(const struct episode *w, uint32_t node, const struct path_alternative *t, unsigned k)
{
	uint64_t before = k > 1 ? w->paths->contexts[w->paths->nodes[node].context].before[k - 2] : 0;
	uint64_t h = (before ^ (t->self + 1) * 0x9e3779b97f4a7c15u ^ (uint64_t)k << 60) * 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

void episode_note(struct episode *w, const struct pick *p, bool failed)
{
	const struct path_alternative *t = &w->paths->alternatives[p->alternative];
	make_room(w);
	assert(t->self < w->max_ids);
	w->chosen[t->self] = ++w->choices;
	w->negated[t->self]++;
	w->failed[t->self] += failed;
	for (unsigned k = 1; k <= PATHS_CONTEXTS + 1; k++)
		tree_set(&w->contexts, episode_context(w, p->node, t, k), TREE_TAKEN);
}

// --- choosing ------------------------------------------------------------------------------------

static bool before(const struct pick *a, const struct pick *b)
{
	return a->score != b->score ? a->score > b->score : a->chance > b->chance;
}

static void swap(struct pick *a, struct pick *b)
{
	struct pick t = *a;
	*a = *b;
	*b = t;
}

static void append(struct episode *w, const struct pick *p)
{
	vec_room(w->picks, w->n_picks + 1, w->max_picks);
	w->picks[w->n_picks++] = *p;
}

void episode_pick(struct episode *w, uint32_t run, uint32_t node, uint32_t alternative, double score)
{
	append(w, &(struct pick){score, episode_random(w), run, node, alternative});
	for (uint32_t i = w->n_picks - 1; i && before(&w->picks[i], &w->picks[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&w->picks[i], &w->picks[(i - 1) / 2]);
}

static void sink(struct episode *w, uint32_t i)
{
	for (;;) {
		uint32_t top = i;
		for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < w->n_picks; child++)
			if (before(&w->picks[child], &w->picks[top]))
				top = child;
		if (top == i)
			return;
		swap(&w->picks[i], &w->picks[top]);
		i = top;
	}
}

static struct pick take_pick(struct episode *w)
{
	assert(w->n_picks);
	struct pick best = w->picks[0];
	w->picks[0] = w->picks[--w->n_picks];
	sink(w, 0);
	return best;
}

bool episode_can_try(const struct episode *w, const struct path_alternative *t)
{
	return t->key && !t->rare && w->failed[t->self] < EPISODE_FAILURES;
}

void episode_rank(struct episode *w,
                  double (*score)(void *own, struct episode *w, uint32_t place, uint32_t alternative), void *own)
{
	for (uint32_t i = 0; i < w->n; i++) {
		const struct path_node *n = &w->paths->nodes[w->nodes[i]];
		for (uint32_t k = n->first; k < n->first + n->alternatives; k++)
			if (episode_can_try(w, &w->paths->alternatives[k]))
				append(w,
				       &(struct pick){score(own, w, i, k), episode_random(w), w->at, w->nodes[i], k});
	}
	for (uint32_t i = w->n_picks / 2; i-- > 0;)
		sink(w, i);
}

// --- from run to run -----------------------------------------------------------------------------

static bool start_over(struct episode *w)
{
	uint32_t run = PATHS_NONE;
	for (size_t i = 0; run == PATHS_NONE && i < w->n_seeds; i++)
		run = paths_run_of(w->paths, w->seeds[(w->runs + i) % w->n_seeds]);
	w->done |= run == PATHS_NONE || w->stuck++ >= 2;
	if (w->done)
		return false;
	w->since = 0;
	episode_enter(w, run, PATHS_NONE);
	w->known++;
	return true;
}

// Has the episode anything to try at its current run?
static bool prepare(struct episode *w)
{
	if (w->since >= EPISODE_STALL)
		return false;
	if (w->how->keeps_picks ? !w->n_picks : !w->chose)
		w->how->choose(w->own, w);
	w->chose = true;
	while (w->n_picks && w->how->skip && w->how->skip(w->own, w, &w->picks[0]))
		take_pick(w);
	return w->n_picks > 0;
}

enum fate { FATE_FAILED, FATE_CACHED, FATE_OPEN, FATE_BUSY };

// What is known of the alternative of a pick.
static enum fate fate_of(const struct episode *w, const struct pick *p, bool (*busy)(void *, uint64_t), void *opaque,
                         uint32_t *ret_run)
{
	uint64_t key = w->paths->alternatives[p->alternative].key;
	enum tree_state state = tree_get(w->paths->tree, key);
	*ret_run = PATHS_NONE;
	if (state == TREE_PENDING)
		return busy(opaque, key) ? FATE_BUSY : FATE_OPEN;
	if (state == TREE_TAKEN || state == TREE_SAT)
		*ret_run = paths_goes(w->paths, key);
	return *ret_run == PATHS_NONE || w->paths->runs[*ret_run].endless ? FATE_FAILED : FATE_CACHED;
}

// Collects picks without an answer, from the best one on, until one has a cached run or is off another run.
static uint32_t collect(struct episode *w, struct candidate *ret, uint32_t most, bool (*busy)(void *, uint64_t),
                        void *opaque)
{
	uint32_t run;
	w->n_issued = 0;
	while (w->n_picks && w->n_issued < most && w->n_issued < ISSUED_MAX) {
		const struct pick *p = &w->picks[0];
		enum fate fate = fate_of(w, p, busy, opaque, &run);
		if (fate == FATE_CACHED || (w->n_issued && p->run != w->issued[0].run))
			break;
		struct pick taken = take_pick(w);
		if (w->how->skip && w->how->skip(w->own, w, &taken))
			continue;
		if (fate == FATE_FAILED)
			episode_note(w, &taken, true);
		if (fate != FATE_OPEN)
			continue;
		ret[w->n_issued] = paths_candidate(w->paths, taken.run, taken.node, taken.alternative);
		w->issued[w->n_issued++] = taken;
	}
	assert(w->n_issued <= most && w->n_issued <= ISSUED_MAX);
	w->queries += w->n_issued;
	return w->n_issued;
}

static void go(struct episode *w, const struct pick *p, uint32_t run)
{
	w->stuck = 0;
	episode_enter(w, run, w->paths->nodes[p->node].depth);
}

// The episode waited for this run. It does not go on from a hang: runs off that would hang, too.
static void arrive(struct episode *w, uint32_t run)
{
	assert(w->waits == w->paths->runs[run].input);
	w->waits = 0;
	if (!w->paths->runs[run].endless) {
		go(w, &w->issued[0], run);
		return;
	}
	w->failed[w->paths->alternatives[w->issued[0].alternative].self]++;
	w->runs++;
	w->since++;
}

// The best pick has a cached run.
static void go_cached(struct episode *w, bool (*busy)(void *, uint64_t), void *opaque)
{
	uint32_t run;
	struct pick p = take_pick(w);
	if ((w->how->skip && w->how->skip(w->own, w, &p)) || fate_of(w, &p, busy, opaque, &run) != FATE_CACHED)
		return;
	episode_note(w, &p, false);
	w->known++;
	go(w, &p, run);
}

uint32_t episode_query(struct episode *w, struct candidate *ret, uint32_t most, uint32_t steps,
                       bool (*busy)(void *, uint64_t), void *opaque)
{
	uint32_t run = w->waits ? paths_run_of(w->paths, w->waits) : PATHS_NONE;
	if (w->waits && run == PATHS_NONE)
		return 0;
	if (w->waits)
		arrive(w, run);
	for (; steps && !w->done; steps--) {
		w->done |= w->runs >= w->most;
		if (w->done || ((w->at == PATHS_NONE || !prepare(w)) && !start_over(w)))
			return 0;
		if (!prepare(w))
			continue;
		uint32_t n = collect(w, ret, most, busy, opaque);
		if (n)
			return n;
		if (w->n_picks)
			go_cached(w, busy, opaque);
	}
	return 0;
}

void episode_answer(struct episode *w, uint32_t i, int64_t input)
{
	if (i >= w->n_issued || w->waits)
		return;
	episode_note(w, &w->issued[i], !input);
	w->waits = input;
	w->issued[0] = input ? w->issued[i] : w->issued[0];
}

void episode_answered(struct episode *w)
{
	w->n_issued = 0;
}

void episode_lost(struct episode *w, int64_t input)
{
	if (w->waits == input)
		w->waits = 0;
}
