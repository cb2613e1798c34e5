#include "session/bugs.h"

#include <string.h>

#include "base/mem.h"
#include "session/settings.h"

void bugs_release(struct bugs *b)
{
	groups_release(&b->groups);
	mem_free(b->fresh);
}

// --- whose code -----------------------------------------------------------------------------------

static void add_file(void *opaque, const char *file, struct cover_totals t)
{
	(void)t;
	strv_push(opaque, file);
}

void bugs_set_root(struct bugs *b)
{
	struct strv files = {0};
	cover_each_file(b->cover, add_file, &files);
	char *root = project_root(b->cwd, &files);
	choice_set_root(b->choice, root, &files);
	mem_free(root);
	strv_release(&files);
}

int bugs_store_root(struct bugs *b, struct err *err)
{
	bugs_set_root(b);
	const struct test_code *t = &b->choice->test_code;
	const char *list = t->none ? "none" : t->list ? t->list : "";
	return setting_set_text(b->store, SETTING_root, t->root, err) < 0
	               ? -1
	               : setting_set_text(b->store, SETTING_test_code, list, err);
}

// --- one after the other --------------------------------------------------------------------------

static bool is_warning(const struct stored_finding *f)
{
	return f->level == LEVEL_WARNING;
}

static bool is_error(const struct stored_finding *f)
{
	return f->level == LEVEL_ERROR;
}

bool bugs_is_fresh(const struct bugs *b, int64_t id)
{
	for (size_t i = 0; i < b->n_fresh; i++)
		if (b->fresh[i] == id)
			return true;
	return false;
}

bool bugs_add(struct bugs *b, const struct stored_finding *f, struct bug *ret)
{
	b->fresh = mem_resize(b->fresh, (b->n_fresh + 1) * sizeof *b->fresh);
	b->fresh[b->n_fresh++] = f->id;
	if (choice_of(b->choice, f) != CHOICE_REPORTED)
		return false;
	bugs_set_root(b);
	*ret = (struct bug){.event = BUG_NEW, .finding = f, .lead = groups_add(&b->groups, f)};
	if (ret->lead == f->id) {
		b->errors += is_error(f);
		b->warnings += is_warning(f);
	}
	return true;
}

struct known {
	struct bugs *bugs;
	uint64_t key;
	bool still;
	void (*each)(void *opaque, const struct bug *bug);
	void *opaque;
};

static int take_known(void *opaque, const struct stored_finding *f)
{
	const struct known *k = opaque;
	struct bugs *b = k->bugs;
	if (f->key != k->key || choice_of(b->choice, f) != CHOICE_REPORTED)
		return 0;
	bugs_set_root(b);
	const struct bug bug = {.event = k->still ? BUG_AGAIN : BUG_GONE,
	                        .finding = f,
	                        .lead = k->still ? groups_add(&b->groups, f) : f->id};
	k->each(k->opaque, &bug);
	return 0;
}

int bugs_known(struct bugs *b, uint64_t key, bool still, void (*each)(void *opaque, const struct bug *bug),
               void *opaque, struct err *err)
{
	struct known k = {.bugs = b, .key = key, .still = still, .each = each, .opaque = opaque};
	return store_each_finding(b->store, take_known, &k, err);
}

// --- all together ---------------------------------------------------------------------------------

struct counting {
	const struct bugs *bugs;
	struct groups groups;
	struct bug_totals *project, *tests;
};

static int count(void *opaque, const struct stored_finding *f)
{
	struct counting *c = opaque;
	if (choice_of(c->bugs->choice, f) != CHOICE_REPORTED || groups_add(&c->groups, f) != f->id)
		return 0;
	struct bug_totals *t = choice_is_test_code(c->bugs->choice, f) ? c->tests : c->project;
	bool error = is_error(f), warning = is_warning(f), before = !bugs_is_fresh(c->bugs, f->id);
	t->errors += error;
	t->errors_before += error && before;
	t->warnings += warning;
	t->warnings_before += warning && before;
	bool possible = f->level == LEVEL_POSSIBLE, other = !error && !warning && !possible;
	t->possible += possible;
	t->others += other;
	t->others_before += other && before;
	return 0;
}

int bugs_count(const struct bugs *b, struct bug_totals *ret, struct bug_totals *ret_tests, struct err *err)
{
	struct counting c = {.bugs = b, .project = ret, .tests = ret_tests};
	*ret = *ret_tests = (struct bug_totals){0};
	int r = store_each_finding(b->store, count, &c, err);
	groups_release(&c.groups);
	return r;
}

int bugs_count_before(struct bugs *b, struct err *err)
{
	struct bug_totals totals, tests;
	bugs_set_root(b);
	if (bugs_count(b, &totals, &tests, err) < 0)
		return -1;
	b->errors = totals.errors + tests.errors;
	b->warnings = totals.warnings + tests.warnings;
	return 0;
}
