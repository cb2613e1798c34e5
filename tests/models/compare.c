#include "models.h"

static void test_memcmp(void)
{
	char a[24], b[24];
	bytes(a, sizeof a, "ab");
	bytes(b, sizeof b, "ab");
	size_t n = below(25);
	COMPARE(int, memcmp, a, b, n);
}

static void test_strcmp(void)
{
	char a[24], b[24];
	text(a, sizeof a, "aaab");
	text(b, sizeof b, "aaab");
	COMPARE(int, strcmp, a, b);
}

static void test_strncmp(void)
{
	char a[24], b[24];
	text(a, sizeof a, "aab");
	text(b, sizeof b, "aab");
	size_t n = below(30);
	COMPARE(int, strncmp, a, b, n);
}

int main(int argc, char **argv)
{
	start(argc, argv);
	TEST(memcmp);
	TEST(strcmp);
	TEST(strncmp);
	return report();
}
