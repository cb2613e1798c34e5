#include "base/cachedir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

#define SHARED "/tmp/veer-cache-"

char *cachedir_root(void)
{
	const char *own = getenv("VEER_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (own && *own) {
		char *cwd = path_cwd();
		char *path = path_absolute(cwd, own);
		mem_free(cwd);
		return path;
	}
	if (xdg && xdg[0] == '/')
		return mem_printf("%s/veer", xdg);
	if (home && home[0] == '/')
		return mem_printf("%s/.cache/veer", home);
	return mem_printf(SHARED "%u", (unsigned)getuid());
}

static const char tag[] = "Signature: 8a477f597d28d172789f06886806bc55\n"
			  "# This folder is a cache of veer: everything in it can be made again.\n";

static bool is_shared(const char *root) // others may have been here before us
{
	return strncmp(root, SHARED, sizeof SHARED - 1) == 0;
}

static int check_owner(const char *root, const struct stat *st, struct err *err)
{
	if (!S_ISDIR(st->st_mode))
		return err_set(err, "%s is not a folder", root);
	if (st->st_uid != geteuid() && (st->st_uid != 0 || is_shared(root)))
		return err_set(err, "%s belongs to another user", root);
	if (st->st_mode & S_IWOTH)
		return err_set(err, "anybody may write to %s", root);
	if ((st->st_mode & S_IWGRP) && st->st_uid == geteuid() && chmod(root, st->st_mode & 07755) < 0)
		return err_errno(err, "cannot take the group's right to write from %s", root);
	return 0;
}

// What a cache has: nothing but veer's own folders.
static bool is_own(const char *name)
{
	static const char *const names[] = {".",        "..",   "CACHEDIR.TAG", "lock", "units",
	                                    "programs", "side", "runs",         "tmp"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

// Empty, or a cache of before: then it has a lock or frames beside folders of these names.
static int check_contents(const char *root, struct err *err)
{
	DIR *d = opendir(root);
	if (!d)
		return err_errno(err, "cannot read %s", root);
	bool own = false, foreign = false, any = false;
	for (const struct dirent *e; (e = readdir(d));) {
		foreign |= !is_own(e->d_name);
		own |= strcmp(e->d_name, "lock") == 0 || strcmp(e->d_name, "side") == 0 ||
		       strcmp(e->d_name, "CACHEDIR.TAG") == 0; // being written
		any |= e->d_name[0] != '.';
	}
	closedir(d);
	return foreign || (any && !own) ? err_set(err, "%s is no cache of veer and not empty", root) : 0;
}

// Not by rename: two that begin at the same time must not take each other's files for foreign ones.
static int write_tag(const char *path, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(err, "cannot create %s", path);
	int r = file_write_all(fd, tag, sizeof tag - 1) < 0 ? err_errno(err, "cannot write %s", path) : 0;
	close(fd);
	return r;
}

enum tagged { TAGGED_NOT, TAGGED_BY_US, TAGGED_BY_OTHERS };

static enum tagged read_tag(const char *path)
{
	struct buf text = {0};
	struct err none;
	enum tagged r = file_read(path, &text, &none) < 0 || !text.len                        ? TAGGED_NOT
	                : text.len == sizeof tag - 1 && memcmp(text.data, tag, text.len) == 0 ? TAGGED_BY_US
	                                                                                      : TAGGED_BY_OTHERS;
	buf_release(&text);
	return r;
}

static int mark(const char *root, struct err *err)
{
	char *path = mem_printf("%s/CACHEDIR.TAG", root);
	enum tagged tagged = read_tag(path);
	int r = 0;
	if (tagged == TAGGED_NOT) {
		r = check_contents(root, err);
		if (r == 0)
			r = write_tag(path, err);
		else if (read_tag(path) == TAGGED_BY_US)
			r = 0; // another process marked it meanwhile, and what is there is its own
	} else if (tagged == TAGGED_BY_OTHERS) {
		r = err_set(err, "%s is the cache of another program", root);
	}
	mem_free(path);
	return r;
}

static int prepare(const char *root, struct err *err)
{
	struct stat st;
	char *parent = path_dirname(root);
	struct err why;
	int r = file_mkdirs(parent, 0755, &why);
	mem_free(parent);
	if (r < 0)
		return err_set(err, "cannot create %s: %s", root, why.text);
	if (mkdir(root, is_shared(root) ? 0700 : 0755) < 0 && errno != EEXIST)
		return err_errno(err, "cannot create %s", root);
	if ((is_shared(root) ? lstat : stat)(root, &st) < 0)
		return err_errno(err, "cannot look at %s", root);
	r = check_owner(root, &st, err);
	return r < 0 ? r : mark(root, err);
}

int cachedir_prepare(const char *root, struct err *err)
{
	struct err why;
	return prepare(root, &why) < 0 ? err_set(err, "%s; set VEER_CACHE_DIR to a new folder of your own", why.text)
	                               : 0;
}
