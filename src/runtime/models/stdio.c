// Streams: what comes through a FILE. The labels of its bytes follow from where they are
// in the file; the unread part of the buffer gets them, too, for code that looks in there.
// A byte that was pushed back keeps its label in the memory that libc puts it in.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <unistd.h>
#include <wchar.h>

#include "runtime/models/reading.h"

enum { LIBC_NO_WRITES = 0x8, LIBC_EOF = 0x10, LIBC_ERROR = 0x20, LIBC_IN_BACKUP = 0x100 }; // of _flags

struct stream {
	FILE *file; // NULL: free
	int fd;
	struct rt_source *source; // NULL: no input
	uint64_t end;             // offset of the byte behind the buffer
	const char *buffer_end;   // as it was when `end` was found
	uint64_t last;            // offset behind the last byte that was read since the last seek, 0: none
};

// --- the streams that are known ---------------------------------------------------------------

enum { STREAMS = 4096 };
static struct stream streams[STREAMS];
#define GONE ((FILE *)1)

static size_t slot_of(FILE *f)
{
	return ((uint64_t)f >> 4) * 0x9e3779b97f4a7c15u >> 52;
}

static struct stream *find(FILE *f)
{
	size_t at = slot_of(f);
	for (size_t i = 0; i < STREAMS && streams[at].file; i++, at = (at + 1) % STREAMS)
		if (streams[at].file == f)
			return &streams[at];
	return NULL;
}

static struct stream *add(FILE *f)
{
	size_t at = slot_of(f);
	struct stream *r = NULL;
	if (!rt_enter())
		return NULL;
	for (size_t i = 0; i < STREAMS && !r; i++, at = (at + 1) % STREAMS)
		if (!streams[at].file || streams[at].file == GONE)
			r = &streams[at];
	if (r)
		*r = (struct stream){.file = f, .fd = -1};
	rt_leave();
	return r;
}

static void forget(FILE *f)
{
	struct stream *s = rt_sources_read && f ? find(f) : NULL;
	if (s)
		s->file = GONE;
}

// --- libc's buffer --------------------------------------------------------------------------------

static uint64_t pushed_back(FILE *f)
{
	return f->_flags & LIBC_IN_BACKUP ? (uint64_t)(f->_IO_read_end - f->_IO_read_ptr) : 0;
}

static const char *buffer_end(FILE *f)
{
	return f->_flags & LIBC_IN_BACKUP ? f->_IO_save_end : f->_IO_read_end;
}

// Bytes that were read from the file and not yet from the stream.
static uint64_t unread(FILE *f)
{
	return (uint64_t)(buffer_end(f) - (f->_flags & LIBC_IN_BACKUP ? f->_IO_save_base : f->_IO_read_ptr));
}

// The offset of the next byte that is not pushed back.
static uint64_t position(const struct stream *s)
{
	return s->end - unread(s->file);
}

// Labels for code that looks into the buffer; not where a program can write, too.
static void label_buffer(struct stream *s)
{
	FILE *f = s->file;
	uint64_t n = (uint64_t)(f->_IO_read_end - f->_IO_read_base);
	if ((f->_flags & LIBC_NO_WRITES) && !(f->_flags & LIBC_IN_BACKUP) && n <= s->end)
		rt_source_label(s->source, s->end - n, f->_IO_read_base, n);
}

// The buffer is new. Of a stream, the `n` bytes at `taken` came as well, before it.
static void refilled(struct stream *s, const void *taken, uint64_t n)
{
	FILE *f = s->file;
	struct rt_source *source = s->source;
	uint64_t had = s->end;
	if (source->seekable) {
		s->end = (uint64_t)reading_offset(s->fd);
		if (s->end == had && s->buffer_end == buffer_end(f))
			return; // the same again
	} else {
		rt_source_arrived(source, source->position, taken, n);
		source->position += n;
		rt_source_arrived(source, source->position, buffer_end(f) - unread(f), unread(f));
		source->position += unread(f);
		s->end = source->position;
	}
	s->buffer_end = buffer_end(f);
	label_buffer(s);
}

// What the stream reads from: looked at again when its buffer is empty, since another file
// can be under a descriptor.
static struct stream *stream_of(FILE *f)
{
	if (!rt_on || !rt_sources_read || f->_fileno < 0)
		return NULL;
	struct stream *s = find(f);
	if (s && s->fd == f->_fileno && unread(f) && s->buffer_end == buffer_end(f))
		return s->source ? s : NULL;
	if (!s)
		s = add(f);
	if (!s)
		return NULL;
	struct rt_source *source = rt_source_of(f->_fileno);
	bool is_new = s->fd != f->_fileno || s->source != source;
	if (is_new)
		*s = (struct stream){.file = f, .fd = f->_fileno, .source = source};
	if (source && (is_new || source->seekable || s->buffer_end != buffer_end(f)))
		refilled(s, NULL, 0);
	s->buffer_end = buffer_end(f);
	return source ? s : NULL;
}

static void lock(FILE *f)
{
	if (!__libc_single_threaded)
		flockfile(f);
}

static void unlock(FILE *f)
{
	if (!__libc_single_threaded)
		funlockfile(f);
}

// --- single bytes ------------------------------------------------------------------------------------

struct taken { // a byte of a stream that is input
	int c;
	bool pushed; // it had been pushed back
	label byte;  // 8 bits wide
	uint64_t at; // its offset, when it was not pushed back
	bool known;  // that it is there, or that this is the end, follows from the length
};

// Not when the file is another than it was.
static bool is_known(const struct stream *s, const struct taken *t)
{
	return reading_has(s->source, t->at) == (t->c != EOF) && (t->c == EOF || t->byte || t->at >= s->source->size);
}

static struct taken take(struct stream *s, struct site *site)
{
	FILE *f = s->file;
	struct taken r = {.pushed = pushed_back(f) > 0};
	if (r.pushed) {
		r.byte = rt_load((uint64_t)f->_IO_read_ptr, 1);
		r.c = getc_unlocked(f);
		return r;
	}
	uint64_t left = unread(f);
	r.at = position(s);
	r.c = getc_unlocked(f);
	if (!left && r.c != EOF) {
		refilled(s, f->_IO_read_ptr - 1, 1);
		r.at = position(s) - 1;
	} else if (r.c == EOF && (f->_flags & LIBC_ERROR)) {
		return r;
	} else if (r.c == EOF) {
		reading_ended(site, s->source);
	}
	reading_at(site, s->source, r.at);
	r.byte = r.c == EOF ? rt_source_behind(s->source, r.at) : rt_source_byte(s->source, r.at, (uint8_t)r.c);
	r.known = is_known(s, &r);
	s->last = r.c == EOF ? s->last : r.at + 1;
	return r;
}

// What getc gives: ite(offset < length, byte, EOF).
static label result_of(const struct stream *s, const struct taken *t)
{
	struct sym end = sym_constant(32, (uint32_t)EOF);
	struct sym byte = sym_extend(sym_of(t->byte, 8, t->c == EOF ? 0 : (uint64_t)t->c), 32);
	if (t->pushed || !t->known || (t->c == EOF && !t->byte))
		return t->c == EOF ? 0 : byte.l;
	struct sym exists = reading_exists(s->source, t->at);
	return exists.l ? sym_choose(exists, byte, end).l : t->c == EOF ? 0 : byte.l;
}

static int get(FILE *f, struct site *site, label *ret)
{
	struct stream *s = stream_of(f);
	*ret = 0;
	if (!s)
		return getc_unlocked(f);
	struct taken t = take(s, site);
	*ret = result_of(s, &t);
	return t.c;
}

static int get_locked(FILE *f, struct site *site, label *ret)
{
	*ret = 0;
	if (!rt_on || !rt_sources_read)
		return getc(f);
	lock(f);
	int c = get(f, site, ret);
	unlock(f);
	return c;
}

MODEL(int, fgetc, FILE *f)
{
	ENTER(fgetc, 1);
	label l;
	int c = get_locked(f, site, &l);
	return GIVE(fgetc, c, l);
}

MODEL(int, fgetc_unlocked, FILE *f)
{
	ENTER(fgetc_unlocked, 1);
	label l;
	int c = get(f, site, &l);
	return GIVE(fgetc_unlocked, c, l);
}

MODEL(int, getchar, void)
{
	ENTER(getchar, 0);
	label l;
	int c = get_locked(stdin, site, &l);
	return GIVE(getchar, c, l);
}

MODEL(int, getchar_unlocked, void)
{
	ENTER(getchar_unlocked, 0);
	label l;
	int c = get(stdin, site, &l);
	return GIVE(getchar_unlocked, c, l);
}

// What getc_unlocked does as a macro: the caller takes bytes from the buffer until it is
// empty. That these bytes exist is a condition of the path, then.
static void buffered(struct stream *s, struct site *site)
{
	if (unread(s->file))
		reading_branch(site, reading_exists(s->source, s->end - 1));
}

MODEL(int, __uflow, FILE *f)
{
	ENTER(__uflow, 1);
	label l;
	int c = get(f, site, &l);
	struct stream *s = c != EOF ? stream_of(f) : NULL;
	if (s)
		buffered(s, site);
	return GIVE(__uflow, c, l);
}

extern int __underflow(FILE *);

MODEL(int, __underflow, FILE *f)
{
	ENTER(__underflow, 1);
	struct stream *s = stream_of(f);
	bool refills = s && !unread(f) && !pushed_back(f);
	int c = __underflow(f);
	if (!refills || (c == EOF && (f->_flags & LIBC_ERROR)))
		return c;
	struct taken t = {.c = c};
	if (c == EOF) {
		reading_ended(site, s->source);
	} else {
		refilled(s, NULL, 0);
		buffered(s, site);
	}
	t.at = position(s);
	t.byte = c == EOF ? rt_source_behind(s->source, t.at) : rt_source_byte(s->source, t.at, (uint8_t)c);
	t.known = is_known(s, &t);
	return GIVE(__underflow, c, result_of(s, &t));
}

// One that was there anyway is not stored: then the stream gives the byte of the file again,
// which must be what was pushed back.
static void pushed(struct stream *s, struct site *site, label l, int c)
{
	FILE *f = s->file;
	label byte = l ? rt_extract(l, 0, 8) : 0;
	s->last = 0;
	if (pushed_back(f)) {
		reading_branch(site, sym_is(sym_of(l, 32, (uint32_t)c), (uint32_t)EOF));
		rt_store((uint64_t)f->_IO_read_ptr, 1, byte);
		return;
	}
	struct taken t = {.c = (uint8_t)c, .at = position(s), .known = true};
	t.byte = rt_source_byte(s->source, t.at, (uint8_t)c);
	if (l == result_of(s, &t) || byte == t.byte)
		return;
	rt_concrete(site, byte, (uint8_t)c, REASON_ARGUMENT);
	rt_concrete(site, t.byte, (uint8_t)c, REASON_ARGUMENT);
}

MODEL(int, ungetc, int c, FILE *f)
{
	ENTER(ungetc, 2);
	lock(f);
	struct stream *s = stream_of(f);
	int r = ungetc(c, f);
	if (r != EOF && s)
		pushed(s, site, arg[0], c);
	else if (r != EOF)
		rt_concrete(site, arg[0], (uint32_t)c, REASON_ARGUMENT);
	unlock(f);
	label byte = r != EOF && s && arg[0] ? rt_extract(arg[0], 0, 8) : 0;
	return GIVE(ungetc, r, byte ? rt_resize(byte, 32) : 0);
}

// --- blocks --------------------------------------------------------------------------------------------

struct front { // what is read first
	uint64_t pushed, unread;
	uint64_t at; // offset of what was not pushed back
	label labels[64];
};

static struct front front_of(struct stream *s)
{
	FILE *f = s->file;
	struct front r = {.pushed = pushed_back(f), .unread = unread(f), .at = position(s)};
	for (uint64_t i = 0; i < r.pushed && i < 64; i++)
		r.labels[i] = rt_load((uint64_t)f->_IO_read_ptr + i, 1);
	return r;
}

// `n` bytes were read to `to`. Returns how many of them were pushed back.
static uint64_t filled(struct stream *s, struct site *site, struct front *front, char *to, uint64_t n)
{
	uint64_t pushed = front->pushed < n ? front->pushed : n, fresh = n - pushed;
	for (uint64_t i = 0; i < pushed; i++)
		rt_store((uint64_t)to + i, 1, i < 64 ? front->labels[i] : 0);
	if (fresh > front->unread) {
		uint64_t more = fresh - front->unread;
		refilled(s, to + n - more, more);
		front->at = position(s) - fresh;
	}
	if (fresh)
		reading_at(site, s->source, front->at);
	rt_source_label(s->source, front->at, to + pushed, fresh);
	s->last = fresh ? front->at + fresh : s->last;
	return pushed;
}

static bool is_at_end(FILE *f)
{
	return (f->_flags & LIBC_EOF) && !(f->_flags & LIBC_ERROR);
}

// As fread does it, the bytes that make no whole item included. Returns how many items.
static size_t get_block(FILE *f, struct site *site, void *to, struct sym size, struct sym n, label *ret)
{
	struct stream *s = stream_of(f);
	uint64_t all = size.value * n.value;
	*ret = 0;
	if (!s || !all) {
		size_t bytes = fread_unlocked(to, 1, all, f);
		rt_clear((uint64_t)to, bytes);
		return !all ? 0 : bytes == all ? n.value : bytes / size.value;
	}
	struct front front = front_of(s);
	size_t bytes = fread_unlocked(to, 1, all, f);
	uint64_t pushed = filled(s, site, &front, to, bytes);
	if (bytes < all && is_at_end(f))
		reading_ended(site, s->source);
	rt_concrete(site, size.l, size.value, REASON_LENGTH);
	size.l = 0;
	struct sym wanted = sym_binary(OP_SUB, sym_binary(OP_MUL, size, n), sym_constant(64, pushed));
	struct sym got = sym_constant(64, bytes - pushed);
	bool same = reading_is_same(s->source, front.at, (char *)to + pushed, bytes - pushed);
	if (same && (bytes == all || is_at_end(f)))
		got = reading_count(s->source, front.at, wanted, bytes - pushed);
	got = sym_binary(OP_ADD, got, sym_constant(64, pushed));
	struct sym r = size.value == 1 ? got : sym_binary(OP_UDIV, got, size);
	*ret = r.l;
	return bytes == all ? n.value : bytes / size.value;
}

MODEL(size_t, fread, void *to, size_t size, size_t n, FILE *f)
{
	ENTER(fread, 4);
	label l;
	lock(f);
	size_t r = get_block(f, site, to, sym_of(arg[1], 64, size), sym_of(arg[2], 64, n), &l);
	unlock(f);
	if (r)
		rt_concrete(site, arg[0], (uint64_t)to, REASON_ARGUMENT);
	return GIVE(fread, r, l);
}

MODEL(size_t, fread_unlocked, void *to, size_t size, size_t n, FILE *f)
{
	ENTER(fread_unlocked, 4);
	label l;
	size_t r = get_block(f, site, to, sym_of(arg[1], 64, size), sym_of(arg[2], 64, n), &l);
	if (r)
		rt_concrete(site, arg[0], (uint64_t)to, REASON_ARGUMENT);
	return GIVE(fread_unlocked, r, l);
}

extern size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);

MODEL(size_t, __fread_chk, void *to, size_t room, size_t size, size_t n, FILE *f)
{
	ENTER(__fread_chk, 5);
	label l;
	size_t all;
	if (__builtin_mul_overflow(size, n, &all) || all > room)
		return __fread_chk(to, room, size, n, f);
	lock(f);
	size_t r = get_block(f, site, to, sym_of(arg[2], 64, size), sym_of(arg[3], 64, n), &l);
	unlock(f);
	return GIVE(__fread_chk, r, l);
}

// --- lines ---------------------------------------------------------------------------------------------

// Conditions of the path that a line leaves: that there is one; for every byte, whether it
// ends there; that all of it is in the file; whether the file ends behind it.

static void line_starts(struct stream *s, struct site *site, uint64_t at, bool is)
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
	if (to > from + 1)
		line_starts(s, site, to - 1, true);
	if (by_file && to > from)
		line_starts(s, site, to, false);
}

// Reads up to a line break, at most `room` bytes. Byte by byte: how many were read cannot be
// told from what fgets returns. Returns their number; 0 after a failure.
static uint64_t get_line(struct stream *s, struct site *site, char *to, uint64_t room, bool keep)
{
	FILE *f = s->file;
	int had_error = f->_flags & LIBC_ERROR;
	uint64_t n = 0, from = 0, end = 0;
	bool started = false;
	struct taken t = {0};
	f->_flags &= ~LIBC_ERROR;
	while (n < room && t.c != '\n' && (t = take(s, site)).c != EOF) {
		if (!t.pushed && !started) {
			from = t.at;
			if (t.known)
				line_starts(s, site, from, true);
			started = t.known;
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
		line_starts(s, site, t.at, false);
	f->_flags |= had_error;
	return failed ? 0 : n;
}

// A NUL in a line hides how much of the buffer was written.
static void clear_line(const char *line, uint64_t room)
{
	uint64_t n = strlen(line);
	bool whole = n == room - 1 || (n && line[n - 1] == '\n');
	rt_clear((uint64_t)line, whole ? n + 1 : room);
}

static char *get_text(FILE *f, struct site *site, char *to, int n)
{
	struct stream *s = n > 1 ? stream_of(f) : NULL;
	if (!s) {
		char *r = fgets_unlocked(to, n, f);
		if (r && rt_on)
			clear_line(to, (uint64_t)n);
		return r;
	}
	uint64_t got = get_line(s, site, to, (uint64_t)n - 1, true);
	if (!got)
		return NULL;
	to[got] = 0;
	rt_clear((uint64_t)to + got, 1);
	return to;
}

MODEL(char *, fgets, char *to, int n, FILE *f)
{
	ENTER(fgets, 3);
	lock(f);
	char *r = get_text(f, site, to, n);
	unlock(f);
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
	if (n <= 0 || (size_t)n > room)
		return __fgets_chk(to, room, n, f);
	lock(f);
	char *r = get_text(f, site, to, n);
	unlock(f);
	return r;
}

extern char *gets(char *);

MODEL(char *, gets, char *to)
{
	ENTER(gets, 1);
	struct stream *s = stream_of(stdin);
	if (!s) {
		char *r = gets(to);
		if (r)
			rt_clear((uint64_t)to, strlen(to) + 1);
		return r;
	}
	lock(stdin);
	bool had_error = stdin->_flags & LIBC_ERROR;
	clearerr_unlocked(stdin);
	uint64_t n = get_line(s, site, to, UINT64_MAX, false);
	bool none = n == 0 && (feof_unlocked(stdin) || ferror_unlocked(stdin));
	stdin->_flags |= had_error ? LIBC_ERROR : 0;
	unlock(stdin);
	if (none)
		return NULL;
	to[n] = 0;
	rt_clear((uint64_t)to + n, 1);
	return to;
}

// The real function: it alone knows how it makes room.
static void got_delimited(struct stream *s, struct site *site, struct front *front, char **line, int delimiter,
                          ssize_t r)
{
	uint64_t n = r > 0 ? (uint64_t)r : 0;
	bool at_end = is_at_end(s->file) && (!n || (uint8_t)(*line)[n - 1] != (uint8_t)delimiter);
	uint64_t pushed = filled(s, site, front, *line, n);
	bool same = reading_is_same(s->source, front->at, *line + pushed, n - pushed);
	if (at_end)
		reading_ended(site, s->source);
	if (n > pushed && same)
		line_starts(s, site, front->at, true);
	for (uint64_t i = 0; i < n; i++)
		line_byte(site, rt_load((uint64_t)*line + i, 1), (*line)[i], delimiter);
	if (n > pushed && same)
		line_ends(s, site, front->at, front->at + n - pushed, at_end);
	else if (at_end && n == pushed)
		line_starts(s, site, front->at, false);
	if (r >= 0)
		rt_clear((uint64_t)*line + n, 1);
}

static ssize_t get_delimited(FILE *f, struct site *site, char **line, size_t *size, int delimiter)
{
	lock(f);
	struct stream *s = stream_of(f);
	struct front front = s ? front_of(s) : (struct front){0};
	ssize_t r = getdelim(line, size, delimiter, f);
	int saved = errno;
	if (rt_on && line && size) {
		rt_clear((uint64_t)line, sizeof *line);
		rt_clear((uint64_t)size, sizeof *size);
	}
	if (s)
		got_delimited(s, site, &front, line, delimiter, r);
	else if (r >= 0)
		rt_clear((uint64_t)*line, (uint64_t)r + 1);
	errno = saved;
	unlock(f);
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

// --- positions ------------------------------------------------------------------------------------------

// After a seek. `before`: the position it started from.
static void moved(struct stream *s, struct site *site, int64_t offset, int whence, uint64_t before)
{
	s->last = 0;
	if (!s->source->seekable)
		return;
	refilled(s, NULL, 0);
	if (whence == SEEK_END)
		reading_from_end(s->source, offset, position(s));
	else if (whence == SEEK_CUR && offset)
		reading_at(site, s->source, before);
	else if (whence != SEEK_CUR)
		s->source->end_label = 0;
}

static int seek(FILE *f, struct site *site, const label *arg, int64_t offset, int whence)
{
	lock(f);
	struct stream *s = stream_of(f);
	uint64_t before = s ? position(s) : 0;
	int r = fseeko(f, offset, whence);
	rt_concrete(site, arg[1], (uint64_t)offset, REASON_POSITION);
	rt_concrete(site, arg[2], (uint32_t)whence, REASON_ARGUMENT);
	if (s && r == 0)
		moved(s, site, offset, whence, before);
	unlock(f);
	return r;
}

MODEL(int, fseek, FILE *f, long offset, int whence)
{
	ENTER(fseek, 3);
	return seek(f, site, arg, offset, whence);
}

MODEL(int, fseeko, FILE *f, off_t offset, int whence)
{
	ENTER(fseeko, 3);
	return seek(f, site, arg, offset, whence);
}

MODEL(void, rewind, FILE *f)
{
	ENTER(rewind, 1);
	struct stream *s = stream_of(f);
	rewind(f);
	if (s)
		moved(s, site, 0, SEEK_SET, 0);
}

MODEL(int, fsetpos, FILE *f, const fpos_t *to)
{
	ENTER(fsetpos, 2);
	struct stream *s = stream_of(f);
	int r = fsetpos(f, to);
	if (s && r == 0)
		moved(s, site, 0, SEEK_SET, 0);
	return r;
}

MODEL(int, fgetpos, FILE *f, fpos_t *ret)
{
	ENTER(fgetpos, 2);
	int r = fgetpos(f, ret);
	if (r == 0)
		rt_clear((uint64_t)ret, sizeof *ret);
	return r;
}

MODEL(long, ftell, FILE *f)
{
	ENTER(ftell, 1);
	long r = ftell(f);
	struct stream *s = r >= 0 ? stream_of(f) : NULL;
	return GIVE(ftell, r, s && s->source->seekable ? reading_position(s->source, (uint64_t)r) : 0);
}

// --- the end of a file ------------------------------------------------------------------------------------

// Whether the last attempt to read met the end: that is where the length is.
static label end_label(struct stream *s, bool is)
{
	if (!is && !s->last)
		return 0;
	struct sym exists = reading_exists(s->source, is ? position(s) : s->last - 1);
	return exists.value == is ? 0 : sym_extend(sym_not(exists), 32).l;
}

MODEL(int, feof, FILE *f)
{
	ENTER(feof, 1);
	int r = feof(f);
	struct stream *s = stream_of(f);
	return GIVE(feof, r, s ? end_label(s, r != 0) : 0);
}

MODEL(void, clearerr, FILE *f)
{
	ENTER(clearerr, 1);
	clearerr(f);
	struct stream *s = stream_of(f);
	if (s)
		s->last = 0;
}

// --- wide characters ----------------------------------------------------------------------------------------

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
	else if (c != WEOF || is_at_end(f))
		*ret = wide(s, site, (uint64_t)from, (uint64_t)to, c);
	return c;
}

MODEL(wint_t, fgetwc, FILE *f)
{
	ENTER(fgetwc, 1);
	label l;
	lock(f);
	wint_t c = get_wide(f, site, &l);
	unlock(f);
	return GIVE(fgetwc, c, l);
}

MODEL(wint_t, getwchar, void)
{
	ENTER(getwchar, 0);
	label l;
	lock(stdin);
	wint_t c = get_wide(stdin, site, &l);
	unlock(stdin);
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
	lock(f);
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
	unlock(f);
	if (failed)
		return NULL;
	to[got] = 0;
	rt_clear((uint64_t)(to + got), sizeof *to);
	return to;
}

// --- opening and closing --------------------------------------------------------------------------------------

// A FILE can be where another was.
MODEL(FILE *, fopen, const char *path, const char *mode)
{
	ENTER(fopen, 2);
	FILE *f = fopen(path, mode);
	forget(f);
	return f;
}

MODEL(FILE *, fdopen, int fd, const char *mode)
{
	ENTER(fdopen, 2);
	FILE *f = fdopen(fd, mode);
	forget(f);
	return f;
}

MODEL(FILE *, freopen, const char *path, const char *mode, FILE *old)
{
	ENTER(freopen, 3);
	forget(old);
	return freopen(path, mode, old);
}

MODEL(int, fclose, FILE *f)
{
	ENTER(fclose, 1);
	forget(f);
	return fclose(f);
}

MODEL(FILE *, popen, const char *command, const char *mode)
{
	ENTER(popen, 2);
	FILE *f = popen(command, mode);
	forget(f);
	return f;
}

MODEL(int, pclose, FILE *f)
{
	ENTER(pclose, 1);
	forget(f);
	return pclose(f);
}

MODEL(FILE *, tmpfile, void)
{
	ENTER(tmpfile, 0);
	FILE *f = tmpfile();
	forget(f);
	return f;
}

// A stream over memory: its labels do not pass.
MODEL(FILE *, fmemopen, void *at, size_t n, const char *mode)
{
	ENTER(fmemopen, 3);
	if (rt_on && at && rt_any((uint64_t)at, n))
		rt_unmodelled(site, "fmemopen");
	FILE *f = fmemopen(at, n, mode);
	forget(f);
	return f;
}
