#define _GNU_SOURCE
#include "models.h"

#include <ctype.h>
#include <locale.h>
#include <wchar.h>
#include <wctype.h>

static locale_t locales[2];
static volatile unsigned locale_now;

// Half of the calls in each locale.
static locale_t a_locale(void)
{
	locale_now = below(2);
	uselocale(locales[locale_now]);
	return locales[locale_now];
}

// Some of its bytes have labels.
static unsigned four_bytes(unsigned n)
{
	unsigned char b[4];
	for (int i = 0; i < 4; i++)
		b[i] = byte((unsigned char)(n >> 8 * i));
	memcpy(&n, b, 4);
	return n;
}

// What may be asked for: a byte, as a char or as a number, or the end of a file.
static int a_character(void)
{
	unsigned char b = byte((unsigned char)below(256));
	switch (below(8)) {
	case 0: return (signed char)b;
	case 1: return b == 'x' ? EOF : b;
	case 2: return (int)four_bytes(below(256));
	default: return b;
	}
}

// Of every length in UTF-8, and what is none.
static wint_t a_wide(void)
{
	static const wint_t some[] = {0x7f,     0x80,       0xb5,       0xdf,   0xff,    0x131,   0x17f,
	                              0x1c5,    0x3a3,      0x7ff,      0x800,  0x2028,  0x3000,  0xd7ff,
	                              0xd800,   0xdfff,     0xfeff,     0xff21, 0x10400, 0x1f600, 0x10ffff,
	                              0x110000, 0x7fffffff, 0x80000000, WEOF};
	wint_t wc;
	switch (below(6)) {
	case 0: wc = some[below(sizeof some / sizeof *some)]; break;
	case 1: wc = below(0x800); break;
	case 2: wc = below(0x30000); break;
	case 3: return byte((unsigned char)below(256));
	case 4: return byte((unsigned char)below(128)) & 0x7f;
	default: wc = below(128); break;
	}
	return four_bytes(wc);
}

static bool has_label(const int *c)
{
	return veer_is_symbolic && veer_is_symbolic(c, sizeof *c);
}

// Through a pointer: the compiler knows what some of them do. As a function, as a function
// of a locale, and as the macro, which reads libc's table.
#define TEST_CLASS(name, f)                                                                                            \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		int (*volatile plain)(int) = (name), (*volatile with)(int, locale_t) = (name##_l);                     \
		locale_t l = a_locale();                                                                               \
		int c = a_character(), expected = REAL(name)(c), expected_with = REAL(name##_l)(c, l);                 \
		errno = 0;                                                                                             \
		int got = plain(c), got_with = with(c, l), got_macro = f(c), got_macro_with = f##_l(c, l);             \
		int error = errno, none = 0;                                                                           \
		SAME(&expected, &got, sizeof got);                                                                     \
		SAME(&expected_with, &got_with, sizeof got);                                                           \
		SAME(&expected, &got_macro, sizeof got);                                                               \
		SAME(&expected_with, &got_macro_with, sizeof got);                                                     \
		SAME(&none, &error, sizeof error);                                                                     \
		if (has_label(&c) &&                                                                                   \
		    !(has_label(&got) && has_label(&got_with) && has_label(&got_macro) && has_label(&got_macro_with))) \
			differs("label", call_number);                                                                 \
	}

#define CLASS_MACRO(mask) ((*__ctype_b_loc())[c] & (unsigned short)mask)
#define m_alnum(c) CLASS_MACRO(_ISalnum)
#define m_alpha(c) CLASS_MACRO(_ISalpha)
#define m_blank(c) CLASS_MACRO(_ISblank)
#define m_cntrl(c) CLASS_MACRO(_IScntrl)
#define m_digit(c) CLASS_MACRO(_ISdigit)
#define m_graph(c) CLASS_MACRO(_ISgraph)
#define m_lower(c) CLASS_MACRO(_ISlower)
#define m_print(c) CLASS_MACRO(_ISprint)
#define m_punct(c) CLASS_MACRO(_ISpunct)
#define m_space(c) CLASS_MACRO(_ISspace)
#define m_upper(c) CLASS_MACRO(_ISupper)
#define m_xdigit(c) CLASS_MACRO(_ISxdigit)
#define m_tolower(c) ((*__ctype_tolower_loc())[c])
#define m_toupper(c) ((*__ctype_toupper_loc())[c])
#define m_alnum_l(c, l) __isalnum_l(c, l)
#define m_alpha_l(c, l) __isalpha_l(c, l)
#define m_blank_l(c, l) __isblank_l(c, l)
#define m_cntrl_l(c, l) __iscntrl_l(c, l)
#define m_digit_l(c, l) __isdigit_l(c, l)
#define m_graph_l(c, l) __isgraph_l(c, l)
#define m_lower_l(c, l) __islower_l(c, l)
#define m_print_l(c, l) __isprint_l(c, l)
#define m_punct_l(c, l) __ispunct_l(c, l)
#define m_space_l(c, l) __isspace_l(c, l)
#define m_upper_l(c, l) __isupper_l(c, l)
#define m_xdigit_l(c, l) __isxdigit_l(c, l)
#define m_tolower_l(c, l) ((l)->__ctype_tolower[c])
#define m_toupper_l(c, l) ((l)->__ctype_toupper[c])

TEST_CLASS(isalnum, m_alnum)
TEST_CLASS(isalpha, m_alpha)
TEST_CLASS(isblank, m_blank)
TEST_CLASS(iscntrl, m_cntrl)
TEST_CLASS(isdigit, m_digit)
TEST_CLASS(isgraph, m_graph)
TEST_CLASS(islower, m_lower)
TEST_CLASS(isprint, m_print)
TEST_CLASS(ispunct, m_punct)
TEST_CLASS(isspace, m_space)
TEST_CLASS(isupper, m_upper)
TEST_CLASS(isxdigit, m_xdigit)
TEST_CLASS(tolower, m_tolower)
TEST_CLASS(toupper, m_toupper)

// Any number may have its case changed.
static void test_case_of_all(void)
{
	int c = (int)number(UINT64_MAX);
	a_locale();
	COMPARE(int, tolower, c);
	COMPARE(int, toupper, c);
}

static void test_isascii(void)
{
	int (*volatile ascii)(int) = (isascii), (*volatile to)(int) = (toascii);
	int c = below(2) ? a_character() : (int)number(UINT64_MAX);
	int expected = REAL(isascii)(c), expected_to = REAL(toascii)(c), got = ascii(c), got_to = to(c);
	SAME(&expected, &got, sizeof got);
	SAME(&expected_to, &got_to, sizeof got);
	c = a_character();
	int masks[] = {_ISalpha, _ISpunct | _ISdigit, 0}, mask = masks[below(3)];
	COMPARE(int, isctype, c, mask);
}

// --- locales ---------------------------------------------------------------------------------------

// Another one each time: what it says of a character must be what the one says that libc made.
static void same_locale(locale_t real, locale_t model)
{
	int c = a_character();
	bool none = !real, got_none = !model;
	SAME(&none, &got_none, sizeof none);
	if (none || got_none)
		return;
	int expected = LIBC(isalpha_l)(c, real), got = isalpha_l(c, model);
	SAME(&expected, &got, sizeof got);
	got = ((model)->__ctype_toupper[c]), expected = LIBC(toupper_l)(c, real);
	SAME(&expected, &got, sizeof got);
	freelocale(real);
	freelocale(model);
}

static void test_newlocale(void)
{
	static const char *const names[] = {"C", "C.UTF-8", "POSIX", "none_XX", ""};
	static const int masks[] = {LC_ALL_MASK, LC_CTYPE_MASK, LC_CTYPE_MASK | LC_NUMERIC_MASK, 0, 1 << 30};
	const char *chosen = names[below(5)];
	char name[10];
	for (size_t i = 0; i <= strlen(chosen); i++)
		name[i] = (char)byte((unsigned char)chosen[i]);
	int mask = masks[below(5)];
	LIBC(newlocale)(mask, name, NULL); // the first one looks for files, and leaves errno so
	errno = 0;
	locale_t x = REAL(newlocale)(mask, name, NULL);
	int error = errno;
	errno = 0;
	locale_t y = newlocale(mask, name, NULL);
	int got_error = errno;
	SAME(&error, &got_error, sizeof error);
	same_locale(x, y);
}

static void test_duplocale(void)
{
	locale_t l = below(4) ? a_locale() : LC_GLOBAL_LOCALE;
	errno = 0;
	locale_t x = REAL(duplocale)(l);
	int error = errno;
	errno = 0;
	locale_t y = duplocale(l);
	int got_error = errno;
	SAME(&error, &got_error, sizeof error);
	same_locale(x, y);
}

// --- wide characters -----------------------------------------------------------------------------

#define TEST_WIDE(name)                                                                                                \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		locale_t l = a_locale();                                                                               \
		wint_t wc = a_wide();                                                                                  \
		COMPARE(int, name, wc);                                                                                \
		COMPARE(int, name##_l, wc, l);                                                                         \
	}

TEST_WIDE(iswalnum)
TEST_WIDE(iswalpha)
TEST_WIDE(iswblank)
TEST_WIDE(iswcntrl)
TEST_WIDE(iswdigit)
TEST_WIDE(iswgraph)
TEST_WIDE(iswlower)
TEST_WIDE(iswprint)
TEST_WIDE(iswpunct)
TEST_WIDE(iswspace)
TEST_WIDE(iswupper)
TEST_WIDE(iswxdigit)
TEST_WIDE(towlower)
TEST_WIDE(towupper)

static void test_iswctype(void)
{
	static const char *const names[] = {"alpha", "punct", "nothing"};
	char name[8];
	strcpy(name, names[below(3)]);
	name[0] = (char)byte((unsigned char)name[0]);
	locale_t l = a_locale();
	COMPARE(wctype_t, wctype, name);
	COMPARE(wctype_t, wctype_l, name, l);
	wctype_t class = wctype(name), class_l = wctype_l(name, l);
	wint_t wc = a_wide();
	COMPARE(int, iswctype, wc, class);
	COMPARE(int, iswctype_l, wc, class_l, l);
}

static void test_towctrans(void)
{
	char name[8];
	strcpy(name, below(2) ? "toupper" : "tolower");
	name[0] = (char)byte((unsigned char)name[0]);
	locale_t l = a_locale();
	COMPARE(wctrans_t, wctrans, name);
	COMPARE(wctrans_t, wctrans_l, name, l);
	wctrans_t map = wctrans(name), map_l = wctrans_l(name, l);
	wint_t wc = a_wide();
	COMPARE(wint_t, towctrans, wc, map);
	COMPARE(wint_t, towctrans_l, wc, map_l, l);
}

static void test_wcwidth(void)
{
	a_locale();
	wchar_t wc = (wchar_t)a_wide();
	COMPARE(int, wcwidth, wc);
}

static void test_wcswidth(void)
{
	wchar_t s[8];
	a_locale();
	for (int i = 0; i < 8; i++)
		s[i] = (wchar_t)(below(3) ? 'a' + byte((unsigned char)below(4)) : a_wide());
	s[below(8)] = byte(0);
	size_t n = below(10);
	s[7] = n > 8 ? byte(0) : s[7];
	COMPARE(int, wcswidth, s, n);
}

int main(int argc, char **argv)
{
	locales[0] = newlocale(LC_ALL_MASK, "C", NULL);
	locales[1] = newlocale(LC_ALL_MASK, "C.UTF-8", NULL);
	if (!locales[0] || !locales[1])
		return 2;
	start(argc, argv);
	TEST(isalnum);
	TEST(isalpha);
	TEST(isblank);
	TEST(iscntrl);
	TEST(isdigit);
	TEST(isgraph);
	TEST(islower);
	TEST(isprint);
	TEST(ispunct);
	TEST(isspace);
	TEST(isupper);
	TEST(isxdigit);
	TEST(tolower);
	TEST(toupper);
	TEST(case_of_all);
	TEST(isascii);
	TEST(newlocale);
	TEST(duplocale);
	TEST(iswalnum);
	TEST(iswalpha);
	TEST(iswblank);
	TEST(iswcntrl);
	TEST(iswdigit);
	TEST(iswgraph);
	TEST(iswlower);
	TEST(iswprint);
	TEST(iswpunct);
	TEST(iswspace);
	TEST(iswupper);
	TEST(iswxdigit);
	TEST(towlower);
	TEST(towupper);
	TEST(iswctype);
	TEST(towctrans);
	TEST(wcwidth);
	TEST(wcswidth);
	return report();
}
