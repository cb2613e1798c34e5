#include "input/input.h"

#include <assert.h>
#include <string.h>

#include "abi/fragment.h"
#include "abi/objects.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

// Encoded: magic, number of parts, then for each its kind, whether it has a name, name, size, bytes.
static const char magic[8] = "VEERINP1";

struct input_part *input_add(struct input *in, enum input_kind kind, const char *name, const void *data, size_t size)
{
	vec_room(in->v, in->n + 1, in->cap);
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

struct input_part *input_nth(const struct input *in, enum input_kind kind, const char *name, size_t n)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == kind && same_name(in->v[i].name, name) && n-- == 0)
			return &in->v[i];
	return NULL;
}

struct input_part *input_find(const struct input *in, enum input_kind kind, const char *name)
{
	return input_nth(in, kind, name, 0);
}

struct input_part *input_argument(const struct input *in, size_t number)
{
	return input_nth(in, INPUT_ARGUMENT, NULL, number);
}

struct input_part *input_part_of(const struct input *in, struct input_source source)
{
	enum input_kind kind = (enum input_kind)source.type.kind;
	return input_nth(in, kind, input_has_name(kind) ? source.name : NULL, source.ordinal);
}

size_t input_ordinal(const struct input *in, size_t part)
{
	size_t n = 0;
	assert(part < in->n);
	for (size_t i = 0; i < part; i++)
		n += in->v[i].kind == in->v[part].kind && same_name(in->v[i].name, in->v[part].name);
	return n;
}

void input_remove(struct input *in, size_t part)
{
	assert(part < in->n);
	mem_free(in->v[part].name);
	buf_release(&in->v[part].data);
	memmove(&in->v[part], &in->v[part + 1], (--in->n - part) * sizeof *in->v);
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
	return input_nth(other, in->v[i].kind, in->v[i].name, input_ordinal(in, i));
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
	bool empty = !p->data.len && p->kind != INPUT_STDIN && input_form(p->kind) != INPUT_FORM_FIXED;
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
	bool may_have = known && input_has_name(kind), must_have = may_have && kind != INPUT_OBJECT;
	bool good = !c->bad && known && named <= may_have && named >= must_have && size <= (uint64_t)(c->end - c->p);
	good = good && (kind != INPUT_FILE || name[0] == '/') &&
	       (kind != INPUT_VARIABLE || (name[0] && !strchr(name, '='))) &&
	       (kind != INPUT_OBJECT || !name || name[0]);
	const uint8_t *data = good ? cursor_bytes(c, (size_t)size) : NULL;
	good = good && (kind != INPUT_FRAGMENT || fragment_entry_fits(data, size));
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

void input_objects(const struct input *in, struct buf *out)
{
	for (size_t i = 0; i < in->n; i++) {
		const struct input_part *p = &in->v[i];
		const char *name = p->name ? p->name : "";
		if ((p->kind != INPUT_OBJECT && p->kind != INPUT_CELL) || p->data.len > UINT32_MAX / 2)
			continue;
		const struct object_record r = {.size = (uint32_t)p->data.len,
		                                .name = (uint32_t)strlen(name) + 1,
		                                .cell = p->kind == INPUT_CELL};
		size_t end = out->len + object_record_room(r.name, r.size);
		buf_add(out, &r, sizeof r);
		buf_add(out, name, r.name);
		if (p->data.len)
			buf_add(out, p->data.data, p->data.len);
		while (out->len < end)
			buf_addch(out, 0);
	}
}

void input_source_encode(struct input_source source, struct buf *out)
{
	buf_u32(out, source.type.kind);
	buf_u32(out, source.ordinal);
	buf_string(out, source.name);
}

struct input_source input_source_decode(struct cursor *c)
{
	uint32_t kind = cursor_u32(c), ordinal = cursor_u32(c);
	c->bad |= kind >= INPUT_KINDS;
	char *name = cursor_string(c);
	return input_source(c->bad ? INPUT_OBJECT : (enum input_kind)kind, INPUT_BYTES, ordinal, name);
}

char *input_source_label(struct input_source source)
{
	size_t size = strlen(source.name) + INPUT_LABEL_MORE;
	char *label = mem_alloc(size);
	input_label(source, label, size);
	return label;
}
