// Looking at cases: what they do, natively and with sanitizers, whether tests pass, and where those are to end that
// cannot go on.
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/mem.h"
#include "export/fragment_suite.h"

static size_t case_called(const struct file *f, const char *id, size_t n)
{
	for (size_t i = 0; i < f->n; i++)
		if (strlen(f->cases[i]->id) == n && strncmp(f->cases[i]->id, id, n) == 0)
			return i;
	return SIZE_MAX;
}

static void take_bytes(struct buf *out, const char *hex)
{
	buf_clear(out);
	for (unsigned byte; isxdigit((unsigned char)hex[0]) && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		buf_addch(out, (char)byte);
}

static bool is_late(int status)
{
	return WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF);
}

// A case that did not come to its end.
static void take_end(struct file *f, size_t i, int status)
{
	const bool late = is_late(status);
	char *reason = WIFEXITED(status) ? mem_printf("it ends the program, with status %d", WEXITSTATUS(status))
	               : late            ? mem_printf("it takes more than %d ms, or waits", FRAGMENT_MILLISECONDS)
	                                 : mem_printf("it faults (%s)", strsignal(WTERMSIG(status)));
	fragment_drop(f, i, reason);
	f->fatal[i] = !late;
	mem_free(reason);
}

// "see ID KIND NUMBER ADDRESS BYTES"
static void take_line(struct file *f, const char *line, bool second, bool *ended)
{
	char id[64], kind;
	unsigned long number, address;
	int used = 0, status = 0;
	if (sscanf(line, "end %63s %d", id, &status) == 2 && status) {
		size_t i = case_called(f, id, strlen(id));
		if (i != SIZE_MAX)
			take_end(f, i, status);
	}
	if (sscanf(line, "see %63s %c %lu %lx %n", id, &kind, &number, &address, &used) < 4)
		return;
	size_t i = case_called(f, id, strlen(id));
	struct fragment_seen *s = i == SIZE_MAX ? NULL : second ? &f->again[i] : &f->seen[i];
	if (!s || (number >= s->n && (kind == 'a' || kind == 'b')))
		return;
	if (kind == 'a' || kind == 'b') {
		s->at[number] = address;
		take_bytes(kind == 'a' ? &s->after[number] : &s->before[number], line + used);
	} else if (kind == 'r') {
		take_bytes(&s->result, line + used);
	} else {
		ended[i] = true;
	}
}

// Runs the cases that are left.
static int run(const struct exporting *e, const struct file *f, struct buf *output, struct err *err)
{
	struct strv argv = {0};
	strv_pushf(&argv, "%s/%s", e->folder, f->name);
	for (size_t i = 0; i < f->n; i++)
		if (!f->reasons[i] && !f->aside[i])
			strv_push(&argv, f->cases[i]->id);
	int status = fragment_run_tests(e->s, &argv, 30 + 10 * (unsigned)fragment_left(f), output, err);
	strv_release(&argv);
	return status;
}

int fragment_watch(struct exporting *e, struct file *f, bool second, struct err *err)
{
	struct buf output = {0};
	bool *ended = mem_zero(f->n + 1);
	int status = run(e, f, &output, err);
	for (char *line = strtok(output.data, "\n"); line; line = strtok(NULL, "\n"))
		take_line(f, line, second, ended);
	buf_release(&output);
	for (size_t i = 0; i < f->n && status >= 0; i++) {
		f->fatal[i] |= !ended[i] && !f->reasons[i] && !f->aside[i];
		if (!ended[i] && !f->aside[i])
			fragment_drop(f, i, "it ends the program");
	}
	mem_free(ended);
	return status < 0 ? -1 : 0;
}

int fragment_verify(struct exporting *e, struct file *f, bool *ret_all, struct err *err)
{
	struct buf output = {0};
	int status = run(e, f, &output, err);
	*ret_all = true;
	for (size_t i = 0; i < f->n && status >= 0; i++) {
		char *good = mem_printf("ok %s\n", f->cases[i]->id);
		const char *at = strstr(output.data, good);
		bool passes = at && (at == output.data || at[-1] == '\n');
		if (!f->reasons[i] && !passes) {
			fragment_drop(f, i, "it does not pass a second time: its result is not always the same");
			*ret_all = false;
		}
		mem_free(good);
	}
	buf_release(&output);
	return status < 0 ? -1 : 0;
}

// A line of a run with sanitizers: what ends there is dropped, what is seen there is what another run saw.
static void take_sanitized(struct file *f, const char *line, bool *ended)
{
	char id[64];
	int how;
	if (sscanf(line, "end %63s %d", id, &how) != 2) {
		take_line(f, line, true, ended);
		return;
	}
	size_t i = case_called(f, id, strlen(id));
	if (how && i != SIZE_MAX && !is_late(how)) {
		fragment_drop(f, i, "it uses memory beyond an object, or does what C does not define");
		f->fatal[i] = true;
	}
}

// Runs the reports with sanitizers. 1: there are none here.
static int run_sanitized(struct exporting *e, struct file *f, struct buf *output, struct err *err)
{
	struct exporting own = *e;
	char *folder;
	int status = fragment_compile_sanitized(e, f, &folder, err);
	own.folder = folder;
	if (status == 0 && run(&own, f, output, err) < 0)
		status = -1;
	mem_free(folder);
	return status;
}

int fragment_sanitize(struct exporting *e, struct file *f, struct err *err)
{
	struct buf output = {0};
	bool *ended = mem_zero(f->n + 1);
	int status = run_sanitized(e, f, &output, err);
	for (char *line = output.data ? strtok(output.data, "\n") : NULL; line; line = strtok(NULL, "\n"))
		take_sanitized(f, line, ended);
	buf_release(&output);
	mem_free(ended);
	return status < 0 ? -1 : 0;
}

// --- cases that end early -------------------------------------------------------------------------

// "end ID STATUS MARKS": how far it came at most; what came back has no marks.
static void take_marks(struct file *f, char *text)
{
	for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
		char id[64];
		int status;
		unsigned marks;
		if (sscanf(line, "end %63s %d %u", id, &status, &marks) != 3 || !marks)
			continue;
		size_t i = case_called(f, id, strlen(id));
		if (i != SIZE_MAX && !f->aside[i] && marks < f->cuts[i])
			f->cuts[i] = marks;
	}
}

// Passes the marks of those that are not aside, with and without sanitizers: the first of the two to end counts.
static int count_marks(struct exporting *e, struct file *f, struct err *err)
{
	struct buf output = {0}, sanitized = {0};
	int r = fragment_compile(e, f, true, err);
	if (r == 0 && fragment_left(f))
		r = run(e, f, &output, err) < 0 ? -1 : 0;
	if (r == 0 && fragment_left(f))
		r = run_sanitized(e, f, &sanitized, err) < 0 ? -1 : 0;
	take_marks(f, output.data);
	take_marks(f, sanitized.data);
	buf_release(&output);
	buf_release(&sanitized);
	return r;
}

int fragment_cut(struct exporting *e, struct file *f, struct err *err)
{
	char **whole = mem_zero((f->n + 1) * sizeof *whole); // why they are no tests as they are
	int left = 0;
	for (size_t i = 0; i < f->n; i++) {
		f->aside[i] = !f->fatal[i];
		if (f->aside[i])
			continue;
		whole[i] = f->reasons[i];
		f->reasons[i] = NULL;
		f->fatal[i] = false;
		f->cuts[i] = FRAGMENT_COUNT;
		fragment_seen_clear(&f->seen[i]);
		fragment_seen_clear(&f->again[i]);
	}
	int r = fragment_left(f) ? count_marks(e, f, err) : 0;
	for (size_t i = 0; i < f->n; i++) {
		bool is_test = whole[i] && !f->reasons[i] && f->cuts[i] > 1 && f->cuts[i] != FRAGMENT_COUNT;
		left += is_test;
		if (whole[i] && !is_test) { // it ends before it does anything, or cannot be copied
			mem_free(f->reasons[i]);
			f->reasons[i] = whole[i];
		} else {
			mem_free(whole[i]);
		}
	}
	mem_free(whole);
	return r < 0 ? -1 : left;
}
