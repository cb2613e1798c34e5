// Compiling tests. What the compiler says names a line: of a case, or of a copy or stub that several cases need. When
// it names none, as linkers do, the cases are halved until those are found that do not compile.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "export/fragment_suite.h"

// `anew`: all that the target needs.
static int make(const struct exporting *e, const char *target, const char *more, bool anew, struct buf *output,
                struct err *err)
{
	struct strv argv = {0};
	strv_push(&argv, "make");
	strv_push(&argv, "-s");
	strv_push(&argv, target);
	if (more)
		strv_push(&argv, more);
	if (anew)
		strv_push(&argv, "-B");
	int status = fragment_command(&argv, e->folder, e->s->compiler ? e->s->compiler : "cc", output, err);
	char *program = mem_printf("%s/%s", e->folder, target);
	if (status == 0 && !e->s->device && chmod(program, 0755) < 0) // confined linkers cannot
		status = err_errno(err, "cannot make %s executable", program);
	mem_free(program);
	strv_release(&argv);
	return status;
}

// The first line of a compiler's complaints, from "error: " on.
static char *complaint(const char *text)
{
	const char *at = strstr(text, "error: ");
	if (!at)
		at = strstr(text, "undefined reference");
	at = at ? at : text;
	size_t n = strcspn(at, "\n");
	return mem_printf("it does not compile: %.*s", (int)(n < 200 ? n : 200), at);
}

// The text behind the number of the last of these lines that is not behind `line`; NULL: there is none.
static const char *begun_before(const struct strv *starts, size_t line)
{
	const char *found = NULL;
	for (size_t i = 0; i < starts->n; i++) {
		char *behind;
		if (strtoul(starts->v[i], &behind, 10) <= line)
			found = behind + 1;
	}
	return found;
}

static bool needs(const struct file *f, size_t i, const char *key)
{
	for (size_t k = 0; k < f->uses[i].n; k++)
		if (strcmp(f->uses[i].v[k], key) == 0)
			return true;
	return false;
}

// Drops the case that has the line, or those that need the copy or stub that has it. False: nothing has it.
static bool drop_line(struct file *f, size_t line, const char *reason)
{
	const char *number = begun_before(&f->made_of, line);
	const char *key = number ? NULL : begun_before(&f->pieces, line);
	bool any = false;
	if (number) {
		fragment_drop(f, strtoul(number, NULL, 10), reason);
		return true;
	}
	for (size_t i = 0; key && i < f->n; i++)
		if (!f->reasons[i] && needs(f, i, key)) {
			fragment_drop(f, i, reason);
			any = true;
		}
	return any;
}

// Drops the cases that errors name. False: none is named.
static bool drop_named(struct file *f, const char *output)
{
	char *name = mem_printf("%s.c:", f->name);
	bool any = false;
	for (const char *at = output; (at = strstr(at, name));) {
		at += strlen(name);
		size_t line = strtoul(at, NULL, 10), end = strcspn(at, "\n");
		const char *error = strstr(at, "error: ");
		if (!error || error > at + end)
			continue;
		char *reason = complaint(at);
		any |= drop_line(f, line, reason);
		mem_free(reason);
	}
	mem_free(name);
	return any;
}

// make's status for the cases from `from` on, before `to`; -1: with *err.
static int compile_some(struct exporting *e, struct file *f, bool reports, size_t from, size_t to, struct buf *output,
                        struct err *err)
{
	fragment_write_text(e, f, reports, from, to);
	if (fragment_put(e, f->name, ".c", &f->text, err) < 0 || fragment_put_makefile(e, err) < 0)
		return -1;
	char *target = e->s->device ? mem_printf("objects/%s.o", f->name) : mem_strdup(f->name);
	int status = make(e, target, NULL, false, output, err);
	mem_free(target);
	return status;
}

// Halves them until those are alone that do not compile, which are dropped.
static int sift(struct exporting *e, struct file *f, bool reports, size_t from, size_t to, struct err *err)
{
	struct buf output = {0};
	while (from < to && f->reasons[from])
		from++;
	while (from < to && f->reasons[to - 1])
		to--;
	if (from == to)
		return 0;
	int r = compile_some(e, f, reports, from, to, &output, err);
	if (r > 0 && to - from == 1) {
		char *reason = complaint(output.data);
		fragment_drop(f, from, reason);
		mem_free(reason);
	} else if (r > 0) {
		size_t middle = from + (to - from) / 2;
		r = sift(e, f, reports, from, middle, err);
		if (r >= 0)
			r = sift(e, f, reports, middle, to, err);
	}
	buf_release(&output);
	return r < 0 ? -1 : 0;
}

int fragment_compile(struct exporting *e, struct file *f, bool reports, struct err *err)
{
	enum { TRIES = 8 }; // a compiler may stop at its first errors
	int status = 1;
	for (int tries = 0; tries < TRIES && status > 0 && fragment_left(f); tries++) {
		struct buf output = {0};
		status = compile_some(e, f, reports, 0, f->n, &output, err);
		bool named = status > 0 && drop_named(f, output.data);
		if (status > 0 && !named && !strstr(output.data, f->name)) { // the program's own objects
			err_set(err, "the program's sources do not compile: %.300s", output.data);
			status = -1;
		} else if (status > 0 && !named) {
			status = sift(e, f, reports, 0, f->n, err) < 0 ? -1 : status;
		}
		buf_release(&output);
	}
	for (size_t i = 0; i < f->n && status > 0; i++)
		fragment_drop(f, i, "it does not compile together with others of its file");
	return status < 0 ? -1 : 0;
}

#define SANITIZED                                                                                                      \
	"CFLAGS=-w -fsanitize=address,undefined -fno-sanitize=alignment,shift,nonnull-attribute "                      \
	"-fno-sanitize-recover=all -fno-toplevel-reorder"

// Objects lie in another order, too.
int fragment_compile_sanitized(struct exporting *e, struct file *f, struct err *err)
{
	struct buf output = {0};
	fragment_write_text(e, f, true, 0, f->n);
	if (fragment_put(e, f->name, ".c", &f->text, err) < 0 || fragment_put_makefile(e, err) < 0)
		return -1;
	// Optimising takes most of the time; but C's inline functions may have no definition without.
	int status = make(e, f->name, SANITIZED " -O0", false, &output, err);
	if (status > 0)
		status = make(e, f->name, SANITIZED, true, &output, err);
	buf_release(&output);
	return status < 0 ? -1 : status > 0;
}
