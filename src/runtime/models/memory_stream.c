#include "runtime/models/memory_stream.h"

#include <errno.h>
#include <string.h>

#include "runtime/models/stream.h"

enum { STREAMS = 64 };

struct memory_stream {
	FILE *file;      // NULL: free
	char *at;        // of fmemopen
	struct sym size; // of it
	bool reads;      // and does nothing else
	char **ret;      // of open_memstream
	size_t *ret_size;
	char *written; // as much as `room` bytes of what was written, behind them a flag for each
	uint64_t room;
};

static struct memory_stream streams[STREAMS] RT_LARGE;
static unsigned used; // of these, or those before were

struct memory_stream *memory_stream_of(FILE *f)
{
	for (unsigned i = 0; i < used; i++)
		if (streams[i].file == f)
			return rt_on ? &streams[i] : NULL;
	return NULL;
}

struct memory_stream *memory_stream_to_read(FILE *f)
{
	struct memory_stream *m = memory_stream_of(f);
	return m && m->reads ? m : NULL;
}

static void release(struct memory_stream *m)
{
	if (m->written) {
		rt_clear((uint64_t)m->written, m->room);
		rt_unmap(m->written, 2 * m->room);
	}
	*m = (struct memory_stream){0};
}

// NULL when there are too many.
static struct memory_stream *add(FILE *f)
{
	struct memory_stream *m = NULL;
	if (!f || !rt_on || !rt_enter())
		return NULL;
	for (unsigned i = 0; i < STREAMS && !m; i++)
		if (!streams[i].file)
			m = &streams[i];
	if (m) {
		m->file = f;
		if ((unsigned)(m - streams) >= used)
			used = (unsigned)(m - streams) + 1;
	}
	rt_leave();
	return m;
}

uint64_t memory_stream_position(const struct memory_stream *m)
{
	int saved = errno;
	off_t r = m->reads || m->ret ? ftello(m->file) : -1;
	errno = saved;
	return r < 0 ? UINT64_MAX : (uint64_t)r;
}

// --- reading ------------------------------------------------------------------------------------

static struct sym memory_byte(const struct memory_stream *m, uint64_t offset)
{
	return sym_byte(m->at + offset);
}

// Is that byte in the object, even if it is behind the end of the stream?
static bool has_memory(const struct memory_stream *m, uint64_t offset)
{
	struct rt_object o;
	return offset < m->size.value ||
	       (m->size.l && rt_object_find((uint64_t)m->at, &o) && (uint64_t)m->at + offset < o.base + o.size);
}

label memory_stream_byte(struct memory_stream *m, uint64_t offset, int c)
{
	struct sym end = sym_constant(32, (uint32_t)EOF), at = sym_constant(64, offset);
	if (!m->at || offset == UINT64_MAX || !has_memory(m, offset))
		return 0;
	struct sym byte = memory_byte(m, offset), exists = sym_binary(OP_ULT, at, m->size);
	if (exists.value != (c != EOF) || (c != EOF && byte.value != (uint64_t)c))
		return 0; // not what is in memory now
	return sym_choose(exists, sym_extend(byte, 32), end).l;
}

void memory_stream_read(struct memory_stream *m, uint64_t offset, void *to, uint64_t n)
{
	const char *bytes = to;
	for (uint64_t i = 0; i < n; i++) {
		bool same = m->at && offset + i < m->size.value && m->at[offset + i] == bytes[i];
		rt_store((uint64_t)bytes + i, 1, same ? memory_byte(m, offset + i).l : 0);
	}
}

// --- writing ------------------------------------------------------------------------------------

static bool make_room(struct memory_stream *m, uint64_t n)
{
	uint64_t room = m->room ? m->room : 4096;
	if (n <= m->room)
		return true;
	while (room < n)
		room *= 2;
	char *p = rt_map(2 * room);
	if (!p)
		return false;
	if (m->written) {
		memcpy(p, m->written, m->room);
		memcpy(p + room, m->written + m->room, m->room);
		rt_copy((uint64_t)p, (uint64_t)m->written, m->room);
		rt_clear((uint64_t)m->written, m->room);
		rt_unmap(m->written, 2 * m->room);
	}
	m->written = p;
	m->room = room;
	return true;
}

void memory_stream_written(struct memory_stream *m, uint64_t offset, const void *data, uint64_t n)
{
	if (!m->ret && rt_any((uint64_t)data, n))
		rt_unmodelled(NULL, "fmemopen");
	if (!m->ret || offset > UINT32_MAX || n > UINT32_MAX || !make_room(m, offset + n))
		return;
	memcpy(m->written + offset, data, n);
	memset(m->written + m->room + offset, 1, n);
	rt_copy((uint64_t)m->written + offset, (uint64_t)data, n);
}

static void put_labels(const struct memory_stream *m, const char *to, uint64_t n)
{
	for (uint64_t i = 0; i < n && i < m->room; i++) {
		if (!m->written[m->room + i])
			continue;
		label l = rt_load((uint64_t)m->written + i, 1);
		rt_store((uint64_t)to + i, 1, to[i] == m->written[i] ? l : 0);
	}
}

static void flushed(const struct memory_stream *m)
{
	if (!m->ret)
		return;
	rt_clear((uint64_t)m->ret, sizeof *m->ret);
	rt_clear((uint64_t)m->ret_size, sizeof *m->ret_size);
	if (*m->ret) // libc ends it with a zero
		rt_clear((uint64_t)*m->ret + *m->ret_size, 1);
	if (*m->ret && m->written)
		put_labels(m, *m->ret, *m->ret_size);
}

void memory_stream_flushed(FILE *f)
{
	for (unsigned i = 0; rt_on && i < used; i++)
		if (streams[i].file && (!f || streams[i].file == f))
			flushed(&streams[i]);
}

void memory_stream_closed(struct memory_stream *m)
{
	if (rt_on)
		flushed(m);
	release(m);
}

// --- opening ------------------------------------------------------------------------------------

// Which mode it is is concrete. libc writes terminators where it likes: memory that can be
// written has no labels to begin with.
MODEL(FILE *, fmemopen, void *at, size_t n, const char *mode)
{
	ENTER(fmemopen, 3);
	bool reads_only = mode[0] == 'r' && !strchr(mode, '+');
	rt_concrete(site, arg[0], (uint64_t)at, REASON_ARGUMENT);
	if (!reads_only)
		rt_concrete(site, arg[1], n, REASON_LENGTH);
	FILE *f = fmemopen(at, n, mode);
	stream_forget(f);
	struct memory_stream *m = at ? add(f) : NULL;
	if (m) {
		m->at = at;
		m->reads = reads_only;
		m->size = sym_of(reads_only ? arg[1] : 0, 64, n);
	}
	if (f && at && rt_on && !(m && reads_only) && rt_any((uint64_t)at, n)) {
		rt_unmodelled(site, "fmemopen");
		rt_clear((uint64_t)at, reads_only ? 0 : n);
	}
	return f;
}

MODEL(FILE *, open_memstream, char **ret, size_t *ret_size)
{
	ENTER(open_memstream, 2);
	rt_concrete(site, arg[0], (uint64_t)ret, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)ret_size, REASON_ARGUMENT);
	FILE *f = open_memstream(ret, ret_size);
	stream_forget(f);
	if (f && rt_on) {
		rt_clear((uint64_t)ret, sizeof *ret);
		rt_clear((uint64_t)ret_size, sizeof *ret_size);
	}
	struct memory_stream *m = add(f);
	if (m) {
		m->ret = ret;
		m->ret_size = ret_size;
	}
	return f;
}
