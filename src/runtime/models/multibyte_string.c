// Conversion of whole strings between bytes and wide characters; see multibyte.c.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/models/multibyte.h"

#define AND ,
#define COUNT(a) (sizeof(a) / sizeof *(a))

// Where the pointers led, and how much there was to be at most, in the order of the arguments.
static void arguments_concrete(struct site *site, const label *arg, const void *to, const void *from,
                               const size_t *lengths, size_t n_lengths)
{
	rt_concrete(site, arg[0], (uint64_t)to, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)from, REASON_ARGUMENT);
	for (size_t i = 0; i < n_lengths; i++)
		rt_concrete(site, arg[2 + i], lengths[i], REASON_LENGTH);
}

static void pointer_argument(struct site *site, const void *at, uint64_t value)
{
	rt_concrete(site, rt_on ? rt_load((uint64_t)at, 8) : 0, value, REASON_ARGUMENT);
}

// --- strings, from bytes ---------------------------------------------------------------------------------

// What libc was asked for: at most `bytes` bytes to at most `limit` characters.
struct from_bytes {
	struct site *site;
	const unsigned char *from;
	size_t bytes;
	wchar_t *to; // NULL: it only counts
	size_t limit;
	enum charset set;
	size_t rest; // bytes at the end that are no whole character
};

// Walks as libc did; returns what it must have returned. With `tell`, the path gets the
// branches, and what was written its labels.
static ssize_t walk_bytes(struct from_bytes *c, bool tell)
{
	const unsigned char *p = c->from;
	size_t n = 0, left = c->bytes;
	c->rest = 0;
	for (; n < c->limit && left; n++) {
		uint32_t wc;
		int length = multibyte_decode(p, left, c->set, &wc);
		struct sym value = sym_constant(32, wc);
		if (tell)
			value = multibyte_describe_in_string(c->site, p, left, c->set);
		if (length == INCOMPLETE) {
			c->rest = left;
			break;
		}
		if (length < 0)
			return BAD;
		if (tell && c->to)
			rt_store((uint64_t)(c->to + n), sizeof *c->to, value.l);
		if (wc == 0)
			break;
		p += length;
		left -= (size_t)length;
	}
	return (ssize_t)n;
}

// How many bytes were looked at, in any character set, if that began at the start; and how
// many characters they are, without a zero.
static size_t bytes_used(const struct from_bytes *c, size_t *ret_characters)
{
	mbstate_t state = {0};
	size_t i = 0, n = 0;
	int saved = errno;
	while (i < c->bytes && n < c->limit) {
		size_t r = mbrlen((const char *)c->from + i++, 1, &state);
		if (r == 0 || r == (size_t)BAD)
			break;
		n += r != (size_t)INCOMPLETE;
	}
	errno = saved;
	*ret_characters = n;
	return i;
}

// libc has done it, with this result. Returns whether it remembers part of a character.
static bool bytes_done(struct from_bytes c, bool initial, size_t result)
{
	if (!rt_on)
		return false;
	bool whole = result != (size_t)BAD && result < c.limit && c.bytes == SIZE_MAX;
	if (whole && !rt_any((uint64_t)c.from, strlen((const char *)c.from) + 1)) {
		if (c.to)
			rt_clear((uint64_t)c.to, (result + 1) * sizeof *c.to);
		return false;
	}
	size_t written, used = bytes_used(&c, &written);
	bool any = rt_any((uint64_t)c.from, used);
	c.set = multibyte_charset();
	if (result != (size_t)BAD)
		written = result + (used && !c.from[used - 1]);
	if (c.to)
		rt_clear((uint64_t)c.to, written * sizeof *c.to);
	if (!any)
		return false;
	if (!initial || c.set == CHARSET_OTHER || walk_bytes(&c, false) != (ssize_t)result) {
		chars_concrete(c.site, c.from, used, REASON_CHARSET);
		return true;
	}
	walk_bytes(&c, true);
	chars_concrete(c.site, c.from + c.bytes - c.rest, c.rest, REASON_CHARSET);
	return c.rest != 0;
}

size_t __mbstowcs_chk(wchar_t *to, const char *from, size_t n, size_t size);
size_t __mbsrtowcs_chk(wchar_t *to, const char **from, size_t n, mbstate_t *state, size_t size);
size_t __mbsnrtowcs_chk(wchar_t *to, const char **from, size_t bytes, size_t n, mbstate_t *state, size_t size);

static size_t mbstowcs_done(struct site *site, const label *arg, wchar_t *to, const char *from, size_t n, size_t r)
{
	arguments_concrete(site, arg, to, from, &n, 1);
	struct from_bytes c = {.site = site, .from = (const unsigned char *)from, .bytes = SIZE_MAX, .to = to};
	c.limit = to ? n : SIZE_MAX;
	bytes_done(c, true, r);
	return r;
}

MODEL(size_t, mbstowcs, wchar_t *to, const char *from, size_t n)
{
	ENTER(mbstowcs, 3);
	return mbstowcs_done(site, arg, to, from, n, mbstowcs(to, from, n));
}

MODEL(size_t, __mbstowcs_chk, wchar_t *to, const char *from, size_t n, size_t size)
{
	ENTER(__mbstowcs_chk, 3);
	return mbstowcs_done(site, arg, to, from, n, __mbstowcs_chk(to, from, n, size));
}

// At most `at_most` bytes are read. Behind it: the lengths among the arguments, in their order.
#define STRING_FROM_BYTES(name, parameters, call, at_most, ...)                                                        \
	MODEL(size_t, name, wchar_t *to, const char **from parameters)                                                 \
	{                                                                                                              \
		static bool pending;                                                                                   \
		const size_t lengths[] = {__VA_ARGS__};                                                                \
		ENTER(name, 2 + COUNT(lengths));                                                                       \
		const char *start = *from;                                                                             \
		pointer_argument(site, from, (uint64_t)start);                                                         \
		bool initial = multibyte_is_initial(site, state, &pending);                                            \
		size_t r = call;                                                                                       \
		arguments_concrete(site, arg, to, from, lengths, COUNT(lengths));                                      \
		struct from_bytes c = {                                                                                \
			.site = site, .from = (const unsigned char *)start, .bytes = at_most, .to = to};               \
		c.limit = to ? n : SIZE_MAX;                                                                           \
		bool rest = bytes_done(c, initial, r);                                                                 \
		rt_clear((uint64_t)from, sizeof *from);                                                                \
		multibyte_note_state(state, &pending, rest ? INCOMPLETE : 0);                                          \
		return r;                                                                                              \
	}

STRING_FROM_BYTES(mbsrtowcs, AND size_t n AND mbstate_t *state, mbsrtowcs(to, from, n, state), SIZE_MAX, n)
STRING_FROM_BYTES(__mbsrtowcs_chk, AND size_t n AND mbstate_t *state AND size_t size,
                  __mbsrtowcs_chk(to, from, n, state, size), SIZE_MAX, n)
STRING_FROM_BYTES(mbsnrtowcs, AND size_t bytes AND size_t n AND mbstate_t *state, mbsnrtowcs(to, from, bytes, n, state),
                  bytes, bytes, n)
STRING_FROM_BYTES(__mbsnrtowcs_chk, AND size_t bytes AND size_t n AND mbstate_t *state AND size_t size,
                  __mbsnrtowcs_chk(to, from, bytes, n, state, size), bytes, bytes, n)

// --- strings, to bytes ------------------------------------------------------------------------------------

struct to_bytes {
	struct site *site;
	const wchar_t *from;
	size_t characters; // at most
	char *to;          // NULL: it only counts
	size_t limit;
	enum charset set;
	size_t used; // characters that were looked at
};

static void tell_wide(struct site *site, struct sym wc, enum charset set)
{
	if (!wc.l || chars_branch(site, chars_within(wc, 1, 0x7f)) || chars_branch(site, sym_is(wc, 0)))
		return;
	multibyte_branch_on_length(site, wc, 2, set);
}

static ssize_t walk_wide(struct to_bytes *c, bool tell)
{
	size_t n = 0;
	for (c->used = 0; c->used < c->characters && n < c->limit; c->used++) {
		struct sym wc = chars_wide(c->from + c->used);
		int length = multibyte_encoded_length((uint32_t)wc.value, c->set);
		if (tell)
			tell_wide(c->site, wc, c->set);
		bool fits = length > 0 && (size_t)length <= c->limit - n;
		if (length < 0 || !fits) {
			c->used++;
			return length < 0 ? BAD : (ssize_t)n;
		}
		if (tell && c->to)
			multibyte_label_bytes(c->to + n, wc, length);
		if (wc.value == 0) {
			c->used++;
			break;
		}
		n += (size_t)length;
	}
	return (ssize_t)n;
}

// The same without a walk that knows the character set: how many characters were looked at,
// and how many bytes written.
static size_t measure(struct to_bytes *c)
{
	char one[MB_LEN_MAX];
	mbstate_t state = {0};
	size_t n = 0;
	int saved = errno;
	c->used = 0;
	while (c->used < c->characters && n < c->limit) {
		wchar_t wc = c->from[c->used++];
		size_t r = wcrtomb(one, wc, &state);
		if (r == (size_t)BAD || r > c->limit - n || !wc)
			break;
		n += r;
	}
	errno = saved;
	return n;
}

static size_t wide_done(struct to_bytes c, size_t result)
{
	if (!rt_on)
		return result;
	c.set = multibyte_charset();
	bool same = c.set != CHARSET_OTHER && walk_wide(&c, false) == (ssize_t)result;
	size_t written = !same || result == (size_t)BAD ? measure(&c) : 0;
	if (result != (size_t)BAD)
		written = result + (c.used && !c.from[c.used - 1]);
	if (c.to)
		rt_clear((uint64_t)c.to, written);
	if (!rt_any((uint64_t)c.from, c.used * sizeof *c.from))
		return result;
	if (same)
		walk_wide(&c, true);
	else
		chars_concrete(c.site, c.from, c.used * sizeof *c.from, REASON_CHARSET);
	return result;
}

size_t __wcstombs_chk(char *to, const wchar_t *from, size_t n, size_t size);
size_t __wcsrtombs_chk(char *to, const wchar_t **from, size_t n, mbstate_t *state, size_t size);
size_t __wcsnrtombs_chk(char *to, const wchar_t **from, size_t characters, size_t n, mbstate_t *state, size_t size);

static size_t wcstombs_done(struct site *site, const label *arg, char *to, const wchar_t *from, size_t n, size_t r)
{
	arguments_concrete(site, arg, to, from, &n, 1);
	struct to_bytes c = {.site = site, .from = from, .characters = SIZE_MAX, .to = to, .limit = to ? n : SIZE_MAX};
	return wide_done(c, r);
}

MODEL(size_t, wcstombs, char *to, const wchar_t *from, size_t n)
{
	ENTER(wcstombs, 3);
	return wcstombs_done(site, arg, to, from, n, wcstombs(to, from, n));
}

MODEL(size_t, __wcstombs_chk, char *to, const wchar_t *from, size_t n, size_t size)
{
	ENTER(__wcstombs_chk, 3);
	return wcstombs_done(site, arg, to, from, n, __wcstombs_chk(to, from, n, size));
}

// As STRING_FROM_BYTES, with characters in place of bytes.
#define STRING_TO_BYTES(name, parameters, call, at_most, ...)                                                          \
	MODEL(size_t, name, char *to, const wchar_t **from parameters)                                                 \
	{                                                                                                              \
		const size_t lengths[] = {__VA_ARGS__};                                                                \
		ENTER(name, 2 + COUNT(lengths));                                                                       \
		const wchar_t *start = *from;                                                                          \
		pointer_argument(site, from, (uint64_t)start);                                                         \
		size_t r = call;                                                                                       \
		arguments_concrete(site, arg, to, from, lengths, COUNT(lengths));                                      \
		struct to_bytes c = {.site = site, .from = start, .characters = at_most, .to = to};                    \
		c.limit = to ? n : SIZE_MAX;                                                                           \
		rt_clear((uint64_t)from, sizeof *from);                                                                \
		if (state)                                                                                             \
			rt_clear((uint64_t)state, sizeof *state);                                                      \
		return wide_done(c, r);                                                                                \
	}

STRING_TO_BYTES(wcsrtombs, AND size_t n AND mbstate_t *state, wcsrtombs(to, from, n, state), SIZE_MAX, n)
STRING_TO_BYTES(__wcsrtombs_chk, AND size_t n AND mbstate_t *state AND size_t size,
                __wcsrtombs_chk(to, from, n, state, size), SIZE_MAX, n)
STRING_TO_BYTES(wcsnrtombs, AND size_t characters AND size_t n AND mbstate_t *state,
                wcsnrtombs(to, from, characters, n, state), characters, characters, n)
STRING_TO_BYTES(__wcsnrtombs_chk, AND size_t characters AND size_t n AND mbstate_t *state AND size_t size,
                __wcsnrtombs_chk(to, from, characters, n, state, size), characters, characters, n)
