#include "run/windows.h"

#include <string.h>

#include "base/mem.h"

void windows_add(struct windows *w, const char *name, uint64_t from, uint64_t to)
{
	if (w->n == w->cap) {
		w->cap = w->cap ? 2 * w->cap : 8;
		w->v = mem_resize(w->v, w->cap * sizeof *w->v);
	}
	w->v[w->n++] = (struct window){mem_strdup(name), from, to};
}

void windows_release(struct windows *w)
{
	for (size_t i = 0; i < w->n; i++)
		mem_free(w->v[i].name);
	mem_free(w->v);
	*w = (struct windows){0};
}

void windows_encode(const struct windows *w, struct buf *out)
{
	if (!w->n && !w->limit)
		return;
	buf_add(out, &w->limit, sizeof w->limit);
	for (size_t i = 0; i < w->n; i++) {
		buf_add(out, &w->v[i].from, sizeof w->v[i].from);
		buf_add(out, &w->v[i].to, sizeof w->v[i].to);
		buf_add(out, w->v[i].name, strlen(w->v[i].name) + 1);
	}
}

int windows_decode(struct windows *ret, const void *data, size_t size, struct err *err)
{
	const char *at = data, *end = at + size;
	*ret = (struct windows){0};
	if (!size)
		return 0;
	if (size < sizeof ret->limit)
		return err_set(err, "symbolic windows are damaged");
	memcpy(&ret->limit, at, sizeof ret->limit);
	for (at += sizeof ret->limit; at < end;) {
		uint64_t range[2];
		const char *name = at + sizeof range;
		const char *nul = (size_t)(end - at) > sizeof range ? memchr(name, 0, (size_t)(end - name)) : NULL;
		if (!nul) {
			windows_release(ret);
			return err_set(err, "symbolic windows are damaged");
		}
		memcpy(range, at, sizeof range);
		windows_add(ret, name, range[0], range[1]);
		at = nul + 1;
	}
	return 0;
}

size_t windows_give(const struct windows *w, void *to, size_t most)
{
	size_t used = 0;
	for (size_t i = 0; i < w->n; i++) {
		size_t n = strlen(w->v[i].name) + 1, size = (sizeof(struct launch_window) + n + 7) / 8 * 8;
		if (size > most - used)
			return SIZE_MAX;
		struct launch_window *g = (struct launch_window *)((char *)to + used);
		*g = (struct launch_window){.from = w->v[i].from, .to = w->v[i].to, .size = (uint32_t)size};
		memcpy(g->name, w->v[i].name, n);
		used += size;
	}
	return used;
}
