#include "export/export.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"

const struct exporter *exporter_find(const char *name)
{
	static const struct exporter *const all[] = {
#define EXPORT(name) &export_##name,
#include "export/exports.def"
#undef EXPORT
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	return NULL;
}

// The name of one of its files is none of its bytes.
static bool is_name(const struct input *in, const struct buf *data)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_FILE && data->len && strcmp(in->v[i].name, data->data) == 0)
			return true;
	return false;
}

// Its relevant bytes, or all; not the program's name.
static size_t count(const struct export_test *t, bool matter)
{
	size_t n = 0;
	bool first = true;
	for (size_t i = 0; i < t->masks->n; i++) {
		bool argument = t->masks->v[i].kind == INPUT_ARGUMENT;
		bool passed = argument && (first || is_name(t->input, &t->input->v[i].data));
		first &= !argument;
		for (size_t k = 0; !passed && k < t->masks->v[i].data.len; k++)
			n += !matter || t->masks->v[i].data.data[k];
	}
	return n;
}

const struct export_field *export_find(const struct export_suite *s, const char *object, size_t offset)
{
	for (size_t i = 0; i < s->n_fields; i++)
		if (s->fields[i].offset == offset && strcmp(s->fields[i].object, object) == 0)
			return &s->fields[i];
	return NULL;
}

char *export_place(const struct export_suite *s, const char *path)
{
	if (strcmp(path, ADAPTER_FILE) == 0)
		return mem_strdup("/input");
	size_t n = strlen(s->cwd);
	bool below = n > 1 && strncmp(path, s->cwd, n) == 0 && path[n] == '/';
	char *clean = path_clean(below ? path + n : path);
	char *place = below || !clean ? mem_strdup(clean ? clean : "/input") : mem_printf("/files%s", clean);
	mem_free(clean);
	return place;
}

void export_string(struct buf *out, const char *data, size_t size)
{
	buf_addch(out, '"');
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)data[i];
		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c == '\n')
			buf_addstr(out, "\\n");
		else if (c < ' ' || c > '~' || c == '?')
			buf_printf(out, "\\%03o", c);
		else
			buf_addch(out, (char)c);
	}
	buf_addch(out, '"');
}

void export_commented(struct buf *out, const char *text, size_t size)
{
	struct buf clean = {0};
	utf8_clean(&clean, text, size);
	for (size_t i = 0; i < clean.len; i++) {
		bool ends = i && clean.data[i - 1] == '*' && clean.data[i] == '/',
		     starts = i && clean.data[i - 1] == '/' && clean.data[i] == '*';
		buf_addch(out, ends || starts ? '|' : clean.data[i]);
	}
	buf_release(&clean);
}

void export_comment(struct buf *out, const char *prefix, const struct export_test *t)
{
	size_t all = count(t, false), matter = count(t, true);
	if (t->bug)
		utf8_line(out, "%s%s: %s. Fails while that is so.", prefix, t->id, t->bug);
	else if (t->output)
		buf_printf(out, "%s%s: the program exits with status %d and prints what the version before it did.\n",
		           prefix, t->id, t->status);
	else if (t->status < 0)
		buf_printf(out, "%s%s: the program has to end by itself.\n", prefix, t->id);
	else
		buf_printf(out, "%s%s: the program exits with status %d.\n", prefix, t->id, t->status);
	if (t->recorded)
		buf_printf(out, "%sA recorded test with a change; files that were around it are in the folder %s.\n",
		           prefix, t->id);
	if (!all)
		buf_printf(out, "%sIts input has no bytes.\n", prefix);
	else if (!t->known)
		buf_printf(out,
		           "%sThe relevant ones of the %zu bytes of its input are not known: all are as they were.\n",
		           prefix, all);
	else if (matter == all)
		buf_printf(out, "%sAll %zu bytes of its input are relevant.\n", prefix, all);
	else
		buf_printf(out,
		           "%s%zu of %zu bytes of its input are relevant; the others are x in text, 0 elsewhere.\n",
		           prefix, matter, all);
}

static bool is_in(const char *const *list, const char *word)
{
	for (; *list; list++)
		if (strcmp(*list, word) == 0)
			return true;
	return false;
}

bool export_is_visible(const char *kind)
{
	static const char *const all[] = {"assertion", "abort", "division-by-zero", "hang", NULL};
	return is_in(all, kind);
}

bool export_is_target(const char *program)
{
	static const char name[] = "LLVMFuzzerTestOneInput";
	struct file_map map;
	struct err err;
	if (file_map(program, &map, &err) < 0)
		return false;
	bool is = map.data && memmem(map.data, map.size, name, strlen(name));
	file_unmap(&map);
	return is;
}
