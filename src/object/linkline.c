#include "object/linkline.h"

#include "base/mem.h"
#include "base/vec.h"

enum { VERSION = 1 };

struct link_arg *linkline_add(struct linkline *line, enum link_kind kind, const char *text, const char *name)
{
	vec_room(line->args, line->n + 1, line->cap);
	struct link_arg *arg = &line->args[line->n++];
	*arg = (struct link_arg){.kind = kind, .text = mem_strdup(text), .name = mem_strdup(name)};
	return arg;
}

void linkline_encode(const struct linkline *line, struct buf *out)
{
	buf_u32(out, VERSION);
	buf_string(out, line->driver);
	buf_string(out, line->cwd);
	buf_string(out, line->output);
	buf_u32(out, line->shared);
	buf_u32(out, (uint32_t)line->archives.n);
	for (size_t i = 0; i < line->archives.n; i++)
		buf_string(out, line->archives.v[i]);
	buf_u32(out, (uint32_t)line->n);
	for (size_t i = 0; i < line->n; i++) {
		const struct link_arg *arg = &line->args[i];
		buf_u32(out, arg->kind);
		buf_u32(out, arg->group);
		buf_string(out, arg->text);
		buf_string(out, arg->name);
		buf_u64(out, arg->hash.low);
		buf_u64(out, arg->hash.high);
		buf_u64(out, arg->data_size);
		buf_add(out, arg->data, arg->data_size);
	}
}

static void decode_arg(struct cursor *c, struct linkline *line)
{
	enum link_kind kind = (enum link_kind)cursor_u32(c);
	uint32_t group = cursor_u32(c);
	char *text = cursor_string(c), *name = cursor_string(c);
	struct hash hash = {.low = cursor_u64(c)};
	hash.high = cursor_u64(c);
	uint64_t size = cursor_u64(c);
	const uint8_t *data = cursor_bytes(c, size);
	if (kind < LINK_TEXT || kind > LINK_LARGE)
		c->bad = true;
	if (!c->bad) {
		struct link_arg *arg = linkline_add(line, kind, text, name);
		arg->group = group;
		arg->hash = hash;
		arg->data = size ? mem_copy(data, size) : NULL;
		arg->data_size = size;
	}
	mem_free(text);
	mem_free(name);
}

int linkline_decode(const void *data, size_t size, struct linkline *ret, struct err *err)
{
	struct cursor c = {data, (const uint8_t *)data + size, false};
	struct linkline line = {0};
	if (cursor_u32(&c) != VERSION)
		return err_set(err, "the link line was recorded by another version of veer-cc; rebuild the program");
	line.driver = cursor_string(&c);
	line.cwd = cursor_string(&c);
	line.output = cursor_string(&c);
	line.shared = cursor_u32(&c) != 0;
	for (uint32_t n = cursor_u32(&c); n > 0 && !c.bad; n--) {
		char *path = cursor_string(&c);
		if (path)
			strv_take(&line.archives, path);
	}
	for (uint32_t n = cursor_u32(&c); n > 0 && !c.bad; n--)
		decode_arg(&c, &line);
	if (c.bad) {
		linkline_release(&line);
		return err_set(err, "damaged link line");
	}
	*ret = line;
	return 0;
}

void linkline_release(struct linkline *line)
{
	for (size_t i = 0; i < line->n; i++) {
		mem_free(line->args[i].text);
		mem_free(line->args[i].name);
		mem_free(line->args[i].data);
	}
	mem_free(line->args);
	mem_free(line->driver);
	mem_free(line->cwd);
	mem_free(line->output);
	strv_release(&line->archives);
	*line = (struct linkline){0};
}
