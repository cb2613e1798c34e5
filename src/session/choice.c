#include "session/choice.h"

#include <string.h>

#include "base/mem.h"
#include "findings/verdict.h"
#include "session/results.h"

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
	possible_errors_free(c->errors);
	c->errors = NULL;
}

// --- findings -------------------------------------------------------------------------------------

static struct finding_name name_of(const struct stored_finding *f)
{
	return (struct finding_name){.kind = f->kind, .file = f->file, .function = f->function, .program = f->program};
}

int choice_assess(struct choice *c, struct store *store, struct err *err)
{
	possible_errors_free(c->errors);
	c->errors = possible_errors_read(store, err);
	c->store = c->errors ? store : NULL;
	return c->errors ? 0 : -1;
}

static enum choice_reason choice_of_possible(const struct choice *c, const struct stored_finding *f)
{
	struct possible p;
	if (!c->store)
		return CHOICE_POSSIBLE;
	if (possible_promoted(c->errors, f))
		return CHOICE_PROMOTED;
	possible_read(c->store, f->key, &p);
	bool filtered = possible_suppressed(&p) != FILTER_NONE;
	possible_release(&p);
	if (c->options->possible_all)
		return CHOICE_REPORTED;
	return filtered ? CHOICE_FILTERED : c->options->possible ? CHOICE_REPORTED : CHOICE_POSSIBLE;
}

// What ends the program is reported whichever checks were asked for.
enum choice_reason choice_of(const struct choice *c, const struct stored_finding *f)
{
	const struct finding_name name = name_of(f);
	bool wanted = f->level != LEVEL_WARNING || filter_wants_kind(&c->filter, f->kind);
	if (!wanted ||
	    !filter_wants_place(&c->filter, f->program, f->file ? f->file : "?", f->function ? f->function : "?"))
		return CHOICE_LEFT_OUT;
	if (baseline_has(&c->suppressed, &name))
		return CHOICE_SUPPRESSED;
	if (baseline_has(&c->known, &name))
		return CHOICE_KNOWN;
	return f->level == LEVEL_POSSIBLE ? choice_of_possible(c, f) : CHOICE_REPORTED;
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

int choice_count(const struct choice *c, struct store *store, size_t ret[CHOICE_REASONS], struct err *err)
{
	struct counting n = {.choice = c};
	int r = store_each_finding(store, count, &n, err);
	memcpy(ret, n.of, sizeof n.of);
	return r;
}

static bool is_reported(void *opaque, const struct stored_finding *f)
{
	return choice_of(opaque, f) == CHOICE_REPORTED;
}

static bool is_test_code(void *opaque, const struct stored_finding *f)
{
	return choice_is_test_code(opaque, f);
}

struct results_choice choice_results(const struct choice *c)
{
	return (struct results_choice){.reports = is_reported, .is_test_code = is_test_code, .opaque = (void *)c};
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

void choice_apply(struct choice *c, struct suite *suite, const char *const *programs, size_t n_programs,
                  struct choice_sample *ret)
{
	for (size_t i = 0; i < n_programs; i++)
		filter_know_program(&c->filter, programs[i]);
	for (size_t i = 0; i < suite->n; i++) {
		struct suite_test *t = &suite->v[i];
		const char *why = t->why ? NULL : filter_leaves_out(&c->filter, programs[t->program]);
		if (why)
			t->why = mem_strdup(why);
	}
	*ret = (struct choice_sample){0};
	if (c->options->sample)
		ret->n = sample_suite(&c->sample, suite, (uint64_t)c->options->random, "not chosen by --sample",
		                      &ret->of);
}
