// Ways that are kept with the input they lead off.
#include "search/origins.h"

#include "test.h"

struct got {
	struct candidate v[64];
	unsigned n;
};

static void add(void *opaque, const struct candidate *f)
{
	struct got *g = opaque;
	g->v[g->n++] = *f;
}

static struct candidate way(int64_t input, uint32_t i)
{
	return (struct candidate){.input = input,
	                          .event = 100 + i,
	                          .depth = 200 + i,
	                          .alternative = {.key = 300 + i,
	                                          .edge = 400 + i,
	                                          .site = 500 + i,
	                                          .context = 600 + i,
	                                          .pair = 700 + i,
	                                          .value = 800 + i,
	                                          .op = ALTERNATIVE_CASE},
	                          .place = 900 + i,
	                          .milliseconds = 5};
}

static void first_who_asked(void)
{
	struct origins o = {0};
	CHECK_INT(ORIGIN_NOBODY, origins_who(&o, 5));
	origins_note(&o, 5, ORIGIN_EPISODES);
	origins_note(&o, 5, ORIGIN_FRONTIER);
	origins_note(&o, 4, ORIGIN_FRONTIER);
	CHECK_INT(ORIGIN_EPISODES, origins_who(&o, 5));
	CHECK_INT(ORIGIN_FRONTIER, origins_who(&o, 4));
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
			struct candidate f = way(input, i);
			CHECK(origins_defer(&o, &f));
		}
	origins_open(&o, 7, add, &g);
	CHECK_INT(N, g.n);
	for (uint32_t i = 0; i < g.n; i++) {
		struct candidate f = way(7, i), *is = &g.v[i];
		CHECK(is->input == 7 && is->event == f.event && is->depth == f.depth && is->place == f.place &&
		      is->milliseconds == 5 && !is->covered && !is->rare);
		CHECK(is->alternative.key == f.alternative.key && is->alternative.edge == f.alternative.edge &&
		      is->alternative.site == f.alternative.site && is->alternative.context == f.alternative.context &&
		      is->alternative.pair == f.alternative.pair && is->alternative.value == f.alternative.value &&
		      is->alternative.op == f.alternative.op);
	}
	origins_open(&o, 7, add, &g);
	CHECK_INT(N, g.n);
	struct candidate late = way(7, 0), far = way(100000, 0);
	CHECK(!origins_defer(&o, &late));
	CHECK(origins_defer(&o, &far)); // it, and those of 8, go with it
	origins_open(&o, 200000, add, &g);
	CHECK_INT(N, g.n);
	origins_release(&o);
}

static const struct test tests[] = {TEST(first_who_asked), TEST(kept_and_opened)};

TEST_MAIN("origins")
