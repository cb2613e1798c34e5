#include "input/windows.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "input/input.h"

void windows_add(struct windows *w, struct input_source of, uint64_t from, uint64_t to)
{
	assert(of.name && of.type.kind < INPUT_KINDS);
	const struct input_source own = input_source(of.type.kind, INPUT_BYTES, of.ordinal, mem_strdup(of.name));
	vec_push(w, (struct window){own, from, to});
}

void windows_release(struct windows *w)
{
	for (size_t i = 0; i < w->n; i++)
		mem_free((char *)w->v[i].of.name);
	mem_free(w->v);
	*w = (struct windows){0};
}

void windows_encode(const struct windows *w, struct buf *out)
{
	if (!w->n && !w->limit)
		return;
	buf_u64(out, w->limit);
	for (size_t i = 0; i < w->n; i++) {
		const struct window *x = &w->v[i];
		buf_u64(out, x->from);
		buf_u64(out, x->to);
		input_source_encode(x->of, out);
	}
}

int windows_decode(struct windows *ret, const void *data, size_t size, struct err *err)
{
	struct cursor c = {.p = data, .end = (const uint8_t *)data + size};
	*ret = (struct windows){0};
	if (!size)
		return 0;
	ret->limit = cursor_u64(&c);
	while (!c.bad && c.p < c.end) {
		uint64_t from = cursor_u64(&c), to = cursor_u64(&c);
		struct input_source of = input_source_decode(&c);
		if (!c.bad)
			windows_add(ret, of, from, to);
		mem_free((char *)of.name);
	}
	if (!c.bad)
		return 0;
	windows_release(ret);
	return err_set(err, "symbolic windows are damaged");
}

size_t windows_give(const struct windows *w, void *to, size_t most)
{
	size_t used = 0;
	for (size_t i = 0; i < w->n; i++) {
		const struct window *x = &w->v[i];
		size_t n = strlen(x->of.name) + 1, size = (sizeof(struct launch_window) + n + 7) / 8 * 8;
		if (size > most - used)
			return SIZE_MAX;
		struct launch_window *g = (struct launch_window *)((char *)to + used);
		*g = (struct launch_window){.from = x->from,
		                            .to = x->to,
		                            .size = (uint32_t)size,
		                            .ordinal = x->of.ordinal,
		                            .kind = x->of.type.kind};
		memcpy(g->name, x->of.name, n);
		used += size;
	}
	return used;
}
