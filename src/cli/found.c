#include "cli/found.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/options.h"
#include "explain/explain.h"

static bool is_warning(const struct stored_finding *x)
{
	return x->level == LEVEL_WARNING;
}

// --- lines ----------------------------------------------------------------------------------------

static void add_place(struct buf *out, const struct stored_finding *x)
{
	char *file = x->file && *x->file == '/' ? path_clean(x->file) : NULL;
	buf_printf(out, "%s at %s:%u in %s", x->kind,
	           file      ? file
	           : x->file ? x->file
	                     : "?",
	           x->line, x->function ? x->function : "?");
	mem_free(file);
}

static void print_line(const struct found *f, const char *before, const struct stored_finding *x)
{
	const char *sanitizer = explain_sanitizer(x->kind);
	FILE *out = f->explored ? stdout : stderr;
	struct buf line = {0};
	if (f->live)
		fputs("\r\033[K", stderr);
	buf_printf(&line, "%s%sF%" PRId64 " %s: ", f->explored ? "" : "veer: ", before, x->id, level_name(x->level));
	if (!f->explored && x->changed == 0)
		buf_printf(&line, "your test S%" PRId64 " already does this%s%s: ", x->seed, sanitizer ? " under " : "",
		           sanitizer ? sanitizer : "");
	add_place(&line, x);
	if (!f->explored)
		buf_printf(&line, ", of %s, ", path_basename(x->program));
	if (!f->explored && x->distance == FINDING_SEARCHED)
		buf_addstr(&line, "by search");
	else if (!f->explored)
		buf_printf(&line, "distance %u", x->distance);
	cli_line(out, "%s", line.data);
	buf_release(&line);
	fflush(out);
}

// What is listed at once: not the tests' own code.
static bool is_listed(const struct found *f, const struct session *s, const struct stored_finding *x)
{
	return (!is_warning(x) || f->verbose) && !choice_is_test_code(s->setup->choice, x);
}

static void print_new(const struct found *f, const struct session *s, const struct bug *bug)
{
	const struct stored_finding *x = bug->finding;
	if (bug->lead == x->id) {
		if (is_listed(f, s, x))
			print_line(f, "", x);
	} else if (f->verbose) {
		char *same = mem_printf("the same bug as F%" PRId64 ": ", bug->lead);
		print_line(f, same, x);
		mem_free(same);
	}
}

void found_print(const struct found *f, const struct session *s, const struct bug *bug)
{
	bool first = bug->lead == bug->finding->id;
	if (bug->event == BUG_NEW)
		print_new(f, s, bug);
	else if ((first || f->verbose) && is_listed(f, s, bug->finding))
		print_line(f, bug->event == BUG_AGAIN ? "found before: " : "no longer there: ", bug->finding);
}

// --- totals ---------------------------------------------------------------------------------------

static void add_count(struct buf *out, size_t n, size_t before, const char *what)
{
	buf_printf(out, "%zu %s%s", n, what, n == 1 ? "" : "s");
	if (before && before == n)
		buf_addstr(out, " (found before)");
	else if (before)
		buf_printf(out, " (%zu found before)", before);
}

static void add_totals(struct buf *out, const struct bug_totals *t)
{
	add_count(out, t->errors, t->errors_before, "error");
	buf_addstr(out, ", ");
	add_count(out, t->warnings, t->warnings_before, "warning");
	buf_addstr(out, ", ");
	add_count(out, t->others, t->others_before, "other");
	if (t->possible)
		buf_printf(out, ", %zu possible", t->possible);
}

struct listing {
	const struct found *found;
	const struct session *session;
	struct groups groups;
};

static int print_test_code(void *opaque, const struct stored_finding *x)
{
	struct listing *l = opaque;
	const struct found *f = l->found;
	const struct choice *choice = l->session->setup->choice;
	if (choice_of(choice, x) != CHOICE_REPORTED || !choice_is_test_code(choice, x) ||
	    (is_warning(x) && !f->verbose) || groups_add(&l->groups, x) != x->id)
		return 0;
	print_line(f, bugs_is_fresh(&l->session->bugs, x->id) ? "  " : "  found before: ", x);
	return 0;
}

static int print_rest(const struct found *f, struct session *s, const struct bug_totals *totals,
                      const struct bug_totals *tests, struct err *err)
{
	struct listing l = {.found = f, .session = s};
	struct buf text = {0};
	int r = 0;
	if (tests->errors || tests->warnings || tests->others) {
		add_totals(&text, tests);
		cli_line(stderr, "veer: in the tests' own code: %s%s", text.data,
		         s->setup->choice->options->test_code_errors || !tests->errors
		                 ? ""
		                 : "; --error-exitcode does not count these unless --test-code-errors is given");
		r = store_each_finding(s->store, print_test_code, &l, err);
		groups_release(&l.groups);
		buf_release(&text);
	}
	size_t warnings = totals->warnings + tests->warnings;
	if (warnings && !f->verbose)
		fprintf(stderr, "veer: the %s not listed: `veer report --warnings`, or -v, does\n",
		        warnings == 1 ? "warning is" : "warnings are");
	return r;
}

int found_print_all(const struct found *f, struct session *s, void (*print_end)(void *opaque, const char *totals),
                    void *opaque, size_t *ret_errors, struct err *err)
{
	struct bug_totals totals, tests;
	struct buf text = {0};
	if (bugs_count(&s->bugs, &totals, &tests, err) < 0)
		return -1;
	add_totals(&text, &totals);
	print_end(opaque, text.data);
	buf_release(&text);
	*ret_errors = totals.errors + (s->setup->choice->options->test_code_errors ? tests.errors : 0);
	return print_rest(f, s, &totals, &tests, err);
}
