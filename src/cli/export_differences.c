#include "cli/export_differences.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/options.h"
#include "input/snapshot.h"
#include "session/tools.h"
#include "session/witness.h"

struct taken {
	const struct difference_view *view;
	struct input input, masks; // masks: all of it is relevant
	struct snapshot snapshot;
	bool has_snapshot;
	struct finding_text text;
	struct witness runs[CHANGE_SIDES];
};

static bool is_named(const char *word, const char *id)
{
	return toupper((unsigned char)*word) == *id && strcmp(word + 1, id + 1) == 0;
}

static int check_words(const struct export_differences *e, struct err *err)
{
	for (int i = 0; i < e->n_words; i++) {
		bool known = false;
		for (uint32_t k = 0; k < e->views->n; k++)
			known |= is_named(e->words[i], e->views->v[k].id);
		if (!known)
			return err_set(err, "there is no %.40s: the campaign has %u differences, D1, D2 ...",
			               e->words[i], e->views->n);
	}
	uint32_t whole = 0;
	while (whole < e->views->n && difference_view_is_whole(&e->views->v[whole]))
		whole++;
	for (int i = 0; i < e->n_words; i++)
		for (uint32_t k = whole; k < e->views->n; k++)
			if (is_named(e->words[i], e->views->v[k].id))
				return err_set(err, "%.40s is not confirmed: no run of the program shows it",
				               e->words[i]);
	return whole ? 0 : err_set(err, "veer diff found no differences, which tests could be of");
}

static bool is_wanted(const struct export_differences *e, const struct difference_view *x)
{
	bool wanted = !e->n_words;
	for (int i = 0; i < e->n_words; i++)
		wanted |= is_named(e->words[i], x->id);
	return wanted && difference_view_is_whole(x);
}

static int fetch(const struct export_differences *e, struct taken *t, struct err *err)
{
	if (witness_input(e->store, t->view->example, &t->input, &t->snapshot, &t->has_snapshot, err) < 0)
		return -1;
	input_copy(&t->masks, &t->input);
	for (size_t i = 0; i < t->masks.n; i++)
		memset(t->masks.v[i].data.data ? t->masks.v[i].data.data : "", 0xff, t->masks.v[i].data.len);
	return 0;
}

static int run_all(const struct export_differences *e, struct taken *v, uint32_t n, struct err *err)
{
	struct session_tools tools = {0};
	struct witness *runs = mem_zero((n * CHANGE_SIDES + 1) * sizeof *runs);
	int64_t *ids = mem_zero((n + 1) * sizeof *ids);
	for (uint32_t i = 0; i < n; i++)
		ids[i] = v[i].view->example;
	int r = session_tools_find(&tools, err);
	char *worker_dirs = r == 0 ? cache_folder(&tools.cache, "runs", 0755, err) : NULL;
	if (worker_dirs) {
		const struct witness_setup setup = {.store = e->store,
		                                    .builder = &tools.native,
		                                    .mode = e->mode,
		                                    .cwd = e->cwd,
		                                    .files = e->files,
		                                    .worker_dirs = worker_dirs,
		                                    .programs = {e->views->programs[0], e->views->programs[1]}};
		witness_run(&setup, ids, n, runs);
		file_remove_tree(worker_dirs);
	}
	for (uint32_t i = 0; i < n; i++)
		memcpy(v[i].runs, runs + (size_t)i * CHANGE_SIDES, sizeof v[i].runs);
	session_tools_release(&tools);
	mem_free(runs);
	mem_free(ids);
	r = worker_dirs ? 0 : -1;
	mem_free(worker_dirs);
	return r;
}

// Exit status and output tell the versions apart.
static bool is_test(const struct taken *t)
{
	const struct witness *old = &t->runs[CHANGE_OLD], *new = &t->runs[CHANGE_NEW];
	if (!old->ran || !new->ran || old->run.end != RUN_EXITED)
		return false;
	return new->run.end != RUN_EXITED || new->run.code != old->run.code || new->output.len != old->output.len ||
	       memcmp(buf_str(&new->output), buf_str(&old->output), old->output.len) != 0;
}

static void describe(const struct export_differences *e, struct taken *t, struct export_test *ret)
{
	t->text = (struct finding_text){.id = t->view->id,
	                                .program = e->views->programs[CHANGE_NEW],
	                                .cwd = t->snapshot.cwd,
	                                .input = &t->input,
	                                .masks = &t->masks,
	                                .snapshot = &t->snapshot,
	                                .files = e->files,
	                                .sym = e->sym};
	*ret = (struct export_test){.id = t->view->id,
	                            .input = &t->input,
	                            .masks = &t->masks,
	                            .status = t->runs[CHANGE_OLD].run.code,
	                            .output = &t->runs[CHANGE_OLD].output,
	                            .recorded = t->has_snapshot ? &t->text : NULL};
}

static int write_all(const struct export_differences *e, struct taken *v, uint32_t n, const char *folder,
                     struct err *err)
{
	struct export_test *tests = mem_zero((n + 1) * sizeof *tests);
	struct export_suite suite = {.program = e->views->programs[CHANGE_NEW], .cwd = e->cwd, .tests = tests};
	for (uint32_t i = 0; i < n; i++)
		if (is_test(&v[i]))
			describe(e, &v[i], &tests[suite.n++]);
	int left_out = e->c ? export_differences_c(folder, &suite, err) : export_sh.write(folder, &suite, err);
	if (left_out >= 0)
		cli_line(stdout, "%zu tests in %s", suite.n - (size_t)left_out, folder);
	if (left_out > 0)
		printf("left out: %d of recorded tests, which --as sh writes\n", left_out);
	if (suite.n < n)
		printf("left out: %u whose exit status and output are not those of the old version, or which it does "
		       "not "
		       "survive\n",
		       n - (uint32_t)suite.n);
	mem_free(tests);
	return left_out < 0 ? -1 : 0;
}

int export_differences(const struct export_differences *e, const char *folder, struct err *err)
{
	struct taken *v = mem_zero((e->views->n + 1) * sizeof *v);
	uint32_t n = 0;
	int r = check_words(e, err);
	for (int side = 0; r == 0 && side < CHANGE_SIDES; side++)
		if (!file_exists(e->views->programs[side]))
			r = err_set(err, "%s is gone, which the tests are of", e->views->programs[side]);
	for (uint32_t i = 0; r == 0 && i < e->views->n; i++)
		if (is_wanted(e, &e->views->v[i])) {
			v[n].view = &e->views->v[i];
			r = fetch(e, &v[n++], err);
		}
	if (r == 0)
		r = run_all(e, v, n, err);
	if (r == 0)
		r = write_all(e, v, n, folder, err);
	for (uint32_t i = 0; i < n; i++) {
		input_release(&v[i].input);
		input_release(&v[i].masks);
		if (v[i].has_snapshot)
			snapshot_release(&v[i].snapshot);
		for (int side = 0; side < CHANGE_SIDES; side++)
			witness_release(&v[i].runs[side]);
	}
	mem_free(v);
	return r;
}
