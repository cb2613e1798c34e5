#include "run/symbolize.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"

// Two lines an address, the function's name and FILE:LINE:COLUMN, then an empty one.
static void read_answers(char *text, size_t n, struct strv *ret)
{
	for (size_t i = 0; i < n; i++) {
		char *function = text ? strsep(&text, "\n") : "?", *place = text ? strsep(&text, "\n") : NULL;
		char *column = place ? strrchr(place, ':') : NULL;
		while (text && *text == '\n')
			text++;
		if (column)
			*column = 0;
		strv_pushf(ret, "%s %s", place && place[0] != '?' ? place : "?", function[0] == '?' ? "?" : function);
	}
}

// What the symbolizer says to those addresses.
static int ask(const char *object, const uint64_t *addresses, size_t n, char *how, struct buf *ret, struct err *err)
{
	char *program = path_find_program("llvm-symbolizer-19");
	if (!program)
		program = path_find_program("llvm-symbolizer");
	if (!program)
		return err_set(err, "llvm-symbolizer is missing; it comes with the package llvm-19");
	struct buf asked = {0};
	for (size_t i = 0; i < n; i++)
		buf_printf(&asked, "0x%llx\n", (unsigned long long)addresses[i]);
	char *option = mem_printf("--obj=%s", object);
	char *argv[] = {program, option, how, NULL};
	int in = memfd_create("addresses", MFD_CLOEXEC), out = memfd_create("places", MFD_CLOEXEC), r = 0;
	if (in < 0 || out < 0 || file_write_all(in, asked.data, asked.len) < 0 || lseek(in, 0, SEEK_SET) < 0) {
		r = err_errno(err, "cannot ask %s", program);
	} else {
		pid_t pid = process_start(argv, NULL, in, out, -1, err);
		char *answers = mem_printf("/proc/self/fd/%d", out);
		if (pid < 0)
			r = -1;
		else if (process_wait(pid, NULL) != 0)
			r = err_set(err, "%s cannot read %s", program, object);
		else
			r = file_read(answers, ret, err);
		mem_free(answers);
	}
	if (r == 0)
		buf_addch(ret, 0);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	buf_release(&asked);
	mem_free(option);
	mem_free(program);
	return r;
}

int symbolize(const char *object, const uint64_t *addresses, size_t n, struct strv *ret, struct err *err)
{
	struct buf answered = {0};
	int r = ask(object, addresses, n, "--no-inlines", &answered, err);
	if (r == 0)
		read_answers(answered.data, n, ret);
	buf_release(&answered);
	return r;
}

// Of code without source lines only the symbol table tells something, a name without a folder and line 0: what is there
// is a library's, such as that of the sanitizers, and no place in the program.
static bool is_source(const char *place)
{
	const char *line = strrchr(place, ':');
	return place[0] != '?' && (strchr(place, '/') || !line || strcmp(line, ":0") != 0);
}

// The lines of one address: pairs of a function's name and FILE:LINE:COLUMN, up to an empty line.
static char *read_inlined(char **text)
{
	struct buf lines = {0};
	for (char *function; *text && (function = strsep(text, "\n")) && *function && *text;) {
		char *place = strsep(text, "\n"), *column = strrchr(place, ':');
		if (column)
			*column = 0;
		if (function[0] != '?' && is_source(place))
			buf_printf(&lines, "%s%s %s", lines.len ? "\n" : "", function, place);
	}
	return lines.len ? buf_steal(&lines) : mem_strdup("");
}

int symbolize_inlined(const char *object, const uint64_t *addresses, size_t n, struct strv *ret, struct err *err)
{
	struct buf answered = {0};
	int r = ask(object, addresses, n, "--inlines", &answered, err);
	char *text = answered.data;
	for (size_t i = 0; r == 0 && i < n; i++)
		strv_take(ret, read_inlined(&text));
	buf_release(&answered);
	return r;
}
