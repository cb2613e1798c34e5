#include "explore/crowd.h"

#include "test.h"

static struct candidate of_edge(uint64_t edge, int64_t input)
{
	return (struct candidate){.input = input, .alternative = {.edge = edge}};
}

// Of a thousand rounds of a loop, 64 and a tenth of the rest wait; what leaves it always does.
static void bounds(void)
{
	struct crowd c = {0};
	unsigned admitted = 0, left = 0;
	for (int64_t i = 0; i < 1000; i++) {
		struct candidate stays = of_edge(7, i), leaves = of_edge(8, i);
		admitted += crowd_admits(&c, &stays);
		if (i % 20 == 0)
			left += crowd_admits(&c, &leaves);
	}
	CHECK(admitted >= 64 + 93 && admitted <= 64 + 94);
	CHECK_INT(50, left);
	crowd_release(&c);
}

// Nothing is lost: what was turned away comes later, once each, in order.
static void none_is_lost(void)
{
	struct crowd c = {0};
	struct candidate f;
	bool seen[300] = {0};
	for (int64_t i = 0; i < 300; i++) {
		f = of_edge(i < 150 ? 1 : 0, i);
		seen[i] = crowd_admits(&c, &f);
	}
	int64_t last = -1;
	while (crowd_next(&c, &f)) {
		CHECK(f.input > last && !seen[f.input]);
		last = f.input;
		seen[f.input] = true;
	}
	for (int i = 0; i < 300; i++)
		CHECK(seen[i]);
	crowd_release(&c);
}

// Who was chosen makes room.
static void room(void)
{
	struct crowd c = {0};
	struct candidate f = of_edge(3, 1);
	for (int i = 0; i < CROWD; i++)
		CHECK(crowd_admits(&c, &f));
	CHECK(crowd_admits(&c, &f)); // the first of ten
	CHECK(!crowd_admits(&c, &f));
	crowd_leaves(&c, &f);
	crowd_leaves(&c, &f);
	CHECK(crowd_admits(&c, &f));
	CHECK(!crowd_admits(&c, &f));
	crowd_release(&c);
}

static const struct test tests[] = {
	TEST(bounds),
	TEST(none_is_lost),
	TEST(room),
};
TEST_MAIN("crowd")
