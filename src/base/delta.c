#include "base/delta.h"

#include <string.h>
#include <zstd.h>

#include "base/mem.h"

// Packed: magic, number of the base, a frame of zstd.
static const char magic[8] = "VEERDLT1";

enum { HEADER = sizeof magic + sizeof(uint64_t), LEVEL = 1, SMALL = 2048, LARGEST = 256 << 20 };

static bool is_packed(const void *data, size_t size)
{
	return size >= HEADER && memcmp(data, magic, sizeof magic) == 0;
}

static void clear(struct delta_base *b)
{
	ZSTD_freeCDict(b->prepared);
	buf_release(&b->data);
	*b = (struct delta_base){0};
}

void delta_release(struct delta *d)
{
	for (size_t i = 0; i < d->n; i++)
		clear(&d->v[i]);
	*d = (struct delta){0};
}

static struct delta_base *add(struct delta *d, uint64_t id)
{
	size_t i = d->next;
	d->next = (d->next + 1) % DELTA_BASES;
	if (i == d->n)
		d->n++;
	else
		clear(&d->v[i]);
	d->v[i].id = id;
	d->last = i;
	return &d->v[i];
}

void delta_add(struct delta *d, uint64_t id, const void *data, size_t size)
{
	if (size >= SMALL && !is_packed(data, size))
		buf_add(&add(d, id)->data, data, size);
}

// Adds the frame to *out unless it comes to more than half.
static bool pack_against(struct delta_base *b, ZSTD_CCtx *context, const void *data, size_t size, struct buf *out)
{
	if (!b->prepared)
		b->prepared = ZSTD_createCDict(b->data.data, b->data.len, LEVEL);
	size_t room = ZSTD_compressBound(size);
	buf_reserve(out, HEADER + room);
	buf_clear(out);
	buf_add(out, magic, sizeof magic);
	buf_u64(out, b->id);
	size_t n =
		b->prepared ? ZSTD_compress_usingCDict(context, out->data + HEADER, room, data, size, b->prepared) : 0;
	if (!b->prepared || ZSTD_isError(n) || n > size / 2)
		return false;
	out->len += n;
	return true;
}

bool delta_pack(struct delta *d, const void *data, size_t size, struct buf *out)
{
	if (size < SMALL || !d->n)
		return false;
	ZSTD_CCtx *context = ZSTD_createCCtx();
	bool packed = false;
	for (size_t i = 0; context && !packed && i < d->n; i++) {
		size_t at = (d->last + i) % d->n; // what was of use last is tried first
		packed = pack_against(&d->v[at], context, data, size, out);
		if (packed)
			d->last = at;
	}
	ZSTD_freeCCtx(context);
	return packed;
}

static struct delta_base *find_base(struct delta *d, uint64_t id,
                                    int (*fetch)(void *opaque, uint64_t id, struct buf *ret, struct err *err),
                                    void *opaque, struct err *err)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].id == id)
			return &d->v[i];
	struct buf data = {0};
	if (fetch(opaque, id, &data, err) < 0 || is_packed(data.data, data.len)) {
		buf_release(&data);
		return NULL;
	}
	struct delta_base *b = add(d, id);
	b->data = data;
	return b;
}

static int unpack(const struct delta_base *b, const char *frame, size_t size, struct buf *ret)
{
	unsigned long long whole = ZSTD_getFrameContentSize(frame, size);
	if (whole > LARGEST) // an error, too
		return -1;
	buf_reserve(ret, (size_t)whole);
	ZSTD_DCtx *context = ZSTD_createDCtx();
	size_t n = context ? ZSTD_decompress_usingDict(context, ret->data + ret->len, (size_t)whole, frame, size,
	                                               b->data.data, b->data.len)
	                   : 0;
	ZSTD_freeDCtx(context);
	if (!context || ZSTD_isError(n) || n != whole)
		return -1;
	ret->len += n;
	ret->data[ret->len] = 0;
	return 0;
}

int delta_unpack(struct delta *d, const void *data, size_t size,
                 int (*fetch)(void *opaque, uint64_t id, struct buf *ret, struct err *err), void *opaque,
                 struct buf *ret, struct err *err)
{
	if (!is_packed(data, size)) {
		if (size)
			buf_add(ret, data, size);
		return 0;
	}
	struct cursor c = {(const uint8_t *)data + sizeof magic, (const uint8_t *)data + size, false};
	const struct delta_base *b = find_base(d, cursor_u64(&c), fetch, opaque, err);
	if (!b)
		return err_set(err, "what something was kept as a difference from is damaged or gone");
	if (unpack(b, (const char *)c.p, (size_t)(c.end - c.p), ret) < 0)
		return err_set(err, "what was kept as a difference is damaged");
	return 0;
}
