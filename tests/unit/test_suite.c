#include "explore/suite.h"

#include "base/mem.h"
#include "test.h"

static struct suite make(size_t n, uint32_t programs)
{
	struct suite s = {.max_distance = 2};
	for (size_t i = 0; i < n; i++) {
		const struct suite_test t = {.scene = (int64_t)i + 1, .level = -1, .program = (uint32_t)i % programs};
		suite_add(&s, &t);
	}
	return s;
}

// Takes and ends all tests that wait; returns how many there were.
static size_t pass(struct suite *s)
{
	size_t n = 0;
	for (struct suite_test *t; (t = suite_next(s, UINT32_MAX)); n++)
		suite_past(s, t, true, false);
	return n;
}

static void distance_by_distance(void)
{
	struct suite s = make(3, 1);
	suite_start(&s);
	CHECK(s.distance == 0 && s.left == 3);
	CHECK(pass(&s) == 3 && !s.left);
	CHECK(suite_farther(&s) && s.distance == 1 && pass(&s) == 3);
	CHECK(suite_farther(&s) && s.distance == 2 && pass(&s) == 3);
	CHECK(!suite_farther(&s) && s.done);
	suite_release(&s);
}

// Tests of programs that are built are taken while others are not; nothing is farther than 0 before all are.
static void programs_one_by_one(void)
{
	struct suite s = make(4, 2);
	for (size_t i = 0; i < s.n; i++)
		s.v[i].unready = true;
	suite_start(&s);
	CHECK(s.unready == 4 && s.left == 0 && s.distance == 0);
	CHECK(!suite_next(&s, UINT32_MAX));
	CHECK(!suite_farther(&s) && s.distance == 0 && !s.done);
	suite_ready(&s, 1);
	CHECK(s.unready == 2 && s.left == 2);
	struct suite_test *t = suite_next(&s, 0);
	CHECK(t && t->program == 1);
	suite_past(&s, t, true, false);
	CHECK(pass(&s) == 1);
	CHECK(!suite_farther(&s) && s.distance == 0 && !s.done);
	suite_ready(&s, 1); // again changes nothing
	CHECK(s.unready == 2 && s.left == 0);
	s.v[2].why = mem_strdup("it does not build");
	suite_ready(&s, 0);
	CHECK(s.unready == 0 && s.left == 1);
	CHECK(pass(&s) == 1);
	CHECK(suite_farther(&s) && s.distance == 1 && s.left == 3);
	suite_release(&s);
}

// What was done at a distance before is past it, also when its program comes late.
static void not_again(void)
{
	struct suite s = make(2, 2);
	s.v[0].level = 0;
	s.v[0].unready = s.v[1].unready = true;
	suite_start(&s);
	suite_ready(&s, 0);
	CHECK(s.left == 0);
	suite_ready(&s, 1);
	CHECK(s.left == 1 && pass(&s) == 1);
	CHECK(suite_farther(&s) && s.distance == 1 && s.left == 2);
	suite_release(&s);
}

static const struct test tests[] = {TEST(distance_by_distance), TEST(programs_one_by_one), TEST(not_again)};

TEST_MAIN("suite")
