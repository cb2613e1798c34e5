#include "worker/message.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "input/input.h"

enum { MANY = 1 << 24 }; // elements of a list, at most

static const void *member(const void *of, const struct message_field *f)
{
	return (const char *)of + f->offset;
}

static uint32_t count(const void *of, const struct message_field *f)
{
	uint32_t n;
	memcpy(&n, (const char *)of + f->count, sizeof n);
	return n;
}

// The pointer that the member is.
static void *pointer(const void *of, const struct message_field *f)
{
	void *p;
	assert(f->size == sizeof p);
	memcpy(&p, member(of, f), sizeof p);
	return p;
}

// --- sizes ----------------------------------------------------------------------------------------

static size_t field_least(const struct message_field *f)
{
	switch (f->kind) {
	case MESSAGE_U64: return 8;
	case MESSAGE_FLAG:
	case MESSAGE_CHOICE:
	case MESSAGE_OPTIONAL: return 1;
	case MESSAGE_PART: return message_least(f->of);
	case MESSAGE_U32:
	case MESSAGE_TEXT:
	case MESSAGE_BYTES:
	case MESSAGE_INPUT:
	case MESSAGE_LIST:
	case MESSAGE_KEYS:
	case MESSAGE_OCTETS: return 4;
	case MESSAGE_KINDS: break;
	}
	assert(!"a kind of field");
	return 1;
}

size_t message_least(const struct message_table *t)
{
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++)
		n += field_least(&t->v[i]);
	return n;
}

// --- encoding -------------------------------------------------------------------------------------

static void put_bytes(struct buf *out, const void *data, size_t size)
{
	assert(size <= UINT32_MAX);
	buf_u32(out, (uint32_t)size);
	if (size)
		buf_add(out, data, size);
}

static void put_input(struct buf *out, const struct input *in)
{
	struct buf bytes = {0};
	input_encode(in, &bytes);
	put_bytes(out, bytes.data, bytes.len);
	buf_release(&bytes);
}

// Of one byte, or as large as an enum.
static uint32_t choice(const void *p, size_t size)
{
	uint32_t v = 0;
	assert(size == 1 || size == sizeof v);
	memcpy(&v, p, size); // little endian, as all machines that veer runs on
	return v;
}

static void put_list(struct buf *out, const void *of, const struct message_field *f)
{
	const char *v = pointer(of, f);
	uint32_t n = count(of, f);
	buf_u32(out, n);
	for (uint32_t i = 0; i < n; i++)
		message_encode(f->of, v + i * f->of->size, out);
}

static void put_keys(struct buf *out, const void *of, const struct message_field *f)
{
	const uint64_t *v = pointer(of, f);
	uint32_t n = count(of, f);
	buf_u32(out, n);
	for (uint32_t i = 0; i < n; i++)
		buf_u64(out, v[i]);
}

static void put_field(struct buf *out, const void *of, const struct message_field *f)
{
	const void *p = member(of, f);
	const char *text = f->kind == MESSAGE_TEXT || f->kind == MESSAGE_OPTIONAL ? pointer(of, f) : NULL;
	switch (f->kind) {
	case MESSAGE_U32: buf_u32(out, *(const uint32_t *)p); return;
	case MESSAGE_U64: buf_u64(out, *(const uint64_t *)p); return;
	case MESSAGE_FLAG: buf_addch(out, *(const bool *)p); return;
	case MESSAGE_CHOICE:
		assert(choice(p, f->size) >= f->from && choice(p, f->size) < f->to && f->to <= 256);
		buf_addch(out, (char)choice(p, f->size));
		return;
	case MESSAGE_TEXT: buf_string(out, text); return;
	case MESSAGE_OPTIONAL:
		buf_addch(out, text != NULL);
		if (text)
			buf_string(out, text);
		return;
	case MESSAGE_BYTES: put_bytes(out, ((const struct buf *)p)->data, ((const struct buf *)p)->len); return;
	case MESSAGE_INPUT: put_input(out, p); return;
	case MESSAGE_PART: message_encode(f->of, p, out); return;
	case MESSAGE_LIST: put_list(out, of, f); return;
	case MESSAGE_KEYS: put_keys(out, of, f); return;
	case MESSAGE_OCTETS: put_bytes(out, pointer(of, f), count(of, f)); return;
	case MESSAGE_KINDS: break;
	}
	assert(!"a kind of field");
}

void message_encode(const struct message_table *t, const void *from, struct buf *out)
{
	for (size_t i = 0; i < t->n; i++)
		put_field(out, from, &t->v[i]);
}

// --- decoding -------------------------------------------------------------------------------------

static uint8_t get_byte(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 1);
	return p ? *p : 0;
}

static bool get_flag(struct cursor *c)
{
	uint8_t v = get_byte(c);
	c->bad |= v > 1;
	return v == 1;
}

// How many follow; none when that cannot be: each takes at least `least` bytes.
static uint32_t get_count(struct cursor *c, size_t least)
{
	uint32_t n = cursor_u32(c);
	c->bad |= n > MANY;
	return cursor_fits(c, n, least);
}

static void get_choice(void *p, const struct message_field *f, struct cursor *c)
{
	uint32_t v = get_byte(c);
	c->bad |= v < f->from || v >= f->to;
	if (!c->bad)
		memcpy(p, &v, f->size);
}

static void get_input(struct input *ret, struct cursor *c)
{
	uint32_t size = cursor_u32(c);
	const uint8_t *bytes = cursor_bytes(c, size);
	struct err err;
	if (!bytes || input_decode(ret, bytes, size, &err) < 0)
		c->bad = true;
}

// Sets the member that points to them and the one that counts them.
static void *get_room(void *of, const struct message_field *f, uint32_t n, size_t size)
{
	void *v = mem_zero(((size_t)n + 1) * size);
	memcpy((char *)of + f->offset, &v, sizeof v);
	memcpy((char *)of + f->count, &n, sizeof n);
	return v;
}

static void get_list(void *of, const struct message_field *f, struct cursor *c)
{
	uint32_t n = get_count(c, message_least(f->of));
	char *v = get_room(of, f, n, f->of->size);
	for (uint32_t i = 0; i < n && !c->bad; i++)
		message_decode(f->of, v + i * f->of->size, c);
}

static void get_keys(void *of, const struct message_field *f, struct cursor *c)
{
	uint32_t n = get_count(c, 8);
	uint64_t *v = get_room(of, f, n, sizeof *v);
	for (uint32_t i = 0; i < n; i++)
		v[i] = cursor_u64(c);
}

static void get_octets(void *of, const struct message_field *f, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	const uint8_t *bytes = cursor_bytes(c, n);
	if (bytes)
		memcpy(get_room(of, f, n, 1), bytes, n);
}

static void get_bytes(struct buf *ret, struct cursor *c)
{
	uint32_t size = cursor_u32(c);
	const uint8_t *bytes = cursor_bytes(c, size);
	if (bytes && size)
		buf_add(ret, bytes, size);
}

static void get_field(void *of, const struct message_field *f, struct cursor *c)
{
	void *p = (char *)of + f->offset;
	switch (f->kind) {
	case MESSAGE_U32: *(uint32_t *)p = cursor_u32(c); return;
	case MESSAGE_U64: *(uint64_t *)p = cursor_u64(c); return;
	case MESSAGE_FLAG: *(bool *)p = get_flag(c); return;
	case MESSAGE_CHOICE: get_choice(p, f, c); return;
	case MESSAGE_TEXT: *(char **)p = cursor_string(c); return;
	case MESSAGE_OPTIONAL: *(char **)p = get_flag(c) ? cursor_string(c) : NULL; return;
	case MESSAGE_BYTES: get_bytes(p, c); return;
	case MESSAGE_INPUT: get_input(p, c); return;
	case MESSAGE_PART: message_decode(f->of, p, c); return;
	case MESSAGE_LIST: get_list(of, f, c); return;
	case MESSAGE_KEYS: get_keys(of, f, c); return;
	case MESSAGE_OCTETS: get_octets(of, f, c); return;
	case MESSAGE_KINDS: break;
	}
	assert(!"a kind of field");
}

void message_decode(const struct message_table *t, void *ret, struct cursor *c)
{
	for (size_t i = 0; i < t->n && !c->bad; i++)
		get_field(ret, &t->v[i], c);
}

// --- releasing ------------------------------------------------------------------------------------

static void release_field(void *of, const struct message_field *f)
{
	void *p = (char *)of + f->offset;
	switch (f->kind) {
	case MESSAGE_U32:
	case MESSAGE_U64:
	case MESSAGE_FLAG:
	case MESSAGE_CHOICE: return;
	case MESSAGE_TEXT:
	case MESSAGE_OPTIONAL:
	case MESSAGE_KEYS:
	case MESSAGE_OCTETS: mem_free(pointer(of, f)); return;
	case MESSAGE_BYTES: buf_release(p); return;
	case MESSAGE_INPUT: input_release(p); return;
	case MESSAGE_PART: message_release(f->of, p); return;
	case MESSAGE_LIST:
		for (uint32_t i = 0; i < count(of, f); i++)
			message_release(f->of, (char *)pointer(of, f) + i * f->of->size);
		mem_free(pointer(of, f));
		return;
	case MESSAGE_KINDS: break;
	}
	assert(!"a kind of field");
}

void message_release(const struct message_table *t, void *of)
{
	for (size_t i = 0; i < t->n; i++)
		release_field(of, &t->v[i]);
	memset(of, 0, t->size);
}
