#define _GNU_SOURCE
#include "models.h"

#include <inttypes.h>
#include <locale.h>
#include <wchar.h>
#include <wctype.h>

static void a_locale(void)
{
	setlocale(LC_ALL, below(2) ? "C" : "C.UTF-8");
}

// From few characters, so that some are the same; sometimes strange ones.
static wchar_t a_wide(void)
{
	static const wchar_t some[] = {L'a',  L'b',  L'A',  L'B',    0xe4, 0xc4,
	                               0x17f, 0x3a3, 0x3c2, 0x10400, -1,   -2147483647 - 1};
	uint32_t wc = (uint32_t)some[below(4) ? below(2) : below(sizeof some / sizeof *some)];
	unsigned char b[4];
	if (below(2) && wc < 256)
		return byte((unsigned char)wc);
	for (int i = 0; i < 4; i++)
		b[i] = byte((unsigned char)(wc >> 8 * i));
	memcpy(&wc, b, 4);
	return (wchar_t)wc;
}

// A string of less than n characters, with some behind it.
static size_t wide_text(wchar_t *to, size_t n)
{
	size_t length = below((unsigned)n);
	for (size_t i = 0; i < n; i++)
		to[i] = a_wide();
	to[length] = below(3) ? 0 : byte(0);
	return length;
}

static void test_wcslen(void)
{
	wchar_t s[12];
	wide_text(s, 12);
	COMPARE(size_t, wcslen, s);
	size_t n = below(14);
	COMPARE(size_t, wcsnlen, s, n);
}

// The second string often starts as the first one does.
static void two_texts(wchar_t *a, wchar_t *b, size_t n)
{
	wide_text(a, n);
	wide_text(b, n);
	size_t same = below(2) ? below((unsigned)n) : 0;
	for (size_t i = 0; i < same && a[i] && b[i]; i++)
		b[i] = below(4) ? a[i] : (wchar_t)towupper((wint_t)a[i]);
}

#define TEST_COMPARE(name, name_n)                                                                                     \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		wchar_t a[8], b[8];                                                                                    \
		a_locale();                                                                                            \
		two_texts(a, b, 8);                                                                                    \
		size_t n = below(9);                                                                                   \
		COMPARE(int, name, a, b);                                                                              \
		COMPARE(int, name_n, a, b, n);                                                                         \
	}

TEST_COMPARE(wcscmp, wcsncmp)
TEST_COMPARE(wcscasecmp, wcsncasecmp)

static void test_wcscasecmp_l(void)
{
	static locale_t l;
	wchar_t a[8], b[8];
	if (!l)
		l = newlocale(LC_ALL_MASK, "C.UTF-8", NULL);
	setlocale(LC_ALL, "C");
	two_texts(a, b, 8);
	size_t n = below(9);
	COMPARE(int, wcscasecmp_l, a, b, l);
	COMPARE(int, wcsncasecmp_l, a, b, n, l);
	COMPARE(int, wcscoll_l, a, b, l);
}

static void test_wcscoll(void)
{
	wchar_t a[8], b[8];
	if (!setlocale(LC_ALL, below(4) ? "C.UTF-8" : "en_US.UTF-8"))
		setlocale(LC_ALL, "C");
	two_texts(a, b, 8);
	COMPARE(int, wcscoll, a, b);
}

static void test_wmemcmp(void)
{
	wchar_t a[8], b[8];
	two_texts(a, b, 8);
	size_t n = below(9);
	COMPARE(int, wmemcmp, a, b, n);
}

// As numbers: what is compared are places.
#define TEST_FIND(name, ...)                                                                                           \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		wchar_t s[10], wc = below(6) ? a_wide() : byte(0);                                                     \
		wide_text(s, 10);                                                                                      \
		size_t n = below(11);                                                                                  \
		COMPARE(wchar_t *, name, __VA_ARGS__);                                                                 \
	}

TEST_FIND(wcschr, s, wc)
TEST_FIND(wcschrnul, s, wc)
TEST_FIND(wcsrchr, s, wc)
TEST_FIND(wmemchr, s, wc, n)

static void test_wcschr_constant(void)
{
	wchar_t wc = a_wide();
	const wchar_t *s = below(2) ? L"xyzaA" : L"";
	COMPARE(wchar_t *, wcschr, s, wc);
}

// Copying to memory that may have labels, with room to write too much. In half of the calls
// it has none, and only these count.
static wchar_t to[32], expected[32];
static unsigned long labelled_before;
static bool filled;

static void fill(void)
{
	filled = below(2);
	labelled_before = labelled;
	for (int i = 0; i < 32; i++)
		to[i] = filled ? byte('o') : 'o';
	memcpy(expected, to, sizeof to);
}

#define TEST_COPY(name, ...)                                                                                           \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		wchar_t from[12], wc = a_wide();                                                                       \
		fill();                                                                                                \
		wide_text(from, 12);                                                                                   \
		size_t n = below(14), start = below(12);                                                               \
		expected[start] = to[start] = filled ? byte(0) : 0;                                                    \
		n = sizeof #name > 4 && #name[1] == 'm' && n > 12 ? 12 : n;                                            \
		wchar_t *into = expected;                                                                              \
		ptrdiff_t r = REAL(name)(__VA_ARGS__) - expected;                                                      \
		into = to;                                                                                             \
		ptrdiff_t got = name(__VA_ARGS__) - to;                                                                \
		SAME(&r, &got, sizeof r);                                                                              \
		SAME(expected, to, sizeof to);                                                                         \
		if (filled)                                                                                            \
			labelled = labelled_before;                                                                    \
	}

TEST_COPY(wcscpy, into, from)
TEST_COPY(wcpcpy, into, from)
TEST_COPY(wcsncpy, into, from, n)
TEST_COPY(wcpncpy, into, from, n)
TEST_COPY(wcscat, into, from)
TEST_COPY(wcsncat, into, from, n)
TEST_COPY(wmemcpy, into, from, n)
TEST_COPY(wmempcpy, into, from, n)
TEST_COPY(wmemmove, into, from, n)
TEST_COPY(wmemset, into, wc, n)

static void test_wmemmove_over(void)
{
	fill();
	size_t n = below(14), from = below(12), at = below(12);
	REAL(wmemmove)(expected + at, expected + from, n);
	wmemmove(to + at, to + from, n);
	SAME(expected, to, sizeof to);
}

// As fortified programs call them.
wchar_t *__wcscpy_chk(wchar_t *, const wchar_t *, size_t);
wchar_t *__wcpcpy_chk(wchar_t *, const wchar_t *, size_t);
wchar_t *__wcsncpy_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wcpncpy_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wcscat_chk(wchar_t *, const wchar_t *, size_t);
wchar_t *__wcsncat_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wmemcpy_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wmempcpy_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wmemmove_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wmemset_chk(wchar_t *, wchar_t, size_t, size_t);

TEST_COPY(__wcscpy_chk, into, from, 32)
TEST_COPY(__wcpcpy_chk, into, from, 32)
TEST_COPY(__wcsncpy_chk, into, from, n, 32)
TEST_COPY(__wcpncpy_chk, into, from, n, 32)
TEST_COPY(__wcscat_chk, into, from, 32)
TEST_COPY(__wcsncat_chk, into, from, n, 32)
TEST_COPY(__wmemcpy_chk, into, from, n % 13, 32)
TEST_COPY(__wmempcpy_chk, into, from, n % 13, 32)
TEST_COPY(__wmemmove_chk, into, from, n % 13, 32)
TEST_COPY(__wmemset_chk, into, wc, n, 32)

static void test_wcsdup(void)
{
	wchar_t s[12];
	size_t n = wide_text(s, 12);
	wchar_t *expected = REAL(wcsdup)(s), *got = wcsdup(s);
	SAME(expected, got, (n + 1) * sizeof *s);
	free(expected);
	free(got);
}

static void test_wcsspn(void)
{
	wchar_t s[8], set[4];
	wide_text(s, 8);
	wide_text(set, 4);
	COMPARE(size_t, wcsspn, s, set);
	COMPARE(size_t, wcscspn, s, set);
	COMPARE(wchar_t *, wcspbrk, s, set);
}

static void test_wcsstr(void)
{
	wchar_t s[10], part[4];
	wide_text(s, 10);
	wide_text(part, 4);
	COMPARE(wchar_t *, wcsstr, s, part);
}

static void test_wcstok(void)
{
	wchar_t a[12], b[12], set[3], *rest, *real_rest;
	wide_text(a, 12);
	wide_text(set, 3);
	memcpy(b, a, sizeof a);
	wchar_t *s = a, *real_s = b;
	for (int i = 0; i < 3; i++, s = real_s = NULL) {
		wchar_t *e = REAL(wcstok)(real_s, set, &real_rest), *g = wcstok(s, set, &rest);
		ptrdiff_t r = e ? e - b : -1, got = g ? g - a : -1;
		SAME(&r, &got, sizeof r);
		SAME(b, a, sizeof a);
		bool more = real_rest, got_more = rest;
		SAME(&more, &got_more, sizeof more);
		if (!more)
			break;
	}
}

// Blanks, sign, prefix, digits, and more: letters that are A to Z in upper case only.
static const wchar_t *a_number(void)
{
	static wchar_t s[40];
	static const wchar_t digits[] = {'0',   '1',  '7',   '9', 'a', 'F', 'z', 0x131,
	                                 0x17f, 0xe4, 0x661, '.', '-', 'x', ' '};
	wchar_t *p = s;
	for (unsigned n = below(3); n; n--)
		*p++ = below(6) ? byte(" \t\n"[below(3)]) : 0x2003;
	if (below(2))
		*p++ = byte("+-"[below(2)]);
	if (below(3) == 0)
		*p++ = byte('0');
	if (below(4) == 0)
		*p++ = byte("xX"[below(2)]);
	bool plain = below(2);
	for (unsigned n = below(4) ? below(6) : below(26); n; n--)
		*p++ = plain ? byte((unsigned char)('0' + below(10))) : digits[below(sizeof digits / sizeof *digits)];
	*p = byte(0);
	return s;
}

#define TEST_NUMBER(name, type)                                                                                        \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		static const int common[] = {0, 8, 10, 16, 36, 2, 1, 37, -1};                                          \
		const wchar_t *s = a_number();                                                                         \
		int base = below(3) ? common[below(9)] : (int)below(40);                                               \
		wchar_t *end = NULL, *real_end = NULL;                                                                 \
		a_locale();                                                                                            \
		errno = 0;                                                                                             \
		type r = REAL(name)(s, &real_end, base);                                                               \
		int error = errno;                                                                                     \
		errno = 0;                                                                                             \
		type got = name(s, &end, base);                                                                        \
		int got_error = errno;                                                                                 \
		SAME(&r, &got, sizeof got);                                                                            \
		SAME(&error, &got_error, sizeof error);                                                                \
		SAME(&real_end, &end, sizeof end);                                                                     \
	}

TEST_NUMBER(wcstol, long)
TEST_NUMBER(wcstoul, unsigned long)
TEST_NUMBER(wcstoimax, intmax_t)

int main(int argc, char **argv)
{
	start(argc, argv);
	TEST(wcslen);
	TEST(wcscmp);
	TEST(wcscasecmp);
	TEST(wcscasecmp_l);
	TEST(wcscoll);
	TEST(wmemcmp);
	TEST(wcschr);
	TEST(wcschr_constant);
	TEST(wcschrnul);
	TEST(wcsrchr);
	TEST(wmemchr);
	TEST(wcscpy);
	TEST(wcpcpy);
	TEST(wcsncpy);
	TEST(wcpncpy);
	TEST(wcscat);
	TEST(wcsncat);
	TEST(wmemcpy);
	TEST(wmempcpy);
	TEST(wmemmove);
	TEST(wmemmove_over);
	TEST(wmemset);
	TEST(__wcscpy_chk);
	TEST(__wcpcpy_chk);
	TEST(__wcsncpy_chk);
	TEST(__wcpncpy_chk);
	TEST(__wcscat_chk);
	TEST(__wcsncat_chk);
	TEST(__wmemcpy_chk);
	TEST(__wmempcpy_chk);
	TEST(__wmemmove_chk);
	TEST(__wmemset_chk);
	TEST(wcsdup);
	TEST_CONCRETE(wcsspn);
	TEST_CONCRETE(wcsstr);
	TEST_CONCRETE(wcstok);
	TEST(wcstol);
	TEST(wcstoul);
	TEST(wcstoimax);
	return report();
}
