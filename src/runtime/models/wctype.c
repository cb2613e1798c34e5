// Classes of wide characters, their cases and widths. What they are is asked of libc, for all
// characters that the argument can be, so every locale is exact.
#include <locale.h>
#include <wctype.h>

#include "runtime/models/chars.h"

// context: a locale_t, or what else the function has as second argument
#define WIDE(type, name, argument, shifts)                                                                             \
	static uint32_t call_##name(wint_t wc, uint64_t context)                                                       \
	{                                                                                                              \
		(void)context;                                                                                         \
		return (uint32_t)(name)((argument)wc);                                                                 \
	}                                                                                                              \
	MODEL(type, name, argument wc)                                                                                 \
	{                                                                                                              \
		ENTER(name, 1);                                                                                        \
		struct sym x = chars_argument(arg[0], 32, (uint32_t)wc);                                               \
		struct sym r = chars_of_wide(site, x, call_##name, 0, shifts);                                         \
		return GIVE(name, (type)r.value, r.l);                                                                 \
	}

#define WIDE_WITH(type, name, second, shifts)                                                                          \
	static uint32_t call_##name(wint_t wc, uint64_t context)                                                       \
	{                                                                                                              \
		return (uint32_t)(name)(wc, (second)context);                                                          \
	}                                                                                                              \
	MODEL(type, name, wint_t wc, second with)                                                                      \
	{                                                                                                              \
		ENTER(name, 2);                                                                                        \
		rt_concrete(site, arg[1], (uint64_t)with, REASON_ARGUMENT);                                            \
		struct sym x = chars_argument(arg[0], 32, wc);                                                         \
		struct sym r = chars_of_wide(site, x, call_##name, (uint64_t)with, shifts);                            \
		return GIVE(name, (type)r.value, r.l);                                                                 \
	}

#define WIDE_WITH_2(type, name, second, shifts)                                                                        \
	static uint32_t call_##name(wint_t wc, uint64_t context)                                                       \
	{                                                                                                              \
		const uint64_t *with = (const uint64_t *)context;                                                      \
		return (uint32_t)(name)(wc, (second)with[0], (locale_t)with[1]);                                       \
	}                                                                                                              \
	MODEL(type, name, wint_t wc, second with, locale_t l)                                                          \
	{                                                                                                              \
		ENTER(name, 3);                                                                                        \
		rt_concrete(site, arg[1], (uint64_t)with, REASON_ARGUMENT);                                            \
		rt_concrete(site, arg[2], (uint64_t)l, REASON_ARGUMENT);                                               \
		struct sym x = chars_argument(arg[0], 32, wc);                                                         \
		uint64_t both[2] = {(uint64_t)with, (uint64_t)l};                                                      \
		struct sym r = chars_of_wide(site, x, call_##name, (uint64_t)both, shifts);                            \
		return GIVE(name, (type)r.value, r.l);                                                                 \
	}

#define CLASS(name)                                                                                                    \
	WIDE(int, name, wint_t, false)                                                                                 \
	WIDE_WITH(int, name##_l, locale_t, false)

CLASS(iswalnum)
CLASS(iswalpha)
CLASS(iswblank)
CLASS(iswcntrl)
CLASS(iswdigit)
CLASS(iswgraph)
CLASS(iswlower)
CLASS(iswprint)
CLASS(iswpunct)
CLASS(iswspace)
CLASS(iswupper)
CLASS(iswxdigit)

WIDE(wint_t, towlower, wint_t, true)
WIDE(wint_t, towupper, wint_t, true)
WIDE_WITH(wint_t, towlower_l, locale_t, true)
WIDE_WITH(wint_t, towupper_l, locale_t, true)

WIDE_WITH(int, iswctype, wctype_t, false)
WIDE_WITH(wint_t, towctrans, wctrans_t, true)
WIDE_WITH_2(int, iswctype_l, wctype_t, false)
WIDE_WITH_2(wint_t, towctrans_l, wctrans_t, true)

WIDE(int, wcwidth, wchar_t, false)

// --- columns of a string ---------------------------------------------------------------------------

// The sum of the widths up to the terminator, -1 when one of them is.
static struct sym columns(struct site *site, const wchar_t *s, size_t n, int real)
{
	struct sym total = sym_constant(32, 0), minus = sym_constant(32, (uint32_t)-1);
	struct sym ended = sym_constant(1, 0), bad = sym_constant(1, 0);
	for (size_t i = 0; i < n; i++) {
		struct sym wc = chars_wide(s + i);
		ended = sym_or(ended, sym_is(wc, 0));
		if (wc.value == 0) { // nothing is known of what is behind
			chars_keep(site, ended, REASON_LENGTH);
			break;
		}
		struct sym width = chars_of_wide(site, wc, call_wcwidth, 0, false);
		bad = sym_or(bad, sym_and(sym_not(ended), sym_equal(width, minus)));
		total = sym_binary(OP_ADD, total, sym_choose(ended, sym_constant(32, 0), width));
		if (bad.value) { // libc stops here
			chars_keep(site, bad, REASON_LENGTH);
			break;
		}
	}
	struct sym r = sym_choose(bad, minus, total);
	return r.value == (uint32_t)real ? r : sym_constant(32, (uint32_t)real);
}

MODEL(int, wcswidth, const wchar_t *s, size_t n)
{
	ENTER(wcswidth, 2);
	int r = wcswidth(s, n);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	rt_concrete(site, arg[1], n, REASON_LENGTH);
	if (!rt_on)
		return r;
	return GIVE(wcswidth, r, columns(site, s, n, r).l);
}

// --- classes by name ----------------------------------------------------------------------------------

#define BY_NAME(type, name)                                                                                            \
	MODEL(type, name, const char *s)                                                                               \
	{                                                                                                              \
		ENTER(name, 1);                                                                                        \
		type r = name(s);                                                                                      \
		rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);                                               \
		chars_concrete_string(site, s);                                                                        \
		return r;                                                                                              \
	}                                                                                                              \
	MODEL(type, name##_l, const char *s, locale_t l)                                                               \
	{                                                                                                              \
		ENTER(name##_l, 2);                                                                                    \
		type r = name##_l(s, l);                                                                               \
		rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);                                               \
		chars_concrete_string(site, s);                                                                        \
		return r;                                                                                              \
	}

BY_NAME(wctype_t, wctype)
BY_NAME(wctrans_t, wctrans)
