// Wide strings: one expression for what is found or compared. Copying keeps the length of
// this run, as a condition of the path.
#include <langinfo.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "runtime/models/chars.h"

enum { WIDE = sizeof(wchar_t) };

static bool any(const wchar_t *s, uint64_t n)
{
	return rt_on && rt_any((uint64_t)s, n * WIDE);
}

static void copy(const wchar_t *to, const wchar_t *from, uint64_t n)
{
	rt_copy((uint64_t)to, (uint64_t)from, n * WIDE);
}

static void two_pointers(struct site *site, const label *arg, const void *a, const void *b)
{
	rt_concrete(site, arg[0], (uint64_t)a, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)b, REASON_ARGUMENT);
}

// Do so many characters lie in its object?
static bool has(const wchar_t *s, uint64_t n)
{
	struct rt_object o;
	return rt_object_find((uint64_t)s, &o) && (o.base + o.size - (uint64_t)s) / WIDE >= n;
}

// --- length -------------------------------------------------------------------------------------------

// The place of the first zero among n characters, else n.
static struct sym length(const wchar_t *s, uint64_t n)
{
	struct sym r = sym_constant(64, n);
	for (uint64_t i = n; i-- > 0;)
		r = sym_choose(sym_is(chars_wide(s + i), 0), sym_constant(64, i), r);
	return r;
}

// s is known to end at n, when that is below the limit: it stays so.
static void keep_end(struct site *site, const wchar_t *s, uint64_t n, uint64_t limit)
{
	if (n < limit && rt_on)
		chars_keep(site, sym_is(chars_wide(s + n), 0), REASON_LENGTH);
}

static void keep_length(struct site *site, const wchar_t *s, uint64_t n, uint64_t limit)
{
	if (!any(s, n < limit ? n + 1 : n))
		return;
	struct sym zero = sym_constant(1, 0);
	for (uint64_t i = 0; i < n; i++)
		zero = sym_or(zero, sym_is(chars_wide(s + i), 0));
	chars_keep(site, zero, REASON_LENGTH);
	keep_end(site, s, n, limit);
}

MODEL(size_t, wcslen, const wchar_t *s)
{
	ENTER(wcslen, 1);
	size_t r = wcslen(s);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	if (!any(s, r + 1))
		return r;
	keep_end(site, s, r, SIZE_MAX);
	return GIVE(wcslen, r, length(s, r).l);
}

MODEL(size_t, wcsnlen, const wchar_t *s, size_t n)
{
	ENTER(wcsnlen, 2);
	size_t r = wcsnlen(s, n);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	rt_concrete(site, arg[1], n, REASON_LENGTH);
	if (!any(s, r < n ? r + 1 : r))
		return r;
	keep_end(site, s, r, n);
	return GIVE(wcsnlen, r, length(s, r).l);
}

// --- comparing -------------------------------------------------------------------------------------------

static uint32_t lower(wint_t wc, uint64_t context)
{
	return context ? towlower_l(wc, (locale_t)context) : (uint32_t)towlower(wc);
}

// How characters are compared.
struct comparing {
	struct site *site;
	uint64_t limit; // characters
	bool strings;   // a zero ends
	bool no_case;
	uint64_t locale; // for the case; 0: the current one
};

static struct sym character(const struct comparing *c, const wchar_t *s)
{
	struct sym wc = chars_wide(s);
	return c->no_case ? chars_of_wide(c->site, wc, lower, c->locale, true) : wc;
}

// How far libc must have read: to the first difference or to the end.
static uint64_t seen(const struct comparing *c, const wchar_t *a, const wchar_t *b)
{
	for (uint64_t i = 0; i < c->limit; i++) {
		bool same = a[i] == b[i] ||
		            (c->no_case && lower((wint_t)a[i], c->locale) == lower((wint_t)b[i], c->locale));
		if (!same || (c->strings && !a[i]))
			return i + 1;
	}
	return c->limit;
}

// The result is below, above or zero; beside the sign it is what it was in this run.
static struct sym compared(struct sym x, struct sym y, struct sym otherwise, int real, bool no_case)
{
	int up = real > 0 ? real : 1, down = real < 0 ? real : -1;
	struct sym same = sym_equal(x, y);
	struct sym unequal = no_case ? sym_binary(OP_SUB, x, y)
	                             : sym_choose(sym_binary(OP_SLT, x, y), sym_constant(32, (uint32_t)down),
	                                          sym_constant(32, (uint32_t)up));
	return sym_choose(same, otherwise, unequal);
}

static struct sym compare(const struct comparing *c, const wchar_t *a, const wchar_t *b, int real)
{
	uint64_t n = seen(c, a, b), more = n;
	if (!any(a, n) && !any(b, n))
		return sym_constant(32, 0);
	if (c->strings && n < c->limit) {
		uint64_t x = chars_span(a, n, c->limit), y = chars_span(b, n, c->limit);
		more = x < y ? x : y;
	} else if (n < c->limit && has(a, c->limit) && has(b, c->limit)) {
		more = c->limit;
	}
	struct sym zero = sym_constant(32, 0), result = zero;
	if (more < c->limit) { // nothing is known of what is behind
		struct sym x = character(c, a + more - 1), y = character(c, b + more - 1), same = sym_equal(x, y);
		if (c->strings)
			same = sym_and(same, sym_not(sym_is(x, 0)));
		chars_keep(c->site, same, REASON_LENGTH);
	}
	for (uint64_t i = more; i-- > 0;) {
		struct sym x = character(c, a + i), y = character(c, b + i);
		struct sym next = c->strings ? sym_choose(sym_is(x, 0), zero, result) : result;
		result = compared(x, y, next, real, c->no_case);
	}
	return result;
}

MODEL(int, wmemcmp, const wchar_t *a, const wchar_t *b, size_t n)
{
	ENTER(wmemcmp, 3);
	int r = wmemcmp(a, b, n);
	struct comparing c = {.site = site, .limit = n};
	two_pointers(site, arg, a, b);
	rt_concrete(site, arg[2], n, REASON_LENGTH);
	return rt_on && n ? GIVE(wmemcmp, r, compare(&c, a, b, r).l) : r;
}

#define COMPARE(name, parameters_no_case)                                                                              \
	MODEL(int, name, const wchar_t *a, const wchar_t *b)                                                           \
	{                                                                                                              \
		ENTER(name, 2);                                                                                        \
		int r = name(a, b);                                                                                    \
		struct comparing c = {                                                                                 \
			.site = site, .limit = SIZE_MAX, .strings = true, .no_case = parameters_no_case};              \
		two_pointers(site, arg, a, b);                                                                         \
		return rt_on ? GIVE(name, r, compare(&c, a, b, r).l) : r;                                              \
	}

#define COMPARE_N(name, parameters_no_case)                                                                            \
	MODEL(int, name, const wchar_t *a, const wchar_t *b, size_t n)                                                 \
	{                                                                                                              \
		ENTER(name, 3);                                                                                        \
		int r = name(a, b, n);                                                                                 \
		struct comparing c = {.site = site, .limit = n, .strings = true, .no_case = parameters_no_case};       \
		two_pointers(site, arg, a, b);                                                                         \
		rt_concrete(site, arg[2], n, REASON_LENGTH);                                                           \
		return rt_on && n ? GIVE(name, r, compare(&c, a, b, r).l) : r;                                         \
	}

COMPARE(wcscmp, false)
COMPARE(wcscasecmp, true)
COMPARE_N(wcsncmp, false)
COMPARE_N(wcsncasecmp, true)

MODEL(int, wcscasecmp_l, const wchar_t *a, const wchar_t *b, locale_t l)
{
	ENTER(wcscasecmp_l, 3);
	int r = wcscasecmp_l(a, b, l);
	struct comparing c = {.site = site, .limit = SIZE_MAX, .strings = true, .no_case = true, .locale = (uint64_t)l};
	two_pointers(site, arg, a, b);
	return rt_on ? GIVE(wcscasecmp_l, r, compare(&c, a, b, r).l) : r;
}

MODEL(int, wcsncasecmp_l, const wchar_t *a, const wchar_t *b, size_t n, locale_t l)
{
	ENTER(wcsncasecmp_l, 4);
	int r = wcsncasecmp_l(a, b, n, l);
	struct comparing c = {.site = site, .limit = n, .strings = true, .no_case = true, .locale = (uint64_t)l};
	two_pointers(site, arg, a, b);
	rt_concrete(site, arg[2], n, REASON_LENGTH);
	return rt_on && n ? GIVE(wcsncasecmp_l, r, compare(&c, a, b, r).l) : r;
}

// Without rules, as in the C locale, order is that of the characters.
static bool has_rules(locale_t l)
{
	char *rules = l ? nl_langinfo_l(_NL_COLLATE_NRULES, l) : nl_langinfo(_NL_COLLATE_NRULES);
	return (uint32_t)(uint64_t)rules != 0; // a number, for this item
}

static label collate(struct site *site, const wchar_t *a, const wchar_t *b, locale_t l, int r)
{
	struct comparing c = {.site = site, .limit = SIZE_MAX, .strings = true};
	if (!rt_on)
		return 0;
	if (!has_rules(l))
		return compare(&c, a, b, r).l;
	chars_concrete(site, a, (wcslen(a) + 1) * WIDE, REASON_CHARSET);
	chars_concrete(site, b, (wcslen(b) + 1) * WIDE, REASON_CHARSET);
	return 0;
}

MODEL(int, wcscoll, const wchar_t *a, const wchar_t *b)
{
	ENTER(wcscoll, 2);
	int r = wcscoll(a, b);
	two_pointers(site, arg, a, b);
	return GIVE(wcscoll, r, collate(site, a, b, NULL, r));
}

MODEL(int, wcscoll_l, const wchar_t *a, const wchar_t *b, locale_t l)
{
	ENTER(wcscoll_l, 3);
	int r = wcscoll_l(a, b, l);
	two_pointers(site, arg, a, b);
	return GIVE(wcscoll_l, r, collate(site, a, b, l, r));
}

// --- searching -------------------------------------------------------------------------------------------

static struct sym place(const wchar_t *s)
{
	return sym_constant(64, (uint64_t)s);
}

// The first of n characters that is wc. A string ends with a zero, which is found, too.
static struct sym first(struct site *site, const wchar_t *s, uint64_t n, struct sym wc, bool string, bool whole)
{
	struct sym r = place(NULL), met = sym_constant(1, 0);
	for (uint64_t i = 0; i < n && !whole; i++) {
		struct sym x = chars_wide(s + i);
		met = sym_or(met, sym_equal(x, wc));
		if (string)
			met = sym_or(met, sym_is(x, 0));
	}
	chars_keep(site, met, REASON_LENGTH); // nothing is known of what is behind
	for (uint64_t i = n; i-- > 0;) {
		struct sym x = chars_wide(s + i);
		struct sym next = string ? sym_choose(sym_is(x, 0), place(NULL), r) : r;
		r = sym_choose(sym_equal(x, wc), place(s + i), next);
	}
	return r;
}

static label find(struct site *site, const wchar_t *s, struct sym wc, const wchar_t *found)
{
	if (!rt_on)
		return 0;
	uint64_t read = found ? (uint64_t)(found - s) + 1 : wcslen(s) + 1, n = chars_span(s, read, SIZE_MAX);
	if (!wc.l && !any(s, n))
		return 0;
	bool whole = s[n - 1] == 0 && !rt_load((uint64_t)(s + n - 1), WIDE);
	return first(site, s, n, wc, true, whole).l;
}

MODEL(wchar_t *, wcschr, const wchar_t *s, wchar_t wc)
{
	ENTER(wcschr, 2);
	wchar_t *r = wcschr(s, wc);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	label l = find(site, s, chars_argument(arg[1], 32, (uint32_t)wc), r);
	model_give((const void *)veer_model_wcschr, l, (uint64_t)r, 64);
	return r;
}

MODEL(wchar_t *, wcschrnul, const wchar_t *s, wchar_t wc)
{
	ENTER(wcschrnul, 2);
	wchar_t *r = wcschrnul(s, wc);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	struct sym x = chars_argument(arg[1], 32, (uint32_t)wc), at = place(s + wcslen(s));
	uint64_t n = wcslen(s);
	if (!rt_on || (!x.l && !any(s, n + 1)))
		return r;
	keep_end(site, s, n, SIZE_MAX);
	for (uint64_t i = n; i-- > 0;) {
		struct sym y = chars_wide(s + i);
		at = sym_choose(sym_or(sym_equal(y, x), sym_is(y, 0)), place(s + i), at);
	}
	model_give((const void *)veer_model_wcschrnul, at.l, (uint64_t)r, 64);
	return r;
}

MODEL(wchar_t *, wcsrchr, const wchar_t *s, wchar_t wc)
{
	ENTER(wcsrchr, 2);
	wchar_t *r = wcsrchr(s, wc);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	struct sym x = chars_argument(arg[1], 32, (uint32_t)wc), last = place(NULL);
	uint64_t n = wcslen(s);
	if (!rt_on || (!x.l && !any(s, n + 1)))
		return r;
	keep_length(site, s, n, SIZE_MAX);
	for (uint64_t i = 0; i <= n; i++)
		last = sym_choose(sym_equal(chars_wide(s + i), x), place(s + i), last);
	model_give((const void *)veer_model_wcsrchr, last.l, (uint64_t)r, 64);
	return r;
}

MODEL(wchar_t *, wmemchr, const wchar_t *s, wchar_t wc, size_t n)
{
	ENTER(wmemchr, 3);
	wchar_t *r = wmemchr(s, wc, n);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	rt_concrete(site, arg[2], n, REASON_LENGTH);
	struct sym x = chars_argument(arg[1], 32, (uint32_t)wc);
	uint64_t bound = r && rt_on && !has(s, n) ? (uint64_t)(r - s) + 1 : n; // what is behind may not be there
	if (!rt_on || (!x.l && !any(s, bound)))
		return r;
	model_give((const void *)veer_model_wmemchr, first(site, s, bound, x, false, bound == n).l, (uint64_t)r, 64);
	return r;
}

// --- copying ---------------------------------------------------------------------------------------------

// `name` has been called with a string of this many characters to copy, zero included.
#define COPY(result, name, parameters, call, count)                                                                    \
	MODEL(result, name, wchar_t *to, const wchar_t *from parameters)                                               \
	{                                                                                                              \
		ENTER(name, 3);                                                                                        \
		two_pointers(site, arg, to, from);                                                                     \
		result r = call;                                                                                       \
		count;                                                                                                 \
		return r;                                                                                              \
	}
#define AND ,

// The whole string, to behind `at` characters.
static void copied(struct site *site, const wchar_t *to, const wchar_t *from, uint64_t at)
{
	uint64_t n = rt_on ? wcslen(from) : 0;
	if (!rt_on)
		return;
	keep_length(site, from, n, SIZE_MAX);
	rt_accessed(site, (uint64_t)(to + at), (n + 1) * WIDE);
	copy(to + at, from, n + 1);
}

// At most n characters; the rest is filled with zeros.
static void copied_n(struct site *site, label l, const wchar_t *to, const wchar_t *from, size_t n)
{
	uint64_t length = rt_on ? wcsnlen(from, n) : 0;
	struct sym bytes = sym_binary(OP_MUL, sym_of(l, 64, n), sym_constant(64, WIDE));
	rt_check_room(site, bytes.l, bytes.value, (uint64_t)to);
	rt_concrete(site, l, n, REASON_LENGTH);
	if (!rt_on)
		return;
	keep_length(site, from, length, n);
	copy(to, from, length);
	rt_clear((uint64_t)(to + length), (n - length) * WIDE);
}

wchar_t *__wcscpy_chk(wchar_t *to, const wchar_t *from, size_t size);
wchar_t *__wcpcpy_chk(wchar_t *to, const wchar_t *from, size_t size);
wchar_t *__wcsncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t size);
wchar_t *__wcpncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t size);
wchar_t *__wcscat_chk(wchar_t *to, const wchar_t *from, size_t size);
wchar_t *__wcsncat_chk(wchar_t *to, const wchar_t *from, size_t n, size_t size);
wchar_t *__wmemcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t size);
wchar_t *__wmemmove_chk(wchar_t *to, const wchar_t *from, size_t n, size_t size);
wchar_t *__wmempcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t size);
wchar_t *__wmemset_chk(wchar_t *to, wchar_t wc, size_t n, size_t size);

COPY(wchar_t *, wcscpy, , wcscpy(to, from), copied(site, to, from, 0))
COPY(wchar_t *, __wcscpy_chk, AND size_t size, __wcscpy_chk(to, from, size), copied(site, to, from, 0))
COPY(wchar_t *, wcpcpy, , wcpcpy(to, from), copied(site, to, from, 0))
COPY(wchar_t *, __wcpcpy_chk, AND size_t size, __wcpcpy_chk(to, from, size), copied(site, to, from, 0))
COPY(wchar_t *, wcsncpy, AND size_t n, wcsncpy(to, from, n), copied_n(site, arg[2], to, from, n))
COPY(wchar_t *, __wcsncpy_chk, AND size_t n AND size_t size, __wcsncpy_chk(to, from, n, size),
     copied_n(site, arg[2], to, from, n))
COPY(wchar_t *, wcpncpy, AND size_t n, wcpncpy(to, from, n), copied_n(site, arg[2], to, from, n))
COPY(wchar_t *, __wcpncpy_chk, AND size_t n AND size_t size, __wcpncpy_chk(to, from, n, size),
     copied_n(site, arg[2], to, from, n))

// What stands in front of what is appended keeps its length.
static uint64_t length_before(struct site *site, const wchar_t *to)
{
	uint64_t n = wcslen(to);
	keep_length(site, to, n, SIZE_MAX);
	return n;
}

// At most n characters, and a zero.
static void appended_n(struct site *site, label l, const wchar_t *to, const wchar_t *from, size_t n)
{
	uint64_t length = rt_on ? wcsnlen(from, n) : 0;
	rt_concrete(site, l, n, REASON_LENGTH);
	if (!rt_on)
		return;
	keep_length(site, from, length, n);
	copy(to, from, length);
	rt_clear((uint64_t)(to + length), WIDE);
}

#define APPEND(name, parameters, call, count)                                                                          \
	MODEL(wchar_t *, name, wchar_t *to, const wchar_t *from parameters)                                            \
	{                                                                                                              \
		ENTER(name, 3);                                                                                        \
		two_pointers(site, arg, to, from);                                                                     \
		uint64_t at = length_before(site, to);                                                                 \
		wchar_t *r = call;                                                                                     \
		count;                                                                                                 \
		return r;                                                                                              \
	}

APPEND(wcscat, , wcscat(to, from), copied(site, to, from, at))
APPEND(__wcscat_chk, AND size_t size, __wcscat_chk(to, from, size), copied(site, to, from, at))
APPEND(wcsncat, AND size_t n, wcsncat(to, from, n), appended_n(site, arg[2], to + at, from, n))
APPEND(__wcsncat_chk, AND size_t n AND size_t size, __wcsncat_chk(to, from, n, size),
       appended_n(site, arg[2], to + at, from, n))

// A number of characters.
static void copied_all(struct site *site, label l, const wchar_t *to, const wchar_t *from, size_t n)
{
	struct sym bytes = sym_binary(OP_MUL, sym_of(l, 64, n), sym_constant(64, WIDE));
	rt_check_room(site, bytes.l, bytes.value, (uint64_t)from);
	rt_check_room(site, bytes.l, bytes.value, (uint64_t)to);
	rt_concrete(site, l, n, REASON_LENGTH);
	copy(to, from, n);
}

COPY(wchar_t *, wmemcpy, AND size_t n, wmemcpy(to, from, n), copied_all(site, arg[2], to, from, n))
COPY(wchar_t *, __wmemcpy_chk, AND size_t n AND size_t size, __wmemcpy_chk(to, from, n, size),
     copied_all(site, arg[2], to, from, n))
COPY(wchar_t *, wmempcpy, AND size_t n, wmempcpy(to, from, n), copied_all(site, arg[2], to, from, n))
COPY(wchar_t *, __wmempcpy_chk, AND size_t n AND size_t size, __wmempcpy_chk(to, from, n, size),
     copied_all(site, arg[2], to, from, n))
COPY(wchar_t *, wmemmove, AND size_t n, wmemmove(to, from, n), copied_all(site, arg[2], to, from, n))
COPY(wchar_t *, __wmemmove_chk, AND size_t n AND size_t size, __wmemmove_chk(to, from, n, size),
     copied_all(site, arg[2], to, from, n))

static void filled(struct site *site, const label *arg, const wchar_t *to, wchar_t wc, size_t n)
{
	struct sym x = chars_argument(arg[1], 32, (uint32_t)wc);
	rt_concrete(site, arg[0], (uint64_t)to, REASON_ARGUMENT);
	struct sym bytes = sym_binary(OP_MUL, sym_of(arg[2], 64, n), sym_constant(64, WIDE));
	rt_check_room(site, bytes.l, bytes.value, (uint64_t)to);
	rt_concrete(site, arg[2], n, REASON_LENGTH);
	if (!x.l)
		rt_clear((uint64_t)to, n * WIDE);
	for (size_t i = 0; x.l && i < n; i++)
		rt_store((uint64_t)(to + i), WIDE, x.l);
}

MODEL(wchar_t *, wmemset, wchar_t *to, wchar_t wc, size_t n)
{
	ENTER(wmemset, 3);
	wchar_t *r = wmemset(to, wc, n);
	filled(site, arg, to, wc, n);
	return r;
}

MODEL(wchar_t *, __wmemset_chk, wchar_t *to, wchar_t wc, size_t n, size_t size)
{
	ENTER(__wmemset_chk, 3);
	wchar_t *r = __wmemset_chk(to, wc, n, size);
	filled(site, arg, to, wc, n);
	return r;
}

MODEL(wchar_t *, wcsdup, const wchar_t *s)
{
	ENTER(wcsdup, 1);
	wchar_t *r = wcsdup(s);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	if (r)
		copied(site, r, s, 0);
	return r;
}
