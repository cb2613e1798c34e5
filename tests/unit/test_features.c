// The features of branches on paths made by hand (program.h), one by one.
#include "search/features.h"

#include "base/mem.h"
#include "program.h"
#include "search/strategies/episodes.h"
#include "test.h"

static struct program p;
static struct episode *w;
static const int64_t seeds[] = {1};
static const double weights[FEATURES];

static void start(void)
{
	program_init(&p);
	w = episode_new(&p.paths, &heuristic_param, weights, 1000, 1, seeds, 1);
}

static void stop(void)
{
	episode_free(w);
	program_release(&p);
}

#define RUN(...) program_run(&p, (const struct step[]){__VA_ARGS__}, COUNT(((const struct step[]){__VA_ARGS__})), NULL)
#define L(way) {MAIN_LOOP, way}
#define I(way) {MAIN_IF, way}
#define S(way) {MAIN_SWITCH, way}
#define C(way) {MAIN_CALL, way}
#define B(i, way) {BIG + (i), way}

// The bit of the `nth` way off a place of the path where the walk is.
static bool nth_has(uint32_t place, uint32_t nth, enum feature f)
{
	features_begin(w);
	const struct path_node *n = &p.paths.nodes[w->nodes[place]];
	CHECK(nth < n->alternatives);
	return features_of(w, place, n->first + nth) >> f & 1;
}

static bool has(uint32_t place, enum feature f)
{
	return nth_has(place, 0, f);
}

static void visit(uint32_t run, uint32_t negated_at)
{
	episode_enter(w, run, negated_at);
}

static void choose(uint32_t place, bool failed, unsigned times)
{
	const struct path_node *n = &p.paths.nodes[w->nodes[place]];
	const struct pick pick = {.run = w->at, .node = w->nodes[place], .alternative = n->first};
	while (times--)
		episode_note(w, &pick, failed);
}

// A test: `yes` is so, `no` is not, on a path that `path` makes.
#define STATIC_TEST(name, FEATURE, path, yes, no)                                                                      \
	static void name(void)                                                                                         \
	{                                                                                                              \
		start();                                                                                               \
		visit(path, PATHS_NONE);                                                                               \
		CHECK(has(yes, FEATURE_##FEATURE));                                                                    \
		CHECK(!has(no, FEATURE_##FEATURE));                                                                    \
		stop();                                                                                                \
	}

STATIC_TEST(in_main, MAIN, RUN(L(1), B(0, 1)), 0, 1)
STATIC_TEST(loop_true, LOOP_TRUE, RUN(L(1), L(0)), 0, 1)
STATIC_TEST(loop_false, LOOP_FALSE, RUN(L(1), L(0)), 1, 0)
STATIC_TEST(nested, NESTED, RUN(L(1), I(0)), 1, 0)
STATIC_TEST(external, EXTERNAL, RUN(L(1), I(0)), 1, 0)
STATIC_TEST(external_call, EXTERNAL, RUN(L(1), C(1)), 1, 0)
STATIC_TEST(external_not_own, EXTERNAL, RUN({MAIN_IF, 1}, {SMALL, 0}), 0, 1)
STATIC_TEST(integer, INTEGER, RUN(L(1), S(0)), 0, 1)
STATIC_TEST(character, CHARACTER, RUN(L(1), I(0)), 0, 1)
STATIC_TEST(pointer, POINTER, RUN(L(1), S(0)), 1, 0)
STATIC_TEST(local, LOCAL, RUN(L(1), S(0)), 0, 1)
STATIC_TEST(body, BODY, RUN(L(1), S(0)), 1, 0)

// The run went to case 1: it could have gone anywhere else (0), or to case 2.
static void cases(void)
{
	start();
	visit(RUN(L(1), S(1)), PATHS_NONE);
	CHECK(nth_has(1, 0, FEATURE_CASE_TRUE) && !nth_has(1, 0, FEATURE_CASE_FALSE));
	CHECK(!nth_has(1, 1, FEATURE_CASE_TRUE) && nth_has(1, 1, FEATURE_CASE_FALSE));
	CHECK(!has(0, FEATURE_CASE_TRUE) && !has(0, FEATURE_CASE_FALSE));
	stop();
}

// Twenty decisions: the first two, the last two.
static void front_and_back(void)
{
	start();
	visit(RUN(L(1), I(0), L(1), I(0), L(1), I(0), L(1), I(0), L(1), I(0), L(1), I(0), L(1), I(0), L(1), I(0), L(1),
	          I(0), L(1), I(0)),
	      PATHS_NONE);
	for (uint32_t i = 0; i < 20; i++) {
		CHECK_INT(i < 2, has(i, FEATURE_FRONT));
		CHECK_INT(i >= 18, has(i, FEATURE_BACK));
	}
	stop();
}

static void frequent(void)
{
	start();
	visit(RUN(L(1), I(0), L(1), I(1), L(1), S(0), L(0)), PATHS_NONE);
	CHECK(has(0, FEATURE_FREQUENT) && has(4, FEATURE_FREQUENT)); // three times
	CHECK(!has(1, FEATURE_FREQUENT) && !has(6, FEATURE_FREQUENT));
	CHECK(has(1, FEATURE_SELDOM) && has(3, FEATURE_SELDOM) && has(6, FEATURE_SELDOM)); // once
	CHECK(!has(0, FEATURE_SELDOM));
	stop();
}

static void fresh(void)
{
	start();
	uint32_t a = RUN(L(1), I(0)), b = RUN(L(1), I(1));
	visit(a, PATHS_NONE);
	CHECK(has(0, FEATURE_FRESH) && has(1, FEATURE_FRESH));
	visit(b, 1);
	CHECK(!has(0, FEATURE_FRESH) && has(1, FEATURE_FRESH));
	visit(a, 1);
	CHECK(!has(0, FEATURE_FRESH) && !has(1, FEATURE_FRESH));
	stop();
}

static void after(void)
{
	start();
	uint32_t run = RUN(L(1), I(0), S(0), L(0));
	visit(run, PATHS_NONE);
	for (uint32_t i = 0; i < 4; i++)
		CHECK(!has(i, FEATURE_AFTER));
	visit(run, 1);
	for (uint32_t i = 0; i < 4; i++)
		CHECK_INT(i == 2, has(i, FEATURE_AFTER));
	stop();
}

static void near(void)
{
	start();
	uint32_t run = RUN(L(1), I(0), L(1), I(0), L(1), I(0), L(1), I(0), L(1), I(0));
	visit(run, PATHS_NONE);
	CHECK(!has(0, FEATURE_NEAR));
	visit(run, 5);
	for (uint32_t i = 0; i < 10; i++)
		CHECK_INT(i >= 3 && i <= 7, has(i, FEATURE_NEAR));
	stop();
}

// The branch of `if` is always behind the loop's, which therefore does not count: with two branches of big before it,
// it was chosen; with one of them other, it is the same only as far as that one.
static void contexts(void)
{
	start();
	uint32_t a = RUN(B(0, 1), B(1, 1), L(1), I(0)), same = RUN(B(2, 1), B(0, 1), B(1, 1), L(1), I(0)),
		 half = RUN(B(0, 0), B(1, 1), L(1), I(0)), other = RUN(B(1, 0), L(1), I(0));
	visit(a, PATHS_NONE);
	CHECK(!has(3, FEATURE_CONTEXT1) && !has(3, FEATURE_CONTEXT2));
	choose(3, false, 1);
	for (int k = 0; k < 5; k++)
		CHECK(has(3, FEATURE_CONTEXT1 + (enum feature)k));
	CHECK(!has(2, FEATURE_CONTEXT1));
	visit(same, PATHS_NONE); // what is further away differs: there was nothing
	CHECK(has(4, FEATURE_CONTEXT1) && has(4, FEATURE_CONTEXT2) && has(4, FEATURE_CONTEXT3));
	CHECK(!has(4, FEATURE_CONTEXT4) && !has(4, FEATURE_CONTEXT5));
	visit(half, PATHS_NONE);
	CHECK(has(3, FEATURE_CONTEXT1) && has(3, FEATURE_CONTEXT2) && !has(3, FEATURE_CONTEXT3));
	visit(other, PATHS_NONE);
	CHECK(has(2, FEATURE_CONTEXT1) && !has(2, FEATURE_CONTEXT2));
	stop();
}

static void long_contexts(void)
{
	start();
	uint32_t a = RUN(B(0, 1), B(1, 1), B(2, 1), B(3, 1), B(4, 1)),
		 b = RUN(B(0, 0), B(1, 1), B(2, 1), B(3, 1), B(4, 1)),
		 c = RUN(B(0, 1), B(1, 0), B(2, 1), B(3, 1), B(4, 1));
	visit(a, PATHS_NONE);
	choose(4, false, 1);
	CHECK(has(4, FEATURE_CONTEXT5));
	visit(b, PATHS_NONE);
	CHECK(has(4, FEATURE_CONTEXT4) && !has(4, FEATURE_CONTEXT5));
	visit(c, PATHS_NONE);
	CHECK(has(4, FEATURE_CONTEXT3) && !has(4, FEATURE_CONTEXT4));
	stop();
}

static void negated(void)
{
	static const enum feature all[] = {FEATURE_NEGATED10, FEATURE_NEGATED20, FEATURE_NEGATED30};
	start();
	visit(RUN(L(1), I(0)), PATHS_NONE);
	for (unsigned i = 0; i < 3; i++) {
		choose(0, false, i ? 9 : 10);
		CHECK(!has(0, all[i]));
		choose(0, false, 1);
		CHECK(has(0, all[i]) && !has(1, all[i]));
	}
	stop();
}

static void failed(void)
{
	start();
	uint32_t a = RUN(L(1), I(0)), opposite = RUN(L(1), I(1));
	visit(a, PATHS_NONE);
	choose(1, true, 10);
	CHECK(!has(1, FEATURE_FAILED));
	choose(1, true, 1);
	CHECK(has(1, FEATURE_FAILED) && !has(0, FEATURE_FAILED) && !has(1, FEATURE_OPPOSITE_FAILED));
	visit(opposite, 1);
	CHECK(!has(1, FEATURE_FAILED) && has(1, FEATURE_OPPOSITE_FAILED) && !has(0, FEATURE_OPPOSITE_FAILED));
	stop();
}

static void uncovered(void)
{
	start();
	uint32_t a = RUN(L(1), I(0)), b = RUN(L(1), I(1));
	visit(a, PATHS_NONE);
	CHECK(has(1, FEATURE_UNCOVERED) && has(0, FEATURE_UNCOVERED));
	visit(b, 1);
	CHECK(!has(1, FEATURE_UNCOVERED) && has(0, FEATURE_UNCOVERED));
	stop();
}

// Behind the true side of `if` stands the switch.
static void all_uncovered(void)
{
	start();
	uint32_t a = RUN(L(1), I(0)), b = RUN(L(1), I(0), S(2));
	visit(a, PATHS_NONE);
	CHECK(has(1, FEATURE_ALL_UNCOVERED));
	visit(b, 1);
	CHECK(has(1, FEATURE_UNCOVERED) && !has(1, FEATURE_ALL_UNCOVERED));
	stop();
}

static void last(void)
{
	static const enum feature all[] = {FEATURE_LAST10, FEATURE_LAST20, FEATURE_LAST30};
	start();
	visit(RUN(L(1), I(0)), PATHS_NONE);
	CHECK(!has(0, FEATURE_LAST30));
	choose(0, false, 1);
	for (unsigned i = 0; i < 3; i++) {
		choose(1, false, 9);
		CHECK(has(0, all[i]));
		choose(1, false, 1);
		CHECK(!has(0, all[i]));
	}
	CHECK(has(1, FEATURE_LAST10) && has(1, FEATURE_LAST20) && has(1, FEATURE_LAST30));
	stop();
}

// 12 sides of big, 7 of main; when most of those of big are covered it is main.
static void poorest(void)
{
	start();
	visit(RUN(L(1), B(0, 1)), PATHS_NONE);
	CHECK(!has(0, FEATURE_POOREST) && has(1, FEATURE_POOREST));
	visit(program_run(&p, (const struct step[]){L(0), B(0, 0)}, 2, (const int[]){7, 8, 9, 10, 11, 12, 13, 14, -1}),
	      0);
	CHECK(has(0, FEATURE_POOREST) && !has(1, FEATURE_POOREST));
	stop();
}

// Behind the true side of `if` big is called, which is first of three functions by its sides.
static void leads(void)
{
	static const enum feature all[] = {FEATURE_LEADS10, FEATURE_LEADS20, FEATURE_LEADS30, FEATURE_LEADS};
	start();
	visit(RUN(L(1), I(0), S(0), L(0)), PATHS_NONE);
	for (unsigned i = 0; i < 4; i++) {
		CHECK(has(1, all[i]));
		CHECK(nth_has(2, 1, all[i]) && !nth_has(2, 0, all[i])); // case 2, but not case 1: it is too far
	}
	visit(RUN(L(1), I(1), B(0, 0)), 1);
	CHECK(!has(1, FEATURE_LEADS10) && !has(1, FEATURE_LEADS));
	stop();
}

static void leads_to_small(void)
{
	start();
	visit(RUN(L(1), I(0)), PATHS_NONE);
	CHECK(!has(0, FEATURE_LEADS10) && !has(0, FEATURE_LEADS30) && !has(0, FEATURE_LEADS)); // small, of two sides
	CHECK_INT(1, p.graph.functions[1].top);
	CHECK_INT(0, p.graph.functions[2].top);
	stop();
}

static void new_function(void)
{
	start();
	uint32_t a = RUN(L(1), I(0)), b = RUN(L(1), I(1), B(0, 1));
	visit(a, PATHS_NONE);
	CHECK(!has(0, FEATURE_NEW_FUNCTION)); // main has 7
	for (int i = 0; i < 10; i++) {
		visit(b, 1);
		CHECK(has(2, FEATURE_NEW_FUNCTION));
	}
	visit(b, 1);
	CHECK(!has(2, FEATURE_NEW_FUNCTION));
	stop();
}

static void scores(void)
{
	double v[FEATURES] = {0};
	v[FEATURE_MAIN] = 3;
	v[FEATURE_NEW_FUNCTION] = -1.5;
	CHECK(features_score(FEATURE_BIT(MAIN) | FEATURE_BIT(NEW_FUNCTION) | FEATURE_BIT(BODY), v) == 1.5);
	CHECK(features_score(0, v) == 0);
}

static void weights_as_text(void)
{
	double v[FEATURES], back[FEATURES];
	struct buf text = {0};
	struct err err;
	for (int i = 0; i < FEATURES; i++)
		v[i] = (i - 20) / 2.0;
	weights_print(v, &text);
	char *path = test_path("weights");
	test_write(path, text.data, text.len);
	CHECK_INT(0, weights_read(path, back, &err));
	for (int i = 0; i < FEATURES; i++)
		CHECK(v[i] == back[i]);
	test_write(path, text.data, text.len - 150);
	CHECK_INT(-1, weights_read(path, back, &err));
	buf_release(&text);
	static const char *const bad[] = {"", "1\n2\n", "11\n", "nan\n", "one\n"};
	for (size_t i = 0; i < COUNT(bad); i++) {
		test_write(path, bad[i], strlen(bad[i]));
		CHECK_INT(-1, weights_read(path, back, &err));
	}
}

static const struct test tests[] = {
	TEST(in_main),
	TEST(loop_true),
	TEST(loop_false),
	TEST(nested),
	TEST(external),
	TEST(external_call),
	TEST(external_not_own),
	TEST(integer),
	TEST(character),
	TEST(pointer),
	TEST(local),
	TEST(body),
	TEST(cases),
	TEST(front_and_back),
	TEST(frequent),
	TEST(fresh),
	TEST(after),
	TEST(near),
	TEST(contexts),
	TEST(long_contexts),
	TEST(negated),
	TEST(failed),
	TEST(uncovered),
	TEST(all_uncovered),
	TEST(last),
	TEST(poorest),
	TEST(leads),
	TEST(leads_to_small),
	TEST(new_function),
	TEST(scores),
	TEST(weights_as_text),
};

TEST_MAIN("features")
