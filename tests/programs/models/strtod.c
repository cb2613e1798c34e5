#define _GNU_SOURCE
#include "models.h"

#include <locale.h>

static char number_text[128];

static char *put(char *p, const char *s)
{
	for (; *s; s++)
		*p++ = (char)byte((unsigned char)*s);
	*p = 0;
	return p;
}

static char *digits(char *p, unsigned n, const char *from)
{
	for (; n; n--)
		*p++ = (char)byte((unsigned char)from[below((unsigned)strlen(from))]);
	*p = 0;
	return p;
}

// Mostly something like a number: few digits and many, exponents, special ones.
static const char *a_number(void)
{
	static const char *const special[] = {"inf",
	                                      "infinity",
	                                      "INFINITE",
	                                      "nan",
	                                      "nan(12)",
	                                      "NaN(x",
	                                      "0x",
	                                      "0x.p",
	                                      "1e",
	                                      "1e+",
	                                      "1e400",
	                                      ".",
	                                      "-.5",
	                                      "5.",
	                                      "0x1p",
	                                      "1e-400",
	                                      "4e-324",
	                                      "nan(0x1)",
	                                      ".e1",
	                                      "in",
	                                      "9007199254740993",
	                                      "0x1.8p-1070",
	                                      "16777217",
	                                      "123456789e-25",
	                                      "00000000000000000001.5"};
	static const char *const decimal = "0123456789";
	char *p = number_text;
	for (unsigned n = below(3); n; n--)
		*p++ = (char)byte(" \t\n"[below(3)]);
	if (below(2))
		*p++ = (char)byte("+-"[below(2)]);
	if (below(6) == 0) {
		p = put(p, special[below(sizeof special / sizeof *special)]);
		digits(p, below(2), "0y)(");
		return number_text;
	}
	bool hexadecimal = below(6) == 0;
	const char *from = hexadecimal ? "0123456789abcDEF" : decimal;
	if (hexadecimal)
		p = put(p, below(2) ? "0x" : "0X");
	p = digits(p, below(4) ? below(6) : below(24), from);
	if (below(3))
		p = put(p, ".");
	p = digits(p, below(4) ? below(4) : below(24), from);
	if (below(3) == 0) {
		p = put(p, hexadecimal ? below(2) ? "p" : "P" : below(2) ? "e" : "E");
		if (below(2))
			p = put(p, below(2) ? "+" : "-");
		p = digits(p, below(8) ? below(3) : 4, decimal);
	}
	text(p, 4, "0123.exp-+ ,");
	return number_text;
}

static locale_t locale;

// Of an 80-bit float 10 bytes count.
#define TEST_STRTO(name, type, size, ...)                                                                              \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		const char *s = a_number();                                                                            \
		char *end = NULL, *real_end = NULL;                                                                    \
		errno = 0;                                                                                             \
		type expected = REAL(name)(s, &real_end __VA_ARGS__);                                                  \
		int error = errno;                                                                                     \
		errno = 0;                                                                                             \
		bytes(&end, sizeof end, "");                                                                           \
		type got = name(s, below(4) ? &end : (end = real_end, NULL) __VA_ARGS__);                              \
		int got_error = errno;                                                                                 \
		SAME(&expected, &got, size);                                                                           \
		SAME(&error, &got_error, sizeof error);                                                                \
		SAME(&real_end, &end, sizeof end);                                                                     \
	}

TEST_STRTO(strtod, double, sizeof(double))
TEST_STRTO(strtof, float, sizeof(float))
TEST_STRTO(strtold, long double, 10)
TEST_STRTO(strtod_l, double, sizeof(double), , locale)
TEST_STRTO(strtof_l, float, sizeof(float), , locale)
TEST_STRTO(strtold_l, long double, 10, , locale)
TEST_STRTO(strtof32, _Float32, sizeof(float))
TEST_STRTO(strtof64, _Float64, sizeof(double))
TEST_STRTO(strtof64x, _Float64x, 10)

double __strtod_internal(const char *s, char **end, int group);
float __strtof_internal(const char *s, char **end, int group);
long double __strtold_internal(const char *s, char **end, int group);
TEST_STRTO(__strtod_internal, double, sizeof(double), , 0)
TEST_STRTO(__strtof_internal, float, sizeof(float), , 0)
TEST_STRTO(__strtold_internal, long double, 10, , 0)

static void test_atof(void)
{
	const char *s = a_number();
	COMPARE(double, atof, s);
}

int main(int argc, char **argv)
{
	start(argc, argv);
	locale = newlocale(LC_ALL_MASK, "C", 0);
	TEST(strtod);
	TEST(strtof);
	TEST(strtold);
	TEST(strtod_l);
	TEST(strtof_l);
	TEST(strtold_l);
	TEST(strtof32);
	TEST(strtof64);
	TEST(strtof64x);
	TEST(__strtod_internal);
	TEST(__strtof_internal);
	TEST(__strtold_internal);
	TEST(atof);
	return report();
}
