// Versions from git: built in trees of their own, compared program by program.
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/diff.h"
#include "session/revisions.h"
#include "variants/cache.h"

struct revisions {
	const struct diff_options *options;
	struct diff_pair *pair;
	const char *const *names; // as the user has them; NULL: the working tree
	struct repository repository;
	struct cache cache;
	char *folder; // of the trees
	char *trees[CHANGE_SIDES], *commits[CHANGE_SIDES];
	struct strv programs; // that both have
};

static const char *const sides[] = {"old", "new"};

static const char *name_of(const struct revisions *r, int side)
{
	return r->names[side] ? r->names[side] : "the working tree";
}

static int resolve(struct revisions *r, struct err *err)
{
	if (repository_find(&r->repository, err) < 0)
		return -1;
	for (int side = 0; side < CHANGE_SIDES; side++) {
		if (!r->names[side]) {
			if (!r->repository.top)
				return err_set(err,
				               "%s is a bare repository, which has no working tree; give two revisions",
				               r->repository.git);
			continue;
		}
		r->commits[side] = revision_commit(&r->repository, r->names[side]);
		if (!r->commits[side])
			return err_set(err, "cannot compare %s: it is neither a program nor a revision of %s",
			               r->names[side], r->repository.top ? r->repository.top : r->repository.git);
	}
	return 0;
}

static bool has_makefile(const struct revisions *r)
{
	static const char *const names[] = {"GNUmakefile", "makefile", "Makefile"};
	bool has = false;
	for (size_t i = 0; i < OPTIONS_COUNT(names) && !has; i++) {
		char *path = mem_printf("%s/%s%s", r->trees[CHANGE_NEW], r->repository.prefix, names[i]);
		has = file_exists(path);
		mem_free(path);
	}
	return has;
}

static int build(struct revisions *r, struct err *err)
{
	const char *command = r->options->build;
	for (int side = 0; side < CHANGE_SIDES; side++) {
		r->trees[side] = mem_printf("%s/%s", r->folder, sides[side]);
		if (revision_make_tree(&r->repository, r->commits[side], r->trees[side], err) < 0)
			return -1;
	}
	if (!command && !has_makefile(r))
		return err_set(
			err, "there is no Makefile, so how the versions are built is not known; give --build COMMAND");
	if (file_mkdirs(r->options->output, 0755, err) < 0)
		return -1;
	int result = 0;
	for (int side = 0; side < CHANGE_SIDES && result == 0; side++) {
		char *log = mem_printf("%s/build-%s.log", r->options->output, sides[side]);
		if (!r->options->run.quiet)
			cli_line(stderr, "veer: building %s", name_of(r, side));
		result = revision_build(&r->repository, name_of(r, side), r->trees[side],
		                        command ? command : "make CC=veer-cc", log, err);
		mem_free(log);
	}
	return result;
}

static bool is_among(const struct strv *all, const char *text)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i], text) == 0)
			return true;
	return false;
}

static int find_programs(struct revisions *r, struct err *err)
{
	struct strv found[CHANGE_SIDES] = {0};
	const char *wanted = r->options->program;
	for (int side = 0; side < CHANGE_SIDES; side++)
		revision_programs(r->trees[side], &found[side]);
	for (size_t i = 0; i < found[CHANGE_NEW].n; i++) {
		const char *name = found[CHANGE_NEW].v[i];
		if (is_among(&found[CHANGE_OLD], name) && (!wanted || strcmp(wanted, name) == 0))
			strv_push(&r->programs, name);
	}
	for (int side = 0; side < CHANGE_SIDES; side++)
		strv_release(&found[side]);
	if (r->programs.n)
		return 0;
	return wanted ? err_set(err, "--program: the versions have no %s in common that veer-cc built", wanted)
	              : err_set(err,
	                        "the versions have no program in common that veer-cc built; does '%s' compile with it?",
	                        r->options->build ? r->options->build : "make CC=veer-cc");
}

// The trees go when everything is over; reproduce.sh needs the programs.
static char *keep(const struct revisions *r, int side, const char *program, struct err *err)
{
	char *cwd = path_cwd(), *output = path_absolute(cwd, r->options->output);
	char *kept = mem_printf("versions/%s/%s", sides[side], program), *folder = path_dirname(kept);
	char *from = mem_printf("%s/%s", r->trees[side], program), *to = mem_printf("%s/%s", output, kept);
	struct buf data = {0};
	int result = file_subfolders(output, folder, 0755, err);
	mem_free(kept);
	if (result == 0)
		result = file_read(from, &data, err);
	if (result == 0)
		result = file_replace(to, buf_str(&data), data.len, 0755, err);
	buf_release(&data);
	mem_free(folder);
	mem_free(from);
	mem_free(output);
	mem_free(cwd);
	if (result == 0)
		return to;
	mem_free(to);
	return NULL;
}

static int compare(struct revisions *r, const char *program, struct err *err)
{
	struct diff_pair pair = *r->pair;
	char *kept[CHANGE_SIDES] = {keep(r, CHANGE_OLD, program, err)}, *output = NULL;
	char *folder = mem_printf("%s/%s", r->trees[CHANGE_NEW], r->repository.prefix);
	if (kept[CHANGE_OLD])
		kept[CHANGE_NEW] = keep(r, CHANGE_NEW, program, err);
	int result = kept[CHANGE_NEW] ? 0 : -1;
	for (int side = 0; side < CHANGE_SIDES; side++)
		pair.names[side] = name_of(r, side);
	pair.programs[CHANGE_OLD] = kept[CHANGE_OLD];
	pair.programs[CHANGE_NEW] = kept[CHANGE_NEW];
	pair.folder = folder;
	if (result == 0 && r->programs.n > 1) {
		char *below = mem_printf("programs/%s", program);
		output = mem_printf("%s/%s", r->options->output, below);
		pair.output = output;
		pair.label = program;
		result = file_subfolders(r->options->output, below, 0755, err);
		mem_free(below);
	}
	if (result == 0)
		result = diff_pair(r->options, &pair, err);
	for (int side = 0; side < CHANGE_SIDES; side++)
		mem_free(kept[side]);
	mem_free(output);
	mem_free(folder);
	return result;
}

static int compare_all(struct revisions *r, struct err *err)
{
	int worst = DIFF_SAME;
	for (size_t i = 0; i < r->programs.n; i++) {
		int result = compare(r, r->programs.v[i], err);
		if (result < 0)
			return -1;
		worst = result > worst ? result : worst;
		if (result > 128) // a signal
			break;
	}
	return worst;
}

int diff_revisions(const struct diff_options *o, struct diff_pair *pair, const char *const names[CHANGE_SIDES],
                   struct err *err)
{
	struct revisions r = {.options = o, .pair = pair, .names = names};
	int result = resolve(&r, err);
	bool open = result == 0 && cache_open(&r.cache, err) == 0;
	if (open)
		r.folder = cache_folder(&r.cache, "tmp", 0700, err);
	if (!r.folder || build(&r, err) < 0 || find_programs(&r, err) < 0)
		result = -1;
	else
		result = compare_all(&r, err);
	if (r.folder)
		file_remove_tree(r.folder);
	if (open)
		cache_close(&r.cache);
	for (int side = 0; side < CHANGE_SIDES; side++) {
		mem_free(r.trees[side]);
		mem_free(r.commits[side]);
	}
	mem_free(r.folder);
	strv_release(&r.programs);
	repository_release(&r.repository);
	return result;
}
