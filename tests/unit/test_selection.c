#include "explore/selection.h"

#include <string.h>

#include "test.h"

static bool dropped[16];

static void drop(void *opaque, int64_t input)
{
	(void)opaque;
	dropped[input] = true;
}

static bool offer(struct selection *s, int64_t input, uint64_t length, bool faults, uint8_t passed)
{
	const struct selection_run run = {input, length, faults, &passed, 1, false};
	return selection_offer(s, &run);
}

static void end(struct selection *s)
{
	memset(dropped, 0, sizeof dropped);
	selection_end(s, drop, NULL);
	selection_release(s);
}

// The longest run wins, and takes the place of all whose segments it has.
static void longest(void)
{
	struct selection s;
	selection_init(&s, 8);
	CHECK(offer(&s, 1, 5, false, 0x03));
	CHECK(offer(&s, 2, 9, false, 0x07));
	CHECK(!offer(&s, 3, 4, false, 0x05));
	CHECK(offer(&s, 4, 2, false, 0x18));
	end(&s);
	CHECK(dropped[1] && !dropped[2] && dropped[3] && !dropped[4]);
}

// A run that faults stays only for what no other covers, however long it is.
static void faults(void)
{
	struct selection s;
	selection_init(&s, 8);
	CHECK(offer(&s, 1, 900, true, 0x0f));
	CHECK(offer(&s, 2, 3, false, 0x07));
	CHECK(offer(&s, 3, 800, true, 0x10));
	CHECK(!offer(&s, 4, 700, true, 0x10));
	CHECK(offer(&s, 5, 1, false, 0x10));
	end(&s);
	CHECK(!dropped[1] && !dropped[2] && dropped[3] && dropped[4] && !dropped[5]);
}

// What is kept for something else is never dropped.
static void keeps(void)
{
	struct selection s;
	const uint8_t passed = 1;
	const struct selection_run run = {1, 1, false, &passed, 1, true};
	selection_init(&s, 8);
	selection_offer(&s, &run);
	CHECK(offer(&s, 2, 9, false, 0x01));
	end(&s);
	CHECK(!dropped[1] && !dropped[2]);
}

static const struct test tests[] = {
	TEST(longest),
	TEST(faults),
	TEST(keeps),
};
TEST_MAIN("selection")
