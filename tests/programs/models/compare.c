#define _GNU_SOURCE
#include <locale.h>
#include <strings.h>

#include "models.h"

#define LETTERS (below(2) ? "aaab" : below(2) ? "aAbB[@`{" : "")

static char a[24], b[24];

static void two(void)
{
	text(a, sizeof a, LETTERS);
	text(b, sizeof b, LETTERS);
	size_t n = below(sizeof a);
	if (below(2)) // the same for a while
		for (size_t i = 0; i < n; i++)
			b[i] = below(4) ? a[i] : (char)byte((unsigned char)a[i]);
	b[sizeof b - 1] = 0;
}

static void test_memcmp(void)
{
	two();
	size_t n = below(25);
	COMPARE(int, memcmp, a, b, n);
}

static void test_bcmp(void)
{
	two();
	size_t n = below(25);
	int expected = REAL(bcmp)(a, b, n) != 0, got = bcmp(a, b, n) != 0;
	SAME(&expected, &got, sizeof got);
}

static void test_strcmp(void)
{
	two();
	COMPARE(int, strcmp, a, b);
}

static void test_strncmp(void)
{
	two();
	size_t n = below(30);
	COMPARE(int, strncmp, a, b, n);
}

static void test_strcasecmp(void)
{
	two();
	COMPARE(int, strcasecmp, a, b);
}

static void test_strncasecmp(void)
{
	two();
	size_t n = below(30);
	COMPARE(int, strncasecmp, a, b, n);
}

static void test_strcasecmp_l(void)
{
	static locale_t l;
	if (!l)
		l = newlocale(LC_ALL_MASK, "C", NULL);
	two();
	COMPARE(int, strcasecmp_l, a, b, l);
	size_t n = below(30);
	COMPARE(int, strncasecmp_l, a, b, n, l);
}

static void test_strcoll(void)
{
	two();
	COMPARE(int, strcoll, a, b);
}

static void test_strverscmp(void)
{
	static const char *const kinds[] = {"019a", "001.-", "12", "0a"};
	const char *from = kinds[below(4)];
	text(a, 8, from);
	text(b, 8, from);
	if (below(2))
		memcpy(b, a, below(8));
	b[8] = 0;
	COMPARE(int, strverscmp, a, b);
}

// A literal: what compilers and programs compare with most.
static void test_literal(void)
{
	static const char *const words[] = {"", "a", "aa", "aab", "b"};
	two();
	const char *w = words[below(5)];
	COMPARE(int, strcmp, a, w);
	COMPARE(int, strcmp, w, a);
	bool equal = strcmp(a, w) == 0, less = strcmp(a, w) < 0, expected = REAL(strcmp)(a, w) == 0;
	bool expected_less = REAL(strcmp)(a, w) < 0;
	SAME(&expected, &equal, sizeof equal);
	SAME(&expected_less, &less, sizeof less);
}

// Where letters and their order are others: as they are in this run, and that is told.
static void test_locale(void)
{
	static const char *const names[] = {"de_DE.ISO-8859-1", "tr_TR.UTF-8", "en_US.UTF-8", "C.UTF-8"};
	setlocale(LC_ALL, names[below(4)]);
	text(a, 8, "aA\xe4\xc4iI");
	text(b, 8, "aA\xe4\xc4iI");
	COMPARE(int, strcasecmp, a, b);
	COMPARE(int, strncasecmp, a, b, 4);
	COMPARE(int, strcoll, a, b);
	COMPARE(char *, strcasestr, a, b);
	char real[200], mine[200];
	size_t n = below(100);
	bytes(real, sizeof real, "xyz");
	memcpy(mine, real, sizeof mine);
	size_t expected = REAL(strxfrm)(real, a, n), got = strxfrm(mine, a, n);
	SAME(&expected, &got, sizeof got);
	SAME(real, mine, sizeof mine);
	for (size_t i = 0; i < sizeof mine; i++) {
		volatile unsigned char x = ((unsigned char *)mine)[i] ^ 1;
		(void)x;
	}
	setlocale(LC_ALL, "C");
}

// More than an expression should have.
static void test_long(void)
{
	static char x[6000], y[6000];
	size_t n = 4000 + below(1900), at = below(2000);
	if (call_number >= 12)
		return;
	for (size_t i = 0; i < sizeof x; i++)
		y[i] = x[i] = (char)pool['a'];
	if (below(3))
		x[below(2) ? at : n - 1] = (char)pool['b'];
	COMPARE(int, memcmp, x, y, n);
	x[n] = y[n] = 0;
	COMPARE(int, strcmp, x, y);
}

int main(int argc, char **argv)
{
	start(argc, argv);
	TEST(memcmp);
	TEST(bcmp);
	TEST(strcmp);
	TEST(strncmp);
	TEST(strcasecmp);
	TEST(strncasecmp);
	TEST(strcasecmp_l);
	TEST(strcoll);
	TEST(strverscmp);
	TEST(literal);
	TEST(locale);
	TEST(long);
	return report();
}
