// What is learned from heuristics and what they covered.
#include "search/learn.h"

#include <math.h>

#include "test.h"

static struct knowledge k;

static void start(void)
{
	k = (struct knowledge){.size = 1, .random = 7};
}

static uint32_t add(uint32_t parent, uint8_t covered, double weight)
{
	double weights[FEATURES] = {weight};
	return knowledge_add(&k, weights, parent, &covered);
}

// Together they cover most: not the two largest, which cover the same.
static void best(void)
{
	uint32_t chosen[2];
	start();
	add(LEARN_ORPHAN, 0x0f, 0);
	add(LEARN_ORPHAN, 0x0f, 0);
	add(LEARN_ORPHAN, 0x70, 0);
	add(LEARN_ORPHAN, 0x03, 0);
	CHECK_INT(2, knowledge_select(&k, true, 2, chosen));
	CHECK_INT(0, chosen[0]);
	CHECK_INT(2, chosen[1]);
	knowledge_release(&k);
}

static void worst(void)
{
	uint32_t chosen[2];
	start();
	add(LEARN_ORPHAN, 0x0f, 0);
	add(LEARN_ORPHAN, 0x03, 0);
	add(LEARN_ORPHAN, 0x07, 0); // one more than that
	add(LEARN_ORPHAN, 0x30, 0); // two more
	CHECK_INT(2, knowledge_select(&k, false, 2, chosen));
	CHECK_INT(1, chosen[0]);
	CHECK_INT(2, chosen[1]);
	knowledge_release(&k);
}

static void too_few(void)
{
	uint32_t chosen[8];
	start();
	add(LEARN_ORPHAN, 1, 0);
	add(LEARN_ORPHAN, 2, 0);
	k.v[1].dead = true;
	CHECK_INT(1, knowledge_select(&k, true, 8, chosen));
	knowledge_release(&k);
}

// A parent whose offspring led to nothing new goes; one with any that did stays; one without offspring stays.
static void refine(void)
{
	start();
	uint32_t a = add(LEARN_ORPHAN, 0x03, 0), b = add(LEARN_ORPHAN, 0x0c, 0), first = k.n + 1;
	add(LEARN_ORPHAN, 0x01, 0);
	add(a, 0x0f, 0);
	add(a, 0x03, 0);
	add(b, 0x0c, 0);
	add(b, 0x1c, 0);
	knowledge_refine(&k, first);
	CHECK(k.v[0].dead && !k.v[1].dead && !k.v[2].dead && !k.v[3].dead);
	knowledge_release(&k);
}

// The first weight is large in good ones and small in bad ones; all others are zero in both.
static void offspring(void)
{
	static const uint32_t good[] = {0, 1}, bad[] = {2, 3};
	start();
	add(LEARN_ORPHAN, 1, 8);
	add(LEARN_ORPHAN, 2, 6);
	add(LEARN_ORPHAN, 4, -8);
	add(LEARN_ORPHAN, 8, -6);
	CHECK(!knowledge_is_alike(&k, 0, good, 2, bad, 2) && knowledge_is_alike(&k, 1, good, 2, bad, 2));
	double sum = 0;
	for (int i = 0; i < 200; i++) {
		double weights[FEATURES];
		knowledge_offspring(&k, 0, good, 2, bad, 2, weights);
		CHECK(fabs(weights[0]) <= LEARN_RANGE);
		for (int f = 1; f < FEATURES; f++)
			CHECK(weights[f] == 0);
		sum += weights[0];
	}
	CHECK_THAT(sum / 200 > 7.5 && sum / 200 < 8.5, "mean %f", sum / 200);
	knowledge_release(&k);
}

// What the bad ones have is left out: those around 5 are, so that of good ones around 5 what is far from it stays.
static void unlike(void)
{
	static const uint32_t good[] = {0, 1}, bad[] = {2, 3};
	start();
	add(LEARN_ORPHAN, 1, 5);
	add(LEARN_ORPHAN, 2, -5);
	add(LEARN_ORPHAN, 4, 5.1);
	add(LEARN_ORPHAN, 8, 5.2);
	int near = 0;
	for (int i = 0; i < 200; i++) {
		double weights[FEATURES];
		knowledge_offspring(&k, 0, good, 2, bad, 2, weights);
		near += weights[0] >= 5 && weights[0] < 6;
	}
	CHECK_THAT(near < 20, "%d of 200", near); // a third of the samples are there
	knowledge_release(&k);
}

// What is known of those that are left out counts, too.
static void reached(void)
{
	start();
	CHECK_INT(0, knowledge_reached(&k));
	uint32_t parent = add(LEARN_ORPHAN, 0x0f, 0);
	add(LEARN_ORPHAN, 0x3c, 0);
	CHECK_INT(6, knowledge_reached(&k));
	add(parent, 0x01, 0);
	knowledge_refine(&k, 2);
	CHECK(k.v[0].dead);
	CHECK_INT(6, knowledge_reached(&k));
	knowledge_release(&k);
}

static void samples(void)
{
	start();
	double low = 0, high = 0;
	for (int i = 0; i < 100; i++) {
		double v[FEATURES];
		knowledge_sample(&k, v);
		for (int f = 0; f < FEATURES; f++) {
			CHECK(fabs(v[f]) <= LEARN_RANGE);
			low = v[f] < low ? v[f] : low;
			high = v[f] > high ? v[f] : high;
		}
		CHECK(fabs(knowledge_normal(&k, 9.9, 5)) <= LEARN_RANGE);
	}
	CHECK(low < -9.9 && high > 9.9);
	knowledge_release(&k);
}

static const struct test tests[] = {TEST(best),      TEST(worst),  TEST(too_few), TEST(refine),
                                    TEST(offspring), TEST(unlike), TEST(reached), TEST(samples)};

TEST_MAIN("learn")
