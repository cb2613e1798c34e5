// Ways that are kept with the input they lead off.
#include "explore/origins.h"

#include "test.h"

struct got {
	struct flip v[64];
	unsigned n;
};

static void add(void *opaque, const struct flip *f)
{
	struct got *g = opaque;
	g->v[g->n++] = *f;
}

static struct flip way(int64_t input, uint32_t i)
{
	return (struct flip){.input = input,
	                     .event = 100 + i,
	                     .depth = 200 + i,
	                     .turn = {.key = 300 + i,
	                              .side = 400 + i,
	                              .site = 500 + i,
	                              .context = 600 + i,
	                              .pair = 700 + i,
	                              .value = 800 + i,
	                              .op = TURN_CASE},
	                     .place = 900 + i,
	                     .milliseconds = 5};
}

static void first_who_asked(void)
{
	struct origins o = {0};
	CHECK_INT(ORIGIN_NOBODY, origins_who(&o, 5));
	origins_note(&o, 5, ORIGIN_WALKS);
	origins_note(&o, 5, ORIGIN_WIDE);
	origins_note(&o, 4, ORIGIN_WIDE);
	CHECK_INT(ORIGIN_WALKS, origins_who(&o, 5));
	CHECK_INT(ORIGIN_WIDE, origins_who(&o, 4));
	CHECK_INT(ORIGIN_NOBODY, origins_who(&o, 100000));
	origins_release(&o);
}

// All of an input, as they were and in their order, once.
static void kept_and_opened(void)
{
	enum { N = 40 };
	struct origins o = {0};
	struct got g = {0};
	for (uint32_t i = 0; i < N; i++)
		for (int64_t input = 7; input <= 8; input++) {
			struct flip f = way(input, i);
			CHECK(origins_keep(&o, &f));
		}
	origins_open(&o, 7, add, &g);
	CHECK_INT(N, g.n);
	for (uint32_t i = 0; i < g.n; i++) {
		struct flip f = way(7, i), *is = &g.v[i];
		CHECK(is->input == 7 && is->event == f.event && is->depth == f.depth && is->place == f.place &&
		      is->milliseconds == 5 && !is->covered && !is->rare);
		CHECK(is->turn.key == f.turn.key && is->turn.side == f.turn.side && is->turn.site == f.turn.site &&
		      is->turn.context == f.turn.context && is->turn.pair == f.turn.pair &&
		      is->turn.value == f.turn.value && is->turn.op == f.turn.op);
	}
	origins_open(&o, 7, add, &g);
	CHECK_INT(N, g.n);
	struct flip late = way(7, 0), far = way(100000, 0);
	CHECK(!origins_keep(&o, &late));
	CHECK(origins_keep(&o, &far)); // it, and those of 8, go with it
	origins_open(&o, 200000, add, &g);
	CHECK_INT(N, g.n);
	origins_release(&o);
}

static const struct test tests[] = {TEST(first_who_asked), TEST(kept_and_opened)};

TEST_MAIN("origins")
