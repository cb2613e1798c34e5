#include "explore/progressive.h"

#include "test.h"

enum { N = 6 };
enum { MAIN, PARSE, EMIT, LOOKUP, HASH, LONELY };

// main calls parse and emit, both call lookup, that calls hash; lonely is called by nobody and calls hash.
static const uint32_t of_main[] = {PARSE, EMIT}, of_parse[] = {LOOKUP}, of_emit[] = {LOOKUP}, of_lookup[] = {HASH},
		      of_lonely[] = {HASH}, heads[] = {1, 2};

static const struct progressive_function functions[N] = {
	[MAIN] = {of_main, 2, NULL, 0, true, true, true, true},
	[PARSE] = {of_parse, 1, heads, 2, true, true, true, false},
	[EMIT] = {of_emit, 1, NULL, 0, true, true, true, false},
	[LOOKUP] = {of_lookup, 1, heads, 1, true, true, true, false},
	[HASH] = {NULL, 0, heads, 1, false, false, true, false}, // cannot be entered at its entry
	[LONELY] = {of_lonely, 1, NULL, 0, true, true, true, false},
};

static uint32_t lefts[N];

static uint32_t left(void *opaque, uint32_t function)
{
	(void)opaque;
	return lefts[function];
}

static uint32_t left_at(void *opaque, uint32_t function, uint32_t marker)
{
	(void)marker;
	return left(opaque, function);
}

static struct progressive_setup setup_of(unsigned phases)
{
	for (int i = 0; i < N; i++)
		lefts[i] = 3;
	return (struct progressive_setup){.functions = functions,
	                                  .n_functions = N,
	                                  .phases = phases,
	                                  .seconds = 100,
	                                  .left = left,
	                                  .left_at = left_at};
}

enum { ALL = (1 << PHASES) - 1 };

// Phase by phase, functions in their order.
static void order(void)
{
	static const uint32_t expected[][3] = {
		{PHASE_INP, 0, 0},      {PHASE_EXT, MAIN, 0},    {PHASE_EXT, PARSE, 0},   {PHASE_EXT, EMIT, 0},
		{PHASE_EXT, LOOKUP, 0}, {PHASE_EXT, LONELY, 0},  {PHASE_STUB, MAIN, 0},   {PHASE_STUB, PARSE, 0},
		{PHASE_STUB, EMIT, 0},  {PHASE_STUB, LOOKUP, 0}, {PHASE_STUB, LONELY, 0}, {PHASE_INT, PARSE, 1},
		{PHASE_INT, PARSE, 2},  {PHASE_INT, LOOKUP, 1},  {PHASE_INT, HASH, 1},
	};
	struct progressive p;
	struct progressive_setup s = setup_of(ALL);
	bool ended;
	progressive_init(&p, &s);
	for (size_t i = 0; i < COUNT(expected); i++) {
		struct plan_fragment *f = progressive_next(&p, &ended);
		CHECK(f && !ended);
		CHECK_INT(expected[i][0], f->phase);
		CHECK_INT(expected[i][1], f->function);
		CHECK_INT(expected[i][2], f->marker);
		progressive_explored(&p, f, f->slice, 0, false);
	}
	CHECK_INT(COUNT(expected), p.n_fragments);
	CHECK(progressive_reaches(&p, MAIN, HASH) && progressive_reaches(&p, HASH, HASH));
	CHECK(!progressive_reaches(&p, HASH, MAIN) && !progressive_reaches(&p, MAIN, LONELY));
	progressive_release(&p);
}

// The slice doubles from round to round.
static void slices(void)
{
	struct progressive p;
	struct progressive_setup s = setup_of(1 << PHASE_EXT);
	bool ended;
	double first[N] = {0};
	progressive_init(&p, &s);
	for (int round = 0; round < 3; round++)
		for (uint32_t i = 0; i < p.n_fragments; i++) {
			struct plan_fragment *f = progressive_next(&p, &ended);
			CHECK(f != NULL);
			if (round == 0)
				first[f->function] = f->slice;
			CHECK_THAT(f->slice == first[f->function] * (1 << round), "%f in round %d", f->slice, round);
			progressive_explored(&p, f, f->slice, 1, false);
		}
	progressive_release(&p);
}

// What covers nothing waits longer: its slice doubles in every second round.
static void idle_slices(void)
{
	struct progressive p;
	struct progressive_setup s = setup_of(1 << PHASE_STUB);
	bool ended;
	progressive_init(&p, &s);
	const double first = p.slice;
	for (int round = 0; round < 6; round++)
		for (uint32_t i = 0; i < p.n_fragments; i++) {
			struct plan_fragment *f = progressive_next(&p, &ended);
			CHECK(f != NULL);
			int doublings = f->function == MAIN ? round : round - round / 2;
			CHECK_THAT(f->slice == first * (1 << doublings), "%f in round %d", f->slice, round);
			progressive_explored(&p, f, f->slice, f->function == MAIN, false);
		}
	progressive_release(&p);
}

// Whole runs take up to a tenth of the budget first, then what their gain is worth beside that of the others.
static void whole_runs(void)
{
	struct progressive p;
	struct progressive_setup s = setup_of(1 << PHASE_INP | 1 << PHASE_EXT);
	bool ended;
	struct plan_fragment *f;
	progressive_init(&p, &s);
	for (int i = 0; i < 2; i++) {
		f = progressive_next(&p, &ended);
		CHECK(f && f->phase == PHASE_INP && f->slice == 5);
		progressive_explored(&p, f, 5, 10, false);
	}
	for (int i = 0; i < N - 1; i++) {
		f = progressive_next(&p, &ended);
		CHECK(f && f->phase == PHASE_EXT);
		progressive_explored(&p, f, 1, 8, false); // 8 a second, not 2
	}
	f = progressive_next(&p, &ended);
	CHECK(f && f->phase == PHASE_INP);
	CHECK_THAT(f->slice == 1.25, "%f", f->slice);
	progressive_release(&p);
	progressive_init(&p, &s); // what covers nothing ends after the first portion
	f = progressive_next(&p, &ended);
	progressive_explored(&p, f, 5, 0, false);
	f = progressive_next(&p, &ended);
	CHECK(f && f->phase == PHASE_EXT);
	progressive_release(&p);
}

// Whole runs end when all that main reaches is covered, whatever else is left.
static void whole_runs_end(void)
{
	struct progressive p;
	struct progressive_setup s = setup_of(1 << PHASE_INP);
	bool ended;
	progressive_init(&p, &s);
	struct plan_fragment *f = progressive_next(&p, &ended);
	CHECK(f && progressive_is_open(&p, f));
	for (int i = 0; i < N; i++)
		lefts[i] = i == LONELY ? 3 : 0;
	CHECK(!progressive_is_open(&p, f));
	progressive_explored(&p, f, 1, 12, false);
	CHECK(!progressive_next(&p, &ended) && ended);
	progressive_release(&p);
}

// What is covered is left out: of `ext` when nothing that it reaches is left, of `stub` and `int` when the function
// itself has nothing left.
static void only_where_something_is_left(void)
{
	struct progressive p;
	struct progressive_setup s = setup_of(ALL);
	bool ended;
	unsigned tried[PHASES] = {0};
	struct plan_fragment *f;
	progressive_init(&p, &s);
	for (int i = 0; i < N; i++)
		lefts[i] = i == HASH;
	while ((f = progressive_next(&p, &ended))) {
		tried[f->phase]++;
		CHECK(f->phase == PHASE_INP || progressive_reaches(&p, f->function, HASH));
		CHECK((f->phase != PHASE_STUB && f->phase != PHASE_INT) || f->function == HASH);
		progressive_explored(&p, f, 0, 0, true);
	}
	CHECK(ended);
	CHECK_INT(1, tried[PHASE_INP]);
	CHECK_INT(5, tried[PHASE_EXT]);
	CHECK_INT(0, tried[PHASE_STUB]);
	CHECK_INT(1, tried[PHASE_INT]);
	progressive_release(&p);
}

// It has not ended while somebody explores a fragment, which may have more for a later round.
static void busy(void)
{
	struct progressive p;
	struct progressive_setup s = setup_of(1 << PHASE_INT);
	bool ended;
	progressive_init(&p, &s);
	CHECK_INT(4, p.n_fragments);
	struct plan_fragment *first = progressive_next(&p, &ended), *f;
	for (int i = 0; i < 3; i++) {
		CHECK((f = progressive_next(&p, &ended)) && f != first);
		progressive_explored(&p, f, 0, 0, true);
	}
	CHECK(!progressive_next(&p, &ended) && !ended);
	progressive_explored(&p, first, 1, 0, false);
	CHECK(progressive_next(&p, &ended) == first && !ended);
	progressive_explored(&p, first, 1, 0, true);
	CHECK(!progressive_next(&p, &ended) && ended);
	CHECK(first->used == 2 && first->rounds == 2);
	progressive_release(&p);
}

static void words(void)
{
	struct err err;
	unsigned bits = 0;
	CHECK(phases_read("ext,int", &bits, &err) == 0);
	CHECK_INT(1 << PHASE_EXT | 1 << PHASE_INT, bits);
	CHECK(phases_read("", &bits, &err) < 0 && phases_read("ext,", &bits, &err) < 0);
	CHECK(phases_read("ext,all", &bits, &err) < 0);
	CHECK_STR("there is no phase all; the phases are inp, ext, stub, int", err.text);
	CHECK_STR("stub", phase_word(PHASE_STUB));
}

static const struct test tests[] = {TEST(order),      TEST(slices),         TEST(idle_slices),
                                    TEST(whole_runs), TEST(whole_runs_end), TEST(only_where_something_is_left),
                                    TEST(busy),       TEST(words)};

TEST_MAIN("progressive")
