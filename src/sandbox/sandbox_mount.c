// File systems that the view is made of, not yet attached anywhere.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/sandbox_view.h"

// A file system in the making. What is not understood by older kernels is left out by the caller.
static int open_fs(const char *type)
{
	return fsopen(type, FSOPEN_CLOEXEC);
}

static int set(int fs, const char *key, const char *value)
{
	return fsconfig(fs, FSCONFIG_SET_STRING, key, value, 0);
}

static int set_number(int fs, const char *key, uint64_t value)
{
	char text[32];
	snprintf(text, sizeof text, "%llu", (unsigned long long)value);
	return set(fs, key, text);
}

// By descriptor, since a path may be long and have any character in it. Before Linux 6.13, by a path that names one.
static int set_folder(int fs, const char *key, int folder)
{
	char text[64];
	if (fsconfig(fs, FSCONFIG_SET_FD, strcmp(key, "lowerdir") ? key : "lowerdir+", NULL, folder) == 0)
		return 0;
	snprintf(text, sizeof text, "/proc/self/fd/%d", folder);
	return set(fs, key, text);
}

static int finish_fs(int fs, bool good)
{
	int mount = -1;
	if (good && fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mount = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOATIME);
	int why = errno;
	close(fs);
	errno = why;
	return mount;
}

int view_tmpfs(uint64_t size, unsigned files, const char *mode)
{
	int fs = open_fs("tmpfs");
	if (fs < 0)
		return -1;
	return finish_fs(fs, set_number(fs, "size", size) == 0 && set_number(fs, "nr_inodes", files) == 0 &&
	                             set(fs, "mode", mode) == 0);
}

uint64_t view_room(const struct sandbox *s, bool open)
{
	uint64_t quarter = s->limits.disk / 4;
	return open ? quarter : s->limits.disk - quarter;
}

int view_attach(int mount, const char *path)
{
	return move_mount(mount, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH);
}

// What is below, from the top down; one of them may be missing.
static int set_lower(int fs, int layer, int lower)
{
	char text[128];
	if (layer < 0 || lower < 0)
		return set_folder(fs, "lowerdir", lower < 0 ? layer : lower);
	if (fsconfig(fs, FSCONFIG_SET_FD, "lowerdir+", NULL, layer) == 0)
		return fsconfig(fs, FSCONFIG_SET_FD, "lowerdir+", NULL, lower);
	snprintf(text, sizeof text, "/proc/self/fd/%d:/proc/self/fd/%d", layer, lower);
	return set(fs, "lowerdir", text);
}

int view_overlay(int lower, int layer, int upper, int work)
{
	int fs = open_fs("overlay");
	if (fs < 0)
		return -1;
	fsconfig(fs, FSCONFIG_SET_FLAG, "userxattr", NULL, 0);
	return finish_fs(fs, set_lower(fs, layer, lower) == 0 && set_folder(fs, "upperdir", upper) == 0 &&
	                             set_folder(fs, "workdir", work) == 0);
}

int view_read_only_overlay(struct view *v, int lower)
{
	int empty = openat(v->store_fd, "empty", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fs = empty < 0 ? -1 : open_fs("overlay"), mount = -1;
	if (fs >= 0) {
		fsconfig(fs, FSCONFIG_SET_FLAG, "userxattr", NULL, 0);
		mount = finish_fs(fs, set_lower(fs, empty, lower) == 0);
	}
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};
	int why = errno;
	if (empty >= 0)
		close(empty);
	if (mount >= 0 && mount_setattr(mount, "", AT_EMPTY_PATH, &attr, sizeof attr) < 0) {
		why = errno;
		close(mount);
		mount = -1;
	}
	errno = why;
	return mount;
}
