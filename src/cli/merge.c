// veer merge: what other campaigns of a program found, added to one.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cli/options.h"
#include "explore/seeds.h"
#include "session/results.h"
#include "store/store.h"

struct pair {
	int64_t there, here;
};

// Findings of the campaign that is being merged, with their numbers here.
struct numbers {
	struct pair *v;
	size_t n, cap;
};

static void remember(void *opaque, int64_t there, int64_t here)
{
	struct numbers *f = opaque;
	vec_push(f, (struct pair){there, here});
}

static int copy_file(const char *from, const char *to, const struct stat *st, struct err *err)
{
	struct buf data = {0};
	int r = file_read(from, &data, err);
	if (r == 0)
		r = file_replace(to, data.data, data.len, st->st_mode & 0777, err);
	buf_release(&data);
	return r;
}

static int copy_tree(const char *from, const char *to, struct err *err);

static int copy_link(const char *from, const char *to, struct err *err)
{
	char text[PATH_MAX];
	ssize_t n = readlink(from, text, sizeof text - 1);
	text[n > 0 ? n : 0] = 0;
	return n <= 0 || symlink(text, to) < 0 ? err_errno(err, "cannot copy %s to %s", from, to) : 0;
}

static int copy_folder(const char *from, const char *to, struct err *err)
{
	if (file_mkdirs(to, 0777, err) < 0)
		return -1;
	DIR *dir = opendir(from);
	if (!dir)
		return err_errno(err, "cannot read %s", from);
	int r = 0;
	for (struct dirent *e; r == 0 && (e = readdir(dir));) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		char *a = mem_printf("%s/%s", from, e->d_name), *b = mem_printf("%s/%s", to, e->d_name);
		r = copy_tree(a, b, err);
		mem_free(a);
		mem_free(b);
	}
	closedir(dir);
	return r;
}

// Files, folders, links and pipes: a finding has nothing else.
static int copy_tree(const char *from, const char *to, struct err *err)
{
	struct stat st;
	int r = 0;
	if (lstat(from, &st) < 0)
		return err_errno(err, "cannot read %s", from);
	if (S_ISREG(st.st_mode))
		r = copy_file(from, to, &st, err);
	else if (S_ISDIR(st.st_mode))
		r = copy_folder(from, to, err);
	else if (S_ISLNK(st.st_mode))
		r = copy_link(from, to, err);
	else if (S_ISFIFO(st.st_mode))
		r = mkfifo(to, st.st_mode & 0777) < 0 ? err_errno(err, "cannot create %s", to) : 0;
	if (S_ISDIR(st.st_mode))
		chmod(to, st.st_mode & 0777);
	utimensat(AT_FDCWD, to, (struct timespec[]){st.st_atim, st.st_mtim}, AT_SYMLINK_NOFOLLOW);
	return r;
}

// Contents of the files of recorded tests. Their names say what is in them.
static int copy_contents(const char *folder, const char *other, struct err *err)
{
	char *from = mem_printf("%s/files", other), *to = mem_printf("%s/files", folder);
	DIR *dir = opendir(from);
	int r = dir ? file_subfolder(to, 0777, err) : 0;
	for (struct dirent *e; dir && r == 0 && (e = readdir(dir));) {
		struct stat st;
		char *a = mem_printf("%s/%s", from, e->d_name), *b = mem_printf("%s/%s", to, e->d_name);
		if (lstat(a, &st) == 0 && S_ISREG(st.st_mode) && !file_exists(b))
			r = copy_file(a, b, &st, err);
		mem_free(a);
		mem_free(b);
	}
	if (dir)
		closedir(dir);
	mem_free(from);
	mem_free(to);
	return r;
}

// A folder appears under its name when it is whole: a merge that was killed is simply done again.
static int copy_finding(const char *folder, const char *other, const struct pair *f, struct err *err)
{
	char *from = mem_printf("%s/findings/F%" PRId64, other, f->there);
	char *to = mem_printf("%s/findings/F%" PRId64, folder, f->here), *part = mem_printf("%s.part", to);
	int r = 0;
	char *all = path_dirname(to);
	if (file_exists(from) && !file_exists(to)) {
		r = file_subfolder(all, 0777, err);
		if (r == 0)
			file_remove_tree(part);
		if (r == 0)
			r = copy_tree(from, part, err);
		if (r == 0 && rename(part, to) < 0)
			r = err_errno(err, "cannot rename %s to %s", part, to);
	}
	mem_free(all);
	mem_free(from);
	mem_free(to);
	mem_free(part);
	return r;
}

static int merge_one(struct store *s, const char *folder, const char *other, struct err *err)
{
	struct numbers findings = {0};
	int64_t before = store_count_inputs(s, false);
	int r = copy_contents(folder, other, err); // before anything asks for them
	if (r == 0)
		r = store_merge_findings(s, other, remember, &findings, err);
	for (size_t i = 0; r == 0 && i < findings.n; i++)
		r = copy_finding(folder, other, &findings.v[i], err);
	if (r == 0)
		cli_line(stdout, "%s: %" PRId64 " new inputs, %zu findings", other,
		         store_count_inputs(s, false) - before, findings.n);
	mem_free(findings.v);
	return r;
}

static int run(int argc, char **argv)
{
	struct err err;
	int first = options_parse(&command_merge, argc, argv, NULL, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_merge, err.text);
	if (argc - first < 2)
		return cli_usage_error(&command_merge, "merge wants a campaign and others to add to it");
	const char *folder = argv[first];
	struct store *s = store_open(folder, false, &err);
	if (!s)
		return cli_fail(err.text);
	int r = 0;
	for (int i = first + 1; r == 0 && i < argc; i++)
		r = merge_one(s, folder, argv[i], &err);
	if (r == 0)
		r = seeds_mask(s, true, &err);
	if (r == 0)
		r = results_write(s, folder, NULL, &err);
	store_close(s);
	return r < 0 ? cli_fail(err.text) : 0;
}

const struct command command_merge = {
	.name = "merge",
	.usage = "DIR OTHER...",
	.summary = "add what other campaigns of the same program found",
	.details =
		"DIR and OTHER are folders of campaigns (-o). Inputs of OTHER that are new in DIR are run when DIR is\n"
		"continued; solver results, coverage, counters and findings are there at once. Each OTHER is added "
		"whole or "
		"not\n"
		"at all, stays as it is, may be in use, and may be added again later: nothing counts twice.\n",
	.run = run,
};
