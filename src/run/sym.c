#include "run/sym.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

static bool is_file(const char *word)
{
	return strncmp(word, "file:", 5) == 0 && word[5];
}

static bool is_source(const char *word)
{
	static const char *const plain[] = {"argv", "stdin", "files", "sock"};
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		if (strcmp(word, plain[i]) == 0)
			return true;
	return is_file(word) || (strncmp(word, "env:", 4) == 0 && word[4]);
}

int sym_check(const char *list, struct err *err)
{
	char *words = mem_strdup(list), *rest = words;
	int r = 0;
	for (char *word; r == 0 && (word = strsep(&rest, ","));)
		if (*word && !is_source(word))
			r = err_set(err,
			            "--sym: there is no source '%s'; use argv, stdin, file:PATH, files, env:NAME, sock",
			            word);
	mem_free(words);
	return r;
}

static int add_word(const char *word, struct buf *out, struct err *err)
{
	char path[PATH_MAX];
	if (!is_file(word)) {
		buf_printf(out, "%s,", word);
		return 0;
	}
	if (!realpath(word + 5, path))
		return err_errno(err, "--sym: cannot find %s", word + 5);
	if (strpbrk(path, ",\n"))
		return err_set(err, "--sym: %s has a comma or line break in its name", path);
	buf_printf(out, "file:%s,", path);
	return 0;
}

int sym_write(const char *run, const char *list, bool self_check, struct err *err)
{
	struct buf out = {0};
	char *words = mem_strdup(list), *rest = words, *path = mem_printf("%s/sym", run);
	int r = sym_check(list, err);
	for (char *word; r == 0 && (word = strsep(&rest, ","));)
		if (*word)
			r = add_word(word, &out, err);
	buf_addstr(&out, self_check ? "\nself-check\n" : "\n");
	if (r == 0)
		r = file_replace(path, out.data, out.len, 0644, err);
	mem_free(path);
	mem_free(words);
	buf_release(&out);
	return r;
}
