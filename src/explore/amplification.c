#include "explore/amplification.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

// A path, from its start or from where it diverged from the test's.
struct steps {
	struct reported *v;
	uint32_t n;
	struct alternative *alternatives;
};

// An input that waits for a run, or for the oracle.
struct pending {
	int64_t input;
	uint64_t expect;
	uint32_t used;  // feasible branches since the path diverged from the test's
	uint32_t depth; // since the start
	bool known;
};

struct pendings {
	struct pending *v;
	size_t first, n, max;
};

enum phase { START, ON_SEED, ON_RUNS, DONE };

struct amplification {
	struct amplification_setup setup;
	int64_t seed;
	unsigned distance;
	enum phase phase;
	struct steps path;    // of the test
	struct steps current; // of the run that is analysed, from where it left the test's path
	struct pending at;    // that run
	struct pendings oracle, runs;
	uint32_t *points; // branch points: steps of `path` to diverge at, the deepest first
	size_t n_points, next_point;
	uint32_t operations;          // steps of `path` whose sensitive operations were not examined yet
	bool last;                    // the path has fewer feasible branches than the distance
	unsigned followed;            // runs off the current branch point
	struct candidate *candidates; // to solve, from first_candidate on; both numbers are 0 when there are none
	uint32_t first_candidate, n_candidates, candidates_max, issued;
};

// --- lists ---------------------------------------------------------------------------------------

static void steps_release(struct steps *s)
{
	mem_free(s->v);
	mem_free(s->alternatives);
	*s = (struct steps){0};
}

static void steps_take(struct steps *s, const struct reported *reported, uint32_t n,
                       const struct alternative *alternatives)
{
	uint32_t n_alternatives = 0;
	for (uint32_t i = 0; i < n; i++)
		if (reported[i].decision.first + reported[i].decision.alternatives > n_alternatives)
			n_alternatives = reported[i].decision.first + reported[i].decision.alternatives;
	steps_release(s);
	s->n = n;
	if (n)
		s->v = (struct reported *)mem_copy(reported, n * sizeof *reported);
	if (n_alternatives)
		s->alternatives = (struct alternative *)mem_copy(alternatives, n_alternatives * sizeof *alternatives);
}

static void pendings_add(struct pendings *w, const struct pending *x)
{
	assert(x->input);
	vec_room(w->v, w->n + 1, w->max);
	w->v[w->n++] = *x;
}

static bool pendings_take(struct pendings *w, struct pending *ret)
{
	assert(w->first <= w->n && w->n <= w->max);
	if (w->first == w->n)
		return false;
	*ret = w->v[w->first++];
	if (w->first == w->n)
		w->first = w->n = 0;
	return true;
}

// The search has the branch edge among its candidates, and has not chosen it yet.
static bool is_offered(const struct amplification *v, uint64_t key)
{
	return tree_get(v->setup.tree, key) == TREE_PENDING;
}

static bool is_open(const struct amplification *v, uint64_t key)
{
	return tree_get(v->setup.tree, key) == TREE_NEW || is_offered(v, key);
}

enum { EFFORT = -2 }; // nothing asks again what stays unknown, and much does

static void add_candidate(struct amplification *v, int64_t input, const struct reported *t,
                          const struct alternative *alternative)
{
	vec_room(v->candidates, v->n_candidates + 1, v->candidates_max);
	v->candidates[v->n_candidates++] = (struct candidate){.input = input,
	                                                      .event = t->decision.event,
	                                                      .depth = t->depth,
	                                                      .alternative = *alternative,
	                                                      .place = t->decision.place,
	                                                      .effort = EFFORT,
	                                                      .offered = is_offered(v, alternative->key)};
	tree_set(v->setup.tree, alternative->key, TREE_HELD);
}

// --- branches ------------------------------------------------------------------------------------

// A concretised value is no branch: the program does not decide by it.
static bool is_branch(const struct steps *s, const struct reported *t)
{
	return !t->decision.check && t->decision.alternatives &&
	       s->alternatives[t->decision.first].op != ALTERNATIVE_OTHER;
}

enum feasible { FEASIBLE_NOT, FEASIBLE, FEASIBLE_UNKNOWN };

// Can an input flip the branch? UNKNOWN: no query was issued.
static enum feasible is_feasible(const struct amplification *v, const struct steps *s, const struct reported *t)
{
	enum feasible r = FEASIBLE_NOT;
	for (uint32_t k = 0; k < t->decision.alternatives; k++)
		switch (tree_get(v->setup.tree, s->alternatives[t->decision.first + k].key)) {
		case TREE_SAT:
		case TREE_TAKEN: return FEASIBLE;
		case TREE_NEW:
		case TREE_PENDING:
		case TREE_HELD: r = FEASIBLE_UNKNOWN; break;
		default: break;
		}
	return r;
}

// Adds the branch edges for which nobody issued a query.
static void query_branch(struct amplification *v, int64_t input, const struct steps *s, const struct reported *t)
{
	for (uint32_t k = 0; k < t->decision.alternatives; k++) {
		const struct alternative *alternative = &s->alternatives[t->decision.first + k];
		if (is_open(v, alternative->key))
			add_candidate(v, input, t, alternative);
	}
}

// --- checks --------------------------------------------------------------------------------------

struct chosen {
	uint32_t step, nth; // nth: how many checks of the same site come before it on this path
	uint32_t round;     // in which it is queried
	uint64_t site;
};

static int by_site(const void *x, const void *y)
{
	const struct chosen *a = x, *b = y;
	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return a->step < b->step ? -1 : a->step > b->step;
}

static int by_round(const void *x, const void *y)
{
	const struct chosen *a = x, *b = y;
	if (a->round != b->round)
		return a->round < b->round ? -1 : 1;
	return a->step < b->step ? -1 : a->step > b->step;
}

// A round has as many checks of a site as all rounds before it. Each round reads the path once, which costs as much as
// a hundred queries or more; so there are few rounds.
static uint32_t round_of(uint32_t nth)
{
	return nth ? 32 - (uint32_t)__builtin_clz(nth) : 0;
}

static uint32_t feasible_before(const struct amplification *v, const struct steps *s, uint32_t step)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < step; i++)
		n += is_branch(s, &s->v[i]) && is_feasible(v, s, &s->v[i]) != FEASIBLE_NOT;
	return n;
}

// An earlier session solved the check, and the oracle may not have seen the solution.
static void resume_check(struct amplification *v, const struct steps *s, uint32_t step,
                         const struct alternative *alternative)
{
	bool done = false;
	int64_t input = v->setup.solution(v->setup.opaque, alternative->key, &done);
	const struct pending w = {.input = input, .depth = v->at.depth + feasible_before(v, s, step)};
	if (input && !done)
		pendings_add(&v->oracle, &w);
	tree_set(v->setup.tree, alternative->key, TREE_TAKEN);
}

// Adds the checks among the first `n` steps. Sites take turns: the first check of each, then the second, the next two,
// the next four ..., so that no loop uses up a short time.
static void query_checks(struct amplification *v, int64_t input, const struct steps *s, uint32_t n)
{
	struct chosen *c = mem_alloc((n + 1) * sizeof *c);
	uint32_t n_chosen = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct reported *t = &s->v[i];
		const struct alternative *alternative =
			t->decision.check && t->decision.alternatives ? &s->alternatives[t->decision.first] : NULL;
		if (!alternative)
			continue;
		enum tree_state state = tree_get(v->setup.tree, alternative->key);
		if (state == TREE_SAT)
			resume_check(v, s, i, alternative);
		if (is_open(v, alternative->key))
			c[n_chosen++] = (struct chosen){.step = i, .site = alternative->site};
	}
	qsort(c, n_chosen, sizeof *c, by_site);
	for (uint32_t i = 1; i < n_chosen; i++) {
		c[i].nth = c[i].site == c[i - 1].site ? c[i - 1].nth + 1 : 0;
		c[i].round = round_of(c[i].nth);
	}
	qsort(c, n_chosen, sizeof *c, by_round);
	for (uint32_t i = 0; i < n_chosen; i++)
		add_candidate(v, input, &s->v[c[i].step], &s->alternatives[s->v[c[i].step].decision.first]);
	mem_free(c);
}

// --- where to diverge ----------------------------------------------------------------------------

static bool is_sensitive(const struct reported *t)
{
	return !t->decision.check && t->decision.sensitive;
}

// Goes back from sensitive operations, a few at a time and the deepest first: the feasible branch at the distance is a
// branch point. Branches between that are not known to be feasible are queried first: then it returns false.
static bool find_branch_points(struct amplification *v)
{
	enum { AT_A_TIME = 32 };
	const struct steps *s = &v->path;
	uint32_t *branches = mem_alloc((s->n + 1) * sizeof *branches),
		 n = 0; // feasible, as far as is known
	uint32_t place = v->operations;
	for (uint32_t i = 0; i < s->n; i++)
		if (is_branch(s, &s->v[i]) && is_feasible(v, s, &s->v[i]) != FEASIBLE_NOT)
			branches[n++] = i;
	v->last = n < v->distance;
	v->n_points = v->next_point = 0;
	for (unsigned taken = 0; place && taken < AT_A_TIME; place--) {
		while (n && branches[n - 1] >= place)
			n--; // after the operation
		if (!is_sensitive(&s->v[place - 1]))
			continue;
		taken++;
		for (unsigned d = 0; d < v->distance && d < n; d++)
			query_branch(v, v->seed, s, &s->v[branches[n - 1 - d]]);
		uint32_t at = n >= v->distance ? branches[n - v->distance] : s->n;
		if (at < s->n && (!v->n_points || v->points[v->n_points - 1] != at))
			v->points[v->n_points++] = at;
	}
	mem_free(branches);
	if (v->n_candidates) {
		v->n_points = 0;
		return false;
	}
	v->operations = place;
	return true;
}

static uint64_t at_distance(uint64_t key, unsigned distance)
{
	return (key ^ (uint64_t)distance * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu | 1;
}

// Queues the runs that take another edge of the branch.
static void follow(struct amplification *v, const struct steps *s, uint32_t step, uint32_t used, uint32_t depth)
{
	const struct reported *t = &s->v[step];
	for (uint32_t k = 0; k < t->decision.alternatives; k++) {
		uint64_t key = s->alternatives[t->decision.first + k].key;
		struct pending w = {.expect = key, .used = used, .depth = depth};
		enum tree_state state = tree_get(v->setup.tree, key);
		if (state != TREE_SAT && state != TREE_TAKEN)
			continue;
		w.input = v->setup.solution(v->setup.opaque, key, &w.known);
		if (w.input && tree_set(v->setup.explored, at_distance(key, v->distance), TREE_TAKEN) == TREE_NEW)
			pendings_add(&v->runs, &w);
	}
}

// Queues the runs off the next branch point. False: there is none.
static bool follow_next(struct amplification *v)
{
	if (v->next_point == v->n_points)
		return false;
	uint32_t step = v->points[v->next_point++];
	v->followed = 0;
	follow(v, &v->path, step, 0, feasible_before(v, &v->path, step) + 1);
	return true;
}

// --- flipped branches-----------------------------------------------------------------------------

// Adds checks and branches of the current run within the bound. False: all are answered; then runs off it are queued.
static bool query_current(struct amplification *v)
{
	const struct steps *s = &v->current;
	uint32_t bound = (v->setup.factor ? v->setup.factor : 2) * v->distance, used = v->at.used, end = 0;
	for (; end < s->n; end++) {
		if (!is_branch(s, &s->v[end]) || is_feasible(v, s, &s->v[end]) == FEASIBLE_NOT)
			continue;
		if (used == bound)
			break;
		used++;
		query_branch(v, v->at.input, s, &s->v[end]);
	}
	query_checks(v, v->at.input, s, end);
	if (v->n_candidates)
		return true;
	used = v->at.used;
	for (uint32_t i = 0; i < end; i++)
		if (is_branch(s, &s->v[i]) && is_feasible(v, s, &s->v[i]) == FEASIBLE) {
			used++;
			follow(v, s, i, used, v->at.depth + used - v->at.used);
		}
	return false;
}

// --- actions -------------------------------------------------------------------------------------

struct amplification *amplification_new(const struct amplification_setup *setup, int64_t input, unsigned distance)
{
	struct amplification *v = mem_zero(sizeof *v);
	v->setup = *setup;
	v->seed = input;
	v->distance = distance;
	return v;
}

// Gives the candidates back: to the search if it has them, too.
static void forget_candidates(struct amplification *v)
{
	for (uint32_t i = v->first_candidate; i < v->n_candidates; i++)
		if (tree_get(v->setup.tree, v->candidates[i].alternative.key) == TREE_HELD)
			tree_set(v->setup.tree, v->candidates[i].alternative.key,
			         v->candidates[i].offered ? TREE_PENDING : TREE_NEW);
	v->first_candidate = v->n_candidates = 0;
}

void amplification_free(struct amplification *v)
{
	if (!v)
		return;
	steps_release(&v->path);
	steps_release(&v->current);
	mem_free(v->oracle.v);
	mem_free(v->runs.v);
	mem_free(v->points);
	forget_candidates(v);
	mem_free(v->candidates);
	mem_free(v);
}

// False: no run is left off the branch points that are known.
static bool run_next(struct amplification *v, struct amplification_action *ret)
{
	unsigned most = v->setup.runs ? v->setup.runs : 64;
	v->followed++;
	if (v->followed > most)
		v->runs.first = v->runs.n = 0;
	while (!pendings_take(&v->runs, &v->at))
		if (!follow_next(v)) {
			v->phase = v->operations ? ON_SEED : DONE;
			steps_release(&v->current);
			return false;
		}
	steps_release(&v->current);
	*ret = (struct amplification_action){.act = AMPLIFY_RUN,
	                                     .input = v->at.input,
	                                     .expect = v->at.expect,
	                                     .known = v->at.known,
	                                     .depth = v->at.depth};
	return true;
}

static void solve_next(struct amplification *v, uint32_t most, struct amplification_action *ret)
{
	const struct candidate *candidates = v->candidates + v->first_candidate;
	uint32_t n = v->n_candidates - v->first_candidate;
	assert(v->first_candidate < v->n_candidates && most);
	v->issued = n < most ? n : most;
	*ret = (struct amplification_action){
		.act = AMPLIFY_SOLVE, .input = candidates->input, .candidates = candidates, .n_candidates = v->issued};
}

void amplification_next(struct amplification *v, uint32_t most, struct amplification_action *ret)
{
	struct pending w;
	if (v->n_candidates)
		return solve_next(v, most, ret);
	if (pendings_take(&v->oracle, &w)) {
		*ret = (struct amplification_action){.act = AMPLIFY_CONFIRM, .input = w.input, .depth = w.depth};
		return;
	}
	switch (v->phase) {
	case START:
		*ret = (struct amplification_action){.act = AMPLIFY_RUN, .input = v->seed, .known = v->distance > 0};
		return;
	case ON_SEED:
		if (v->distance && !find_branch_points(v))
			return amplification_next(v, most, ret);
		v->phase = v->distance ? ON_RUNS : DONE;
		return amplification_next(v, most, ret);
	case ON_RUNS:
		if (v->current.n && query_current(v))
			return amplification_next(v, most, ret);
		if (!run_next(v, ret))
			amplification_next(v, most, ret);
		return;
	case DONE: *ret = (struct amplification_action){.act = AMPLIFY_DONE}; return;
	}
}

void amplification_ran(struct amplification *v, const struct reported *reported, uint32_t n_reported,
                       const struct alternative *alternatives)
{
	assert(v->phase == START || v->phase == ON_RUNS);
	if (v->phase != START) {
		steps_take(&v->current, reported, n_reported, alternatives);
		return;
	}
	steps_take(&v->path, reported, n_reported, alternatives);
	v->phase = ON_SEED;
	v->operations = n_reported;
	v->points = mem_resize(v->points, (n_reported + 1) * sizeof *v->points);
	if (!v->distance)
		query_checks(v, v->seed, &v->path, v->path.n);
}

static uint32_t depth_of(const struct amplification *v, const struct candidate *f)
{
	bool on_seed = f->input == v->seed && v->phase == ON_SEED;
	const struct steps *s = on_seed ? &v->path : &v->current;
	uint32_t step = 0;
	while (step < s->n && s->v[step].decision.event != f->event)
		step++;
	return (on_seed ? 0 : v->at.depth) + feasible_before(v, s, step);
}

void amplification_solved(struct amplification *v, const struct candidate *f, enum answer answer, int64_t input)
{
	if (answer == ANSWER_SAT && f->alternative.op == ALTERNATIVE_VIOLATE && input) {
		const struct pending w = {.input = input, .depth = depth_of(v, f)};
		pendings_add(&v->oracle, &w);
	}
	uint32_t at = v->first_candidate;
	while (at < v->n_candidates && v->candidates[at].alternative.key != f->alternative.key)
		at++;
	if (at == v->n_candidates)
		return;
	// Few stand before it: those of the same action.
	struct candidate *first = &v->candidates[v->first_candidate];
	memmove(first + 1, first, (at - v->first_candidate) * sizeof *first);
	if (++v->first_candidate == v->n_candidates)
		v->first_candidate = v->n_candidates = 0;
}

int64_t amplification_pending(const struct amplification *v, size_t i, uint32_t *ret_depth)
{
	if (i >= v->oracle.n - v->oracle.first)
		return 0;
	const struct pending *w = &v->oracle.v[v->oracle.first + i];
	*ret_depth = w->depth;
	return w->input;
}

size_t amplification_cut(struct amplification *v)
{
	assert(v->first_candidate <= v->n_candidates && v->next_point <= v->n_points);
	size_t n = (v->n_candidates - v->first_candidate) + (v->runs.n - v->runs.first) + (v->n_points - v->next_point);
	forget_candidates(v);
	v->runs.first = v->runs.n = 0;
	v->next_point = v->n_points;
	v->phase = DONE;
	v->last = false;
	return n;
}

bool amplification_is_last(const struct amplification *v)
{
	return v->phase == DONE && v->last;
}
