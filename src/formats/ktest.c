// KLEE's .ktest files. Numbers have their highest byte first:
//
//   "KTEST" | version | n | n times: length, argument | symbolic arguments, their length |
//   n | n times: length, name, length, bytes
//
// Older ones ("BOUT\n", versions 1 and 2) differ in the first lines only.
#include "formats/ktest.h"

#include <string.h>

#include "base/mem.h"
#include "formats/format.h"

static const char magic[] = "KTEST", old_magic[] = "BOUT\n";

enum { MAGIC = 5, VERSION = 3 };

static uint32_t read_number(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 4);
	return p ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3] : 0;
}

// Owned; NULL when it goes beyond the end, or has a zero byte in it.
static char *read_text(struct cursor *c)
{
	uint32_t n = read_number(c);
	const uint8_t *p = cursor_bytes(c, n);
	if (p && memchr(p, 0, n))
		c->bad = true;
	return p && !c->bad ? mem_copy(p, n) : NULL;
}

static void read_arguments(struct foreign *s, struct cursor *c, uint32_t version)
{
	for (uint32_t i = 0, n = read_number(c); i < n && !c->bad; i++) {
		char *text = read_text(c);
		if (text)
			strv_take(&s->args, text);
	}
	if (version >= 2)
		cursor_bytes(c, 8);
}

// A count may say anything: every object takes bytes, so the loop ends at the end of the file.
static void read_objects(struct foreign *s, struct cursor *c)
{
	for (uint32_t i = 0, n = read_number(c); i < n && !c->bad; i++) {
		char *name = read_text(c);
		uint32_t size = read_number(c);
		const uint8_t *data = cursor_bytes(c, size);
		if (name && data)
			foreign_add(s, name, NULL, data, size);
		mem_free(name);
	}
}

static int read_ktest(struct foreign *ret, const void *data, size_t size, struct err *err)
{
	struct cursor c = {data, (const uint8_t *)data + size, false};
	const uint8_t *start = cursor_bytes(&c, MAGIC);
	if (!start || (memcmp(start, magic, MAGIC) != 0 && memcmp(start, old_magic, MAGIC) != 0))
		return err_set(err, "this is no .ktest file");
	uint32_t version = read_number(&c);
	if (!c.bad && (version < 1 || version > VERSION))
		return err_set(err, "a .ktest file of version %u, and 3 is the last one known", version);
	read_arguments(ret, &c, version);
	read_objects(ret, &c);
	ret->has_objects = true;
	if (c.bad)
		return err_set(err, "the .ktest file is damaged: it ends too early");
	if (c.p != c.end)
		return err_set(err, "the .ktest file is damaged: there is more behind its end");
	return 0;
}

// --- writing --------------------------------------------------------------------------------------

static void put_number(struct buf *b, size_t n)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_addch(b, (char)(n >> shift));
}

static void put_text(struct buf *b, const char *text)
{
	put_number(b, strlen(text));
	buf_addstr(b, text);
}

void ktest_encode(const struct foreign *s, struct buf *ret)
{
	size_t n = 0, arguments = 0;
	for (size_t i = 0; i < s->n; i++)
		n += s->v[i].data.len > 0;
	for (size_t i = 0; i < s->args.n; i++)
		arguments += s->args.v[i][0] != 0;
	buf_add(ret, magic, MAGIC);
	put_number(ret, VERSION);
	put_number(ret, arguments);
	for (size_t i = 0; i < s->args.n; i++)
		if (s->args.v[i][0])
			put_text(ret, s->args.v[i]);
	put_number(ret, 0);
	put_number(ret, 0);
	put_number(ret, n);
	for (size_t i = 0; i < s->n; i++) {
		const struct foreign_object *o = &s->v[i];
		if (!o->data.len)
			continue;
		put_text(ret, o->name[0] ? o->name : "unnamed");
		put_number(ret, o->data.len);
		buf_add(ret, o->data.data, o->data.len);
	}
}

static int put(const char *folder, const struct foreigns *all, const struct format_about *about, struct err *err)
{
	int r = 0;
	(void)about;
	for (size_t i = 0; r == 0 && i < all->n; i++) {
		char *name = mem_printf("test%06zu.ktest", i + 1);
		struct buf content = {0};
		ktest_encode(&all->v[i], &content);
		r = format_put(folder, name, &content, err);
		buf_release(&content);
		mem_free(name);
	}
	return r;
}

// --- which they are -------------------------------------------------------------------------------

static bool is_name(const char *name)
{
	return format_ends(name, ".ktest") || format_ends(name, ".bout");
}

static bool is_folder(const char *folder)
{
	return format_has(folder, is_name);
}

static bool is_file(const char *name, const void *data, size_t size)
{
	return is_name(name) || (size >= MAGIC && memcmp(data, magic, MAGIC) == 0);
}

static int take_folder(const char *folder, struct foreigns *ret, struct err *err)
{
	return format_each_file(&format_ktest, folder, is_name, FOREIGN_KEPT, ret, err);
}

const struct format format_ktest = {
	.name = "ktest",
	.summary = "KLEE's tests, as in klee-last/",
	.is_folder = is_folder,
	.is_file = is_file,
	.read_folder = take_folder,
	.read = read_ktest,
	.write = put,
	.writes_objects = true,
};
