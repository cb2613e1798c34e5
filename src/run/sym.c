#include "run/sym.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

static int add_word(const char *word, struct buf *out, struct err *err)
{
	static const char *const plain[] = {"argv", "stdin", "files", "sock"};
	char path[PATH_MAX];
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		if (strcmp(word, plain[i]) == 0) {
			buf_printf(out, "%s,", word);
			return 0;
		}
	if (strncmp(word, "env:", 4) == 0 && word[4]) {
		buf_printf(out, "%s,", word);
		return 0;
	}
	if (strncmp(word, "file:", 5) != 0 || !word[5])
		return err_set(err, "--sym: there is no source '%s'; use argv, stdin, file:PATH, files, env:NAME, sock",
		               word);
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
	int r = 0;
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
