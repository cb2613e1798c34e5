#include "cli/choice.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "findings/oracle.h"

int choice_init(struct choice *ret, const struct choice_options *o, struct err *err)
{
	*ret = (struct choice){.options = o};
	if (filter_parse(&ret->filter, o->include, o->exclude, o->checks, err) == 0 &&
	    (!o->baseline || baseline_read(&ret->known, o->baseline, err) == 0) &&
	    (!o->suppressions || baseline_read(&ret->suppressed, o->suppressions, err) == 0) &&
	    (!o->sample || sample_parse(&ret->sample, o->sample, err) == 0))
		return 0;
	choice_release(ret);
	return -1;
}

void choice_release(struct choice *c)
{
	filter_release(&c->filter);
	baseline_release(&c->known);
	baseline_release(&c->suppressed);
	test_code_release(&c->test_code);
}

// --- findings -------------------------------------------------------------------------------------

static struct finding_name name_of(const struct stored_finding *f)
{
	return (struct finding_name){.kind = f->kind, .file = f->file, .function = f->function, .program = f->program};
}

// What ends the program is told of whichever checks were asked for.
enum choice_reason choice_of(const struct choice *c, const struct stored_finding *f)
{
	const struct finding_name name = name_of(f);
	bool wanted = strcmp(f->level, "warning") != 0 || filter_wants_kind(&c->filter, f->kind);
	if (!wanted ||
	    !filter_wants_place(&c->filter, f->program, f->file ? f->file : "?", f->function ? f->function : "?"))
		return CHOICE_LEFT_OUT;
	if (baseline_has(&c->suppressed, &name))
		return CHOICE_SUPPRESSED;
	return baseline_has(&c->known, &name) ? CHOICE_KNOWN : CHOICE_REPORTED;
}

void choice_set_root(struct choice *c, const char *root, const struct strv *files)
{
	test_code_release(&c->test_code);
	test_code_init(&c->test_code, root, c->options->test_code, files);
}

bool choice_is_test_code(const struct choice *c, const struct stored_finding *f)
{
	return f->file && test_code_has(&c->test_code, f->file);
}

bool choice_fails(const struct choice *c, const struct stored_finding *f)
{
	return strcmp(f->level, "error") == 0 && choice_of(c, f) == CHOICE_REPORTED &&
	       (c->options->test_code_errors || !choice_is_test_code(c, f));
}

struct counting {
	const struct choice *choice;
	size_t of[CHOICE_REASONS];
};

static int count(void *opaque, const struct stored_finding *f)
{
	struct counting *n = opaque;
	n->of[choice_of(n->choice, f)]++;
	return 0;
}

int choice_print(const struct choice *c, struct store *store, struct err *err)
{
	struct counting n = {.choice = c};
	if (store_each_finding(store, count, &n, err) < 0)
		return -1;
	size_t all = n.of[CHOICE_KNOWN] + n.of[CHOICE_SUPPRESSED] + n.of[CHOICE_LEFT_OUT];
	if (all)
		fprintf(stderr,
		        "veer: %zu more findings are not reported: %zu are in the baseline, %zu are suppressed, %zu "
		        "are "
		        "left out by --include, --exclude or --checks\n",
		        all, n.of[CHOICE_KNOWN], n.of[CHOICE_SUPPRESSED], n.of[CHOICE_LEFT_OUT]);
	return 0;
}

struct writing {
	const struct choice *choice;
	const char *cwd;
	struct baseline now;
};

// What was in the baseline before and is still found stays; what is suppressed needs no second line.
static int add_line(void *opaque, const struct stored_finding *f)
{
	struct writing *w = opaque;
	struct finding_name name = name_of(f);
	enum choice_reason reason = choice_of(w->choice, f);
	if (!stack_names_program(f->stack)) // the next time another one may be the first to find it
		name.program = NULL;
	if (reason == CHOICE_REPORTED || reason == CHOICE_KNOWN)
		baseline_add(&w->now, w->cwd, &name);
	return 0;
}

int choice_write(const struct choice *c, struct store *store, const char *cwd, struct err *err)
{
	struct writing w = {.choice = c, .cwd = cwd};
	if (!c->options->write_baseline)
		return 0;
	int r = store_each_finding(store, add_line, &w, err);
	if (r == 0)
		r = baseline_write(&w.now, c->options->write_baseline, err);
	baseline_release(&w.now);
	return r;
}

// --- tests ----------------------------------------------------------------------------------------

// Of a suite of that size; a bug that no test can find is of no use here.
static void print_probability(size_t n, size_t k, unsigned percent, const char *end)
{
	size_t m = (n * percent + 50) / 100;
	double p = 100 * sample_probability(n, m ? m : 1, k);
	fprintf(stderr, " %s%.1f%% if %zu tests do (%u%%)%s", p < 100 && p > 99.9 ? ">" : "",
	        p < 100 && p > 99.9 ? 99.9 : p, m ? m : 1, percent, end);
}

static void take_sample(struct choice *c, struct suite *suite)
{
	size_t n, k;
	if (!c->options->sample)
		return;
	k = sample_suite(&c->sample, suite, (uint64_t)c->options->random, "not chosen by --sample", &n);
	if (!n)
		return;
	fprintf(stderr,
	        "veer: %zu of %zu tests are amplified, chosen at random (--random-seed %d); they find a bug with "
	        "probability",
	        k, n, c->options->random);
	print_probability(n, k, 6, ",");
	print_probability(n, k, 10, ",");
	print_probability(n, k, 30, "\n");
}

void choice_apply(struct choice *c, struct suite *suite, const char *const *programs, size_t n_programs)
{
	for (size_t i = 0; i < n_programs; i++)
		filter_know_program(&c->filter, programs[i]);
	for (size_t i = 0; i < suite->n; i++) {
		struct suite_test *t = &suite->v[i];
		const char *why = t->why ? NULL : filter_leaves_out(&c->filter, programs[t->program]);
		if (why)
			t->why = mem_strdup(why);
	}
	take_sample(c, suite);
}
