#include "cli/found.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/options.h"
#include "explain/explain.h"

void found_release(struct found *f)
{
	groups_release(&f->groups);
	mem_free(f->fresh);
}

static void add_file(void *opaque, const char *file, struct cover_totals t)
{
	(void)t;
	strv_push(opaque, file);
}

void found_set_root(struct found *f)
{
	struct strv files = {0};
	cover_each_file(f->cover, add_file, &files);
	char *root = project_root(f->cwd, &files);
	choice_set_root(f->choice, root, &files);
	mem_free(root);
	strv_release(&files);
}

int found_store_root(struct found *f, struct err *err)
{
	found_set_root(f);
	const struct test_code *t = &f->choice->test_code;
	const char *list = t->none ? "none" : t->list ? t->list : "";
	return store_set(f->store, "root", t->root, strlen(t->root), err) < 0
	               ? -1
	               : store_set(f->store, "test-code", list, strlen(list), err);
}

static bool is_warning(const struct stored_finding *finding)
{
	return strcmp(finding->level, "warning") == 0;
}

static bool is_reported(const struct found *f, const struct stored_finding *finding)
{
	return choice_of(f->choice, finding) == CHOICE_REPORTED;
}

static bool is_fresh(const struct found *f, int64_t id)
{
	for (size_t i = 0; i < f->n_fresh; i++)
		if (f->fresh[i] == id)
			return true;
	return false;
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
	buf_printf(&line, "%s%sF%" PRId64 " %s: ", f->explored ? "" : "veer: ", before, x->id, x->level);
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
static bool is_listed(struct found *f, const struct stored_finding *x)
{
	return (!is_warning(x) || f->verbose) && !choice_is_test_code(f->choice, x);
}

void found_new(struct found *f, const struct stored_finding *x)
{
	f->fresh = mem_resize(f->fresh, (f->n_fresh + 1) * sizeof *f->fresh);
	f->fresh[f->n_fresh++] = x->id;
	if (!is_reported(f, x))
		return;
	found_set_root(f);
	int64_t lead = groups_add(&f->groups, x);
	if (lead == x->id) {
		f->errors += strcmp(x->level, "error") == 0;
		f->warnings += is_warning(x);
		if (is_listed(f, x))
			print_line(f, "", x);
	} else if (f->verbose) {
		char *same = mem_printf("the same bug as F%" PRId64 ": ", lead);
		print_line(f, same, x);
		mem_free(same);
	}
}

struct before {
	struct found *found;
	uint64_t key;
	bool still;
};

// What is still there makes the exit status, too.
static int print_known(void *opaque, const struct stored_finding *x)
{
	const struct before *k = opaque;
	struct found *f = k->found;
	if (x->key != k->key || !is_reported(f, x))
		return 0;
	found_set_root(f);
	bool first = !k->still || groups_add(&f->groups, x) == x->id;
	if ((first || f->verbose) && is_listed(f, x))
		print_line(f, k->still ? "found before: " : "no longer there: ", x);
	return 0;
}

int found_known(struct found *f, uint64_t key, bool still, struct err *err)
{
	struct before k = {.found = f, .key = key, .still = still};
	return store_each_finding(f->store, print_known, &k, err);
}

// --- totals ---------------------------------------------------------------------------------------

struct counting {
	const struct found *found;
	struct groups groups;
	struct found_totals *project, *tests;
};

static int count(void *opaque, const struct stored_finding *x)
{
	struct counting *c = opaque;
	if (!is_reported(c->found, x) || groups_add(&c->groups, x) != x->id)
		return 0;
	struct found_totals *t = choice_is_test_code(c->found->choice, x) ? c->tests : c->project;
	bool error = strcmp(x->level, "error") == 0, before = !is_fresh(c->found, x->id);
	t->errors += error;
	t->errors_before += error && before;
	t->warnings += is_warning(x);
	t->warnings_before += is_warning(x) && before;
	t->others += !error && !is_warning(x);
	t->others_before += !error && !is_warning(x) && before;
	return 0;
}

int found_count(const struct found *f, struct found_totals *ret, struct found_totals *ret_tests, struct err *err)
{
	struct counting c = {.found = f, .project = ret, .tests = ret_tests};
	*ret = *ret_tests = (struct found_totals){0};
	int r = store_each_finding(f->store, count, &c, err);
	groups_release(&c.groups);
	return r;
}

static void add_count(struct buf *out, size_t n, size_t before, const char *what)
{
	buf_printf(out, "%zu %s%s", n, what, n == 1 ? "" : "s");
	if (before && before == n)
		buf_addstr(out, " (found before)");
	else if (before)
		buf_printf(out, " (%zu found before)", before);
}

void found_totals_text(const struct found_totals *t, struct buf *out)
{
	add_count(out, t->errors, t->errors_before, "error");
	buf_addstr(out, ", ");
	add_count(out, t->warnings, t->warnings_before, "warning");
	buf_addstr(out, ", ");
	add_count(out, t->others, t->others_before, "other");
}

struct listing {
	struct found *found;
	struct groups groups;
};

static int print_test_code(void *opaque, const struct stored_finding *x)
{
	struct listing *l = opaque;
	struct found *f = l->found;
	if (!is_reported(f, x) || !choice_is_test_code(f->choice, x) || (is_warning(x) && !f->verbose) ||
	    groups_add(&l->groups, x) != x->id)
		return 0;
	print_line(f, is_fresh(f, x->id) ? "  " : "  found before: ", x);
	return 0;
}

int found_print_rest(struct found *f, const struct found_totals *totals, const struct found_totals *tests,
                     struct err *err)
{
	struct listing l = {.found = f};
	struct buf text = {0};
	int r = 0;
	if (tests->errors || tests->warnings || tests->others) {
		found_totals_text(tests, &text);
		cli_line(stderr, "veer: in the tests' own code: %s%s", text.data,
		         f->choice->options->test_code_errors || !tests->errors
		                 ? ""
		                 : "; --error-exitcode does not count these unless --test-code-errors is given");
		r = store_each_finding(f->store, print_test_code, &l, err);
		groups_release(&l.groups);
		buf_release(&text);
	}
	size_t warnings = totals->warnings + tests->warnings;
	if (warnings && !f->verbose)
		fprintf(stderr, "veer: the %s not listed: `veer report --warnings`, or -v, does\n",
		        warnings == 1 ? "warning is" : "warnings are");
	return r;
}
