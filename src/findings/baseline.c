#include "findings/baseline.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "findings/filter.h"
#include "findings/script.h"

enum field { KIND, FILE_NAME, FUNCTION, PROGRAM, FIELDS };

struct baseline_line {
	char *globs[FIELDS]; // as they are written
};

void baseline_release(struct baseline *b)
{
	for (size_t i = 0; i < b->n; i++)
		for (int k = 0; k < FIELDS; k++)
			mem_free(b->v[i].globs[k]);
	mem_free(b->v);
	*b = (struct baseline){0};
}

static struct baseline_line *add_line(struct baseline *b)
{
	b->v = mem_resize(b->v, (b->n + 1) * sizeof *b->v);
	b->v[b->n] = (struct baseline_line){0};
	return &b->v[b->n++];
}

// --- reading --------------------------------------------------------------------------------------

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

// The next word; *size 0: there is none. -1: it ends in a backslash that nothing stands behind.
static int next_word(const char **p, const char *end, size_t *size)
{
	const char *q;
	while (*p < end && is_blank(**p))
		(*p)++;
	*size = 0;
	if (*p == end || **p == '#')
		return 0;
	for (q = *p; q < end && !is_blank(*q); q++)
		if (*q == '\\' && ++q == end)
			return -1;
	*size = (size_t)(q - *p);
	return 0;
}

static int read_line(struct baseline *b, const char *p, const char *end, const char *where, unsigned number,
                     struct err *err)
{
	const char *words[FIELDS];
	size_t sizes[FIELDS], size;
	int n = 0;
	for (;; p += size) {
		if (next_word(&p, end, &size) < 0)
			return err_set(err, "%s:%u: nothing stands behind the last backslash", where, number);
		if (!size)
			break;
		if (n == FIELDS)
			return err_set(err, "%s:%u: more than KIND FILE FUNCTION PROGRAM; a blank in a name is '\\ '",
			               where, number);
		words[n] = p;
		sizes[n++] = size;
	}
	if (n == 0)
		return 0;
	if (n < PROGRAM)
		return err_set(err, "%s:%u: a line wants KIND FILE FUNCTION, or * for any", where, number);
	struct baseline_line *line = add_line(b);
	for (int i = 0; i < FIELDS; i++)
		line->globs[i] = i < n ? mem_copy(words[i], sizes[i]) : mem_strdup("*");
	return 0;
}

static int read_lines(struct baseline *b, const struct buf *text, const char *where, struct err *err)
{
	unsigned number = 1;
	for (const char *p = text->data, *end = p + text->len; p < end; number++) {
		const char *newline = memchr(p, '\n', (size_t)(end - p)), *last = newline ? newline : end;
		if (memchr(p, 0, (size_t)(last - p)))
			return err_set(err, "%s:%u: this is no text", where, number);
		if (read_line(b, p, last, where, number, err) < 0)
			return -1;
		p = newline ? newline + 1 : end;
	}
	return 0;
}

int baseline_read(struct baseline *b, const char *path, struct err *err)
{
	struct buf text = {0};
	int r = file_read(path, &text, err);
	if (r == 0 && text.len)
		r = read_lines(b, &text, path, err);
	buf_release(&text);
	return r;
}

// --- asking ---------------------------------------------------------------------------------------

bool baseline_has(const struct baseline *b, const struct finding_name *f)
{
	const char *file = f->file ? f->file : "?", *function = f->function ? f->function : "?";
	for (size_t i = 0; i < b->n; i++) {
		char *const *globs = b->v[i].globs;
		if (fnmatch(globs[KIND], f->kind, 0) == 0 && glob_path(globs[FILE_NAME], file) &&
		    fnmatch(globs[FUNCTION], function, 0) == 0 && glob_path(globs[PROGRAM], f->program))
			return true;
	}
	return false;
}

// --- writing --------------------------------------------------------------------------------------

// A glob that matches the name and nothing else; a control character, which no line can have, is any character.
static char *quote(const char *name)
{
	struct buf b = {0};
	for (; *name; name++) {
		if ((unsigned char)*name < ' ' || *name == 0x7f) {
			buf_addch(&b, '?');
			continue;
		}
		if (strchr("*?[]\\# ", *name))
			buf_addch(&b, '\\');
		buf_addch(&b, *name);
	}
	return b.len ? buf_steal(&b) : mem_strdup("*");
}

static char *file_from(const char *folder, const char *file)
{
	char *path = *file == '/' ? path_clean(file) : NULL, *base = path_clean(folder), *name;
	size_t n = base ? strlen(base) : 0;
	if (!path)
		name = mem_strdup(file);
	else if (strncmp(path, base ? base : "", n) == 0 && path[n] == '/')
		name = mem_strdup(path + n + 1);
	else
		name = mem_strdup(path_basename(path));
	mem_free(path);
	mem_free(base);
	return name;
}

void baseline_add(struct baseline *b, const char *folder, const struct finding_name *f)
{
	char *file = file_from(folder, f->file ? f->file : "?");
	struct baseline_line *line = add_line(b);
	line->globs[KIND] = quote(f->kind);
	line->globs[FILE_NAME] = quote(file);
	line->globs[FUNCTION] = quote(f->function ? f->function : "?");
	line->globs[PROGRAM] = f->program ? quote(path_basename(f->program)) : mem_strdup("*");
	mem_free(file);
}

static int by_globs(const void *x, const void *y)
{
	static const enum field order[] = {PROGRAM, FILE_NAME, FUNCTION, KIND};
	const struct baseline_line *a = x, *b = y;
	for (int i = 0; i < FIELDS; i++) {
		int c = strcmp(a->globs[order[i]], b->globs[order[i]]);
		if (c)
			return c;
	}
	return 0;
}

int baseline_write(const struct baseline *b, const char *path, struct err *err)
{
	struct buf text = {0};
	if (b->n)
		qsort(b->v, b->n, sizeof *b->v, by_globs);
	buf_addstr(&text, "# Findings that veer knows, and does not report again: KIND FILE FUNCTION PROGRAM\n");
	for (size_t i = 0; i < b->n; i++) {
		char *const *g = b->v[i].globs;
		if (i == 0 || by_globs(&b->v[i - 1], &b->v[i]) != 0)
			buf_printf(&text, "%s %s %s %s\n", g[KIND], g[FILE_NAME], g[FUNCTION], g[PROGRAM]);
	}
	int r = file_output(path, text.data, text.len, 0666, err);
	buf_release(&text);
	return r;
}
