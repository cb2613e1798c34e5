#include "run/input.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

// Encoded: magic, number of parts, then for each its kind, whether it has a name, name, size, bytes.
static const char magic[8] = "VEERINP1";

struct input_part *input_add(struct input *in, enum input_kind kind, const char *name, const void *data, size_t size)
{
	if (in->n == in->cap) {
		in->cap = in->cap ? 2 * in->cap : 8;
		in->v = mem_resize(in->v, in->cap * sizeof *in->v);
	}
	struct input_part *p = &in->v[in->n++];
	*p = (struct input_part){.kind = kind, .name = name ? mem_strdup(name) : NULL};
	buf_reserve(&p->data, size);
	if (size)
		buf_add(&p->data, data, size);
	return p;
}

static bool same_name(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

struct input_part *input_find(const struct input *in, enum input_kind kind, const char *name)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == kind && same_name(in->v[i].name, name))
			return &in->v[i];
	return NULL;
}

struct input_part *input_argument(const struct input *in, size_t number)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_ARGUMENT && number-- == 0)
			return &in->v[i];
	return NULL;
}

struct input_part *input_part_of(const struct input *in, struct input_source source)
{
	enum input_kind kind = (enum input_kind)source.type.kind;
	if (kind == INPUT_ARGUMENT)
		return input_argument(in, source.ordinal);
	return input_find(in, kind, kind != INPUT_OBJECT && input_has_name(kind) ? source.name : NULL);
}

void input_copy(struct input *to, const struct input *from)
{
	*to = (struct input){0};
	for (size_t i = 0; i < from->n; i++) {
		const struct input_part *p = &from->v[i];
		input_add(to, p->kind, p->name, p->data.data, p->data.len);
	}
}

bool input_equal(const struct input *a, const struct input *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct input_part *x = &a->v[i], *y = &b->v[i];
		if (x->kind != y->kind || !same_name(x->name, y->name) || x->data.len != y->data.len ||
		    (x->data.len && memcmp(x->data.data, y->data.data, x->data.len) != 0))
			return false;
	}
	return true;
}

// The part of `other` that stands for part number i of `in`; NULL: none.
static const struct input_part *counterpart(const struct input *in, size_t i, const struct input *other)
{
	size_t number = 0;
	if (in->v[i].kind != INPUT_ARGUMENT)
		return input_find(other, in->v[i].kind, in->v[i].name);
	for (size_t k = 0; k < i; k++)
		number += in->v[k].kind == INPUT_ARGUMENT;
	return input_argument(other, number);
}

static size_t differing(const struct buf *a, const struct buf *b)
{
	size_t least = a->len < b->len ? a->len : b->len, n = a->len + b->len - 2 * least;
	for (size_t i = 0; i < least; i++)
		n += a->data[i] != b->data[i];
	return n;
}

// Of a part that only one has. An argument, variable or file is there or not, also when it is empty; a stream that is
// empty is as good as none.
static size_t size_alone(const struct input_part *p)
{
	bool empty = !p->data.len && p->kind != INPUT_STDIN && p->kind != INPUT_OBJECT;
	return empty ? 1 : p->data.len;
}

size_t input_difference(const struct input *a, const struct input *b)
{
	size_t n = 0;
	for (size_t i = 0; i < a->n; i++) {
		const struct input_part *other = counterpart(a, i, b);
		n += other ? differing(&a->v[i].data, &other->data) : size_alone(&a->v[i]);
	}
	for (size_t i = 0; i < b->n; i++)
		n += counterpart(b, i, a) ? 0 : size_alone(&b->v[i]);
	return n;
}

size_t input_size(const struct input *in)
{
	size_t size = 0;
	for (size_t i = 0; i < in->n; i++)
		size += in->v[i].data.len;
	return size;
}

void input_release(struct input *in)
{
	for (size_t i = 0; i < in->n; i++) {
		mem_free(in->v[i].name);
		buf_release(&in->v[i].data);
	}
	mem_free(in->v);
	*in = (struct input){0};
}

void input_encode(const struct input *in, struct buf *out)
{
	buf_add(out, magic, sizeof magic);
	buf_u32(out, (uint32_t)in->n);
	for (size_t i = 0; i < in->n; i++) {
		const struct input_part *p = &in->v[i];
		buf_u32(out, p->kind);
		buf_u32(out, p->name != NULL);
		if (p->name)
			buf_string(out, p->name);
		buf_u64(out, p->data.len);
		if (p->data.len)
			buf_add(out, p->data.data, p->data.len);
	}
}

// False when that is no part. What does not fit its kind is refused here, so that nobody has to look again.
static bool decode_part(struct input *in, struct cursor *c)
{
	uint32_t kind = cursor_u32(c), named = cursor_u32(c);
	char *name = !c->bad && named == 1 ? cursor_string(c) : NULL;
	uint64_t size = cursor_u64(c);
	bool known = kind < INPUT_KINDS && kind != INPUT_SOCKET; // nothing can be given to a socket
	bool wants_name = known && kind != INPUT_OBJECT && input_has_name(kind);
	bool good = !c->bad && known && named <= 1 && (wants_name == (named == 1)) && size <= (uint64_t)(c->end - c->p);
	good = good && (kind != INPUT_FILE || name[0] == '/') &&
	       (kind != INPUT_VARIABLE || (name[0] && !strchr(name, '=')));
	const uint8_t *data = good ? cursor_bytes(c, (size_t)size) : NULL;
	if (good)
		input_add(in, (enum input_kind)kind, name, data, (size_t)size);
	mem_free(name);
	return good;
}

int input_decode(struct input *ret, const void *data, size_t size, struct err *err)
{
	struct cursor c = {data, (const uint8_t *)data + size, false};
	const uint8_t *start = cursor_bytes(&c, sizeof magic);
	struct input in = {0};
	bool good = start && memcmp(start, magic, sizeof magic) == 0;
	uint32_t n = good ? cursor_u32(&c) : 0;
	for (uint32_t i = 0; i < n && good; i++)
		good = decode_part(&in, &c);
	if (!good || c.bad || c.p != c.end) {
		input_release(&in);
		return err_set(err, "an input is damaged");
	}
	*ret = in;
	return 0;
}

uint64_t input_hash(const struct input *in)
{
	struct buf all = {0};
	input_encode(in, &all);
	struct hash h = hash_bytes(all.data, all.len);
	buf_release(&all);
	uint64_t r;
	memcpy(&r, &h, sizeof r);
	return r;
}
