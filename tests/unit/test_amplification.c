#include "explore/amplification.h"

#include <string.h>

#include "test.h"

// A program as its paths: B a branch, S one that a sensitive operation follows, C a check. Ways off it have keys of
// their own; which of them have a solution, and the path of that, is said.
struct step {
	char kind;
	uint64_t key, alternative; // key of a check: its place; 0: one of its own
};

struct course {
	int64_t input;
	uint64_t from; // key that its steps come after
	struct step v[8];
};

struct answer_to {
	uint64_t alternative;
	int64_t input; // 0: unsat
};

struct world {
	const struct course *courses;
	const struct answer_to *answers;
	struct tree tree, explored;
	bool solved[64];
	uint64_t asked[64];
	size_t n_asked;
	int64_t oracle_runs[64], ran[64];
	size_t n_judged, n_ran;
	uint32_t depth; // of the last that was judged
};

static void world_init(struct world *w, const struct course *courses, const struct answer_to *answers)
{
	*w = (struct world){.courses = courses, .answers = answers};
	tree_init(&w->tree, 1000);
	tree_init(&w->explored, 1000);
}

static void world_release(struct world *w)
{
	tree_release(&w->tree);
	tree_release(&w->explored);
}

static int64_t solution(void *opaque, uint64_t key, bool *ret_done)
{
	struct world *w = opaque;
	for (size_t i = 0; w->answers[i].alternative; i++)
		if (w->answers[i].alternative == key && w->solved[i]) {
			*ret_done = false;
			return w->answers[i].input;
		}
	return 0;
}

static void tell(struct world *w, struct amplification *v, int64_t input, uint64_t expect)
{
	struct reported reported[8] = {0};
	struct alternative alternatives[8] = {0};
	uint32_t n = 0;
	for (const struct course *c = w->courses; c->input; c++) {
		if (c->input != input || (expect && c->from != expect))
			continue;
		for (; c->v[n].kind; n++) {
			bool check = c->v[n].kind == 'C';
			reported[n].decision = (struct decision){.event = 10 * (uint32_t)input + n,
			                                         .first = n,
			                                         .alternatives = 1,
			                                         .key = c->v[n].key,
			                                         .check = check,
			                                         .sensitive = c->v[n].kind == 'S'};
			alternatives[n] =
				(struct alternative){.key = c->v[n].alternative,
			                             .site = check && c->v[n].key ? c->v[n].key : c->v[n].alternative,
			                             .op = check ? ALTERNATIVE_VIOLATE : ALTERNATIVE_NEGATE};
			if (!check)
				tree_set(&w->tree, c->v[n].key, TREE_TAKEN);
		}
		break;
	}
	amplification_ran(v, reported, n, alternatives);
}

static void answer(struct world *w, struct amplification *v, const struct candidate *f)
{
	w->asked[w->n_asked++] = f->alternative.key;
	for (size_t i = 0; w->answers[i].alternative; i++) {
		if (w->answers[i].alternative != f->alternative.key)
			continue;
		int64_t input = w->answers[i].input;
		w->solved[i] = true;
		tree_set(&w->tree, f->alternative.key,
		         !input                                     ? TREE_UNSAT
		         : f->alternative.op == ALTERNATIVE_VIOLATE ? TREE_TAKEN
		                                                    : TREE_SAT);
		amplification_solved(v, f, input ? ANSWER_SAT : ANSWER_UNSAT, input);
		return;
	}
	CHECK_THAT(false, "nobody should ask for %d", (int)f->alternative.key);
	amplification_solved(v, f, ANSWER_UNKNOWN, 0);
}

static void amplification(struct world *w, unsigned distance, unsigned factor)
{
	const struct amplification_setup setup = {
		.tree = &w->tree, .explored = &w->explored, .solution = solution, .opaque = w, .factor = factor};
	struct amplification *v = amplification_new(&setup, 1, distance);
	struct amplification_action a;
	w->n_asked = w->n_judged = w->n_ran = 0;
	for (int steps = 0; steps < 200; steps++) {
		amplification_next(v, 2, &a);
		if (a.act == AMPLIFY_DONE)
			break;
		if (a.act == AMPLIFY_RUN) {
			w->ran[w->n_ran++] = a.input;
			tell(w, v, a.input, a.expect);
		}
		if (a.act == AMPLIFY_CONFIRM) {
			w->oracle_runs[w->n_judged++] = a.input;
			w->depth = a.depth;
		}
		struct candidate candidates[2];
		uint32_t n = a.act == AMPLIFY_SOLVE ? a.n_candidates : 0;
		if (n)
			memcpy(candidates, a.candidates, n * sizeof *candidates);
		for (uint32_t i = 0; i < n; i++)
			answer(w, v, &candidates[i]);
	}
	CHECK_INT(AMPLIFY_DONE, a.act);
	amplification_free(v);
}

static bool has_asked(const struct world *w, uint64_t key)
{
	for (size_t i = 0; i < w->n_asked; i++)
		if (w->asked[i] == key)
			return true;
	return false;
}

// Figure 4 of the paper: 99 < x <= 199; the access behind both branches is wrong when x > 99 does not hold.
static void figure4(void)
{
	static const struct course courses[] = {
		{1, 0, {{'B', 11, 12}, {'S', 21, 22}}},
		{2, 22, {{0}}},
		{3, 12, {{'C', 0, 31}}},
		{0},
	};
	static const struct answer_to answers[] = {{22, 2}, {12, 3}, {31, 4}, {0}};
	struct world w;
	world_init(&w, courses, answers);
	amplification(&w, 0, 0);
	CHECK_INT(0, w.n_asked);
	amplification(&w, 1, 0);
	CHECK(has_asked(&w, 22) && !has_asked(&w, 12)); // only what is needed to know
	CHECK_INT(2, w.n_ran);
	CHECK_INT(0, w.n_judged);
	amplification(&w, 2, 0);
	CHECK(has_asked(&w, 12) && !has_asked(&w, 22) && has_asked(&w, 31));
	CHECK_INT(1, w.n_judged);
	CHECK_INT(4, w.oracle_runs[0]);
	CHECK_INT(1, w.depth);
	world_release(&w);
}

// Checks of the path itself, at distance 0; those that cannot fail give nothing.
static void checks(void)
{
	static const struct course courses[] = {{1, 0, {{'C', 0, 5}, {'S', 11, 12}, {'C', 0, 6}, {'C', 0, 7}}}, {0}};
	static const struct answer_to answers[] = {{5, 0}, {6, 2}, {7, 0}, {0}};
	struct world w;
	world_init(&w, courses, answers);
	amplification(&w, 0, 0);
	CHECK_INT(3, w.n_asked);
	CHECK_INT(1, w.n_judged);
	CHECK_INT(2, w.oracle_runs[0]);
	amplification(&w, 0, 0); // nothing twice
	CHECK_INT(0, w.n_asked);
	CHECK_INT(0, w.n_judged);
	world_release(&w);
}

// The first check of each place, the second, the next two, the next four; along the path each time.
static void places_take_alternatives(void)
{
	static const struct course courses[] = {
		{1, 0, {{'C', 9, 1}, {'C', 9, 2}, {'C', 8, 3}, {'C', 9, 4}, {'C', 9, 5}, {'C', 8, 6}, {'C', 8, 7}}},
		{0}};
	static const struct answer_to answers[] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 0}, {0}};
	static const uint64_t order[] = {1, 3, 2, 6, 4, 5, 7};
	struct world w;
	world_init(&w, courses, answers);
	amplification(&w, 0, 0);
	CHECK_INT(COUNT(order), w.n_asked);
	for (size_t i = 0; i < COUNT(order); i++)
		CHECK_INT(order[i], w.asked[i]);
	world_release(&w);
}

// A branch that cannot go the other way does not count.
static void infeasible(void)
{
	static const struct course courses[] = {
		{1, 0, {{'B', 11, 12}, {'B', 21, 22}, {'S', 31, 32}}}, {2, 12, {{0}}}, {0}};
	static const struct answer_to answers[] = {{12, 2}, {22, 0}, {32, 0}, {0}};
	struct world w;
	world_init(&w, courses, answers);
	amplification(&w, 1, 0);
	CHECK_INT(3, w.n_asked);
	CHECK_INT(2, w.n_ran);
	CHECK_INT(2, w.ran[1]);
	amplification(&w, 2, 0);
	CHECK_INT(1, w.n_ran); // there is none at distance 2
	world_release(&w);
}

// A way is followed for factor * D branches, breadth first.
static void bounded(void)
{
	static const struct course courses[] = {
		{1, 0, {{'S', 11, 12}}},    {2, 12, {{'B', 41, 42}, {'B', 51, 52}, {'B', 61, 62}, {'C', 0, 71}}},
		{3, 42, {{'B', 81, 82}}},   {4, 52, {{'B', 91, 92}}},
		{5, 82, {{'B', 101, 102}}}, {0},
	};
	static const struct answer_to answers[] = {{12, 2}, {42, 3}, {52, 4}, {82, 5}, {0}};
	struct world w;
	world_init(&w, courses, answers);
	amplification(&w, 1, 2); // asks 12; 42 and 52 (not 62, nor the check behind it); 82; not 92 or 102
	CHECK_INT(4, w.n_asked);
	CHECK(!has_asked(&w, 62) && !has_asked(&w, 71) && !has_asked(&w, 92));
	CHECK_INT(5, w.n_ran);
	CHECK_INT(3, w.ran[2]);
	CHECK_INT(4, w.ran[3]);
	CHECK_INT(5, w.ran[4]);
	world_release(&w);
}

// Of two sensitive operations the deeper one comes first.
static void deepest_first(void)
{
	static const struct course courses[] = {
		{1, 0, {{'S', 11, 12}, {'S', 21, 22}}}, {2, 12, {{0}}}, {3, 22, {{0}}}, {0}};
	static const struct answer_to answers[] = {{12, 2}, {22, 3}, {0}};
	struct world w;
	world_init(&w, courses, answers);
	amplification(&w, 1, 0);
	CHECK_INT(3, w.n_ran);
	CHECK_INT(3, w.ran[1]);
	CHECK_INT(2, w.ran[2]);
	world_release(&w);
}

// When time is up after the first batch, its solutions are still judged; what was not asked can be asked another time.
static void cut(void)
{
	static const struct course courses[] = {{1, 0, {{'C', 0, 5}, {'C', 0, 6}, {'C', 0, 7}, {'S', 11, 12}}}, {0}};
	static const struct answer_to answers[] = {{5, 2}, {6, 0}, {7, 3}, {0}};
	struct world w;
	struct amplification_action a;
	world_init(&w, courses, answers);
	const struct amplification_setup setup = {
		.tree = &w.tree, .explored = &w.explored, .solution = solution, .opaque = &w};
	struct amplification *v = amplification_new(&setup, 1, 0);
	amplification_next(v, 2, &a);
	tell(&w, v, a.input, a.expect);
	amplification_next(v, 2, &a);
	CHECK_INT(AMPLIFY_SOLVE, a.act);
	struct candidate candidates[2] = {a.candidates[0], a.candidates[1]};
	answer(&w, v, &candidates[0]);
	answer(&w, v, &candidates[1]);
	CHECK_INT(1, amplification_cut(v));
	amplification_next(v, 2, &a);
	CHECK_INT(AMPLIFY_CONFIRM, a.act);
	CHECK_INT(2, a.input);
	amplification_next(v, 2, &a);
	CHECK_INT(AMPLIFY_DONE, a.act);
	CHECK(!amplification_is_last(v));
	amplification_free(v);
	amplification(&w, 0, 0);
	CHECK_INT(1, w.n_asked);
	CHECK(has_asked(&w, 7));
	world_release(&w);
}

// What waits in the search is asked for all the same, and waits there again when there was no time.
static void beside_search(void)
{
	static const struct course courses[] = {{1, 0, {{'C', 1, 6}, {'C', 2, 7}, {'C', 3, 8}}}, {0}};
	static const struct answer_to answers[] = {{6, 0}, {7, 0}, {8, 0}, {0}};
	struct world w;
	struct amplification_action a;
	world_init(&w, courses, answers);
	tree_set(&w.tree, 7, TREE_PENDING); // a candidate of the search
	tree_set(&w.tree, 8, TREE_HELD);    // another visit asks for it
	const struct amplification_setup setup = {
		.tree = &w.tree, .explored = &w.explored, .solution = solution, .opaque = &w};
	struct amplification *v = amplification_new(&setup, 1, 0);
	amplification_next(v, 2, &a);
	tell(&w, v, a.input, 0);
	amplification_next(v, 2, &a);
	CHECK_INT(AMPLIFY_SOLVE, a.act);
	CHECK_INT(2, a.n_candidates);
	CHECK(tree_get(&w.tree, 6) == TREE_HELD && tree_get(&w.tree, 7) == TREE_HELD);
	CHECK_INT(2, amplification_cut(v));
	CHECK(tree_get(&w.tree, 6) == TREE_NEW && tree_get(&w.tree, 7) == TREE_PENDING);
	CHECK(tree_get(&w.tree, 8) == TREE_HELD);
	amplification_free(v);
	world_release(&w);
}

static const struct test tests[] = {
	TEST(figure4),    TEST(checks),        TEST(places_take_alternatives),
	TEST(infeasible), TEST(bounded),       TEST(deepest_first),
	TEST(cut),        TEST(beside_search),
};

TEST_MAIN("visit")
