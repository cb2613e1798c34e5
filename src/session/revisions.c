#include "session/revisions.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "object/frame.h"

// --- git ------------------------------------------------------------------------------------------

// Runs git; what it prints is added to *ret, unless that is NULL. Returns its exit status.
static int git(const char *const *words, const char *cwd, struct buf *ret)
{
	struct strv argv = {0};
	struct err err;
	int out = memfd_create("git", MFD_CLOEXEC), nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	// No hook of the user's runs, and nothing asks for a password.
	static const char *const always[] = {"git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false",
	                                     NULL};
	for (size_t i = 0; always[i]; i++)
		strv_push(&argv, always[i]);
	for (size_t i = 0; words[i]; i++)
		strv_push(&argv, words[i]);
	pid_t pid = out < 0 || nothing < 0 ? -1 : process_start(argv.v, cwd, nothing, out, nothing, &err);
	int status = pid < 0 ? 127 : process_wait(pid, NULL);
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", out);
	if (ret)
		file_read(path, ret, &err);
	if (out >= 0)
		close(out);
	if (nothing >= 0)
		close(nothing);
	strv_release(&argv);
	return status;
}

// The line that git prints; NULL: it failed.
static char *git_line(const char *const *words, const char *cwd)
{
	struct buf out = {0};
	int status = git(words, cwd, &out);
	char *line = status == 0 ? mem_copy(buf_str(&out), strcspn(buf_str(&out), "\n")) : NULL;
	buf_release(&out);
	return line;
}

// In a hook, git's variables name the user's repository and index, also to git and builds in other trees.
static void forget_variables(void)
{
	static const char *const names[] = {"GIT_DIR",
	                                    "GIT_WORK_TREE",
	                                    "GIT_INDEX_FILE",
	                                    "GIT_PREFIX",
	                                    "GIT_OBJECT_DIRECTORY",
	                                    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	                                    "GIT_COMMON_DIR",
	                                    "GIT_NAMESPACE",
	                                    "GIT_CONFIG",
	                                    "GIT_INTERNAL_SUPER_PREFIX"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unsetenv(names[i]);
}

int repository_find(struct repository *ret, struct err *err)
{
	static const char *const git_dir[] = {"rev-parse", "--absolute-git-dir", NULL},
				 *const top[] = {"rev-parse", "--show-toplevel", NULL},
				 *const prefix[] = {"rev-parse", "--show-prefix", NULL};
	*ret = (struct repository){.git = git_line(git_dir, NULL)};
	if (!ret->git) {
		char *found = path_find_program("git");
		int r = found ? err_set(err,
		                        "the working folder is in no git repository; give two programs, or go to one")
		              : err_set(err, "git is not installed, by which versions are found; give two programs");
		mem_free(found);
		return r;
	}
	ret->top = git_line(top, NULL);
	ret->prefix = git_line(prefix, NULL);
	if (!ret->prefix)
		ret->prefix = mem_strdup("");
	forget_variables();
	return 0;
}

void repository_release(struct repository *r)
{
	mem_free(r->git);
	mem_free(r->top);
	mem_free(r->prefix);
}

char *revision_commit(const struct repository *r, const char *name)
{
	char *commit = mem_printf("%s^{commit}", name);
	const char *const words[] = {"--git-dir",        r->git, "rev-parse", "--verify", "--quiet",
	                             "--end-of-options", commit, NULL};
	char *found = git_line(words, NULL);
	mem_free(commit);
	return found;
}

// --- trees ----------------------------------------------------------------------------------------

// A clone that borrows the objects: nothing is written to the user's repository.
static int clone(const struct repository *r, const char *commit, const char *folder, struct err *err)
{
	const char *const copy[] = {"clone", "--quiet", "--shared", "--no-checkout", r->git, folder, NULL},
			  *const take[] = {"checkout", "--quiet", "--detach", commit, NULL};
	if (git(copy, NULL, NULL) != 0)
		return err_set(err, "cannot make a copy of %s in %s; is there room?", r->git, folder);
	if (git(take, folder, NULL) != 0)
		return err_set(err, "cannot check out %s in %s; is there room?", commit, folder);
	return 0;
}

static int copy_file(const char *from, const char *to, struct err *err)
{
	struct stat st;
	struct buf data = {0};
	char *folder = path_dirname(to);
	int r = lstat(from, &st) < 0 ? err_errno(err, "cannot read %s", from) : file_mkdirs(folder, 0755, err);
	mem_free(folder);
	if (r < 0)
		return -1;
	if (unlink(to) < 0 && errno != ENOENT)
		return err_errno(err, "cannot replace %s", to);
	if (S_ISLNK(st.st_mode)) {
		buf_reserve(&data, (size_t)st.st_size);
		ssize_t n = readlink(from, data.data, (size_t)st.st_size);
		if (n >= 0)
			data.data[n] = 0;
		r = n < 0 || symlink(data.data, to) < 0 ? err_errno(err, "cannot copy %s", from) : 0;
	} else if (S_ISREG(st.st_mode)) {
		r = file_read(from, &data, err);
		if (r == 0)
			r = file_replace(to, buf_str(&data), data.len, 0777 & st.st_mode, err);
	}
	buf_release(&data);
	return r;
}

// What is a folder in the working tree may be a link in the commit, which leads to files of the user's: it goes.
static int clear_way(const char *folder, const char *name, struct err *err)
{
	char *path = mem_printf("%s/%s", folder, name);
	int r = 0;
	for (char *p = path + strlen(folder) + 1; r == 0 && (p = strchr(p, '/')); p++) {
		struct stat st;
		*p = 0;
		if (lstat(path, &st) == 0 && !S_ISDIR(st.st_mode) && unlink(path) < 0)
			r = err_errno(err, "cannot replace %s", path);
		*p = '/';
	}
	mem_free(path);
	return r;
}

// Calls `each` for the names that git lists, with zeros between them.
static int each_listed(const struct repository *r, const char *const *words, const char *folder,
                       int (*each)(const char *from, const char *to, struct err *err), struct err *err)
{
	struct buf list = {0};
	struct strv command = {0};
	strv_pushf(&command, "--git-dir=%s", r->git);
	strv_pushf(&command, "--work-tree=%s", r->top);
	for (size_t i = 0; words[i]; i++)
		strv_push(&command, words[i]);
	int result = git((const char *const *)command.v, r->top, &list) == 0
	                     ? 0
	                     : err_set(err, "git cannot list the files of %s", r->top);
	for (size_t at = 0; result == 0 && at < list.len; at += strlen(list.data + at) + 1) {
		char *from = mem_printf("%s/%s", r->top, list.data + at),
		     *to = mem_printf("%s/%s", folder, list.data + at);
		result = clear_way(folder, list.data + at, err) < 0 ? -1 : each(from, to, err);
		mem_free(from);
		mem_free(to);
	}
	strv_release(&command);
	buf_release(&list);
	return result;
}

static int remove_file(const char *from, const char *to, struct err *err)
{
	(void)from;
	return unlink(to) == 0 || errno == ENOENT ? 0 : err_errno(err, "cannot remove %s", to);
}

static int copy_changed(const char *from, const char *to, struct err *err)
{
	struct stat st;
	return lstat(from, &st) < 0 || S_ISDIR(st.st_mode) ? 0 : copy_file(from, to, err); // a submodule is a folder
}

// Where the build runs.
static int check_folder(const struct repository *r, const char *name, const char *tree, struct err *err)
{
	char *folder = mem_printf("%s/%s", tree, r->prefix);
	int result = file_exists(folder)
	                     ? 0
	                     : err_set(err,
	                               "%s has no folder %s, where its build is to run; go to one that both "
	                               "versions have",
	                               name, r->prefix);
	mem_free(folder);
	return result;
}

int revision_make_tree(const struct repository *r, const char *commit, const char *folder, struct err *err)
{
	static const char *const changed[] = {"ls-files", "-z", "--modified", "--others", "--exclude-standard", NULL},
				 *const staged[] = {"diff", "-z", "--name-only", "--cached", "--no-renames", NULL},
				 *const deleted[] = {"ls-files", "-z", "--deleted", NULL};
	char *head = commit ? NULL : revision_commit(r, "HEAD");
	int result = commit || head ? clone(r, commit ? commit : head, folder, err)
	                            : err_set(err, "%s has no commit yet", r->top);
	mem_free(head);
	if (result < 0)
		return -1;
	if (commit)
		return check_folder(r, commit, folder, err);
	if (each_listed(r, staged, folder, remove_file, err) < 0 ||
	    each_listed(r, deleted, folder, remove_file, err) < 0 ||
	    each_listed(r, staged, folder, copy_changed, err) < 0)
		return -1;
	if (each_listed(r, changed, folder, copy_changed, err) < 0)
		return -1;
	return check_folder(r, "the working tree", folder, err);
}

// --- building -------------------------------------------------------------------------------------

// The line that tells most: the first one of a compiler or linker that speaks of an error, or else the last one.
static char *telling_line(const char *log)
{
	struct buf text = {0};
	struct err err;
	char *last = NULL, *error = NULL;
	if (file_read(log, &text, &err) == 0)
		for (char *line = text.data ? strtok(text.data, "\n") : NULL; line; line = strtok(NULL, "\n")) {
			last = *line ? line : last;
			if ((strstr(line, "error:") || strstr(line, "/ld: ")) && !error)
				error = line;
		}
	char *result = error || last ? mem_printf("%.200s", error ? error : last) : mem_strdup("it printed nothing");
	buf_release(&text);
	return result;
}

int revision_build(const struct repository *r, const char *name, const char *tree, const char *command, const char *log,
                   struct err *err)
{
	char *folder = mem_printf("%s/%s", tree, r->prefix), *line = NULL;
	char *argv[] = {"sh", "-c", (char *)command, NULL};
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int out = file_create(log, 0644, err), status = 1, result = -1;
	pid_t pid = -1;
	if (out >= 0 && nothing < 0)
		err_errno(err, "cannot open /dev/null");
	else if (out >= 0)
		pid = process_start(argv, folder, nothing, out, out, err);
	if (pid > 0) {
		status = process_wait(pid, NULL);
		line = status ? telling_line(log) : NULL;
		result = status ? err_set(err, "%s does not build: '%s' ended with status %d: %s; see %s", name,
		                          command, status, line, log)
		                : 0;
	}
	if (nothing >= 0)
		close(nothing);
	if (out >= 0)
		close(out);
	mem_free(line);
	mem_free(folder);
	return result;
}

// --- programs -------------------------------------------------------------------------------------

static bool is_program(const char *path, const struct stat *st)
{
	struct file_map map;
	struct err err;
	bool is = false;
	if (!(st->st_mode & 0100) || st->st_size < (off_t)sizeof(Elf64_Ehdr) || file_map(path, &map, &err) < 0)
		return false;
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)map.data;
	if (memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && (head->e_type == ET_EXEC || head->e_type == ET_DYN) &&
	    head->e_entry && frame_in_elf(map.data, map.size)) {
		struct frame_list frames = {0};
		if (frame_list_read_elf(map.data, map.size, &frames, &err) == 0)
			for (size_t i = 0; i < frames.n; i++)
				is |= frames.v[i].kind == FRAME_LINK;
		frame_list_release(&frames);
	}
	file_unmap(&map);
	return is;
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

void revision_programs(const char *tree, struct strv *ret)
{
	char *const roots[] = {(char *)tree, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	for (FTSENT *e; walk && (e = fts_read(walk));) {
		if (e->fts_info == FTS_D && strcmp(e->fts_name, ".git") == 0)
			fts_set(walk, e, FTS_SKIP);
		else if (e->fts_info == FTS_F && is_program(e->fts_path, e->fts_statp))
			strv_push(ret, path_below(e->fts_path, tree));
	}
	if (walk)
		fts_close(walk);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof *ret->v, by_text);
}
