#include "findings/reports.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "findings/hostile.h"

enum { REPORT_BYTES = 1 << 20, UNDEFINED_BYTES = 64 << 20 };

static void add(struct sanitizer_reports *r, enum finding_level level, char *kind, char *file, unsigned line,
                unsigned column, char *function)
{
	vec_push(r, (struct sanitizer_report){level, kind, file, function, line, column, 1});
}

static void release_one(struct sanitizer_report *x)
{
	mem_free(x->kind);
	mem_free(x->file);
	mem_free(x->function);
}

static int by_place(const void *a, const void *b)
{
	const struct sanitizer_report *x = a, *y = b;
	int c = strcmp(x->file, y->file);
	if (!c)
		c = x->line < y->line ? -1 : x->line > y->line;
	if (!c)
		c = strcmp(x->kind, y->kind);
	if (!c)
		c = strcmp(x->function, y->function);
	return c ? c : (int)x->level - (int)y->level;
}

// Counts the same place once. Sorted, so that a program that reports millions of
// places costs no more than reading them.
static void merge(struct sanitizer_reports *r)
{
	size_t kept = 0;
	if (r->n)
		qsort(r->v, r->n, sizeof *r->v, by_place);
	for (size_t i = 0; i < r->n; i++) {
		if (kept && by_place(&r->v[kept - 1], &r->v[i]) == 0) {
			struct sanitizer_report *first = &r->v[kept - 1];
			first->times++;
			if (r->v[i].column < first->column)
				first->column = r->v[i].column;
			release_one(&r->v[i]);
		} else {
			r->v[kept++] = r->v[i];
		}
	}
	r->n = kept;
}

// kind TAB file TAB line TAB column TAB function
static void read_undefined(struct sanitizer_reports *r, char *text)
{
	for (char *save, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *field[5] = {line};
		int n = 1;
		for (char *p = line; *p && n < 5; p++)
			if (*p == '\t') {
				*p = 0;
				field[n++] = p + 1;
			}
		if (n < 5)
			add(r, LEVEL_WARNING, mem_strdup("unreadable report"), mem_strdup("?"), 0, 0, mem_strdup("?"));
		else
			add(r, LEVEL_WARNING, hostile_clean(field[0], strlen(field[0])),
			    hostile_clean(field[1], strlen(field[1])), (unsigned)strtoul(field[2], NULL, 10),
			    (unsigned)strtoul(field[3], NULL, 10), hostile_clean(field[4], strlen(field[4])));
	}
}

// The first stack frame that has a source line: "    #1 0x... in FUNCTION FILE:LINE:COLUMN".
// Unless `any`, inline functions of the system's headers are passed over.
static bool find_place(const char *text, bool any, char **ret_file, unsigned *ret_line, char **ret_function)
{
	for (const char *p = text; (p = strstr(p, "\n    #"));) {
		p += 6;
		size_t n = strcspn(p, "\n");
		const char *in = memmem(p, n, " in ", 4);
		if (!in)
			continue;
		const char *function = in + 4, *end = p + n;
		const char *space = memchr(function, ' ', (size_t)(end - function));
		if (!space || space[1] != '/' || (!any && strncmp(space + 1, "/usr/", 5) == 0))
			continue;
		const char *colon = memchr(space, ':', (size_t)(end - space));
		if (!colon || !isdigit((unsigned char)colon[1]))
			continue;
		*ret_function = hostile_clean(function, (size_t)(space - function));
		*ret_file = hostile_clean(space + 1, (size_t)(colon - space - 1));
		*ret_line = (unsigned)strtoul(colon + 1, NULL, 10);
		return true;
	}
	return false;
}

static void read_address(struct sanitizer_reports *r, const char *text)
{
	static const char mark[] = "ERROR: AddressSanitizer: ";
	const char *p = strstr(text, mark);
	if (!p)
		return; // warnings, such as a failed huge malloc
	p += sizeof mark - 1;
	// The summary at the end has the kind in one word, where the report has a sentence.
	static const char summary[] = "SUMMARY: AddressSanitizer: ";
	const char *word = strstr(p, summary);
	word = word ? word + sizeof summary - 1 : p;
	char *kind = hostile_clean(word, strcspn(word, " :\n"));
	char *file, *function;
	unsigned line;
	if (!find_place(p, false, &file, &line, &function) && !find_place(p, true, &file, &line, &function)) {
		file = mem_strdup("?");
		function = mem_strdup("?");
		line = 0;
	}
	add(r, LEVEL_ERROR, kind, file, line, 0, function);
}

// Undefined behaviour is in one file, AddressSanitizer's reports in one for each process.
static void read_file(struct sanitizer_reports *ret, int folder, const char *name, bool undefined)
{
	int fd = hostile_open(folder, name);
	struct buf text = {0};
	if (fd < 0)
		return;
	hostile_read(fd, undefined ? UNDEFINED_BYTES : REPORT_BYTES, &text);
	close(fd);
	if (undefined)
		read_undefined(ret, text.data);
	else
		read_address(ret, text.data);
	buf_release(&text);
}

void sanitizer_reports_undefined(struct sanitizer_reports *ret, const char *folder)
{
	*ret = (struct sanitizer_reports){0};
	DIR *dir = hostile_list(folder);
	if (!dir)
		return;
	read_file(ret, dirfd(dir), "undefined", true);
	closedir(dir);
	merge(ret);
}

void sanitizer_reports_read(struct sanitizer_reports *ret, const char *folder)
{
	sanitizer_reports_undefined(ret, folder);
	DIR *dir = hostile_list(folder);
	if (!dir)
		return;
	for (struct dirent *e; (e = readdir(dir));)
		if (strncmp(e->d_name, "address.", 8) == 0)
			read_file(ret, dirfd(dir), e->d_name, false);
	closedir(dir);
	merge(ret);
}

void sanitizer_reports_release(struct sanitizer_reports *r)
{
	for (size_t i = 0; i < r->n; i++)
		release_one(&r->v[i]);
	mem_free(r->v);
	*r = (struct sanitizer_reports){0};
}

static int by_weight(const void *a, const void *b)
{
	const struct sanitizer_report *x = a, *y = b;
	if (x->level != y->level)
		return x->level > y->level ? -1 : 1;
	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	int c = strcmp(x->file, y->file);
	return c ? c : x->line < y->line ? -1 : x->line > y->line;
}

void sanitizer_reports_sort(struct sanitizer_reports *r)
{
	if (r->n)
		qsort(r->v, r->n, sizeof *r->v, by_weight);
}

int sanitizer_reports_save(const char *from, const char *folder, struct err *err)
{
	char *above = path_dirname(folder);
	int made = file_mkdirs(above, 0777, err) < 0 ? -1 : file_subfolder(folder, 0777, err);
	mem_free(above);
	if (made < 0)
		return -1;
	DIR *dir = opendir(from);
	if (!dir)
		return err_errno(err, "cannot read %s", from);
	int r = 0;
	for (struct dirent *e; r == 0 && (e = readdir(dir));) {
		int fd = e->d_name[0] == '.' ? -1 : hostile_open(dirfd(dir), e->d_name);
		if (fd < 0)
			continue;
		struct buf text = {0};
		hostile_read(fd, UNDEFINED_BYTES, &text);
		close(fd);
		char *path = mem_printf("%s/%s", folder, e->d_name);
		r = file_replace(path, text.data, text.len, 0644, err);
		mem_free(path);
		buf_release(&text);
	}
	closedir(dir);
	return r;
}
