#include "runtime/models/reading.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// Of a stream that has not ended: as far as it came.
static uint64_t length_now(const struct rt_source *s)
{
	return s->seekable || s->length != RT_NO_INPUT ? s->now : s->size;
}

struct sym reading_length(struct rt_source *s)
{
	return sym_of(rt_source_length(s), 64, length_now(s));
}

bool reading_has(struct rt_source *s, uint64_t offset)
{
	return offset < length_now(s);
}

struct sym reading_exists(struct rt_source *s, uint64_t offset)
{
	return sym_binary(OP_ULT, sym_constant(64, offset), reading_length(s));
}

// As much as is wanted, or there is.
static struct sym count(struct sym left, struct sym wanted, uint64_t got)
{
	struct sym r = sym_choose(sym_binary(OP_ULE, wanted, left), wanted, left);
	return r.value == got ? r : sym_constant(64, got); // what the file has now may be something else
}

struct sym reading_count(struct rt_source *s, uint64_t offset, struct sym wanted, uint64_t got)
{
	struct sym length = reading_length(s), from = sym_constant(64, offset);
	if (!length.l)
		return sym_constant(64, got);
	struct sym left = sym_binary(OP_SUB, length, from);
	if (offset)
		left = sym_choose(sym_binary(OP_ULE, from, length), left, sym_constant(64, 0));
	return count(left, wanted, got);
}

// Behind a read that met the end, the next one finds nothing; in a longer file the first would have found more, so
// that what is left depends on where it went to.
struct sym reading_on(struct rt_source *s, uint64_t offset, struct sym wanted, uint64_t got)
{
	struct sym from = sym_constant(64, offset), r;
	if (!got && s->short_label && s->short_at == offset) {
		from = sym_of(s->short_label, 64, offset);
		r = count(sym_binary(OP_SUB, reading_length(s), from), wanted, got);
	} else {
		r = reading_count(s, offset, wanted, got);
	}
	s->short_label = got < wanted.value ? sym_binary(OP_ADD, from, r).l : 0;
	s->short_at = offset + got;
	return r;
}

bool reading_is_same(struct rt_source *s, uint64_t offset, const void *data, uint64_t n)
{
	uint64_t last = offset + n - 1;
	return n == 0 || offset >= s->size ||
	       (*(const uint8_t *)data == s->data[offset] &&
	        (last >= s->size || ((const uint8_t *)data)[n - 1] == s->data[last]));
}

bool reading_data(struct rt_source *s, uint64_t offset, void *data, uint64_t n)
{
	rt_source_arrived(s, offset, data, n);
	rt_source_label(s, offset, data, n);
	return reading_is_same(s, offset, data, n);
}

void reading_ended(struct site *site, struct rt_source *s)
{
	bool knew = s->length != RT_NO_INPUT;
	rt_source_ended(s);
	if (!knew && s->length != RT_NO_INPUT && s->size)
		reading_branch(site, reading_exists(s, s->size - 1));
}

void reading_branch(struct site *site, struct sym condition)
{
	if (condition.l)
		__veer_t_branch(site, condition.l, (uint32_t)condition.value);
}

// At the end of a file that is read piece by piece, where to depends on the length.
void reading_to(struct site *site, label l, const void *to, struct sym count)
{
	if (!l)
		return;
	reading_branch(site, sym_binary(OP_ULT, sym_constant(64, 0), count));
	if (count.value)
		rt_concrete(site, l, (uint64_t)to, REASON_ARGUMENT);
}

struct reading_before reading_before(uint8_t *room, label wanted, uint64_t n, const void *to)
{
	struct rt_object o;
	struct reading_before r = {.bytes = room};
	if (!wanted || !rt_on || !rt_object_find((uint64_t)to, &o))
		return r;
	uint64_t left = o.base + o.size - (uint64_t)to, most = n < READING_KEPT ? n : READING_KEPT;
	r.n = most < left ? most : left;
	memcpy(room, to, r.n);
	return r;
}

void reading_into(const struct reading_before *b, struct sym wanted, struct sym got, void *to)
{
	for (uint64_t i = 0; wanted.l && i < b->n && i < got.value; i++) {
		uint8_t *at = (uint8_t *)to + i;
		struct sym read = sym_byte(at), was = sym_constant(8, b->bytes[i]);
		if (read.l || read.value != was.value)
			rt_store((uint64_t)at, 1,
			         sym_choose(sym_binary(OP_ULT, sym_constant(64, i), wanted), read, was).l);
	}
}

void reading_moved(struct rt_source *s)
{
	s->short_label = 0;
}

void reading_from_end(struct rt_source *s, int64_t offset, uint64_t position)
{
	struct sym r = sym_binary(OP_ADD, reading_length(s), sym_constant(64, (uint64_t)offset));
	s->end_label = r.value == position ? r.l : 0;
	s->end_at = position;
}

label reading_position(struct rt_source *s, uint64_t position)
{
	return position == s->end_at ? s->end_label : 0;
}

void reading_at(struct site *site, struct rt_source *s, uint64_t position)
{
	if (!s->end_label || position != s->end_at)
		return;
	rt_concrete(site, s->end_label, position, REASON_POSITION);
	s->end_label = 0;
}

int64_t reading_offset(int fd)
{
	int saved = errno;
	int64_t r = lseek(fd, 0, SEEK_CUR);
	errno = saved;
	return r;
}
