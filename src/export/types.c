#include "export/types.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "formats/ctype.h"

// OBJECT, field, type, offset, with tabs between; what is none is passed over.
static void take_line(struct export_types *t, char *line)
{
	char *words[4], *rest = line;
	for (int i = 0; i < 4; i++)
		if (!(words[i] = strsep(&rest, "\t")))
			return;
	struct ctype type;
	if (rest || !ctype_parse(words[2], &type))
		return;
	t->v = mem_resize(t->v, (t->n + 1) * sizeof *t->v);
	t->v[t->n++] = (struct export_field){.object = mem_strdup(words[0]),
	                                     .name = mem_strdup(words[1]),
	                                     .type = mem_strdup(words[2]),
	                                     .offset = strtoul(words[3], NULL, 10)};
}

static int ask(const struct builder *b, const char *folder, const char *bitcode, struct buf *ret, struct err *err)
{
	char *list = mem_printf("%s/types", folder);
	struct buf inputs = {0};
	struct err ignored; // bitcode that LLVM cannot read has no types
	size_t input;
	buf_printf(&inputs, "%s\n", bitcode);
	int r = build_ask(b, "--types", list, &inputs, folder, &input, &ignored) < 0 ? 0 : file_read(list, ret, err);
	buf_release(&inputs);
	mem_free(list);
	return r;
}

int export_types_read(struct export_types *ret, const struct builder *b, const char *program, struct err *err)
{
	struct export_types t = {0};
	struct buf text = {0};
	char *folder = cache_folder(b->cache, "runs", 0755, err);
	if (!folder)
		return -1;
	char *bitcode = mem_printf("%s/program.bc", folder);
	int r = build_bitcode(b, program, bitcode, err) == BUILD_OK ? ask(b, folder, bitcode, &text, err) : -1;
	char *rest = text.data;
	for (char *line; r == 0 && rest && (line = strsep(&rest, "\n"));)
		take_line(&t, line);
	buf_release(&text);
	file_remove_tree(folder);
	mem_free(bitcode);
	mem_free(folder);
	*ret = t;
	return r;
}

void export_types_release(struct export_types *t)
{
	for (size_t i = 0; i < t->n; i++) {
		mem_free(t->v[i].object);
		mem_free(t->v[i].name);
		mem_free(t->v[i].type);
	}
	mem_free(t->v);
	*t = (struct export_types){0};
}
