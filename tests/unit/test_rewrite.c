#include "query.h"
#include "test.h"

static void nothing_yet(void)
{
	CHECK(EXPR_WIDTH_MAX == 128);
}

static const struct test tests[] = {
	TEST(nothing_yet),
};

TEST_MAIN("rewrite")
