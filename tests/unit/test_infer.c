// Models, decoding and scores, on a graph of two functions that is made up here.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/vec.h"
#include "infer/decode.h"
#include "infer/profile.h"
#include "infer/show.h"
#include "infer/stateless.h"
#include "test.h"

// main: 0 enters, 1 or 2 goes round a loop at marker 1, 3 calls f and comes back to marker 2, 4 goes round again, 5
// ends. f: 6 or 7 returns.
static const struct {
	uint32_t marker, n;
	enum model_end how;
	uint32_t next, after;
} made[] = {{0, 40, MODEL_TO_MARKER, 1, MODEL_NONE},        {1, 30, MODEL_TO_MARKER, 1, MODEL_NONE},
            {1, 37, MODEL_TO_MARKER, 1, MODEL_NONE},        {1, 24, MODEL_CALLS, 1, 2},
            {2, 28, MODEL_TO_MARKER, 1, MODEL_NONE},        {2, 44, MODEL_STOPS, MODEL_NONE, MODEL_NONE},
            {3, 33, MODEL_RETURNS, MODEL_NONE, MODEL_NONE}, {3, 50, MODEL_RETURNS, MODEL_NONE, MODEL_NONE}};
enum { MADE = COUNT(made), MARKERS = 4 };

static float uniform(uint64_t *state)
{
	return (float)(random_next(state) >> 40) / (1 << 24) - 0.5f;
}

static float normal(uint64_t *state)
{
	float sum = 0;
	for (int i = 0; i < 12; i++)
		sum += uniform(state);
	return sum;
}

static void make_model(struct model *m)
{
	uint64_t state = 42;
	*m = (struct model){.rate = 1e6,
	                    .mean = 0,
	                    .variance = 1.1f,
	                    .n_functions = 2,
	                    .n_markers = MARKERS,
	                    .n_segments = MADE,
	                    .n_templates = MADE,
	                    .n_windows = MADE,
	                    .n_calls = 1};
	m->functions = mem_zero(2 * sizeof *m->functions);
	m->functions[0] = (struct model_function){mem_strdup("main"), 0, false};
	m->functions[1] = (struct model_function){mem_strdup("f"), 3, false};
	m->calls = mem_zero(sizeof *m->calls);
	m->calls[0] = (struct model_call){0, 1, 2};
	m->markers = mem_zero(MARKERS * sizeof *m->markers);
	m->segments = mem_zero(MADE * sizeof *m->segments);
	m->templates = mem_zero(MADE * sizeof *m->templates);
	m->windows = mem_zero(MADE * sizeof *m->windows);
	for (uint32_t i = 0; i < MADE; i++) {
		struct model_marker *k = &m->markers[made[i].marker];
		k->function = made[i].marker == 3;
		k->first = k->end ? k->first : i;
		k->end = i + 1;
		m->segments[i] = (struct model_segment){.name = mem_printf("s/0000000%u:0", i),
		                                        .lines = mem_strdup("a.c:1 2"),
		                                        .marker = made[i].marker,
		                                        .how = made[i].how,
		                                        .next = made[i].next,
		                                        .after = made[i].after,
		                                        .seen = 1,
		                                        .first = i,
		                                        .end = i + 1};
		m->templates[i] = (struct model_template){.segment = i,
		                                          .n = made[i].n,
		                                          .seen = 9,
		                                          .mean = mem_zero(made[i].n * sizeof(float)),
		                                          .weight = mem_zero(made[i].n * sizeof(float))};
		m->windows[i] = (struct model_window){i, MODEL_WINDOW, mem_zero(MODEL_WINDOW * sizeof(float))};
		for (uint32_t k2 = 0; k2 < made[i].n; k2++) {
			m->templates[i].mean[k2] = 3.4f * uniform(&state);
			m->templates[i].weight[k2] = 10;
			m->windows[i].mean[k2] = m->templates[i].mean[k2];
		}
	}
	infer_model_settle(m);
}

struct made_path {
	VEC(uint32_t) v;
	VEC(float) samples;
};

static void put(struct made_path *p, const struct model *m, uint32_t segment, float noise, float gain, uint64_t *state)
{
	vec_push(&p->v, segment);
	for (uint32_t i = 0; i < m->templates[segment].n; i++)
		vec_push(&p->samples, gain * (m->templates[segment].mean[i] + noise * normal(state)));
}

// A random walk through the graph.
static void walk(struct made_path *p, const struct model *m, int rounds, float noise, float gain, uint64_t *state)
{
	put(p, m, 0, noise, gain, state);
	for (int i = 0; i < rounds; i++) {
		for (uint64_t k = random_next(state) % 4; k--;)
			put(p, m, 1 + random_next(state) % 2, noise, gain, state);
		put(p, m, 3, noise, gain, state);
		put(p, m, 6 + random_next(state) % 2, noise, gain, state);
		put(p, m, i + 1 < rounds ? 4 : 5, noise, gain, state);
	}
}

struct taken {
	VEC(struct path_segment) v;
};

static void take(void *opaque, const struct path_segment *s)
{
	struct taken *t = opaque;
	CHECK(!t->v.n || t->v.v[t->v.n - 1].begin <= s->begin);
	vec_push(&t->v, *s);
}

static void decode(const struct model *m, const struct made_path *p, double rate, struct taken *ret)
{
	struct recording r;
	struct err err;
	struct decode_counts counts;
	const char *name = test_path("r");
	CHECK_INT(0,
	          recording_write(&(struct recording_output){name, rate, true, "x"}, p->samples.v, p->samples.n, &err));
	CHECK_INT(0, recording_open(&r, name, &err));
	decode_infer(m, &r, take, ret, &counts);
	recording_close(&r);
}

static uint64_t differs(const struct made_path *p, const struct taken *t)
{
	VEC(uint32_t) v = {0};
	for (size_t i = 0; i < t->v.n; i++)
		if (t->v.v[i].segment != MODEL_NONE)
			vec_push(&v, t->v.v[i].segment);
	uint64_t d = path_distance(p->v.v, p->v.n, v.v, v.n, UINT64_MAX);
	vec_release(&v);
	return d;
}

static void forget(struct made_path *p, struct taken *t)
{
	vec_release(&p->v);
	vec_release(&p->samples);
	vec_release(&t->v);
}

static void whole_path(void)
{
	struct model m;
	struct made_path p = {0};
	struct taken t = {0};
	uint64_t state = 7;
	make_model(&m);
	walk(&p, &m, 400, 0.3f, 5, &state); // another gain than training's
	decode(&m, &p, 1e6, &t);
	uint64_t d = differs(&p, &t), end = t.v.v[t.v.n - 1].end, n = p.samples.n;
	forget(&p, &t);
	infer_model_release(&m);
	CHECK_INT(0, d);
	CHECK_INT(n, end);
}

// Something that the model does not have, in the middle: it is called unknown, where it is, and what follows is right.
static void unknown_part(void)
{
	struct model m;
	struct made_path p = {0}, behind = {0};
	struct taken t = {0};
	uint64_t state = 8;
	make_model(&m);
	walk(&p, &m, 60, 0.3f, 1, &state);
	size_t from = p.samples.n;
	for (int i = 0; i < 1500; i++)
		vec_push(&p.samples, 1.1f * normal(&state));
	size_t to = p.samples.n;
	walk(&behind, &m, 60, 0.3f, 1, &state);
	for (size_t i = 0; i < behind.v.n; i++)
		vec_push(&p.v, behind.v.v[i]);
	for (size_t i = 0; i < behind.samples.n; i++)
		vec_push(&p.samples, behind.samples.v[i]);
	decode(&m, &p, 1e6, &t);
	uint64_t unknown = 0, elsewhere = 0, d = differs(&p, &t);
	for (size_t i = 0; i < t.v.n; i++) {
		const struct path_segment *s = &t.v.v[i];
		if (s->segment == MODEL_NONE)
			*(s->begin + 64 > from && s->end < to + 64 ? &unknown : &elsewhere) += s->end - s->begin;
	}
	forget(&behind, &t);
	forget(&p, &t);
	infer_model_release(&m);
	CHECK_THAT(unknown > 1300 && elsewhere < 100, "%d inside, %d outside", (int)unknown, (int)elsewhere);
	CHECK_THAT(d <= 6, "%d", (int)d);
}

// The device's clock is 0.5% slower than in training; the recording has another rate.
static void warped(void)
{
	struct model m;
	struct made_path p = {0}, slow = {0};
	struct taken t = {0};
	uint64_t state = 9;
	make_model(&m);
	for (uint32_t i = 0; i < m.n_templates; i++) // as a probe's band makes it
		for (uint32_t k = 1; k < m.templates[i].n; k++)
			m.templates[i].mean[k] = 0.7f * m.templates[i].mean[k - 1] + 0.5f * m.templates[i].mean[k];
	walk(&p, &m, 300, 0, 1, &state);
	for (double at = 0; at < (double)p.samples.n - 1; at += 0.5 / 1.005) {
		size_t i = (size_t)at;
		float part = (float)(at - (double)i);
		vec_push(&slow.samples,
		         p.samples.v[i] * (1 - part) + p.samples.v[i + 1] * part + 0.1f * normal(&state));
	}
	decode(&m, &slow, 2e6, &t);
	uint64_t d = differs(&p, &t), n = p.v.n;
	forget(&slow, &t);
	forget(&p, &t);
	infer_model_release(&m);
	CHECK_THAT(d * 50 <= n, "%d of %d", (int)d, (int)n);
}

static uint64_t simple_distance(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
	uint64_t d[64][64];
	for (size_t i = 0; i <= n; i++)
		for (size_t j = 0; j <= m; j++) {
			uint64_t best = i && j ? d[i - 1][j - 1] + (a[i - 1] != b[j - 1]) : i + j;
			if (i && j && d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (i && j && d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			d[i][j] = best;
		}
	return d[n][m];
}

static void distances(void)
{
	uint64_t state = 3;
	for (int i = 0; i < 500; i++) {
		uint32_t a[60], b[60];
		size_t n = random_next(&state) % 60, m = random_next(&state) % 60;
		for (size_t k = 0; k < 60; k++) {
			a[k] = random_next(&state) % 3;
			b[k] = random_next(&state) % 8 ? a[k] : random_next(&state) % 3;
		}
		CHECK_INT(simple_distance(a, n, b, m), path_distance(a, n, b, m, UINT64_MAX));
	}
}

// A model as a file; with bytes changed and the hash right again it is read whole or not at all, and can be used.
static void files(void)
{
	struct model m, back;
	struct made_path p = {0};
	struct err err;
	uint64_t state = 5;
	make_model(&m);
	walk(&p, &m, 3, 0.3f, 1, &state);
	const char *path = test_path("model");
	CHECK_INT(0, infer_model_write(&m, path, &err));
	CHECK_INT(0, infer_model_read(&back, path, &err));
	CHECK_STR("s/00000003:0", back.segments[3].name);
	CHECK(memcmp(back.templates[2].mean, m.templates[2].mean, m.templates[2].n * sizeof(float)) == 0);
	infer_model_release(&back);
	infer_model_release(&m);
	struct bytes file = test_read(path);
	int used = 0;
	for (int i = 0; i < 1500; i++) {
		struct bytes b = test_bytes(file.data, file.size);
		for (uint64_t c = random_next(&state) % 3 + 1; c--;)
			b.data[16 + random_next(&state) % (random_next(&state) % 2 ? 900 : b.size - 16)] =
				(uint8_t)random_next(&state);
		uint64_t hash = hash_bytes(b.data + 16, b.size - 16).low;
		memcpy(b.data + 8, &hash, 8);
		CHECK_INT(0, file_replace(path, b.data, b.size, 0600, &err));
		if (infer_model_read(&back, path, &err) < 0)
			continue;
		struct taken t = {0};
		decode(&back, &p, 1e6, &t);
		vec_release(&t.v);
		infer_model_release(&back);
		used++;
	}
	struct taken none = {0};
	forget(&p, &none);
	CHECK(used > 100 && used < 1500);
	test_write(test_path("cut"), file.data, file.size / 2);
	CHECK_INT(-1, infer_model_read(&back, test_path("cut"), &err));
}

static void profiles(void)
{
	struct model m = {.n_segments = 4};
	CHECK(profile_accuracy(&m, (uint32_t[]){0, 1, 2, 3}, 4, (uint32_t[]){3, 2, 1, 0}, 4) == 1);
	CHECK(profile_accuracy(&m, (uint32_t[]){0, 1, 2, 3}, 4, (uint32_t[]){3, 2, 1, 1}, 4) == 0.5);
	CHECK(profile_accuracy(&m, (uint32_t[]){0}, 1, (uint32_t[]){1, 2, 3}, 3) == 0);
}

static const struct test tests[] = {TEST(whole_path), TEST(unknown_part), TEST(warped),
                                    TEST(distances),  TEST(files),        TEST(profiles)};
TEST_MAIN("infer")
