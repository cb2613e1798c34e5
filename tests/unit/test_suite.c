#include "explore/suite.h"

#include "base/mem.h"
#include "test.h"

static struct suite make(size_t n, uint32_t programs)
{
	struct suite s = {.max_distance = 2};
	for (size_t i = 0; i < n; i++) {
		const struct suite_test t = {
			.snapshot = (int64_t)i + 1, .level = -1, .program = (uint32_t)i % programs};
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

// A test that takes long comes when the others of its distance are past.
static void late_ones(void)
{
	struct suite s = make(3, 2);
	suite_start(&s);
	suite_delay(&s, &s.v[0]);
	CHECK(s.left == 3 && suite_next(&s, 0) == &s.v[2] && suite_next(&s, 0) == &s.v[1]);
	CHECK(suite_next(&s, 1) == &s.v[0] && !s.left);
	for (size_t i = 0; i < 3; i++)
		suite_past(&s, &s.v[i], true, false);
	CHECK(suite_farther(&s) && suite_next(&s, 1) == &s.v[1] && suite_next(&s, 1) == &s.v[2]);
	CHECK(suite_next(&s, 1) == &s.v[0]);
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

// A window begins at distance 0 and catches up; those behind the first wait until they are asked for, and hold up
// nobody.
static void windows(void)
{
	struct suite s = make(2, 1);
	suite_start(&s);
	struct suite_test *t = suite_next(&s, UINT32_MAX);
	suite_past(&s, t, true, false);
	CHECK(t->level == 0 && s.left == 1);
	struct suite_test *w = suite_add_window(&s, t, 10, 20);
	CHECK(s.left == 2 && w->number == 1 && w->of == t && t->windows == 1 && !w->slow);
	CHECK(pass(&s) == 2 && w->level == 0);
	CHECK(suite_farther(&s) && s.distance == 1 && s.left == 3);
	struct suite_test *slow = suite_add_window(&s, w, 20, 30);
	CHECK(slow->number == 2 && slow->slow && s.slow == 1 && s.left == 3);
	s.v[1].dropped = true;
	struct suite_test *first = suite_add_window(&s, &s.v[1], 10, 20);
	CHECK(suite_next(&s, UINT32_MAX) == first && suite_distance(first) == 0); // the smallest distance first
	first->dropped = true;
	suite_past(&s, first, true, false);
	struct suite_test *poor = suite_add_window(&s, first, 20, 30);
	CHECK(poor->poor && s.slow == 2 && pass(&s) == 3);
	CHECK(suite_farther(&s) && s.distance == 2 && pass(&s) == 2);
	CHECK(!suite_farther(&s) && !s.done); // they still wait
	CHECK(suite_next_slow(&s, UINT32_MAX) == slow && suite_next_slow(&s, UINT32_MAX) == poor && !s.slow);
	suite_past(&s, slow, true, false);
	CHECK(s.left == 1 && suite_distance(slow) == 1 && pass(&s) == 2 && slow->level == 2);
	suite_past(&s, poor, true, true);
	CHECK(!suite_farther(&s) && s.done);
	suite_release(&s);
}

// With fewer bytes it is at the same distance again. What an earlier session began goes on where it was.
static void windows_again(void)
{
	struct suite s = make(1, 1);
	s.v[0].level = 1;
	const struct suite_test stored = {.level = 0, .number = 1, .from = 5, .to = 9, .of = &s.v[0]};
	struct suite_test *w = suite_restore_window(&s, &stored);
	suite_start(&s);
	CHECK(s.distance == 1 && s.left == 1 && suite_next(&s, UINT32_MAX) == w && suite_distance(w) == 1);
	suite_narrow(&s, w, 5, 6);
	CHECK(s.left == 1 && suite_next(&s, UINT32_MAX) == w && suite_distance(w) == 1 && w->to == 6);
	suite_past(&s, w, false, false);
	CHECK(w->level == 0 && w->cut && s.v[0].windows == 1);
	CHECK(suite_farther(&s) && s.left == 2 && suite_distance(w) == 2);
	s.v[0].why = mem_strdup("it does not build");
	suite_release(&s);
}

static const struct test tests[] = {
	TEST(windows),   TEST(windows_again), TEST(distance_by_distance), TEST(programs_one_by_one),
	TEST(not_again), TEST(late_ones)};

TEST_MAIN("suite")
