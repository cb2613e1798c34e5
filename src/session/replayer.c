#include "session/replayer.h"

#include <assert.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "execute/server.h"
#include "input/snapshot.h"
#include "input/sym.h"
#include "session/settings.h"
#include "session/tools.h"
#include "worker/client.h"

struct replayer {
	struct store *store;
	struct session_tools tools;
	struct cover *cover; // nothing of it is reached: what workers begin with
	struct worker_program *programs;
	struct strv reasons;  // why a program has no variant; "": it has
	struct strv variants; // of all of them, and of their libraries
	char *files, *cwd, *worker_dirs;
	struct buf sym;
	struct worker_setup setup;
	struct client client;
};

// --- programs -------------------------------------------------------------------------------------

struct finding_programs {
	struct strv *programs, *libraries;
};

static int add_snapshot_program(void *opaque, const struct stored_snapshot *c)
{
	const struct finding_programs *f = opaque;
	struct snapshot snapshot;
	struct err err;
	if (!c->present || snapshot_decode(&snapshot, c->data.data, c->data.len, &err) < 0)
		return 0;
	size_t n = f->programs->n;
	strv_push_once(f->programs, snapshot.program);
	if (f->libraries && f->programs->n > n)
		strv_take(f->libraries, snapshot_libraries(&snapshot));
	snapshot_release(&snapshot);
	return 0;
}

int replayer_programs(struct store *store, struct strv *ret, struct strv *ret_libraries, struct err *err)
{
	struct finding_programs f = {ret, ret_libraries};
	struct buf program = {0};
	if (setting_get(store, SETTING_program, &program) && program.len)
		replayer_add_program(store, program.data, 0, ret, ret_libraries);
	buf_release(&program);
	return store_each_snapshot(store, add_snapshot_program, &f, err) < 0 ? -1 : 0;
}

void replayer_add_program(struct store *store, const char *program, int64_t snapshot, struct strv *ret,
                          struct strv *ret_libraries)
{
	const char *ours = getenv("LD_LIBRARY_PATH");
	struct buf around = {0};
	struct snapshot s;
	struct err err;
	size_t n = ret->n;
	strv_push_once(ret, program);
	if (!ret_libraries || ret->n == n)
		return;
	if (snapshot && store_get_snapshot(store, snapshot, &around, &err) == 0 &&
	    snapshot_decode(&s, around.data, around.len, &err) == 0) {
		strv_take(ret_libraries, snapshot_libraries(&s));
		snapshot_release(&s);
	} else {
		strv_push(ret_libraries, ours ? ours : "");
	}
	buf_release(&around);
}

// --- setting up -----------------------------------------------------------------------------------

static int take_variant(void *opaque, const char *variant, struct err *err)
{
	struct replayer *l = opaque;
	strv_push_once(&l->variants, variant);
	return cover_add(l->cover, variant, err);
}

static void build(struct replayer *l, const struct replayer_setup *setup, size_t i)
{
	struct err err;
	const char *program = setup->programs->v[i];
	const struct server_build explored = {.libraries = setup->libraries->v[i],
	                                      .built = take_variant,
	                                      .opaque = l,
	                                      .complain = setup->complain},
				  sanitized = {.libraries = setup->libraries->v[i], .complain = setup->complain};
	struct builder builders[USE_VARIANTS];
	unsigned n = use_builders(settings_use(l->store), &l->tools, builders);
	bool built = true;
	for (unsigned k = 0; built && k < (setup->profile == PROFILE_replay ? 1 : n); k++)
		built = server_build(&builders[k], program, k ? &sanitized : &explored, &err) == 0;
	strv_push(&l->reasons, built ? "" : err.text);
	l->programs[i].target.program = mem_strdup(program);
}

static int open_all(struct replayer *l, const char *folder, struct err *err)
{
	if (session_tools_find(&l->tools, err) < 0)
		return -1;
	char *here = path_cwd(), *campaign = path_absolute(here, folder);
	l->files = mem_printf("%s/files", campaign);
	mem_free(here);
	mem_free(campaign);
	l->cwd = settings_folder(l->store);
	l->worker_dirs = cache_folder(&l->tools.cache, "runs", 0755, err);
	return l->worker_dirs ? 0 : -1;
}

// A run that does not end has gone on long enough after that.
static unsigned timeout_of(struct store *store, enum profile profile)
{
	int64_t half = setting_number(store, SETTING_hang_ms) / 2;
	return (unsigned)half + (profile == PROFILE_replay);
}

struct replayer *replayer_new(const struct replayer_setup *setup, struct err *err)
{
	struct replayer *l = mem_zero(sizeof *l);
	l->store = setup->store;
	l->cover = cover_new();
	if (open_all(l, setup->folder, err) < 0) {
		replayer_free(l);
		return NULL;
	}
	l->programs = mem_zero((setup->programs->n + 1) * sizeof *l->programs);
	for (size_t i = 0; i < setup->programs->n; i++)
		build(l, setup, i);
	if (!setting_get(l->store, SETTING_sym, &l->sym) || !l->sym.len)
		buf_addstr(&l->sym, "argv,stdin");
	sym_clear_variables(l->sym.data);
	l->setup = profile_worker(setup->profile, &l->tools, timeout_of(l->store, setup->profile));
	l->setup.oracle = setup->profile == PROFILE_replay ? NULL : use_oracle(settings_use(l->store));
	l->setup.traced = use_traced(settings_use(l->store));
	l->setup.programs = l->programs;
	l->setup.n_programs = (uint32_t)setup->programs->n;
	l->setup.files = l->files;
	l->setup.sym = l->sym.data;
	l->setup.float_checks = setting_number(l->store, SETTING_float_checks) != 0;
	l->setup.mode = setup->mode;
	l->setup.cwd = l->cwd;
	l->setup.cover = l->cover;
	l->setup.complain = setup->complain;
	client_init(&l->client, &l->setup, l->worker_dirs);
	return l;
}

struct client *replayer_client(struct replayer *l)
{
	return &l->client;
}

void replayer_forked(struct replayer *l, unsigned process)
{
	assert(l->client.worker.pid < 0);
	l->worker_dirs = mem_printf("%s/forked-%u", l->worker_dirs, process); // what was there is the other process's
	client_init(&l->client, &l->setup, l->worker_dirs);
}

void replayer_stop(struct replayer *l)
{
	client_stop(&l->client);
}

const struct builder *replayer_native(const struct replayer *l)
{
	return &l->tools.native;
}

const char *replayer_reason(const struct replayer *l, uint32_t program)
{
	return *l->reasons.v[program] ? l->reasons.v[program] : NULL;
}

void replayer_free(struct replayer *l)
{
	if (!l)
		return;
	client_stop(&l->client);
	for (size_t i = 0; i < l->reasons.n; i++)
		mem_free((char *)l->programs[i].target.program);
	if (l->worker_dirs)
		file_remove_tree(l->worker_dirs);
	mem_free(l->programs);
	mem_free(l->files);
	mem_free(l->cwd);
	mem_free(l->worker_dirs);
	strv_release(&l->reasons);
	strv_release(&l->variants);
	buf_release(&l->sym);
	cover_free(l->cover);
	session_tools_release(&l->tools);
	mem_free(l);
}

// --- running --------------------------------------------------------------------------------------

// Which one it is, when it can be run.
static int find_program(const struct replayer *l, const char *path, uint32_t *ret, struct err *err)
{
	for (uint32_t i = 0; i < l->setup.n_programs; i++) {
		if (strcmp(l->programs[i].target.program, path) != 0)
			continue;
		*ret = i;
		return *l->reasons.v[i] ? err_set(err, "%s", l->reasons.v[i]) : 0;
	}
	return err_set(err, "%s is no program of this campaign", path);
}

// What of the snapshot is symbolic, with the windows that were asked for.
static void add_windows(struct job *j, const struct windows *windows)
{
	struct windows all = {0};
	struct snapshot snapshot;
	struct err err;
	for (size_t i = 0; i < windows->n; i++)
		windows_add(&all, windows->v[i].of, windows->v[i].from, windows->v[i].to);
	if (snapshot_decode(&snapshot, j->around.data, j->around.len, &err) == 0) {
		for (size_t i = 0; i < snapshot.n; i++) // of two windows of a file the first one counts
			if (snapshot.v[i].kind == SNAPSHOT_FILE && snapshot.v[i].size > REPLAYER_LARGE)
				windows_add(&all, input_source(INPUT_FILE, INPUT_BYTES, 0, snapshot.v[i].path), 0, 0);
		snapshot_release(&snapshot);
	}
	windows_encode(&all, &j->windows);
	windows_release(&all);
}

int replayer_trace(struct replayer *l, const char *program, int64_t snapshot, const struct input *in,
                   const struct windows *windows, struct buf *ret, struct err *err)
{
	struct job j = {.snapshot = snapshot, .flags = JOB_TRACE};
	struct result result;
	if (find_program(l, program, &j.program, err) < 0)
		return -1;
	if (snapshot && store_get_snapshot(l->store, snapshot, &j.around, err) < 0)
		return -1;
	if (snapshot)
		add_windows(&j, windows);
	input_copy(&j.input, in);
	int r = client_call(&l->client, &j, &result, err);
	job_release(&j);
	if (r < 0)
		return -1;
	buf_add(ret, result.trace.data, result.trace.len);
	result_release(&result);
	return 0;
}

// --- coverage -------------------------------------------------------------------------------------

struct cover *replayer_cover(const struct replayer *l)
{
	struct cover *c = cover_new();
	struct err err;
	for (size_t i = 0; i < l->variants.n; i++)
		cover_add(c, l->variants.v[i], &err);
	return c;
}

struct seeds {
	int64_t *ids;
	size_t n, cap;
};

static int add_seed(void *opaque, const struct stored_input *in)
{
	struct seeds *s = opaque;
	if (in->parent || !in->data.len)
		return 0;
	vec_room(s->ids, s->n + 1, s->cap);
	s->ids[s->n++] = in->id;
	return 0;
}

static char *program_of(struct replayer *l, const struct buf *around)
{
	struct snapshot snapshot;
	struct err err;
	struct buf program = {0};
	if (!around->len)
		return setting_get(l->store, SETTING_program, &program) ? buf_steal(&program) : mem_strdup("?");
	if (snapshot_decode(&snapshot, around->data, around->len, &err) < 0)
		return mem_strdup("?");
	char *path = mem_strdup(snapshot.program);
	snapshot_release(&snapshot);
	return path;
}

static int cover_seed(struct replayer *l, struct cover *cover, int64_t id, struct err *err)
{
	struct stored_input in;
	struct job j = {.flags = JOB_PATH};
	struct result result;
	if (store_get_input(l->store, id, &in, err) < 0)
		return -1;
	j.snapshot = in.snapshot;
	int r = input_decode(&j.input, in.data.data, in.data.len, err);
	stored_input_release(&in);
	if (r == 0 && j.snapshot)
		r = store_get_snapshot(l->store, j.snapshot, &j.around, err);
	char *program = program_of(l, &j.around);
	if (r == 0)
		r = find_program(l, program, &j.program, err);
	if (r == 0)
		r = client_call(&l->client, &j, &result, err);
	for (uint32_t i = 0; r == 0 && i < result.n_cover; i++)
		cover_restore(cover, result.cover[i].unit, result.cover[i].bytes, result.cover[i].n);
	if (r == 0)
		result_release(&result);
	mem_free(program);
	job_release(&j);
	return r;
}

int64_t replayer_cover_seeds(struct replayer *l, struct cover *cover, double seconds, int64_t *ret_of, struct err *err)
{
	struct seeds seeds = {0};
	int64_t ran = 0;
	// Those before it have left its worker with what findings cover.
	client_stop(&l->client);
	if (store_each_input(l->store, add_seed, &seeds, err) < 0)
		ran = -1;
	double from = clock_seconds();
	for (size_t i = 0; ran >= 0 && i < seeds.n; i++) {
		struct err why;
		if (clock_seconds() - from > seconds)
			break;
		ran += cover_seed(l, cover, seeds.ids[i], &why) == 0;
	}
	*ret_of = (int64_t)seeds.n;
	mem_free(seeds.ids);
	return ran;
}

const struct strv *replayer_variants(const struct replayer *l)
{
	return &l->variants;
}

const char *replayer_worker_dirs(const struct replayer *l)
{
	return l->worker_dirs;
}
