// Compiling tests. What the compiler says names a line: of a case, or of a copy or stub that several cases need. When
// it names none, as linkers do, the cases are halved until those are found that do not compile.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "export/fragment_suite.h"

// Runs make for a target; `flags`: "CFLAGS=...", or NULL.
static int make(const struct exporting *e, const char *target, const char *flags, struct buf *output, struct err *err)
{
	struct strv argv = {0};
	strv_push(&argv, "make");
	strv_push(&argv, "-s");
	if (e->only)
		strv_pushf(&argv, "-f%s.mk", e->only->name);
	else
		strv_pushf(&argv, "-j%u", e->s->jobs ? e->s->jobs : 1);
	strv_push(&argv, target);
	if (flags)
		strv_push(&argv, flags);
	int status = fragment_command(&argv, e->folder, e->s->compiler ? e->s->compiler : "cc", output, err);
	strv_release(&argv);
	return status;
}

// Debug information is not needed to see what tests do, and takes time.
#define NATIVE "CFLAGS=-g0"

static int make_test(const struct exporting *e, const struct file *f, const char *flags, struct buf *output,
                     struct err *err)
{
	int status = make(e, f->name, flags, output, err);
	char *program = mem_printf("%s/%s", e->folder, f->name);
	if (status == 0 && chmod(program, 0755) < 0) // confined linkers cannot
		status = err_errno(err, "cannot make %s executable", program);
	mem_free(program);
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

// Where a line of the list begins that is the last one before `line`; 0: none does.
static size_t last_start(const struct strv *starts, size_t line)
{
	size_t last = 0;
	for (size_t i = 0; i < starts->n; i++) {
		size_t start = strtoul(starts->v[i], NULL, 10);
		last = start < line ? start : last;
	}
	return last;
}

// A copy in which a block is not closed, as of functions whose macros open blocks, swallows all that follows: compilers
// complain about the first function in it. What stands before that is dropped, and nothing else. False: the output says
// nothing of that.
static bool drop_unclosed(struct file *f, const char *output)
{
	static const char *const says[] = {"invalid storage class for function",
	                                   "function definition is not allowed here"};
	const char *at = NULL;
	for (size_t i = 0; i < sizeof says / sizeof *says && !at; i++)
		at = strstr(output, says[i]);
	if (!at)
		return false;
	while (at > output && at[-1] != '\n')
		at--;
	char *name = mem_printf("%s.c:", f->name);
	const char *number = strstr(at, name);
	size_t line = number ? strtoul(number + strlen(name), NULL, 10) : 0, own, before;
	mem_free(name);
	own = last_start(&f->made_of, line + 1);
	own = own ? own : last_start(&f->pieces, line + 1);
	before = last_start(&f->made_of, own);
	before = before ? before : last_start(&f->pieces, own);
	return before && drop_line(f, before, "it does not compile: its copy of a function has no end");
}

// Drops the cases that errors name. False: none is named.
static bool drop_named(struct file *f, const char *output)
{
	if (drop_unclosed(f, output))
		return true;
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
	if (!e->s->device)
		return make_test(e, f, NATIVE, output, err);
	char *target = mem_printf("objects/%s.o", f->name);
	int status = make(e, target, NULL, output, err);
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
	enum { TRIES = 24 }; // a compiler may stop at its first errors
	int status = 1;
	for (int tries = 0; tries < TRIES && status > 0 && fragment_left(f); tries++) {
		struct buf output = {0};
		status = compile_some(e, f, reports, 0, f->n, &output, err);
		if (status > 0 && !f->optimised && strstr(output.data, "always_inline")) {
			f->optimised = true;
			buf_release(&output);
			continue;
		}
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

// --- with sanitizers ------------------------------------------------------------------------------

// Objects lie in another order, too.
#define SANITIZED                                                                                                      \
	"CFLAGS=-w -fsanitize=address,undefined -fno-sanitize=alignment,shift,nonnull-attribute "                      \
	"-fno-sanitize-recover=all -fno-toplevel-reorder"

// Optimising takes most of the time; but C's inline functions may have no definition without.
static const struct {
	const char *folder, *flags;
} sanitized[] = {{"sanitized", SANITIZED " -O0"}, {"sanitized-optimised", SANITIZED}};

enum { FORMS = sizeof sanitized / sizeof *sanitized };

// The first process that comes here builds them, others wait: they have all when they go on.
static int make_others(const struct exporting *e, const char *flags, struct buf *output, struct err *err)
{
	char *path = mem_printf("%s/lock", e->folder);
	int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	mem_free(path);
	if (lock < 0 || flock(lock, LOCK_EX) < 0) {
		if (lock >= 0)
			close(lock);
		return err_errno(err, "cannot lock %s", e->folder);
	}
	int status = make(e, "others", flags, output, err);
	close(lock);
	return status;
}

int fragment_compile_sanitized(struct exporting *e, struct file *f, char **ret_folder, struct err *err)
{
	int status = 1;
	*ret_folder = NULL;
	fragment_write_text(e, f, true, 0, f->n);
	for (unsigned i = 0; i < FORMS && status > 0; i++) {
		struct exporting own = *e;
		struct buf output = {0};
		mem_free(*ret_folder);
		own.folder = *ret_folder = mem_printf("%s/%s", e->folder, sanitized[i].folder);
		if (file_mkdirs(own.folder, 0777, err) < 0 || fragment_put(&own, f->name, ".c", &f->text, err) < 0 ||
		    fragment_put_makefile(&own, err) < 0)
			status = -1;
		else if ((status = make_others(&own, sanitized[i].flags, &output, err)) == 0)
			status = make_test(&own, f, sanitized[i].flags, &output, err);
		buf_release(&output);
	}
	return status < 0 ? -1 : status > 0;
}

int fragment_compile_others(struct exporting *e, struct err *err)
{
	struct buf output = {0};
	struct exporting own = *e;
	int status = fragment_put_makefile(e, err) < 0 ? -1 : make(e, "others", NATIVE, &output, err);
	if (status > 0)
		status = err_set(err, "the program's sources do not compile: %.300s", buf_str(&output));
	buf_clear(&output);
	own.folder = mem_printf("%s/%s", e->folder, sanitized[0].folder);
	if (status == 0 && (file_mkdirs(own.folder, 0777, err) < 0 || fragment_put_makefile(&own, err) < 0 ||
	                    make_others(&own, sanitized[0].flags, &output, err) < 0)) // they may not compile so
		status = -1;
	mem_free((void *)own.folder);
	buf_release(&output);
	return status < 0 ? -1 : 0;
}

void fragment_remove_sanitized(const struct exporting *e)
{
	for (unsigned i = 0; i < FORMS; i++) {
		char *folder = mem_printf("%s/%s", e->folder, sanitized[i].folder);
		file_remove_tree(folder);
		mem_free(folder);
	}
}
