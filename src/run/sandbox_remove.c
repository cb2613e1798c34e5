// Removing what runs left. They may leave folders in folders in folders, deeper than we may have descriptors open or
// frames on the stack, and folders without permissions.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/sandbox_parts.h"

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static DIR *open_folder(int parent, const char *name)
{
	fchmodat(parent, name, 0700, 0); // fails for those of others, which root can open anyway
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
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
	fchmodat(from, name, 0700, 0);
	do
		snprintf(next, sizeof next, "moved-%u", serial++);
	while (renameat2(from, name, to, next, RENAME_NOREPLACE) < 0 && errno == EEXIST);
	struct stat st;
	return fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? 0 : -1;
}

// Removes the folder `name`; folders in it come to lie beside it.
static int flatten(int parent, const char *name)
{
	DIR *dir = open_folder(parent, name);
	if (!dir)
		return -1;
	int r = 0;
	for (struct dirent *e; r == 0 && (e = readdir(dir));)
		if (!is_dots(e->d_name) && unlinkat(dirfd(dir), e->d_name, 0) < 0)
			r = move_up(dirfd(dir), e->d_name, parent);
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
		for (struct dirent *e; r == 0 && (e = readdir(dir));) {
			if (is_dots(e->d_name))
				continue;
			any = true;
			if (unlinkat(copy, e->d_name, 0) < 0 && errno != ENOENT)
				r = flatten(copy, e->d_name);
		}
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
