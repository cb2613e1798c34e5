// veer export --as c, of a campaign of veer cover: unit tests of functions.
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/export_fragments.h"
#include "cli/options.h"
#include "session/library.h"
#include "session/settings.h"
#include "shape/shape.h"

static int read_shapes(struct replayer *l, struct shape_program *ret, struct err *err)
{
	const struct strv *variants = replayer_variants(l);
	int r = 0;
	for (size_t i = 0; r == 0 && i < variants->n; i++)
		r = shape_add_file(ret, variants->v[i], err);
	return r;
}

// What veer-cc linked: the program, or a shared library that has no program of its own; an archive's is its host.
static void find_programs(struct store *store, const char *program, struct strv *ret)
{
	struct buf words = {0};
	char *cwd = settings_folder(store), *path = NULL;
	if (setting_get(store, SETTING_argv, &words) && words.len && memchr(words.data, 0, words.len))
		path = path_absolute(cwd, words.data);
	strv_push(ret, path && library_is_shared(path) ? path : program);
	mem_free(path);
	mem_free(cwd);
	buf_release(&words);
}

static void print_written(const struct fragment_written *w, const char *folder)
{
	cli_line(stdout, "%zu tests with %zu checks in %s", w->tests, w->checks, folder);
	if (w->n_skipped)
		cli_line(stdout, "left out: %zu inputs; %s/SKIPPED has the reasons", w->n_skipped, folder);
}

int export_training(const struct export_training *e, const char *folder, struct fragment_written *ret, struct err *err)
{
	struct shape_program shapes = {0};
	struct strv replayed = {0}, libraries = {0}, programs = {0};
	replayer_add_program(e->store, e->program, 0, &replayed, &libraries);
	find_programs(e->store, e->program, &programs);
	const struct replayer_setup setup = {.store = e->store,
	                                     .folder = e->campaign,
	                                     .programs = &replayed,
	                                     .libraries = &libraries,
	                                     .mode = e->mode,
	                                     .profile = PROFILE_export,
	                                     .complain = cli_runs_natively};
	struct replayer *replayer = replayer_new(&setup, err);
	const struct fragment_suite suite = {.programs = (const char *const *)programs.v,
	                                     .n_programs = programs.n,
	                                     .shapes = &shapes,
	                                     .cases = e->cases,
	                                     .n = e->n,
	                                     .compiler = e->compiler,
	                                     .mode = e->mode,
	                                     .device = e->device};
	char *here = path_cwd(), *absolute = path_absolute(here, folder);
	int r = replayer ? read_shapes(replayer, &shapes, err) : -1;
	if (r == 0)
		r = fragment_c_write(absolute, &suite, ret, err);
	replayer_free(replayer);
	mem_free(here);
	mem_free(absolute);
	shape_free(&shapes);
	strv_release(&replayed);
	strv_release(&libraries);
	strv_release(&programs);
	return r;
}

int export_fragments(const struct export_fragments *e, const char *folder, struct err *err)
{
	struct shape_program shapes = {0};
	struct strv programs = {0};
	struct fragment_written written = {0};
	find_programs(e->store, e->program, &programs);
	const struct fragment_suite suite = {.programs = (const char *const *)programs.v,
	                                     .n_programs = programs.n,
	                                     .shapes = &shapes,
	                                     .cases = e->cases,
	                                     .n = e->n,
	                                     .cmocka = e->cmocka,
	                                     .jobs = e->jobs,
	                                     .mode = e->mode,
	                                     .worker_dirs = replayer_worker_dirs(e->replayer)};
	char *here = path_cwd(), *absolute = path_absolute(here, folder); // tests run elsewhere
	int r = read_shapes(e->replayer, &shapes, err);
	if (r == 0)
		r = fragment_c_write(absolute, &suite, &written, err);
	mem_free(here);
	mem_free(absolute);
	if (r == 0)
		print_written(&written, folder);
	fragment_written_release(&written);
	shape_free(&shapes);
	strv_release(&programs);
	return r;
}
