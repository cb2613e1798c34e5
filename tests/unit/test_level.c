#include "base/level.h"
#include "test.h"

static void every_level_has_a_name(void)
{
	for (int i = 0; i < LEVELS; i++) {
		enum finding_level back = LEVELS;
		CHECK(level_parse(level_name((enum finding_level)i), &back));
		CHECK_INT(i, back);
	}
	CHECK_STR("error", level_name(LEVEL_ERROR));
	CHECK_STR("resource", level_name(LEVEL_RESOURCE));
	CHECK_STR("warning", level_name(LEVEL_WARNING));
}

// Reports sort by it, and the worst verdict of a run comes first.
static void the_worst_is_the_largest(void)
{
	CHECK(LEVEL_NONE < LEVEL_WARNING && LEVEL_WARNING < LEVEL_RESOURCE && LEVEL_RESOURCE < LEVEL_ERROR);
}

static void other_names_are_none(void)
{
	static const char *const names[] = {"", "err", "errors", "Error", "ERROR", "note"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		enum finding_level level = LEVEL_RESOURCE;
		CHECK(!level_parse(names[i], &level));
		CHECK_INT(LEVEL_RESOURCE, level);
	}
}

static const struct test tests[] = {
	TEST(every_level_has_a_name),
	TEST(the_worst_is_the_largest),
	TEST(other_names_are_none),
};
TEST_MAIN("level")
