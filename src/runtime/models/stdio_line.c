// Lines of a stream: fgets, gets, getline.
#include <errno.h>
#include <string.h>

#include "runtime/models/stdio.h"

// Conditions of the path that a line leaves: for every byte, that the file has it, and whether
// the line ends there; and whether the file ends behind it.

static void line_goes_on(struct stream *s, struct site *site, uint64_t at, bool is)
{
	if (reading_has(s->source, at) == is)
		reading_branch(site, reading_exists(s->source, at));
}

static void line_byte(struct site *site, label byte, int c, int end)
{
	reading_branch(site, sym_is(sym_of(byte, 8, (uint8_t)c), (uint8_t)end));
}

static void line_ends(struct stream *s, struct site *site, uint64_t from, uint64_t to, bool by_file)
{
	if (by_file && to > from)
		line_goes_on(s, site, to, false);
}

// Reads up to a line break, at most `room` bytes. Byte by byte: how many were read cannot be
// told from what fgets returns. Returns their number; 0 after a failure. *ret_ended: the file
// ended, or reading failed.
static uint64_t get_line(struct stream *s, struct site *site, char *to, uint64_t room, bool keep, bool *ret_ended)
{
	FILE *f = s->file;
	int had_error = f->_flags & LIBC_ERROR;
	uint64_t n = 0, from = 0, end = 0;
	bool started = false;
	struct stdio_byte t = {0};
	f->_flags &= ~LIBC_ERROR;
	while (n < room && t.c != '\n' && (t = stdio_take(s, site)).c != EOF) {
		if (!t.pushed && !started)
			from = t.at;
		if (!t.pushed && t.known) {
			line_goes_on(s, site, t.at, true);
			started = true;
		}
		end = t.pushed ? end : t.at + 1;
		line_byte(site, t.byte, t.c, '\n');
		if (t.c == '\n' && !keep)
			break;
		to[n] = (char)t.c;
		rt_store((uint64_t)to + n++, 1, t.byte);
	}
	bool failed = (f->_flags & LIBC_ERROR) && errno != EAGAIN;
	if (started)
		line_ends(s, site, from, end, t.c == EOF && !failed);
	else if (t.c == EOF && t.known)
		line_goes_on(s, site, t.at, false);
	f->_flags |= had_error;
	*ret_ended = t.c == EOF;
	return failed ? 0 : n;
}

// A NUL in a line hides how much of the buffer was written.
static void clear_line(const char *line, uint64_t room)
{
	uint64_t n = strlen(line);
	bool whole = n == room - 1 || (n && line[n - 1] == '\n');
	rt_clear((uint64_t)line, whole ? n + 1 : room);
}

static void other_line(const struct stdio_other *o, struct site *site, char *line, uint64_t n, int delimiter)
{
	stdio_other_ends(o, line, n);
	for (uint64_t i = 0; o->memory && i < n; i++)
		line_byte(site, rt_load((uint64_t)line + i, 1), line[i], delimiter);
}

static char *get_text(FILE *f, struct site *site, char *to, int n)
{
	struct stream *s = n > 1 ? stream_of(f, site) : NULL;
	if (!s) {
		struct stdio_other o = stdio_other_starts(f);
		char *r = fgets_unlocked(to, n, f);
		if (r && rt_on)
			clear_line(to, (uint64_t)n);
		if (r && rt_sized)
			rt_accessed(site, (uint64_t)to, strlen(to) + 1);
		if (r && o.memory)
			other_line(&o, site, to, memory_stream_position(o.memory) - (o.at - o.pushed), '\n');
		return r;
	}
	bool ended;
	uint64_t got = get_line(s, site, to, (uint64_t)n - 1, true, &ended);
	if (!got)
		return NULL;
	to[got] = 0;
	rt_accessed(site, (uint64_t)to, got + 1);
	rt_clear((uint64_t)to + got, 1);
	return to;
}

MODEL(char *, fgets, char *to, int n, FILE *f)
{
	ENTER(fgets, 3);
	stream_lock(f);
	char *r = get_text(f, site, to, n);
	stream_unlock(f);
	rt_concrete(site, arg[0], (uint64_t)to, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint32_t)n, REASON_LENGTH);
	return r;
}

MODEL(char *, fgets_unlocked, char *to, int n, FILE *f)
{
	ENTER(fgets_unlocked, 3);
	char *r = get_text(f, site, to, n);
	rt_concrete(site, arg[0], (uint64_t)to, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint32_t)n, REASON_LENGTH);
	return r;
}

extern char *__fgets_chk(char *, size_t, int, FILE *);

MODEL(char *, __fgets_chk, char *to, size_t room, int n, FILE *f)
{
	ENTER(__fgets_chk, 4);
	rt_concrete(site, arg[0], (uint64_t)to, REASON_ARGUMENT);
	rt_concrete(site, arg[2], (uint32_t)n, REASON_LENGTH);
	if (n <= 1 || (size_t)n > room) // with room for the terminator alone, it fails
		return __fgets_chk(to, room, n, f);
	stream_lock(f);
	char *r = get_text(f, site, to, n);
	stream_unlock(f);
	return r;
}

// Not the real function, which nobody should call: the same byte by byte.
static int get_any_line(FILE *f, char *to, uint64_t *ret)
{
	int c, had_error = f->_flags & LIBC_ERROR;
	f->_flags &= ~LIBC_ERROR;
	while ((c = getc_unlocked(f)) != EOF && c != '\n')
		to[(*ret)++] = (char)c;
	int r = c == EOF && (!*ret || (f->_flags & LIBC_ERROR)) ? EOF : 0;
	f->_flags |= had_error;
	return r;
}

MODEL(char *, gets, char *to)
{
	ENTER(gets, 1);
	stream_lock(stdin);
	struct stream *s = stream_of(stdin, site);
	uint64_t n = 0;
	int r;
	if (s) {
		bool ended;
		n = get_line(s, site, to, UINT64_MAX, false, &ended);
		r = ended && !n ? EOF : 0;
	} else {
		r = get_any_line(stdin, to, &n);
		rt_clear((uint64_t)to, n);
	}
	stream_unlock(stdin);
	if (r == EOF)
		return NULL;
	to[n] = 0;
	rt_clear((uint64_t)to + n, 1);
	return to;
}

// The real function: it alone knows how it makes room.
static void got_delimited(struct stream *s, struct site *site, struct stdio_front *front, char **line, int delimiter,
                          ssize_t r)
{
	uint64_t n = r > 0 ? (uint64_t)r : 0;
	bool at_end = stream_is_at_end(s->file) && (!n || (uint8_t)(*line)[n - 1] != (uint8_t)delimiter);
	uint64_t pushed = stdio_filled(s, site, front, *line, n);
	bool same = reading_is_same(s->source, front->at, *line + pushed, n - pushed);
	if (at_end)
		reading_ended(site, s->source);
	for (uint64_t i = 0; i < n; i++) {
		if (i >= pushed && same)
			line_goes_on(s, site, front->at + i - pushed, true);
		line_byte(site, rt_load((uint64_t)*line + i, 1), (*line)[i], delimiter);
	}
	if (n > pushed && same)
		line_ends(s, site, front->at, front->at + n - pushed, at_end);
	else if (at_end && n == pushed)
		line_goes_on(s, site, front->at, false);
	if (r >= 0)
		rt_clear((uint64_t)*line + n, 1);
}

static ssize_t get_delimited(FILE *f, struct site *site, char **line, size_t *size, int delimiter)
{
	stream_lock(f);
	struct stream *s = stream_of(f, site);
	struct stdio_front front = s ? stdio_front(s) : (struct stdio_front){0};
	struct stdio_other o = s ? (struct stdio_other){0} : stdio_other_starts(f);
	ssize_t r = getdelim(line, size, delimiter, f);
	int saved = errno;
	if (rt_on && line && size) {
		rt_clear((uint64_t)line, sizeof *line);
		rt_clear((uint64_t)size, sizeof *size);
	}
	if (s) {
		got_delimited(s, site, &front, line, delimiter, r);
	} else if (r >= 0) {
		rt_clear((uint64_t)*line, (uint64_t)r + 1);
		other_line(&o, site, *line, (uint64_t)r, delimiter);
	}
	errno = saved;
	stream_unlock(f);
	return r;
}

MODEL(ssize_t, getline, char **line, size_t *size, FILE *f)
{
	ENTER(getline, 3);
	return get_delimited(f, site, line, size, '\n');
}

MODEL(ssize_t, getdelim, char **line, size_t *size, int delimiter, FILE *f)
{
	ENTER(getdelim, 4);
	rt_concrete(site, arg[2], (uint32_t)delimiter, REASON_ARGUMENT);
	return get_delimited(f, site, line, size, delimiter);
}
