#define _GNU_SOURCE
#include "models.h"

#include <iconv.h>
#include <libintl.h>
#include <locale.h>
#include <uchar.h>
#include <wchar.h>
#include <wctype.h>

// en_US (ISO 8859-1) is for what is not modelled; where there is no such locale, it is C.
static void a_locale(void)
{
	static const char *const names[] = {"C", "C.UTF-8", "C.UTF-8", "C.UTF-8", "en_US"};
	if (!setlocale(LC_ALL, names[below(5)]))
		setlocale(LC_ALL, "C");
}

static const uint32_t some_wide[] = {0x7f,      0x80,      0xff,       0x131,      0x17f,     0x7ff,
                                     0x800,     0x2003,    0xd7ff,     0xd800,     0xdfff,    0xe000,
                                     0xffff,    0x10000,   0x10ffff,   0x110000,   0x1fffff,  0x200000,
                                     0x3ffffff, 0x4000000, 0x7fffffff, 0x80000000, 0xffffffff};

static wchar_t a_wide(void)
{
	uint32_t wc = below(4) ? 'a' + below(6) : some_wide[below(sizeof some_wide / sizeof *some_wide)];
	if (below(8) == 0)
		wc = below(0x11000);
	unsigned char b[4];
	if (below(3) == 0)
		return byte((unsigned char)wc);
	for (int i = 0; i < 4; i++)
		b[i] = byte((unsigned char)(wc >> 8 * i));
	memcpy(&wc, b, 4);
	return (wchar_t)wc;
}

// Characters of all lengths, and some bytes that are none; less than n bytes. Ends with a zero.
static size_t a_text(char *to, size_t n)
{
	static const char *const some[] = {"\xc2\x80",
	                                   "\xdf\xbf",
	                                   "\xe0\xa0\x80",
	                                   "\xe2\x82\xac",
	                                   "\xed\x9f\xbf",
	                                   "\xed\xa0\x80",
	                                   "\xef\xbf\xbf",
	                                   "\xf0\x9f\x98\x80",
	                                   "\xf4\x8f\xbf\xbf",
	                                   "\xf5\x80\x80\x80",
	                                   "\xf8\x88\x80\x80\x80",
	                                   "\xfc\x84\x80\x80\x80\x80",
	                                   "\xe0\x80\x80",
	                                   "\xf0\x80\x80\x80",
	                                   "\xc1\xbf",
	                                   "\xff",
	                                   "\x80",
	                                   "\xe2\x82",
	                                   "\xf0\x9f",
	                                   "\xc3"};
	size_t length = 0, want = below((unsigned)n);
	unsigned often = below(4);
	while (length < want) {
		char one[8] = {"abcxyz +"[below(8)]};
		if (below(10) < often)
			strcpy(one, some[below(below(3) ? 9 : sizeof some / sizeof *some)]);
		if (below(100) == 0)
			one[0] = (char)below(256);
		size_t k = strlen(one);
		if (length + k > want)
			break;
		for (size_t i = 0; i < k; i++)
			to[length++] = (char)byte((unsigned char)one[i]);
	}
	to[length] = (char)byte(0);
	return length;
}

// What is written over has labels in half of the calls; then labels do not count.
static bool filled;
static unsigned long labelled_before;

static unsigned char filler(void)
{
	return filled ? byte('o') : 'o';
}

static void begin(void)
{
	filled = below(2);
	labelled_before = labelled;
}

static void end_of_call(void)
{
	if (filled)
		labelled = labelled_before;
}

// --- one character ---------------------------------------------------------------------------------

// Often a character that is complete, sometimes cut, sometimes begun in an earlier call.
#define TEST_FROM(name, type, call)                                                                                    \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		char s[16];                                                                                            \
		static mbstate_t real_state, state;                                                                    \
		type to = 7, real_to = 7, *q = below(5) ? &to : NULL, *real_q = q ? &real_to : NULL;                   \
		if (below(3)) {                                                                                        \
			memset(&state, 0, sizeof state);                                                               \
			memset(&real_state, 0, sizeof real_state);                                                     \
			a_locale();                                                                                    \
		}                                                                                                      \
		a_text(s, 14);                                                                                         \
		size_t n = below(3) ? 8 : below(8);                                                                    \
		errno = 0;                                                                                             \
		size_t expected = REAL(name) call(real_q, s, n, &real_state);                                          \
		int error = errno;                                                                                     \
		errno = 0;                                                                                             \
		size_t got = name call(q, s, n, &state);                                                               \
		int got_error = errno;                                                                                 \
		SAME(&expected, &got, sizeof got);                                                                     \
		SAME(&error, &got_error, sizeof error);                                                                \
		SAME(&real_to, &to, sizeof to);                                                                        \
		SAME(&real_state, &state, sizeof state);                                                               \
		int begun = REAL(mbsinit)(&real_state), got_begun = mbsinit(&state);                                   \
		SAME(&begun, &got_begun, sizeof begun);                                                                \
	}
#define WHOLE(to, s, n, state) (to, s, n, state)
#define LENGTH(to, s, n, state) (s, n, state)

TEST_FROM(mbrtowc, wchar_t, WHOLE)
TEST_FROM(mbrtoc32, char32_t, WHOLE)
TEST_FROM(mbrlen, wchar_t, LENGTH)

static void test_mbtowc(void)
{
	char s[16];
	wchar_t to = 7, real_to = 7;
	a_locale();
	a_text(s, 14);
	size_t n = below(3) ? 8 : below(8);
	REAL(mbtowc)(NULL, NULL, 0);
	errno = 0;
	int expected = REAL(mbtowc)(&real_to, s, n), error = errno;
	REAL(mbtowc)(NULL, NULL, 0);
	if (below(2))
		mbtowc(NULL, NULL, 0);
	errno = 0;
	int got = mbtowc(&to, s, n), got_error = errno;
	SAME(&expected, &got, sizeof got);
	SAME(&error, &got_error, sizeof error);
	SAME(&real_to, &to, sizeof to);
}

static void test_mblen(void)
{
	char s[16];
	a_locale();
	a_text(s, 14);
	size_t n = below(3) ? 8 : below(8);
	COMPARE(int, mblen, s, n);
}

#define TEST_TO(name, result, ...)                                                                                     \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		char expected[16], got[16];                                                                            \
		mbstate_t state = {0};                                                                                 \
		begin();                                                                                               \
		for (int i = 0; i < 16; i++)                                                                           \
			expected[i] = (char)filler();                                                                  \
		memcpy(got, expected, sizeof got);                                                                     \
		a_locale();                                                                                            \
		wchar_t wc = a_wide();                                                                                 \
		char *to = expected;                                                                                   \
		errno = 0;                                                                                             \
		result r = REAL(name)(__VA_ARGS__);                                                                    \
		int error = errno;                                                                                     \
		to = got;                                                                                              \
		memset(&state, 0, sizeof state);                                                                       \
		errno = 0;                                                                                             \
		result got_r = name(__VA_ARGS__);                                                                      \
		int got_error = errno;                                                                                 \
		SAME(&r, &got_r, sizeof r);                                                                            \
		SAME(&error, &got_error, sizeof error);                                                                \
		SAME(expected, got, sizeof got);                                                                       \
		end_of_call();                                                                                         \
	}

TEST_TO(wctomb, int, to, wc)
TEST_TO(wcrtomb, size_t, to, wc, &state)
TEST_TO(c32rtomb, size_t, to, (char32_t)wc, &state)

static void test_btowc(void)
{
	int c = below(3) ? byte((unsigned char)below(256)) : (int)number(UINT64_MAX);
	a_locale();
	COMPARE(wint_t, btowc, c);
	c = (signed char)c;
	COMPARE(wint_t, btowc, c);
}

static void test_wctob(void)
{
	wint_t wc = (wint_t)a_wide();
	a_locale();
	COMPARE(int, wctob, wc);
}

// --- strings ------------------------------------------------------------------------------------------

#define TEST_STRING_FROM(name, ...)                                                                                    \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		char s[24];                                                                                            \
		wchar_t expected[26], got[26];                                                                         \
		mbstate_t state = {0};                                                                                 \
		begin();                                                                                               \
		for (int i = 0; i < 26; i++)                                                                           \
			expected[i] = got[i] = filler();                                                               \
		a_locale();                                                                                            \
		a_text(s, sizeof s);                                                                                   \
		size_t n = below(2) ? 26 : below(12), m = below(2) ? 24 : below(24);                                   \
		bool counts = below(4) == 0;                                                                           \
		const char *from = s;                                                                                  \
		wchar_t *to = counts ? NULL : expected;                                                                \
		errno = 0;                                                                                             \
		size_t r = REAL(name)(__VA_ARGS__);                                                                    \
		int error = errno;                                                                                     \
		const char *end = from;                                                                                \
		mbstate_t end_state = state;                                                                           \
		to = counts ? NULL : got;                                                                              \
		from = s;                                                                                              \
		memset(&state, 0, sizeof state);                                                                       \
		errno = 0;                                                                                             \
		size_t got_r = name(__VA_ARGS__);                                                                      \
		int got_error = errno;                                                                                 \
		SAME(&r, &got_r, sizeof r);                                                                            \
		SAME(&error, &got_error, sizeof error);                                                                \
		SAME(expected, got, sizeof got);                                                                       \
		SAME(&end, &from, sizeof end);                                                                         \
		SAME(&end_state, &state, sizeof state);                                                                \
		end_of_call();                                                                                         \
	}

TEST_STRING_FROM(mbstowcs, to, s, n)
TEST_STRING_FROM(mbsrtowcs, to, &from, n, &state)
TEST_STRING_FROM(mbsnrtowcs, to, &from, m, n, &state)

// As fortified programs call them.
size_t __mbstowcs_chk(wchar_t *, const char *, size_t, size_t);
size_t __mbsrtowcs_chk(wchar_t *, const char **, size_t, mbstate_t *, size_t);
size_t __mbsnrtowcs_chk(wchar_t *, const char **, size_t, size_t, mbstate_t *, size_t);
size_t __wcstombs_chk(char *, const wchar_t *, size_t, size_t);
size_t __wcsrtombs_chk(char *, const wchar_t **, size_t, mbstate_t *, size_t);
size_t __wcsnrtombs_chk(char *, const wchar_t **, size_t, size_t, mbstate_t *, size_t);
int __wctomb_chk(char *, wchar_t, size_t);
size_t __wcrtomb_chk(char *, wchar_t, mbstate_t *, size_t);

TEST_STRING_FROM(__mbstowcs_chk, to, s, n, 26)
TEST_STRING_FROM(__mbsrtowcs_chk, to, &from, n, &state, 26)
TEST_STRING_FROM(__mbsnrtowcs_chk, to, &from, m, n, &state, 26)
TEST_TO(__wctomb_chk, int, to, wc, 16)
TEST_TO(__wcrtomb_chk, size_t, to, wc, &state, 16)

static void wide_text(wchar_t *to, size_t n)
{
	size_t length = below((unsigned)n);
	bool strange = below(2);
	for (size_t i = 0; i < n; i++)
		to[i] = strange ? a_wide() : byte((unsigned char)('a' + below(3)));
	to[length] = byte(0);
}

#define TEST_STRING_TO(name, ...)                                                                                      \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		wchar_t s[12];                                                                                         \
		char expected[80], got[80];                                                                            \
		mbstate_t state = {0}, *p = below(8) ? &state : NULL;                                                  \
		begin();                                                                                               \
		for (int i = 0; i < 80; i++)                                                                           \
			expected[i] = got[i] = (char)filler();                                                         \
		a_locale();                                                                                            \
		wide_text(s, 12);                                                                                      \
		size_t n = below(2) ? 80 : below(20), m = below(2) ? 12 : below(12);                                   \
		bool counts = below(4) == 0;                                                                           \
		const wchar_t *from = s;                                                                               \
		char *to = counts ? NULL : expected;                                                                   \
		errno = 0;                                                                                             \
		size_t r = REAL(name)(__VA_ARGS__);                                                                    \
		int error = errno;                                                                                     \
		const wchar_t *end = from;                                                                             \
		to = counts ? NULL : got;                                                                              \
		from = s;                                                                                              \
		memset(&state, 0, sizeof state);                                                                       \
		errno = 0;                                                                                             \
		size_t got_r = name(__VA_ARGS__);                                                                      \
		int got_error = errno;                                                                                 \
		SAME(&r, &got_r, sizeof r);                                                                            \
		SAME(&error, &got_error, sizeof error);                                                                \
		SAME(expected, got, sizeof got);                                                                       \
		SAME(&end, &from, sizeof end);                                                                         \
		end_of_call();                                                                                         \
	}

TEST_STRING_TO(wcstombs, to, s, n)
TEST_STRING_TO(wcsrtombs, to, &from, n, p)
TEST_STRING_TO(wcsnrtombs, to, &from, m, n, &state)
TEST_STRING_TO(__wcstombs_chk, to, s, n, 80)
TEST_STRING_TO(__wcsrtombs_chk, to, &from, n, p, 80)
TEST_STRING_TO(__wcsnrtombs_chk, to, &from, m, n, &state, 80)

// --- character sets -----------------------------------------------------------------------------------

static void test_iconv(void)
{
	static const char *const sets[] = {"UTF-8", "ISO-8859-1", "ASCII",  "UTF-16LE", "UTF-8//TRANSLIT",
	                                   "SJIS",  "UTF-7",      "EUC-JP", "none"};
	const char *to = sets[below(2) ? below(3) : below(9)], *from = sets[below(2) ? below(3) : below(9)];
	char s[24], expected[64], got[64], *in = s, *out = expected;
	begin();
	for (int i = 0; i < 64; i++)
		expected[i] = (char)filler();
	memcpy(got, expected, sizeof got);
	size_t left = a_text(s, sizeof s), room = below(2) ? 64 : below(24), n = left, m = room;
	iconv_t real_d = REAL(iconv_open)(to, from), d = iconv_open(to, from);
	bool failed = real_d == (iconv_t)-1, got_failed = d == (iconv_t)-1;
	SAME(&failed, &got_failed, sizeof failed);
	if (failed || got_failed)
		return;
	errno = 0;
	size_t r = REAL(iconv)(real_d, &in, &left, &out, &room);
	int error = errno;
	char *got_in = s, *got_out = got;
	errno = 0;
	size_t got_r = iconv(d, &got_in, &n, &got_out, &m);
	int got_error = errno;
	size_t used = (size_t)(in - s), got_used = (size_t)(got_in - s), made = (size_t)(out - expected),
	       got_made = (size_t)(got_out - got);
	SAME(&r, &got_r, sizeof r);
	SAME(&error, &got_error, sizeof error);
	SAME(expected, got, sizeof got);
	SAME(&left, &n, sizeof n);
	SAME(&room, &m, sizeof m);
	SAME(&used, &got_used, sizeof used);
	SAME(&made, &got_made, sizeof made);
	end_of_call();
	REAL(iconv_close)(real_d);
	iconv_close(d);
}

// Macros make dcngettext of them.
#undef ngettext
#undef dngettext

static void test_ngettext(void)
{
	unsigned long n = number(2);
	setlocale(LC_ALL, "C.UTF-8");
	COMPARE(char *, ngettext, "one", "many", n);
	COMPARE(char *, dngettext, NULL, "one", "many", n);
	COMPARE(char *, dcngettext, NULL, "one", "many", n, LC_MESSAGES);
}

int main(int argc, char **argv)
{
	start(argc, argv);
	TEST(mbrtowc);
	TEST(mbrtoc32);
	TEST(mbrlen);
	TEST(mbtowc);
	TEST(mblen);
	TEST(wctomb);
	TEST(wcrtomb);
	TEST(c32rtomb);
	TEST(btowc);
	TEST(wctob);
	TEST(mbstowcs);
	TEST(mbsrtowcs);
	TEST(mbsnrtowcs);
	TEST(wcstombs);
	TEST(wcsrtombs);
	TEST(wcsnrtombs);
	TEST(__wctomb_chk);
	TEST(__wcrtomb_chk);
	TEST(__mbstowcs_chk);
	TEST(__mbsrtowcs_chk);
	TEST(__mbsnrtowcs_chk);
	TEST(__wcstombs_chk);
	TEST(__wcsrtombs_chk);
	TEST(__wcsnrtombs_chk);
	TEST(iconv);
	TEST(ngettext);
	return report();
}
