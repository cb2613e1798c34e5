// Streams: what comes through a FILE. The labels of its bytes follow from where they are
// in the file; the unread part of the buffer gets them, too, for code that looks in there.
// A byte that was pushed back keeps its label in the memory that libc puts it in.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/models/memory_stream.h"
#include "runtime/models/stream.h"

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
	struct taken r = {.pushed = stream_pushed_back(f) > 0};
	if (r.pushed) {
		r.byte = rt_load((uint64_t)f->_IO_read_ptr, 1);
		r.c = getc_unlocked(f);
		return r;
	}
	uint64_t left = stream_unread(f);
	r.at = stream_position(s);
	r.c = getc_unlocked(f);
	if (!left && r.c != EOF) {
		stream_refilled(s, f->_IO_read_ptr - 1, 1);
		r.at = stream_position(s) - 1;
	} else if (r.c == EOF && (f->_flags & LIBC_ERROR)) {
		return r;
	} else if (r.c == EOF) {
		reading_ended(site, s->source);
	}
	reading_at(site, s->source, r.at);
	r.byte = r.c == EOF ? rt_source_behind(s->source, r.at) : rt_source_byte(s->source, r.at, (uint8_t)r.c);
	r.known = is_known(s, &r);
	s->last = r.c == EOF ? s->last : r.at + 1;
	s->tried = 0;
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

// A byte of a stream that is no input. What was pushed back has no label.
static int get_other(FILE *f, label *ret)
{
	struct memory_stream *m = memory_stream_to_read(f);
	if (!m || stream_pushed_back(f))
		return getc_unlocked(f);
	uint64_t at = memory_stream_position(m);
	int c = getc_unlocked(f);
	*ret = memory_stream_byte(m, at, c);
	return c;
}

static int get(FILE *f, struct site *site, label *ret)
{
	struct stream *s = stream_of(f, site);
	*ret = 0;
	if (!s)
		return get_other(f, ret);
	struct taken t = take(s, site);
	*ret = result_of(s, &t);
	return t.c;
}

static int get_locked(FILE *f, struct site *site, label *ret)
{
	*ret = 0;
	if (!rt_on || !(rt_sources_read || memory_stream_to_read(f)))
		return getc(f);
	stream_lock(f);
	int c = get(f, site, ret);
	stream_unlock(f);
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
// empty. When that cannot be told from where it ends, that these bytes exist is a condition
// of the path.
static void buffered(struct stream *s, struct site *site)
{
	if (stream_unread(s->file) && !s->open_end)
		reading_branch(site, reading_exists(s->source, s->end - 1));
}

MODEL(int, __uflow, FILE *f)
{
	ENTER(__uflow, 1);
	label l;
	int c = get(f, site, &l);
	struct stream *s = c != EOF ? stream_of(f, site) : NULL;
	if (s)
		buffered(s, site);
	return GIVE(__uflow, c, l);
}

extern int __underflow(FILE *);

MODEL(int, __underflow, FILE *f)
{
	ENTER(__underflow, 1);
	struct stream *s = stream_of(f, site);
	bool refills = s && !stream_unread(f) && !stream_pushed_back(f);
	int c = __underflow(f);
	if (!refills || (c == EOF && (f->_flags & LIBC_ERROR)))
		return c;
	struct taken t = {.c = c};
	if (c == EOF) {
		reading_ended(site, s->source);
	} else {
		stream_refilled(s, NULL, 0);
		buffered(s, site);
	}
	t.at = stream_position(s);
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
	if (stream_pushed_back(f)) {
		reading_branch(site, sym_is(sym_of(l, 32, (uint32_t)c), (uint32_t)EOF));
		rt_store((uint64_t)f->_IO_read_ptr, 1, byte);
		return;
	}
	struct taken t = {.c = (uint8_t)c, .at = stream_position(s), .known = true};
	t.byte = rt_source_byte(s->source, t.at, (uint8_t)c);
	if (l == result_of(s, &t) || byte == t.byte)
		return;
	rt_concrete(site, byte, (uint8_t)c, REASON_ARGUMENT);
	rt_concrete(site, t.byte, (uint8_t)c, REASON_ARGUMENT);
}

MODEL(int, ungetc, int c, FILE *f)
{
	ENTER(ungetc, 2);
	stream_lock(f);
	struct stream *s = stream_of(f, site);
	int r = ungetc(c, f);
	if (r != EOF && s)
		pushed(s, site, arg[0], c);
	else if (r != EOF)
		rt_concrete(site, arg[0], (uint32_t)c, REASON_ARGUMENT);
	stream_unlock(f);
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
	s->tried = 0;
	struct front r = {.pushed = stream_pushed_back(f), .unread = stream_unread(f), .at = stream_position(s)};
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
		stream_refilled(s, to + n - more, more);
		front->at = stream_position(s) - fresh;
	}
	if (fresh)
		reading_at(site, s->source, front->at);
	rt_source_label(s->source, front->at, to + pushed, fresh);
	s->last = fresh ? front->at + fresh : s->last;
	return pushed;
}

// A read from a stream that is no input: it may be one over memory.
struct other_read {
	struct memory_stream *memory;
	uint64_t at, pushed;
};

static struct other_read other_starts(FILE *f)
{
	struct other_read o = {.memory = memory_stream_to_read(f)};
	if (!o.memory)
		return o;
	o.pushed = stream_pushed_back(f);
	o.at = memory_stream_position(o.memory) + o.pushed;
	return o;
}

static void other_ends(const struct other_read *o, char *to, uint64_t n)
{
	rt_clear((uint64_t)to, n);
	if (o->memory && n > o->pushed)
		memory_stream_read(o->memory, o->at, to + o->pushed, n - o->pushed);
}

// Items whose size is input, of which `bytes` bytes came: there must be room for as many as there are.
static void check_items(struct site *site, struct stream *s, const struct front *front, uint64_t pushed,
                        struct sym asked, uint64_t bytes, const void *to)
{
	struct sym before = sym_constant(64, pushed), wanted = sym_binary(OP_SUB, asked, before);
	struct sym got = sym_binary(OP_ADD, reading_count(s->source, front->at, wanted, bytes - pushed), before);
	rt_check_room(site, got.l, got.value, (uint64_t)to);
}

// As fread does it, the bytes that make no whole item included. Returns how many items.
static size_t get_block(FILE *f, struct site *site, void *to, struct sym size, struct sym n, label *ret)
{
	struct stream *s = stream_of(f, site);
	uint64_t all = size.value * n.value;
	*ret = 0;
	if (!s || !all) {
		struct other_read o = other_starts(f);
		size_t bytes = fread_unlocked(to, 1, all, f);
		other_ends(&o, to, bytes);
		rt_accessed(site, (uint64_t)to, bytes);
		return !all ? 0 : bytes == all ? n.value : bytes / size.value;
	}
	struct front front = front_of(s);
	uint8_t kept[READING_ROOM(n.l)];
	struct reading_before before = reading_before(kept, n.l, all, to);
	size_t bytes = fread_unlocked(to, 1, all, f);
	uint64_t pushed = filled(s, site, &front, to, bytes);
	if (bytes < all && stream_is_at_end(f))
		reading_ended(site, s->source);
	if (size.l) {
		check_items(site, s, &front, pushed, sym_binary(OP_MUL, size, n), bytes, to);
		rt_concrete(site, size.l, size.value, REASON_LENGTH);
		size.l = 0;
	}
	struct sym asked = sym_binary(OP_MUL, size, n), wanted = sym_binary(OP_SUB, asked, sym_constant(64, pushed));
	struct sym got = sym_constant(64, bytes - pushed);
	bool same = reading_is_same(s->source, front.at, (char *)to + pushed, bytes - pushed);
	if (same && (bytes == all || stream_is_at_end(f)))
		got = reading_on(s->source, front.at, wanted, bytes - pushed);
	got = sym_binary(OP_ADD, got, sym_constant(64, pushed));
	struct sym items = size.value == 1 ? got : sym_binary(OP_UDIV, got, size);
	struct sym stored = size.value == 1 ? got : sym_binary(OP_MUL, items, size); // what sanitizers look at
	if (stored.value)
		rt_check_room(site, stored.l, stored.value, (uint64_t)to);
	reading_into(&before, asked, got, to);
	s->tried = wanted.l ? UINT64_MAX : front.at + wanted.value;
	*ret = items.l;
	return bytes == all ? n.value : bytes / size.value;
}

MODEL(size_t, fread, void *to, size_t size, size_t n, FILE *f)
{
	ENTER(fread, 4);
	label l;
	stream_lock(f);
	size_t r = get_block(f, site, to, sym_of(arg[1], 64, size), sym_of(arg[2], 64, n), &l);
	stream_unlock(f);
	reading_to(site, arg[0], to, sym_of(l, 64, r));
	return GIVE(fread, r, l);
}

MODEL(size_t, fread_unlocked, void *to, size_t size, size_t n, FILE *f)
{
	ENTER(fread_unlocked, 4);
	label l;
	size_t r = get_block(f, site, to, sym_of(arg[1], 64, size), sym_of(arg[2], 64, n), &l);
	reading_to(site, arg[0], to, sym_of(l, 64, r));
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
	stream_lock(f);
	size_t r = get_block(f, site, to, sym_of(arg[2], 64, size), sym_of(arg[3], 64, n), &l);
	stream_unlock(f);
	reading_to(site, arg[0], to, sym_of(l, 64, r));
	return GIVE(__fread_chk, r, l);
}

// --- lines ---------------------------------------------------------------------------------------------

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
	struct taken t = {0};
	f->_flags &= ~LIBC_ERROR;
	while (n < room && t.c != '\n' && (t = take(s, site)).c != EOF) {
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

static void other_line(const struct other_read *o, struct site *site, char *line, uint64_t n, int delimiter)
{
	other_ends(o, line, n);
	for (uint64_t i = 0; o->memory && i < n; i++)
		line_byte(site, rt_load((uint64_t)line + i, 1), line[i], delimiter);
}

static char *get_text(FILE *f, struct site *site, char *to, int n)
{
	struct stream *s = n > 1 ? stream_of(f, site) : NULL;
	if (!s) {
		struct other_read o = other_starts(f);
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
static void got_delimited(struct stream *s, struct site *site, struct front *front, char **line, int delimiter,
                          ssize_t r)
{
	uint64_t n = r > 0 ? (uint64_t)r : 0;
	bool at_end = stream_is_at_end(s->file) && (!n || (uint8_t)(*line)[n - 1] != (uint8_t)delimiter);
	uint64_t pushed = filled(s, site, front, *line, n);
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
	struct front front = s ? front_of(s) : (struct front){0};
	struct other_read o = s ? (struct other_read){0} : other_starts(f);
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

// --- positions ------------------------------------------------------------------------------------------

// After a seek. `before`: the position it started from.
static void moved(struct stream *s, struct site *site, int64_t offset, int whence, uint64_t before)
{
	s->last = 0;
	if (!s->source->seekable)
		return;
	stream_refilled(s, NULL, 0);
	reading_moved(s->source);
	if (whence == SEEK_END)
		reading_from_end(s->source, offset, stream_position(s));
	else if (whence == SEEK_CUR && offset)
		reading_at(site, s->source, before);
	else if (whence != SEEK_CUR)
		s->source->end_label = 0;
}

static int seek(FILE *f, struct site *site, const label *arg, int64_t offset, int whence)
{
	stream_lock(f);
	struct stream *s = stream_of(f, site);
	uint64_t before = s ? stream_position(s) : 0;
	int r = fseeko(f, offset, whence);
	rt_concrete(site, arg[1], (uint64_t)offset, REASON_POSITION);
	rt_concrete(site, arg[2], (uint32_t)whence, REASON_ARGUMENT);
	if (s && r == 0)
		moved(s, site, offset, whence, before);
	stream_unlock(f);
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
	struct stream *s = stream_of(f, site);
	rewind(f);
	if (s)
		moved(s, site, 0, SEEK_SET, 0);
}

MODEL(int, fsetpos, FILE *f, const fpos_t *to)
{
	ENTER(fsetpos, 2);
	struct stream *s = stream_of(f, site);
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
	struct stream *s = r >= 0 ? stream_of(f, site) : NULL;
	return GIVE(ftell, r, s && s->source->seekable ? reading_position(s->source, (uint64_t)r) : 0);
}

// --- the end of a file ------------------------------------------------------------------------------------

// Whether the last attempt to read met the end: that is where the length is.
static label end_label(struct stream *s, bool is)
{
	if ((!is && !s->last) || s->tried == UINT64_MAX)
		return 0;
	uint64_t at = is ? stream_position(s) : s->last - 1;
	struct sym exists = reading_exists(s->source, s->tried ? s->tried - 1 : at);
	return exists.value == is ? 0 : sym_extend(sym_not(exists), 32).l;
}

MODEL(int, feof, FILE *f)
{
	ENTER(feof, 1);
	int r = feof(f);
	struct stream *s = stream_of(f, site);
	return GIVE(feof, r, s ? end_label(s, r != 0) : 0);
}

MODEL(void, clearerr, FILE *f)
{
	ENTER(clearerr, 1);
	clearerr(f);
	struct stream *s = stream_of(f, site);
	if (s)
		s->last = 0;
}

// --- opening and closing --------------------------------------------------------------------------------------

static int flags_of(const char *mode)
{
	bool both = strchr(mode, '+');
	return mode[0] == 'w' ? O_WRONLY | O_TRUNC : both ? O_RDWR : mode[0] == 'a' ? O_WRONLY : O_RDONLY;
}

// A FILE can be where another was.
MODEL(FILE *, fopen, const char *path, const char *mode)
{
	ENTER(fopen, 2);
	struct stat was;
	bool old = rt_source_opening(AT_FDCWD, path, flags_of(mode), &was);
	FILE *f = fopen(path, mode);
	stream_forget(f);
	if (f && old)
		rt_source_opened(fileno(f), &was);
	if (f)
		model_keep_name(site, path);
	else
		model_miss_name(site, path);
	return f;
}

MODEL(FILE *, fdopen, int fd, const char *mode)
{
	ENTER(fdopen, 2);
	FILE *f = fdopen(fd, mode);
	stream_forget(f);
	return f;
}

MODEL(FILE *, freopen, const char *path, const char *mode, FILE *old)
{
	ENTER(freopen, 3);
	stream_forget(old);
	struct stat was;
	bool is_old = rt_source_opening(AT_FDCWD, path, flags_of(mode), &was);
	FILE *f = freopen(path, mode, old);
	if (f && is_old)
		rt_source_opened(fileno(f), &was);
	if (f && path)
		model_keep_name(site, path);
	else if (!f)
		model_miss_name(site, path);
	return f;
}

MODEL(int, fclose, FILE *f)
{
	ENTER(fclose, 1);
	stream_forget(f);
	struct memory_stream *m = memory_stream_of(f);
	int r = fclose(f);
	if (m)
		memory_stream_closed(m);
	return r;
}

MODEL(FILE *, popen, const char *command, const char *mode)
{
	ENTER(popen, 2);
	FILE *f = popen(command, mode);
	stream_forget(f);
	return f;
}

MODEL(int, pclose, FILE *f)
{
	ENTER(pclose, 1);
	stream_forget(f);
	return pclose(f);
}

MODEL(FILE *, tmpfile, void)
{
	ENTER(tmpfile, 0);
	FILE *f = tmpfile();
	stream_forget(f);
	return f;
}
