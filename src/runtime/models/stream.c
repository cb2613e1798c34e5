#include "runtime/models/stream.h"

#include <sys/single_threaded.h>
#include <unistd.h>

// --- the streams that are known ---------------------------------------------------------------

enum { STREAMS = 4096, FEW = 4 };
static struct stream few[FEW]; // the first ones; most programs have no more
static struct stream streams[STREAMS] RT_LARGE;
#define GONE ((FILE *)1)

static size_t slot_of(FILE *f)
{
	return ((uint64_t)f >> 4) * 0x9e3779b97f4a7c15u >> 52;
}

static struct stream *find(FILE *f)
{
	for (size_t i = 0; i < FEW && few[i].file; i++)
		if (few[i].file == f)
			return &few[i];
	size_t at = slot_of(f);
	if (!few[FEW - 1].file) // one that was there stays, also when it is gone
		return NULL;
	for (size_t i = 0; i < STREAMS && streams[at].file; i++, at = (at + 1) % STREAMS)
		if (streams[at].file == f)
			return &streams[at];
	return NULL;
}

static struct stream *find_free(FILE *f)
{
	for (size_t i = 0; i < FEW; i++)
		if (!few[i].file || few[i].file == GONE)
			return &few[i];
	size_t at = slot_of(f);
	for (size_t i = 0; i < STREAMS; i++, at = (at + 1) % STREAMS)
		if (!streams[at].file || streams[at].file == GONE)
			return &streams[at];
	return NULL;
}

static struct stream *add(FILE *f)
{
	if (!rt_enter())
		return NULL;
	struct stream *r = find_free(f);
	if (r)
		*r = (struct stream){.file = f, .fd = -1};
	rt_leave();
	return r;
}

void stream_forget(FILE *f)
{
	struct stream *s = rt_sources_read && f ? find(f) : NULL;
	if (!s)
		return;
	s->file = GONE;
	rt_store_borrowed((uint64_t)&f->_IO_read_end, 0);
}

// --- libc's buffer --------------------------------------------------------------------------------

uint64_t stream_pushed_back(FILE *f)
{
	return f->_flags & LIBC_IN_BACKUP ? (uint64_t)(f->_IO_read_end - f->_IO_read_ptr) : 0;
}

static const char *buffer_end(FILE *f)
{
	return f->_flags & LIBC_IN_BACKUP ? f->_IO_save_end : f->_IO_read_end;
}

// Bytes that were read from the file and not yet from the stream.
uint64_t stream_unread(FILE *f)
{
	return (uint64_t)(buffer_end(f) - (f->_flags & LIBC_IN_BACKUP ? f->_IO_save_base : f->_IO_read_ptr));
}

// The offset of the next byte that is not pushed back.
uint64_t stream_position(const struct stream *s)
{
	return s->end - stream_unread(s->file);
}

// Labels for code that looks into the buffer; not where a program can write, too.
static void label_buffer(struct stream *s)
{
	FILE *f = s->file;
	uint64_t n = (uint64_t)(f->_IO_read_end - f->_IO_read_base);
	if ((f->_flags & LIBC_NO_WRITES) && !(f->_flags & LIBC_IN_BACKUP) && n <= s->end)
		rt_source_label(s->source, s->end - n, f->_IO_read_base, n);
}

// Where the buffer ends is as far as the file goes, or as there is room. A buffer that is
// empty can be one that was not used.
static void label_end(struct stream *s)
{
	FILE *f = s->file;
	uint64_t n = (uint64_t)(f->_IO_read_end - f->_IO_read_base);
	struct sym room = sym_constant(64, (uint64_t)(f->_IO_buf_end - f->_IO_buf_base)), end = {0};
	if (n && n <= s->end && !(f->_flags & LIBC_IN_BACKUP))
		end = sym_binary(OP_ADD, reading_count(s->source, s->end - n, room, n),
		                 sym_constant(64, (uint64_t)f->_IO_read_base));
	if (end.l)
		rt_position(end.l);
	rt_store_borrowed((uint64_t)&f->_IO_read_end, end.l);
	s->open_end = end.l != 0;
}

// A program that moves in the buffer by itself: the path keeps where to.
static void settle(FILE *f, struct site *site)
{
	uint64_t at = (uint64_t)&f->_IO_read_ptr;
	if (!rt_any(at, sizeof f->_IO_read_ptr))
		return;
	rt_concrete(site, rt_load(at, sizeof f->_IO_read_ptr), (uint64_t)f->_IO_read_ptr, REASON_POSITION);
	rt_clear(at, sizeof f->_IO_read_ptr);
}

// The buffer is new. Of a stream, the `n` bytes at `taken` came as well, before it.
void stream_refilled(struct stream *s, const void *taken, uint64_t n)
{
	FILE *f = s->file;
	struct rt_source *source = s->source;
	uint64_t had = s->end;
	if (source->seekable) {
		s->end = (uint64_t)reading_offset(s->fd);
		if (s->end == had && s->buffer_end == buffer_end(f)) {
			label_end(s); // the same again, but libc may have put something else before it
			return;
		}
	} else {
		rt_source_arrived(source, source->position, taken, n);
		source->position += n;
		rt_source_arrived(source, source->position, buffer_end(f) - stream_unread(f), stream_unread(f));
		source->position += stream_unread(f);
		s->end = source->position;
	}
	s->buffer_end = buffer_end(f);
	label_buffer(s);
	label_end(s);
}

// What the stream reads from: looked at again when its buffer is empty, since another file
// can be under a descriptor.
struct stream *stream_of(FILE *f, struct site *site)
{
	if (!rt_on || !rt_sources_read || f->_fileno < 0)
		return NULL;
	settle(f, site);
	struct stream *s = find(f);
	if (s && s->fd == f->_fileno && stream_unread(f) && s->buffer_end == buffer_end(f))
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
		stream_refilled(s, NULL, 0);
	s->buffer_end = buffer_end(f);
	return source ? s : NULL;
}

void stream_lock(FILE *f)
{
	if (!__libc_single_threaded)
		flockfile(f);
}

void stream_unlock(FILE *f)
{
	if (!__libc_single_threaded)
		funlockfile(f);
}

bool stream_is_at_end(FILE *f)
{
	return (f->_flags & LIBC_EOF) && !(f->_flags & LIBC_ERROR);
}
