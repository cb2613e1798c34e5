#include "session/session.h"

#include <assert.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "session/folders.h"
#include "session/results.h"
#include "session/settings.h"
#include "session/tests.h"

int session_begin(struct session *s, const struct session_setup *setup, struct err *err)
{
	assert(setup->command && setup->output && setup->choice && setup->complain && setup->bug);
	*s = (struct session){.setup = setup, .cwd = path_cwd(), .cover = cover_new()};
	char *folder = path_absolute(s->cwd, setup->output);
	s->files = mem_printf("%s/files", folder);
	mem_free(folder);
	int r = setup->worker_start ? cache_open(&s->tools.cache, err) : session_tools_find(&s->tools, err);
	programs_init(&s->programs, setup->use, &s->tools, s->cover, setup->complain);
	return r;
}

// --- settings -------------------------------------------------------------------------------------

static void words_of(char *const *argv, struct buf *ret)
{
	for (; *argv; argv++)
		buf_add(ret, *argv, strlen(*argv) + 1);
}

// A folder has the campaign of one command line.
static int check_command(struct session *s, struct err *err)
{
	struct buf words = {0}, before = {0};
	words_of(s->setup->argv, &words);
	bool other = setting_get(s->store, SETTING_argv, &before) &&
	             (before.len != words.len || memcmp(before.data, words.data, words.len) != 0);
	buf_release(&words);
	buf_release(&before);
	return other ? err_set(err, "%s has a campaign of another command; choose another folder with -o",
	                       s->setup->output)
	             : 0;
}

static int store_command(struct session *s, struct err *err)
{
	struct buf words = {0};
	words_of(s->setup->argv, &words);
	int r = setting_set(s->store, SETTING_argv, words.data, words.len, err);
	buf_release(&words);
	return r < 0 ? -1 : setting_set_text(s->store, SETTING_program, s->programs.v[0].target.program, err);
}

// Before the first run: whoever looks at the campaign meanwhile, or after it was killed, needs them.
static int store_settings(struct session *s, const struct worker_setup *w, struct err *err)
{
	const struct session_setup *setup = s->setup;
	int64_t branches = cover_totals(s->cover).edges.total; // 0: programs are built in the background
	if (store_begin(s->store, err) < 0)
		return -1;
	if ((setup->argv && store_command(s, err) < 0) || settings_store_hidden(s->store, err) < 0 ||
	    setting_set_text(s->store, SETTING_command, setup->command, err) < 0 ||
	    setting_set_number(s->store, SETTING_use, setup->use, err) < 0 ||
	    setting_set_text(s->store, SETTING_cwd, s->cwd, err) < 0 ||
	    (setup->sym && setting_set_text(s->store, SETTING_sym, setup->sym, err) < 0) ||
	    (w->float_checks && setting_set_number(s->store, SETTING_float_checks, 1, err) < 0) ||
	    setting_set_number(s->store, SETTING_hang_ms, w->hang_ms, err) < 0 ||
	    setting_set_number(s->store, SETTING_programs, s->programs.n, err) < 0 ||
	    (branches && setting_set_number(s->store, SETTING_branches, branches, err) < 0))
		return -1;
	return store_commit(s->store, err);
}

int session_open(struct session *s, bool create, struct err *err)
{
	const struct session_setup *setup = s->setup;
	s->worker_dirs = cache_folder(&s->tools.cache, "runs", 0755, err);
	s->store = s->worker_dirs ? store_open(setup->output, create, err) : NULL;
	s->bugs = (struct bugs){.store = s->store, .choice = setup->choice, .cover = s->cover, .cwd = s->cwd};
	if (!s->store)
		return -1;
	return setup->argv ? check_command(s, err) : 0;
}

void session_close(struct session *s)
{
	tests_free(s->tests);
	programs_release(&s->programs);
	if (s->store)
		store_close(s->store);
	if (s->worker_dirs)
		file_remove_tree(s->worker_dirs);
	bugs_release(&s->bugs);
	cover_free(s->cover);
	session_tools_release(&s->tools);
	mem_free(s->worker_dirs);
	mem_free(s->files);
	mem_free(s->cwd);
	*s = (struct session){0};
}

// --- what the campaign reports --------------------------------------------------------------------

static void report_progress(void *opaque, const struct campaign *c)
{
	struct session *s = opaque;
	s->setup->progress(s, c);
}

static void report_difference(void *opaque, const struct campaign *c, int64_t input, const char *first)
{
	struct session *s = opaque;
	s->setup->differs(s, c, input, first);
}

static int report_corpus(void *opaque, const struct campaign *c, const struct input *in, struct err *err)
{
	struct session *s = opaque;
	return s->setup->corpus(s, c, in, err);
}

static struct folders folders_of(const struct session *s)
{
	return (struct folders){.store = s->store,
	                        .output = s->setup->output,
	                        .cwd = s->cwd,
	                        .files = s->setup->recorded ? s->files : NULL,
	                        .sym = s->setup->sym};
}

// Its folder is written whether it is reported or not: without a baseline it would be.
static int take_finding(void *opaque, const struct stored_finding *f, const struct verdict *v, const struct input *in,
                        int64_t snapshot, struct err *err)
{
	struct session *s = opaque;
	struct bug bug;
	if (bugs_add(&s->bugs, f, &bug))
		s->setup->bug(s, &bug);
	if (s->setup->found && s->setup->found(s, v, in, err) < 0)
		return -1;
	const struct folders folders = folders_of(s);
	return folders_write(&folders, f, v, in, snapshot, err);
}

static void report_bug(void *opaque, const struct bug *bug)
{
	struct session *s = opaque;
	s->setup->bug(s, bug);
}

int session_report_known(void *opaque, uint64_t key, bool still, struct err *err)
{
	struct session *s = opaque;
	return bugs_known(&s->bugs, key, still, report_bug, s, err);
}

// --- results --------------------------------------------------------------------------------------

static int store_results(struct session *s, const struct campaign *c, struct err *err)
{
	struct cover_totals now = cover_totals(s->cover);
	if (store_begin(s->store, err) < 0)
		return -1;
	if (setting_set_number(s->store, SETTING_branches, now.edges.total, err) < 0 ||
	    setting_set_number(s->store, SETTING_branches_after, now.edges.covered, err) < 0 ||
	    (c->first_session && c->before.edges.total &&
	     setting_set_number(s->store, SETTING_branches_before, c->before.edges.covered, err) < 0) ||
	    bugs_store_root(&s->bugs, err) < 0 || (s->setup->store && s->setup->store(s, c, err) < 0))
		return -1;
	return store_commit(s->store, err);
}

static int write_results(struct session *s, const struct campaign *c, struct err *err)
{
	if (store_results(s, c, err) < 0)
		return -1;
	const struct results_choice choice = choice_results(s->setup->choice);
	return results_write(s->store, s->setup->output, &choice, err);
}

// --- running --------------------------------------------------------------------------------------

static struct worker_setup worker_of(const struct session *s)
{
	const struct session_setup *setup = s->setup;
	const struct filter *filter = &setup->choice->filter;
	struct worker_setup w = profile_worker(setup->profile, &s->tools, setup->timeout);
	w.oracle = use_oracle(setup->use);
	w.traced = use_traced(setup->use);
	w.programs = s->programs.v;
	w.n_programs = s->programs.n;
	w.files = setup->recorded ? s->files : NULL;
	w.sym = setup->sym;
	w.mode = setup->mode;
	w.limits.memory = (uint64_t)setup->memory << 20;
	w.cwd = s->cwd;
	w.cover = s->cover;
	w.goals = setup->goals;
	w.twins = setup->twins;
	w.versions = setup->use == USE_versions;
	w.filter = filter_wants_all(filter) ? NULL : filter;
	w.float_checks = filter_asks_floats(filter);
	w.largest = setup->largest;
	w.complain = setup->complain;
	w.solver_floats = setup->floats;
	if (setup->deterministic)
		w.solver_ns = 0;
	return w;
}

static struct campaign_setup campaign_of(struct session *s, const struct worker_setup *worker)
{
	const struct session_setup *setup = s->setup;
	return (struct campaign_setup){
		.store = s->store,
		.worker = worker,
		.worker_start = setup->worker_start,
		.worker_dirs = s->worker_dirs,
		.cover = s->cover,
		.deterministic = setup->deterministic,
		.seconds = setup->seconds,
		.began = setup->began,
		.cpu = setup->cpu,
		.runs = setup->runs,
		.jobs = setup->jobs,
		.stop = setup->stop,
		.progress = setup->progress ? report_progress : NULL,
		.found = take_finding,
		.differs = setup->differs ? report_difference : NULL,
		.corpus = setup->corpus ? report_corpus : NULL,
		.opaque = s,
	};
}

int session_run(struct session *s, const struct driver *driver, const void *driver_setup, struct campaign *ret,
                struct err *err)
{
	assert(s->store && s->programs.n);
	const struct worker_setup worker = worker_of(s);
	struct campaign_setup setup = campaign_of(s, &worker);
	const struct folders folders = folders_of(s);
	struct err second;
	setup.driver = driver;
	setup.driver_setup = driver_setup;
	*ret = (struct campaign){0};
	if (store_settings(s, &worker, err) < 0 || folders_complete(&folders, err) < 0)
		return -1;
	int r = campaign_run(ret, &setup, err);
	ret->setup = NULL; // which ends here
	if (write_results(s, ret, r == 0 ? err : &second) < 0)
		r = -1;
	return r;
}
