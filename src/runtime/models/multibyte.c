// Conversion between bytes and wide characters, in ASCII (the C locale) and UTF-8. libc
// converts; what the result depends on is recorded here: by branches for how long a character
// is and whether it is one, by expressions for its value. Other character sets, and
// characters whose first bytes came in an earlier call, are taken as they are.
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>

#include "runtime/models/multibyte.h"

enum charset multibyte_charset(void)
{
	const char *name = nl_langinfo(CODESET);
	if (strcmp(name, "UTF-8") == 0)
		return CHARSET_UTF8;
	return strcmp(name, "ANSI_X3.4-1968") == 0 ? CHARSET_ASCII : CHARSET_OTHER;
}

// --- one character, of bytes ---------------------------------------------------------------------

static const struct lead { // first bytes of characters of each length
	uint8_t low, high;
} leads[] = {{0, 0x7f}, {0xc2, 0xdf}, {0xe0, 0xef}, {0xf0, 0xf7}, {0xf8, 0xfb}, {0xfc, 0xfd}};

_Static_assert(sizeof leads / sizeof *leads == LONGEST, "a lead for each length");

static int longest(enum charset set)
{
	return set == CHARSET_UTF8 ? LONGEST : 1;
}

static int length_of(unsigned char lead, enum charset set)
{
	for (int i = 0; i < longest(set); i++)
		if (lead >= leads[i].low && lead <= leads[i].high)
			return i + 1;
	return BAD;
}

// The smallest character that needs so many bytes.
static uint32_t least(int length)
{
	return length > 2 ? 1u << (5 * length - 4) : length == 2 ? 0x80 : 0;
}

static bool is_surrogate(uint32_t wc)
{
	return wc >= 0xd800 && wc <= 0xdfff;
}

int multibyte_decode(const unsigned char *s, size_t n, enum charset set, uint32_t *ret)
{
	int length = n ? length_of(s[0], set) : INCOMPLETE;
	*ret = n ? s[0] : 0;
	if (length <= 1)
		return length;
	uint32_t wc = s[0] & (0x7fu >> length);
	for (int i = 1; i < length; i++) {
		if ((size_t)i == n)
			return INCOMPLETE;
		if ((s[i] & 0xc0) != 0x80)
			return BAD;
		wc = wc << 6 | (s[i] & 0x3f);
	}
	*ret = wc;
	return wc < least(length) || is_surrogate(wc) ? BAD : length;
}

static struct sym join(struct sym high, struct sym low)
{
	struct sym r = sym_constant(high.width + low.width, high.value << low.width | low.value);
	label a = high.l ? high.l : rt_constant(high.width, high.value);
	label b = low.l ? low.l : rt_constant(low.width, low.value);
	r.l = (high.l | low.l) && a && b ? rt_concat(a, b) : 0;
	return r;
}

// A byte below 0x80: seven bits, so it shows in the expression that it is one.
static struct sym ascii(struct sym byte)
{
	return sym_extend(sym_cut(byte, 7), 32);
}

// What the bytes of a character that is not ASCII decide, and its value when it is one.
static struct sym describe_long(struct site *site, const unsigned char *s, size_t n, enum charset set)
{
	struct sym lead = sym_byte(s), none = sym_constant(32, 0);
	int length = 2;
	while (length <= longest(set) &&
	       !chars_branch(site, chars_within(lead, leads[length - 1].low, leads[length - 1].high)))
		length++;
	if (length > longest(set))
		return none;
	struct sym bits = sym_cut(lead, (unsigned)(7 - length));
	for (int i = 1; i < length; i++) {
		if ((size_t)i == n)
			return none;
		struct sym c = sym_byte(s + i), top = sym_and(c, sym_constant(8, 0xc0));
		if (!chars_branch(site, sym_is(top, 0x80)))
			return none;
		bits = join(bits, sym_cut(c, 6));
	}
	struct sym wc = sym_extend(bits, 32);
	if (length > 2 && chars_branch(site, sym_binary(OP_ULT, wc, sym_constant(32, least(length)))))
		return none;
	if (length == 3 && chars_branch(site, chars_within(wc, 0xd800, 0xdfff)))
		return none;
	return wc;
}

// The character at s; zero is one like others.
static struct sym describe(struct site *site, const unsigned char *s, size_t n, enum charset set)
{
	struct sym lead = sym_byte(s);
	bool known = lead.l && rt_lies_in(lead.l, 0, 0x7f);
	if (known || chars_branch(site, sym_binary(OP_ULT, lead, sym_constant(8, 0x80))))
		return ascii(lead);
	return describe_long(site, s, n, set);
}

struct sym multibyte_describe_in_string(struct site *site, const unsigned char *s, size_t n, enum charset set)
{
	struct sym lead = sym_byte(s);
	if (chars_branch(site, chars_within(lead, 1, 0x7f)))
		return ascii(lead);
	if (chars_branch(site, sym_is(lead, 0)))
		return sym_constant(32, 0);
	return describe_long(site, s, n, set);
}

// --- mbrtowc and its relatives ---------------------------------------------------------------------

// A call that has been made. Result: as mbrtowc's, so 0 for a zero.
struct call {
	struct site *site;
	void *to; // a wchar_t, or NULL
	const unsigned char *s;
	size_t n;
	ssize_t result;
	bool initial; // no earlier call began the character
	bool keeps;   // what is not complete is remembered
};

// All bytes that it looked at. An error may be in front of what cannot be read: strings end.
static void take_as_it_is(const struct call *c)
{
	size_t n = c->result > 0 ? (size_t)c->result : c->result == 0 ? 1 : c->n < LONGEST ? c->n : LONGEST;
	for (size_t i = 0; i < n; i++) {
		struct sym byte = sym_byte(c->s + i);
		rt_concrete(c->site, byte.l, byte.value, REASON_CHARSET);
		if (c->result == BAD && byte.value == 0)
			break;
	}
}

// Labels *to; gives the result.
static struct sym one_character(const struct call *c)
{
	struct sym result = sym_constant(64, (uint64_t)c->result);
	if (c->to && c->result >= 0)
		rt_clear((uint64_t)c->to, sizeof(wchar_t));
	if (!rt_on || c->n == 0 || !rt_any((uint64_t)c->s, c->n < LONGEST ? c->n : LONGEST))
		return result;
	uint32_t wc;
	enum charset set = multibyte_charset();
	int length = c->initial && set != CHARSET_OTHER ? multibyte_decode(c->s, c->n, set, &wc) : 0;
	if (length == 0 || c->result != (length > 0 && !wc ? 0 : length)) {
		take_as_it_is(c);
		return result;
	}
	struct sym value = describe(c->site, c->s, c->n, set);
	if (length == INCOMPLETE && c->keeps)
		take_as_it_is(c);
	if (c->to && length > 0)
		rt_store((uint64_t)c->to, sizeof(wchar_t), value.l);
	return length == 1 ? sym_extend(sym_not(sym_is(sym_byte(c->s), 0)), 64) : result;
}

bool multibyte_is_initial(struct site *site, mbstate_t *state, const bool *pending)
{
	if (!state)
		return !*pending;
	chars_concrete(site, state, sizeof *state, REASON_ARGUMENT);
	return mbsinit(state);
}

void multibyte_note_state(mbstate_t *state, bool *pending, ssize_t result)
{
	if (state)
		rt_clear((uint64_t)state, sizeof *state);
	else
		*pending = result == INCOMPLETE || (*pending && result < 0);
}

#define FROM_BYTES(name, type)                                                                                         \
	MODEL(size_t, name, type *to, const char *s, size_t n, mbstate_t *state)                                       \
	{                                                                                                              \
		static bool pending;                                                                                   \
		ENTER(name, 4);                                                                                        \
		bool initial = multibyte_is_initial(site, state, &pending);                                            \
		size_t r = name(to, s, n, state);                                                                      \
		rt_concrete(site, arg[0], (uint64_t)to, REASON_ARGUMENT);                                              \
		rt_concrete(site, arg[1], (uint64_t)s, REASON_ARGUMENT);                                               \
		rt_concrete(site, arg[2], n, REASON_LENGTH);                                                           \
		multibyte_note_state(state, &pending, (ssize_t)r);                                                     \
		if (!s)                                                                                                \
			return r;                                                                                      \
		struct call c = {site, to, (const unsigned char *)s, n, (ssize_t)r, initial, true};                    \
		return GIVE(name, r, one_character(&c).l);                                                             \
	}

FROM_BYTES(mbrtowc, wchar_t)
FROM_BYTES(mbrtoc32, char32_t)

MODEL(size_t, mbrlen, const char *s, size_t n, mbstate_t *state)
{
	static bool pending;
	ENTER(mbrlen, 3);
	bool initial = multibyte_is_initial(site, state, &pending);
	size_t r = mbrlen(s, n, state);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	rt_concrete(site, arg[1], n, REASON_LENGTH);
	multibyte_note_state(state, &pending, (ssize_t)r);
	if (!s)
		return r;
	struct call c = {site, NULL, (const unsigned char *)s, n, (ssize_t)r, initial, true};
	return GIVE(mbrlen, r, one_character(&c).l);
}

// These say -1 for a character that is not complete, too.
static ssize_t full_result(const char *s, size_t n, int result)
{
	uint32_t wc;
	bool incomplete =
		result < 0 && multibyte_decode((const unsigned char *)s, n, multibyte_charset(), &wc) == INCOMPLETE;
	return incomplete ? INCOMPLETE : result;
}

MODEL(int, mbtowc, wchar_t *to, const char *s, size_t n)
{
	static bool pending;
	ENTER(mbtowc, 3);
	bool initial = !pending;
	int r = mbtowc(to, s, n);
	rt_concrete(site, arg[0], (uint64_t)to, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)s, REASON_ARGUMENT);
	rt_concrete(site, arg[2], n, REASON_LENGTH);
	if (!s) {
		pending = false;
		return r;
	}
	struct call c = {site, to, (const unsigned char *)s, n, full_result(s, n, r), initial, true};
	multibyte_note_state(NULL, &pending, n ? c.result : BAD);
	return GIVE(mbtowc, r, one_character(&c).l);
}

MODEL(int, mblen, const char *s, size_t n)
{
	ENTER(mblen, 2);
	int r = mblen(s, n);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	rt_concrete(site, arg[1], n, REASON_LENGTH);
	if (!s)
		return r;
	if (n == 0) // a zero is a character of no bytes
		return GIVE(mblen, r,
		            sym_choose(sym_is(sym_byte(s), 0), sym_constant(32, 0), sym_constant(32, (uint32_t)-1)).l);
	struct call c = {site, NULL, (const unsigned char *)s, n, full_result(s, n, r), true, false};
	return GIVE(mblen, r, one_character(&c).l);
}

MODEL(int, mbsinit, const mbstate_t *state)
{
	ENTER(mbsinit, 1);
	int r = mbsinit(state);
	rt_concrete(site, arg[0], (uint64_t)state, REASON_ARGUMENT);
	if (state)
		chars_concrete(site, state, sizeof *state, REASON_ARGUMENT);
	return r;
}

// --- one wide character, to bytes ---------------------------------------------------------------------

int multibyte_encoded_length(uint32_t wc, enum charset set)
{
	int length = longest(set);
	if (wc > 0x7fffffff || is_surrogate(wc) || (set == CHARSET_ASCII && wc >= 0x80))
		return BAD;
	while (wc < least(length))
		length--;
	return length;
}

void multibyte_branch_on_length(struct site *site, struct sym wc, int length, enum charset set)
{
	bool found = false;
	for (; wc.l && !found && length <= longest(set); length++) {
		uint64_t limit = length == LONGEST ? 1u << 31 : least(length + 1);
		found = rt_lies_in(wc.l, 0, (int64_t)limit - 1) ||
		        chars_branch(site, sym_binary(OP_ULT, wc, sym_constant(32, limit)));
	}
	if (found && wc.value >= least(3) && wc.value < least(4))
		chars_branch(site, chars_within(wc, 0xd800, 0xdfff));
}

void multibyte_label_bytes(char *to, struct sym wc, int length)
{
	if (length == 1)
		rt_store((uint64_t)to, 1, sym_cut(wc, 8).l);
	for (int i = 0; length > 1 && i < length; i++) {
		unsigned shift = 6 * (unsigned)(length - 1 - i), mark = i ? 0x80 : 0xff & ~(0xffu >> length);
		struct sym bits = sym_cut(sym_binary(OP_LSHR, wc, sym_constant(32, shift)), 8);
		if (i)
			bits = sym_and(bits, sym_constant(8, 0x3f));
		rt_store((uint64_t)to + (unsigned)i, 1, sym_or(bits, sym_constant(8, mark)).l);
	}
}

// `to` got `result` bytes.
static void one_wide(struct site *site, char *to, mbstate_t *state, struct sym wc, ssize_t result)
{
	if (state)
		rt_clear((uint64_t)state, sizeof *state);
	if (!to)
		return;
	if (result > 0)
		rt_clear((uint64_t)to, (uint64_t)result);
	if (!wc.l || !rt_on)
		return;
	enum charset set = multibyte_charset();
	int length = multibyte_encoded_length((uint32_t)wc.value, set);
	if (set == CHARSET_OTHER || result != length) {
		rt_concrete(site, wc.l, wc.value, REASON_CHARSET);
		return;
	}
	multibyte_branch_on_length(site, wc, 1, set);
	if (length > 0)
		multibyte_label_bytes(to, wc, length);
}

// The real function is called with what stands in parentheses.
#define TO_BYTES(result, name, parameters, ...)                                                                        \
	MODEL(result, name, char *to, wchar_t wc PARAMETERS_##parameters)                                              \
	{                                                                                                              \
		ENTER(name, 2);                                                                                        \
		result r = name(__VA_ARGS__);                                                                          \
		rt_concrete(site, arg[0], (uint64_t)to, REASON_ARGUMENT);                                              \
		one_wide(site, to, STATE_##parameters, chars_argument(arg[1], 32, (uint32_t)wc), (ssize_t)r);          \
		return r;                                                                                              \
	}
#define PARAMETERS_PLAIN
#define PARAMETERS_SIZE , size_t size
#define PARAMETERS_STATE , mbstate_t *state
#define PARAMETERS_BOTH , mbstate_t *state, size_t size
#define STATE_PLAIN NULL
#define STATE_SIZE NULL
#define STATE_STATE state
#define STATE_BOTH state

int __wctomb_chk(char *to, wchar_t wc, size_t size);
size_t __wcrtomb_chk(char *to, wchar_t wc, mbstate_t *state, size_t size);

TO_BYTES(int, wctomb, PLAIN, to, wc)
TO_BYTES(int, __wctomb_chk, SIZE, to, wc, size)
TO_BYTES(size_t, wcrtomb, STATE, to, wc, state)
TO_BYTES(size_t, c32rtomb, STATE, to, (char32_t)wc, state)
TO_BYTES(size_t, __wcrtomb_chk, BOTH, to, wc, state, size)

// --- characters of one byte -----------------------------------------------------------------------------

MODEL(wint_t, btowc, int c)
{
	ENTER(btowc, 1);
	enum { LOWEST = -128, ENTRIES = 384 };
	struct sym x = chars_argument(arg[0], 32, (uint32_t)c), none = sym_constant(32, WEOF);
	uint32_t value[ENTRIES];
	wint_t r = (btowc)(c);
	if (!x.l)
		return r;
	for (int i = 0; i < ENTRIES; i++)
		value[i] = (btowc)(LOWEST + i);
	struct sym inside = chars_within(x, (uint32_t)LOWEST, LOWEST + ENTRIES - 1);
	struct sym same = sym_of(x.l, 32, inside.value ? x.value : 0); // 0: the result is not taken
	struct sym wc = chars_function(same, (uint32_t)LOWEST, ENTRIES, value, true);
	return GIVE(btowc, r, sym_choose(inside, wc, none).l);
}

MODEL(int, wctob, wint_t wc)
{
	ENTER(wctob, 1);
	struct sym x = chars_argument(arg[0], 32, wc), none = sym_constant(32, (uint32_t)EOF);
	int r = (wctob)(wc);
	if (!x.l)
		return r;
	if (multibyte_charset() == CHARSET_OTHER) {
		rt_concrete(site, x.l, x.value, REASON_CHARSET);
		return r;
	}
	return GIVE(wctob, r, sym_choose(sym_binary(OP_ULT, x, sym_constant(32, 0x80)), x, none).l);
}
