// Streams: what comes through a FILE, byte by byte and in blocks. The labels of its bytes follow from where they are
// in the file; the unread part of the buffer gets them, too, for code that looks in there.
// A byte that was pushed back keeps its label in the memory that libc puts it in.
#include <stdio.h>

#include "runtime/models/stdio.h"

// --- single bytes ------------------------------------------------------------------------------------

// Not when the file is another than it was.
static bool is_known(const struct stream *s, const struct stdio_byte *t)
{
	return reading_has(s->source, t->at) == (t->c != EOF) && (t->c == EOF || t->byte || t->at >= s->source->size);
}

struct stdio_byte stdio_take(struct stream *s, struct site *site)
{
	FILE *f = s->file;
	struct stdio_byte r = {.pushed = stream_pushed_back(f) > 0};
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
static label result_of(const struct stream *s, const struct stdio_byte *t)
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
	struct stdio_byte t = stdio_take(s, site);
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
// empty. When where it ends does not show that, that these bytes exist is a condition
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
	struct stdio_byte t = {.c = c};
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
	struct stdio_byte t = {.c = (uint8_t)c, .at = stream_position(s), .known = true};
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

struct stdio_front stdio_front(struct stream *s)
{
	FILE *f = s->file;
	s->tried = 0;
	struct stdio_front r = {.pushed = stream_pushed_back(f), .unread = stream_unread(f), .at = stream_position(s)};
	for (uint64_t i = 0; i < r.pushed && i < 64; i++)
		r.labels[i] = rt_load((uint64_t)f->_IO_read_ptr + i, 1);
	return r;
}

uint64_t stdio_filled(struct stream *s, struct site *site, struct stdio_front *front, char *to, uint64_t n)
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

struct stdio_other stdio_other_starts(FILE *f)
{
	struct stdio_other o = {.memory = memory_stream_to_read(f)};
	if (!o.memory)
		return o;
	o.pushed = stream_pushed_back(f);
	o.at = memory_stream_position(o.memory) + o.pushed;
	return o;
}

void stdio_other_ends(const struct stdio_other *o, char *to, uint64_t n)
{
	rt_clear((uint64_t)to, n);
	if (o->memory && n > o->pushed)
		memory_stream_read(o->memory, o->at, to + o->pushed, n - o->pushed);
}

// Items whose size is input, of which `bytes` bytes came: there must be room for as many as there are.
static void check_items(struct site *site, struct stream *s, const struct stdio_front *front, uint64_t pushed,
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
		struct stdio_other o = stdio_other_starts(f);
		size_t bytes = fread_unlocked(to, 1, all, f);
		stdio_other_ends(&o, to, bytes);
		rt_accessed(site, (uint64_t)to, bytes);
		return !all ? 0 : bytes == all ? n.value : bytes / size.value;
	}
	struct stdio_front front = stdio_front(s);
	uint8_t kept[READING_ROOM(n.l)];
	struct reading_before before = reading_before(kept, n.l, all, to);
	size_t bytes = fread_unlocked(to, 1, all, f);
	uint64_t pushed = stdio_filled(s, site, &front, to, bytes);
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
