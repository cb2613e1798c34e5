#include "models.h"

static char number_text[40];

// Mostly something like a number: blanks, sign, prefix, digits, and more.
static const char *a_number(void)
{
	char *p = number_text;
	for (unsigned n = below(3); n; n--)
		*p++ = (char)byte(" \t\n"[below(3)]);
	if (below(2))
		*p++ = (char)byte("+-"[below(2)]);
	if (below(3) == 0)
		*p++ = (char)byte('0');
	if (below(4) == 0)
		*p++ = (char)byte("xX"[below(2)]);
	text(p, below(4) ? 6 : 26, below(3) ? "0123456789" : "0123456789abcdefzF-+ .");
	return number_text;
}

static int a_base(void)
{
	static const int common[] = {0, 8, 10, 16, 36, 2, 1, 37, -1};
	return below(3) ? common[below(9)] : (int)below(40);
}

#define TEST_STRTO(name, type)                                                                                         \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		const char *s = a_number();                                                                            \
		int base = a_base();                                                                                   \
		char *end = NULL, *real_end = NULL;                                                                    \
		errno = 0;                                                                                             \
		type expected = REAL(name)(s, &real_end, base);                                                        \
		int error = errno;                                                                                     \
		errno = 0;                                                                                             \
		type got = name(s, &end, base);                                                                        \
		int got_error = errno;                                                                                 \
		SAME(&expected, &got, sizeof got);                                                                     \
		SAME(&error, &got_error, sizeof error);                                                                \
		SAME(&real_end, &end, sizeof end);                                                                     \
	}

TEST_STRTO(strtol, long)
TEST_STRTO(strtoul, unsigned long)

static void test_atoi(void)
{
	const char *s = a_number();
	COMPARE(int, atoi, s);
}

int main(int argc, char **argv)
{
	start(argc, argv);
	TEST(strtol);
	TEST(strtoul);
	TEST(atoi);
	return report();
}
