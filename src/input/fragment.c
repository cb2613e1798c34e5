#include "input/fragment.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

void fragment_encode(const struct fragment *f, struct buf *out)
{
	const struct fragment_entry e = {.magic = FRAGMENT_MAGIC,
	                                 .unit = f->unit,
	                                 .function = f->function,
	                                 .marker = f->marker,
	                                 .depth = f->depth ? f->depth : FRAGMENT_DEPTH,
	                                 .object_max = f->object_max ? f->object_max : FRAGMENT_OBJECT,
	                                 .n_globals = (uint32_t)f->n_globals,
	                                 .n_stubs = (uint32_t)f->n_stubs};
	assert(e.depth <= FRAGMENT_DEPTH_MAX && e.object_max <= FRAGMENT_OBJECT_MAX &&
	       f->n_globals + f->n_stubs <= FRAGMENT_NAMES_MAX);
	buf_add(out, &e, sizeof e);
	for (size_t i = 0; i < f->n_globals; i++)
		buf_add(out, &f->globals[i], sizeof *f->globals);
	for (size_t i = 0; i < f->n_stubs; i++)
		buf_add(out, &f->stubs[i], sizeof *f->stubs);
}

bool fragment_decode(struct fragment *ret, const void *data, size_t size)
{
	struct fragment_entry e;
	if (!fragment_entry_fits(data, size))
		return false;
	memcpy(&e, data, sizeof e);
	const struct fragment_name *names = (const void *)((const char *)data + sizeof e);
	*ret = (struct fragment){.unit = e.unit,
	                         .function = e.function,
	                         .marker = e.marker,
	                         .depth = e.depth,
	                         .object_max = e.object_max,
	                         .globals = names,
	                         .n_globals = e.n_globals,
	                         .stubs = names + e.n_globals,
	                         .n_stubs = e.n_stubs};
	return true;
}

void fragment_set(struct input *in, const struct fragment *f)
{
	struct input_part *had = input_find(in, INPUT_FRAGMENT, NULL);
	struct buf bytes = {0};
	fragment_encode(f, &bytes);
	if (had) {
		buf_release(&had->data);
		had->data = bytes;
	} else {
		input_add(in, INPUT_FRAGMENT, NULL, bytes.data, bytes.len);
		buf_release(&bytes);
	}
}

bool fragment_of(const struct input *in, struct fragment *ret)
{
	const struct input_part *part = input_find(in, INPUT_FRAGMENT, NULL);
	return part && fragment_decode(ret, part->data.data, part->data.len);
}

uint64_t fragment_name(const struct input *in)
{
	const struct input_part *p = input_find(in, INPUT_FRAGMENT, NULL);
	uint64_t name = p ? hash_bytes(p->data.data, p->data.len).low : 0;
	return p && !name ? 1 : name;
}
