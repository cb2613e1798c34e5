// Wide characters from streams: those that are one byte of the file, in the encodings that
// have ASCII in them. What is longer is taken as it is.
#include <errno.h>
#include <stdio.h>
#include <wchar.h>

#include "runtime/models/stream.h"

// The character is one byte of the file, or the end of it; what is longer is taken as it is.
static label wide(struct rt_source *s, struct site *site, uint64_t from, uint64_t to, wint_t c)
{
	struct sym end = sym_constant(32, WEOF), exists = reading_exists(s, from);
	if (exists.value != (to > from))
		return 0;
	struct sym byte = sym_of(to > from ? rt_source_byte(s, from, s->data[from]) : rt_source_behind(s, from), 8,
	                         to > from ? s->data[from] : 0);
	if (to > from + 1 || (c != WEOF && c != byte.value) || (c == WEOF && to > from)) {
		for (uint64_t i = from; i < to && i < s->size; i++)
			rt_concrete(site, rt_source_byte(s, i, s->data[i]), s->data[i], REASON_WIDE);
		return 0;
	}
	if (to > from)
		reading_branch(site, sym_binary(OP_ULT, byte, sym_constant(8, 0x80)));
	return sym_choose(exists, sym_extend(byte, 32), end).l;
}

// Only for what can be asked where it is.
static wint_t get_wide(FILE *f, struct site *site, label *ret)
{
	*ret = 0;
	struct rt_source *s = rt_on && rt_sources_read && f->_fileno >= 0 ? rt_source_of(f->_fileno) : NULL;
	if (!s)
		return fgetwc_unlocked(f);
	int saved = errno;
	fwide(f, 1);
	int64_t from = ftello(f);
	errno = saved;
	wint_t c = fgetwc_unlocked(f);
	saved = errno;
	int64_t to = ftello(f);
	errno = saved;
	if (from < 0 || to < from)
		rt_unmodelled(site, "fgetwc");
	else if (c != WEOF || stream_is_at_end(f))
		*ret = wide(s, site, (uint64_t)from, (uint64_t)to, c);
	return c;
}

MODEL(wint_t, fgetwc, FILE *f)
{
	ENTER(fgetwc, 1);
	label l;
	stream_lock(f);
	wint_t c = get_wide(f, site, &l);
	stream_unlock(f);
	return GIVE(fgetwc, c, l);
}

MODEL(wint_t, getwchar, void)
{
	ENTER(getwchar, 0);
	label l;
	stream_lock(stdin);
	wint_t c = get_wide(stdin, site, &l);
	stream_unlock(stdin);
	return GIVE(getwchar, c, l);
}

MODEL(wint_t, ungetwc, wint_t c, FILE *f)
{
	ENTER(ungetwc, 2);
	wint_t r = ungetwc(c, f);
	if (r == WEOF || !arg[0])
		return r;
	rt_concrete(site, arg[0], c, REASON_ARGUMENT);
	return r;
}

MODEL(wchar_t *, fgetws, wchar_t *to, int n, FILE *f)
{
	ENTER(fgetws, 3);
	if (n <= 1 || !rt_on || !rt_sources_read) {
		wchar_t *r = fgetws(to, n, f);
		if (r && rt_on)
			rt_clear((uint64_t)to, sizeof *to * (uint64_t)n);
		return r;
	}
	stream_lock(f);
	int had_error = f->_flags & LIBC_ERROR, got = 0;
	f->_flags &= ~LIBC_ERROR;
	wint_t c = 0;
	while (got < n - 1 && c != L'\n') {
		label l;
		c = get_wide(f, site, &l);
		reading_branch(site, sym_is(sym_of(l, 32, c), WEOF));
		if (c == WEOF)
			break;
		reading_branch(site, sym_is(sym_of(l, 32, c), L'\n'));
		to[got] = (wchar_t)c;
		rt_store((uint64_t)(to + got++), sizeof *to, l);
	}
	bool failed = got == 0 || ((f->_flags & LIBC_ERROR) && errno != EAGAIN);
	f->_flags |= had_error;
	stream_unlock(f);
	if (failed)
		return NULL;
	to[got] = 0;
	rt_clear((uint64_t)(to + got), sizeof *to);
	return to;
}
