#include "input/sym.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/input.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

static bool is_file(const char *word)
{
	return strncmp(word, "file:", 5) == 0 && word[5];
}

static bool is_source(const char *word)
{
	for (unsigned kind = 0; kind < INPUT_KINDS; kind++)
		if (*word && strcmp(word, input_source_word(kind)) == 0)
			return true;
	return is_file(word) || (strncmp(word, "env:", 4) == 0 && word[4]) || strcmp(word, "test-env") == 0;
}

void sym_each_variable(const char *list, void (*each)(void *opaque, const char *name), void *opaque)
{
	for (const char *at = list; at && *at;) {
		size_t n = strcspn(at, ",");
		if (n > 4 && strncmp(at, "env:", 4) == 0) {
			char *name = mem_copy(at + 4, n - 4);
			each(opaque, name);
			mem_free(name);
		}
		at += n + (at[n] == ',');
	}
}

static void clear_variable(void *opaque, const char *name)
{
	unsetenv(name); // which fails when it is no name: then there is none
}

void sym_clear_variables(const char *list)
{
	sym_each_variable(list, clear_variable, NULL);
}

struct looking {
	const char *name;
	size_t length;
	bool found;
};

static void compare_variable(void *opaque, const char *name)
{
	struct looking *l = opaque;
	l->found |= strlen(name) == l->length && strncmp(name, l->name, l->length) == 0;
}

bool sym_names_variable(const char *list, const char *name, size_t length)
{
	struct looking l = {.name = name, .length = length};
	sym_each_variable(list, compare_variable, &l);
	return l.found;
}

static int no_source(const char *word, struct err *err)
{
	struct buf all = {0};
	for (unsigned kind = 0; kind < INPUT_KINDS; kind++)
		if (*input_source_word(kind))
			buf_printf(&all, "%s, ", input_source_word(kind));
	err_set(err, "--sym: there is no source '%s'; use %sfile:PATH, env:NAME, test-env", word, all.data);
	buf_release(&all);
	return -1;
}

int sym_check(const char *list, struct err *err)
{
	char *words = mem_strdup(list), *rest = words;
	int r = 0;
	for (char *word; r == 0 && (word = strsep(&rest, ","));)
		if (*word && !is_source(word))
			r = no_source(word, err);
	mem_free(words);
	return r;
}

// `path` as the kernel will name the file: without links, as far as it is there.
static bool resolve(const char *path, bool may_miss, char ret[PATH_MAX])
{
	if (realpath(path, ret))
		return true;
	if (!may_miss)
		return false;
	char *folder = path_dirname(path);
	char *real = realpath(folder, ret) ? mem_strdup(ret) : mem_strdup(folder);
	int n = snprintf(ret, PATH_MAX, "%s/%s", strcmp(real, "/") == 0 ? "" : real, path_basename(path));
	mem_free(real);
	mem_free(folder);
	return n < PATH_MAX;
}

// `cwd`: files need not be there, and are looked for from here; NULL: they must.
static int add_word(const char *word, const char *cwd, struct buf *out, struct err *err)
{
	char path[PATH_MAX];
	if (!is_file(word)) {
		buf_printf(out, "%s,", word);
		return 0;
	}
	char *full = cwd ? path_absolute(cwd, word + 5) : mem_strdup(word + 5);
	bool found = resolve(full, cwd != NULL, path);
	mem_free(full);
	if (!found)
		return err_errno(err, "--sym: cannot find %s", word + 5);
	if (strpbrk(path, ",\n"))
		return err_set(err, "--sym: %s has a comma or line break in its name", path);
	buf_printf(out, "file:%s,", path);
	return 0;
}

int sym_write_for(const char *run, const char *list, const char *cwd, bool self_check, struct err *err)
{
	struct buf out = {0};
	char *words = mem_strdup(list), *rest = words, *path = mem_printf("%s/sym", run);
	int r = sym_check(list, err);
	for (char *word; r == 0 && (word = strsep(&rest, ","));)
		if (*word)
			r = add_word(word, cwd, &out, err);
	buf_addstr(&out, self_check ? "\nself-check\n" : "\n");
	if (r == 0)
		r = file_replace(path, out.data, out.len, 0644, err);
	mem_free(path);
	mem_free(words);
	buf_release(&out);
	return r;
}

int sym_write(const char *run, const char *list, bool self_check, struct err *err)
{
	return sym_write_for(run, list, NULL, self_check, err);
}

bool sym_has(const char *list, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = list; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (strncmp(p, word, n) == 0 && (!p[n] || p[n] == ','))
			return true;
	}
	return false;
}
