#define _GNU_SOURCE
#include "models.h"

#include <inttypes.h>
#include <locale.h>

static char number_text[64];

// Mostly something like a number: blanks, sign, prefix, digits, and more.
static const char *a_number(void)
{
	static const char *const limits[] = {"9223372036854775807", "9223372036854775808",   "9223372036854775809",
	                                     "2147483648",          "18446744073709551615",  "18446744073709551616",
	                                     "7fffffffffffffff",    "8000000000000000",      "ffffffffffffffff",
	                                     "10000000000000000",   "1777777777777777777777"};
	char *p = number_text;
	for (unsigned n = below(3); n; n--)
		*p++ = (char)byte(" \t\n\v\f\r"[below(6)]);
	if (below(2))
		*p++ = (char)byte("+-"[below(2)]);
	if (below(3) == 0)
		*p++ = (char)byte('0');
	if (below(4) == 0)
		*p++ = (char)byte("xXbB"[below(4)]);
	if (below(8) == 0) {
		const char *limit = limits[below(sizeof limits / sizeof *limits)];
		for (; *limit; limit++)
			*p++ = (char)byte((unsigned char)*limit);
		*p = 0;
		return number_text;
	}
	text(p, below(4) ? 6 : 26, below(3) ? "0123456789" : "0123456789abcdefzF-+ .");
	return number_text;
}

static int a_base(void)
{
	static const int common[] = {0, 8, 10, 16, 36, 2, 1, 37, -1};
	int base = below(3) ? common[below(9)] : (int)below(40);
	return below(8) ? base : base & ~255 | (int)byte((unsigned char)base);
}

static locale_t locale;

#define TEST_STRTO(name, type, ...)                                                                                    \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		const char *s = a_number();                                                                            \
		int base = a_base();                                                                                   \
		char *end = NULL, *real_end = NULL;                                                                    \
		errno = 0;                                                                                             \
		type expected = REAL(name)(s, &real_end, base __VA_ARGS__);                                            \
		int error = errno;                                                                                     \
		errno = 0;                                                                                             \
		bytes(&end, sizeof end, "");                                                                           \
		memcpy(&end, &(char *){NULL}, below(2) ? sizeof end : 0);                                              \
		char *before = end;                                                                                    \
		type got = name(s, &end, base __VA_ARGS__);                                                            \
		int got_error = errno;                                                                                 \
		SAME(&expected, &got, sizeof got);                                                                     \
		SAME(&error, &got_error, sizeof error);                                                                \
		if (real_end) /* the base is one */                                                                    \
			SAME(&real_end, &end, sizeof end);                                                             \
		else                                                                                                   \
			SAME(&before, &end, sizeof end);                                                               \
		if (below(4) == 0)                                                                                     \
			COMPARE(type, name, s, NULL, base __VA_ARGS__);                                                \
	}

TEST_STRTO(strtol, long)
TEST_STRTO(strtoul, unsigned long)
TEST_STRTO(strtoll, long long)
TEST_STRTO(strtoull, unsigned long long)
TEST_STRTO(strtoimax, intmax_t)
TEST_STRTO(strtoumax, uintmax_t)
TEST_STRTO(strtoq, long long)
TEST_STRTO(strtouq, unsigned long long)
TEST_STRTO(strtol_l, long, , locale)
TEST_STRTO(strtoul_l, unsigned long, , locale)
TEST_STRTO(strtoll_l, long long, , locale)
TEST_STRTO(strtoull_l, unsigned long long, , locale)

long __strtol_internal(const char *s, char **end, int base, int group);
unsigned long __strtoul_internal(const char *s, char **end, int base, int group);
TEST_STRTO(__strtol_internal, long, , 0)
TEST_STRTO(__strtoul_internal, unsigned long, , 0)

static void test_atoi(void)
{
	const char *s = a_number();
	COMPARE(int, atoi, s);
}

static void test_atol(void)
{
	const char *s = a_number();
	COMPARE(long, atol, s);
}

static void test_atoll(void)
{
	const char *s = a_number();
	COMPARE(long long, atoll, s);
}

// C23 reads 0b11, too. Where libc does not have these: its older functions, without the prefix.
static unsigned long without_prefix(const char *s, char **end, int base, bool is_signed)
{
	char copy[sizeof number_text], *p = copy, *stop = NULL;
	memcpy(copy, s, sizeof copy);
	if (veer_make_concrete)
		veer_make_concrete(copy, sizeof copy);
	p += strspn(p, " \t\n\v\f\r");
	p += *p == '+' || *p == '-';
	bool binary =
		(base == 0 || base == 2) && p[0] == '0' && (p[1] == 'b' || p[1] == 'B') && (p[2] == '0' || p[2] == '1');
	if (binary)
		memmove(p, p + 2, strlen(p + 2) + 1);
	unsigned long r = is_signed ? (unsigned long)LIBC(strtol)(copy, &stop, binary ? 2 : base)
	                            : LIBC(strtoul)(copy, &stop, binary ? 2 : base);
	if (stop && end)
		*end = (char *)s + (stop - copy) + (binary ? 2 : 0);
	return r;
}

#define OLD_STRTO(name, type, is_signed, ...)                                                                          \
	type name(const char *s, char **end, int base __VA_ARGS__) __attribute__((weak));                              \
	static type own_##name(const char *s, char **end, int base __VA_ARGS__)                                        \
	{                                                                                                              \
		return (type)without_prefix(s, end, base, is_signed);                                                  \
	}

OLD_STRTO(__isoc23_strtol, long, true)
OLD_STRTO(__isoc23_strtoul, unsigned long, false)
OLD_STRTO(__isoc23_strtol_l, long, true, , locale_t l)
OLD_STRTO(__isoc23_strtoul_l, unsigned long, false, , locale_t l)

// From here on REAL is the function above where libc has none.
#undef REAL
#undef LIBC
#define REAL(name) ((__typeof__(&name))real_function(#name) ?: own_##name)
#define LIBC REAL
TEST_STRTO(__isoc23_strtol, long)
TEST_STRTO(__isoc23_strtoul, unsigned long)
TEST_STRTO(__isoc23_strtol_l, long, , locale)
TEST_STRTO(__isoc23_strtoul_l, unsigned long, , locale)

int main(int argc, char **argv)
{
	start(argc, argv);
	locale = newlocale(LC_ALL_MASK, "C", 0);
	TEST(strtol);
	TEST(strtoul);
	TEST(strtoll);
	TEST(strtoull);
	TEST(strtoimax);
	TEST(strtoumax);
	TEST(strtoq);
	TEST(strtouq);
	TEST(strtol_l);
	TEST(strtoul_l);
	TEST(strtoll_l);
	TEST(strtoull_l);
	TEST(__strtol_internal);
	TEST(__strtoul_internal);
	TEST(__isoc23_strtol);
	TEST(__isoc23_strtoul);
	TEST(__isoc23_strtol_l);
	TEST(__isoc23_strtoul_l);
	TEST(atoi);
	TEST(atol);
	TEST(atoll);
	return report();
}
