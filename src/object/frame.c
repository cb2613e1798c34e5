#include "object/frame.h"

#include <string.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "object/elf.h"

static const char magic[8] = {'V', 'E', 'E', 'R', 'B', 'C', '1', '\n'};

enum { HEADER = 64, HASHED = 56, LEVEL = 3 };
#define PAYLOAD_MAX ((uint64_t)1 << 31)

static uint64_t header_hash(const uint8_t *header, const uint8_t *text, size_t text_size)
{
	struct buf all = {0};
	buf_add(&all, header, HASHED);
	buf_add(&all, text, text_size);
	struct hash h = hash_bytes(all.data, all.len);
	buf_release(&all);
	return h.low;
}

void frame_pack(struct buf *out, const struct frame *frame, const void *payload, size_t size)
{
	struct buf text = {0}, header = {0};
	buf_string(&text, frame->source);
	buf_string(&text, frame->cwd);
	buf_string(&text, frame->note);
	if (frame->has_options)
		buf_u32(&text, (uint32_t)frame->options.n);
	for (size_t i = 0; frame->has_options && i < frame->options.n; i++)
		buf_string(&text, frame->options.v[i]);
	size_t bound = ZSTD_compressBound(size);
	void *packed = mem_alloc(bound);
	size_t packed_size = ZSTD_compress(packed, bound, payload, size, LEVEL);
	if (ZSTD_isError(packed_size)) // with room for the bound, only memory can be missing
		mem_exhausted();
	struct hash hash = hash_bytes(payload, size);
	buf_add(&header, magic, sizeof magic);
	buf_u32(&header, frame->kind);
	buf_u32(&header, frame->group);
	buf_u32(&header, (uint32_t)text.len);
	buf_u32(&header, 0);
	buf_u64(&header, packed_size);
	buf_u64(&header, size);
	buf_u64(&header, hash.low);
	buf_u64(&header, hash.high);
	buf_u64(&header, header_hash((uint8_t *)header.data, (uint8_t *)text.data, text.len));
	buf_add(out, header.data, header.len);
	buf_add(out, text.data, text.len);
	buf_add(out, packed, packed_size);
	static const char zeros[8];
	buf_add(out, zeros, (8 - (header.len + text.len + packed_size) % 8) % 8);
	mem_free(packed);
	buf_release(&header);
	buf_release(&text);
}

int frame_unpack(const struct frame *frame, struct buf *ret, struct err *err)
{
	buf_clear(ret);
	if (ZSTD_getFrameContentSize(frame->packed, frame->packed_size) != frame->size)
		return err_set(err, "damaged bitcode of %s", frame->source);
	buf_reserve(ret, frame->size);
	size_t n = ZSTD_decompress(ret->data, frame->size, frame->packed, frame->packed_size);
	if (ZSTD_isError(n) || n != frame->size)
		return err_set(err, "damaged bitcode of %s", frame->source);
	struct hash hash = hash_bytes(ret->data, n);
	if (hash.low != frame->hash.low || hash.high != frame->hash.high)
		return err_set(err, "damaged bitcode of %s", frame->source);
	ret->len = n;
	ret->data[n] = 0;
	return 0;
}

// Reads the frame at c->p; on success c->p is behind it.
static int read_one(struct cursor *c, struct frame *ret)
{
	const uint8_t *header = cursor_bytes(c, HEADER);
	if (!header || memcmp(header, magic, sizeof magic) != 0)
		return -1;
	struct cursor h = {header + 8, header + HEADER, false};
	struct frame f = {.kind = (enum frame_kind)cursor_u32(&h), .group = cursor_u32(&h)};
	uint32_t text_size = cursor_u32(&h);
	cursor_u32(&h);
	uint64_t packed_size = cursor_u64(&h), size = cursor_u64(&h);
	f.hash.low = cursor_u64(&h);
	f.hash.high = cursor_u64(&h);
	uint64_t check = cursor_u64(&h);
	const uint8_t *text = cursor_bytes(c, text_size);
	if (!text || check != header_hash(header, text, text_size) || size > PAYLOAD_MAX || f.kind < FRAME_BITCODE ||
	    f.kind > FRAME_LINK)
		return -1;
	f.packed = cursor_bytes(c, packed_size);
	if (!f.packed)
		return -1;
	f.packed_size = packed_size;
	f.size = size;
	struct cursor t = {text, text + text_size, false};
	f.source = cursor_string(&t);
	f.cwd = cursor_string(&t);
	f.note = cursor_string(&t);
	f.has_options = !t.bad && t.p < t.end;
	for (uint32_t n = f.has_options ? cursor_u32(&t) : 0; n && !t.bad; n--) {
		char *option = cursor_string(&t);
		if (option)
			strv_take(&f.options, option);
	}
	*ret = f;
	return t.bad ? -1 : 0;
}

static void release_one(struct frame *f)
{
	mem_free(f->source);
	mem_free(f->cwd);
	mem_free(f->note);
	strv_release(&f->options);
}

int frame_list_read(const uint8_t *data, size_t size, struct frame_list *list, struct err *err)
{
	struct cursor c = {data, data + size, false};
	for (;;) {
		while (c.p < c.end && *c.p == 0)
			c.p++;
		if (c.p == c.end)
			return 0;
		struct frame f = {0};
		size_t at = (size_t)(c.p - data);
		if (read_one(&c, &f) < 0) {
			release_one(&f);
			return err_set(err, "damaged %s section at byte %zu", FRAME_SECTION, at);
		}
		vec_push(list, f);
	}
}

int frame_list_read_elf(const void *data, size_t size, struct frame_list *list, struct err *err)
{
	struct elf elf;
	if (elf_parse(data, size, &elf, err) < 0)
		return -1;
	struct elf_section section;
	bool bad;
	for (uint32_t at = 0; elf_next(&elf, FRAME_SECTION, &at, &section, &bad);)
		if (frame_list_read(section.data, section.size, list, err) < 0)
			return -1;
	return bad ? err_set(err, "damaged %s section: it does not lie inside the file", FRAME_SECTION) : 0;
}

void frame_list_release(struct frame_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		release_one(&list->v[i]);
	mem_free(list->v);
	*list = (struct frame_list){0};
}

bool frame_in_elf(const void *data, size_t size)
{
	struct elf elf;
	struct elf_section section;
	uint32_t at = 0;
	bool bad = false;
	return elf_parse(data, size, &elf, NULL) == 0 && (elf_next(&elf, FRAME_SECTION, &at, &section, &bad) || bad);
}
