// Removing what runs left. They may leave folders in folders in folders, deeper than we may have descriptors open or
// frames on the stack, and folders without permissions.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/sandbox_internal.h"

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

// The folder, with permissions, as O_PATH; -1 when it is none. Somebody may put a link in its place meanwhile: what is
// given permissions is what was opened.
static int hold_folder(int parent, const char *name)
{
	char path[32];
	int fd = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (fd >= 0)
		chmod(path, 0700); // fails for those of others, which root can open anyway
	return fd;
}

static DIR *open_folder(int parent, const char *name)
{
	int held = hold_folder(parent, name);
	int fd = held < 0 ? -1 : openat(held, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (held >= 0)
		close(held);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

// Gives a folder that is in `from` a place in `to`, under a name that is free.
static int move_up(int from, const char *name, int to)
{
	static unsigned serial;
	char next[32];
	int held = hold_folder(from, name);
	if (held >= 0)
		close(held);
	do
		snprintf(next, sizeof next, "moved-%u", serial++);
	while (renameat2(from, name, to, next, RENAME_NOREPLACE) < 0 && errno == EEXIST);
	struct stat st;
	return fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? 0 : -1;
}

enum { DEEP = 64 };

static int remove_from(int parent, const char *name, int top, int depth);

static int remove_entries(DIR *dir, int top, int depth, bool *ret_any)
{
	int r = 0;
	for (struct dirent *e; r == 0 && (e = readdir(dir));)
		if (!is_dots(e->d_name)) {
			*ret_any = true;
			r = remove_from(dirfd(dir), e->d_name, top, depth);
		}
	return r;
}

// Folders that are too deep come to lie in `top`, to be removed later.
static int remove_from(int parent, const char *name, int top, int depth)
{
	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (depth == DEEP)
		return move_up(parent, name, top);
	DIR *dir = open_folder(parent, name);
	bool any;
	if (!dir)
		return -1;
	int r = remove_entries(dir, top, depth + 1, &any);
	closedir(dir);
	return r == 0 ? unlinkat(parent, name, AT_REMOVEDIR) : -1;
}

int remove_content(int folder)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	if (!dir) {
		if (copy >= 0)
			close(copy);
		return -1;
	}
	for (bool any = true; any && r == 0;) {
		any = false;
		rewinddir(dir);
		r = remove_entries(dir, copy, 0, &any);
	}
	closedir(dir);
	return r;
}

int remove_entry(int parent, const char *name)
{
	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	DIR *dir = open_folder(parent, name);
	int r = dir ? remove_content(dirfd(dir)) : -1;
	if (dir)
		closedir(dir);
	return r == 0 ? unlinkat(parent, name, AT_REMOVEDIR) : -1;
}

// `folder` empty, or made anew when it is no folder that we can use.
static int empty_inside(int open, const char *folder)
{
	struct stat st;
	int fd = openat(open, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool good = fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 0700) == 0700 && remove_content(fd) == 0;
	if (fd >= 0)
		close(fd);
	return good || (remove_entry(open, folder) == 0 && mkdirat(open, folder, 0777) == 0) ? 0 : -1;
}

int sandbox_empty_open(const struct sandbox *s, const char *folder, struct err *err)
{
	int fd = open(s->open, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int r = dir ? 0 : -1;
	for (struct dirent *e; r == 0 && (e = readdir(dir));)
		if (!is_dots(e->d_name) && strcmp(e->d_name, folder) != 0)
			r = remove_entry(fd, e->d_name);
	if (r == 0)
		r = empty_inside(fd, folder);
	if (r < 0)
		err_errno(err, "cannot empty %s", s->open);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return r;
}
