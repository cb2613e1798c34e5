// Conversion between character sets. Where both have ASCII as it is, a byte below 0x80 is
// copied as long as it is one, which the path keeps. All else is taken as it is.
#include <errno.h>
#include <iconv.h>
#include <string.h>

#include "runtime/models/chars.h"

enum { DESCRIPTORS = 64, CHARACTER = 8 }; // CHARACTER: at most bytes of one

static iconv_t both_ascii[DESCRIPTORS] RT_LARGE; // descriptors between sets that have ASCII as it is

// Tried out, because names say little.
static bool is_both_ascii(const char *to, const char *from)
{
	char in[128], out[256], *p = in, *q = out;
	size_t left = sizeof in, room = sizeof out;
	for (size_t i = 0; i < sizeof in; i++)
		in[i] = (char)i;
	iconv_t probe = iconv_open(to, from);
	if (probe == (iconv_t)-1)
		return false;
	size_t r = iconv(probe, &p, &left, &q, &room);
	iconv_close(probe);
	return r == 0 && left == 0 && room == sizeof out - sizeof in && memcmp(in, out, sizeof in) == 0;
}

static void replace(iconv_t old, iconv_t new)
{
	for (int i = 0; i < DESCRIPTORS; i++) {
		iconv_t expected = old;
		if (__atomic_compare_exchange_n(&both_ascii[i], &expected, new, false, __ATOMIC_RELAXED,
		                                __ATOMIC_RELAXED))
			return;
	}
}

static bool is_known(iconv_t d)
{
	for (int i = 0; i < DESCRIPTORS; i++)
		if (both_ascii[i] == d)
			return d;
	return false;
}

MODEL(iconv_t, iconv_open, const char *to, const char *from)
{
	ENTER(iconv_open, 2);
	iconv_t r = iconv_open(to, from);
	int saved = errno;
	chars_concrete_string(site, to);
	chars_concrete_string(site, from);
	if (r != (iconv_t)-1 && rt_on && is_both_ascii(to, from))
		replace(NULL, r);
	errno = saved;
	return r;
}

MODEL(int, iconv_close, iconv_t d)
{
	ENTER(iconv_close, 1);
	if (d)
		replace(d, NULL);
	return iconv_close(d);
}

static bool is_ascii(char c)
{
	return (unsigned char)c < 0x80;
}

// Bytes at the start that are ASCII in both.
static size_t same_start(const char *in, size_t n, const char *out, size_t m)
{
	size_t i = 0;
	while (i < n && i < m && is_ascii(in[i]) && in[i] == out[i])
		i++;
	return i;
}

// Bytes at the end, less one: that may belong to the character in front of it.
static size_t same_end(const char *in, size_t n, const char *out, size_t m)
{
	size_t i = 0;
	while (i < n && i < m && is_ascii(in[n - 1 - i]) && in[n - 1 - i] == out[m - 1 - i])
		i++;
	return i ? i - 1 : 0;
}

static struct sym all_ascii(struct sym r, const char *in, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sym c = sym_byte(in + i);
		if (c.l && !rt_lies_in(c.l, 0, 0x7f))
			r = sym_and(r, sym_binary(OP_ULT, c, sym_constant(8, 0x80)));
	}
	return r;
}

// n bytes of `in` have become m bytes of `out`.
static void converted(struct site *site, bool ascii, const char *in, size_t n, char *out, size_t m)
{
	if (!rt_on || !rt_any((uint64_t)in, n)) {
		rt_clear((uint64_t)out, m);
		return;
	}
	size_t start = ascii ? same_start(in, n, out, m) : 0, end = 0;
	if (start < n)
		end = ascii ? same_end(in + start, n - start, out + start, m - start) : 0;
	else if (m != n)
		start = 0; // something is kept for later
	struct sym fine = all_ascii(sym_constant(1, 1), in, start);
	chars_keep(site, all_ascii(fine, in + n - end, end), REASON_CHARSET);
	chars_concrete(site, in + start, n - start - end, REASON_CHARSET);
	rt_copy((uint64_t)out, (uint64_t)in, start);
	rt_clear((uint64_t)out + start, m - start - end);
	rt_copy((uint64_t)out + m - end, (uint64_t)in + n - end, end);
}

// A pointer or size that libc reads and writes.
static void take(struct site *site, const void *p, uint64_t value, enum trace_reason reason)
{
	if (p && rt_on)
		rt_concrete(site, rt_load((uint64_t)p, 8), value, reason);
}

static void clear(const void *p)
{
	if (p)
		rt_clear((uint64_t)p, 8);
}

MODEL(size_t, iconv, iconv_t d, char **in, size_t *left, char **out, size_t *room)
{
	ENTER(iconv, 5);
	char *from = in ? *in : NULL, *to = out ? *out : NULL;
	take(site, in, (uint64_t)from, REASON_ARGUMENT);
	take(site, out, (uint64_t)to, REASON_ARGUMENT);
	take(site, left, left ? *left : 0, REASON_LENGTH);
	take(site, room, room ? *room : 0, REASON_LENGTH);
	size_t r = iconv(d, in, left, out, room);
	int saved = errno;
	const void *given[] = {d, in, left, out, room};
	for (int i = 0; i < 5; i++)
		rt_concrete(site, arg[i], (uint64_t)given[i], REASON_ARGUMENT);
	if (from && to)
		converted(site, is_known(d), from, (size_t)(*in - from), to, (size_t)(*out - to));
	else if (to)
		rt_clear((uint64_t)to, (uint64_t)(*out - to));
	if (to) // libc tries things out in the rest of the room
		rt_clear((uint64_t)*out, *room);
	if (from && r == (size_t)-1) // because of what comes next
		chars_concrete(site, *in, *left < CHARACTER ? *left : CHARACTER, REASON_CHARSET);
	clear(in);
	clear(out);
	clear(left);
	clear(room);
	errno = saved;
	return r;
}
