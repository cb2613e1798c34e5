// From a path, as a run means it, to the file: links of /proc lead elsewhere for the run than for the process that
// opens files for it.
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sandbox/sandbox_opener.h"

enum { LINKS = 40, PROC_ROOT = 1 };

bool walk_path(int fd, char *ret, size_t size)
{
	char name[64];
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(name, ret, size - 1);
	ret[n > 0 ? n : 0] = 0;
	return n > 0 && (size_t)n < size - 1;
}

bool walk_is_proc(const struct opener *o, int fd, const struct stat *st)
{
	enum { PROCESSES = 0x9fa0 };
	struct statfs fs;
	return st->st_dev == o->proc || (major(st->st_dev) == 0 && fstatfs(fd, &fs) == 0 && fs.f_type == PROCESSES);
}

pid_t walk_owner(int fd, const char **ret_leaf, char *path, size_t size)
{
	static const char proc[] = "/proc";
	if (!walk_path(fd, path, size) || strncmp(path, proc, sizeof proc - 1) != 0)
		return -1;
	const char *slash = strrchr(path, '/');
	*ret_leaf = slash + 1;
	if (!path[sizeof proc - 1])
		return 0;
	return path[sizeof proc - 1] == '/' ? (pid_t)strtol(path + sizeof proc, NULL, 10) : -1;
}

static int open_of_process(const struct opener_request *r, const char *what, int flags)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%u/%s", r->call.pid, what);
	return open(path, flags | O_CLOEXEC);
}

// The folder that the path starts at.
static int open_start(const struct opener_request *r)
{
	char name[32] = "cwd";
	if (r->path[0] == '/')
		return open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (r->folder != AT_FDCWD)
		snprintf(name, sizeof name, "fd/%d", r->folder);
	int fd = open_of_process(r, name, O_PATH | O_DIRECTORY);
	if (fd < 0 && errno == ENOENT && r->folder != AT_FDCWD)
		errno = EBADF;
	return fd;
}

void walk_know(struct opener_request *r)
{
	char text[4096], *line;
	if (r->process)
		return;
	int fd = open_of_process(r, "status", O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	text[n > 0 ? n : 0] = 0;
	if (fd >= 0)
		close(fd);
	line = strstr(text, "\nTgid:");
	r->process = line ? (pid_t)strtol(line + 6, NULL, 10) : -1;
	line = strstr(text, "\nUmask:");
	r->umask = line ? (mode_t)strtoul(line + 7, NULL, 8) : 077;
}

static bool next_name(struct walk *w)
{
	size_t skip = strspn(w->rest, "/"), n = strcspn(w->rest + skip, "/");
	if (n > NAME_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(w->last, w->rest + skip, n);
	w->last[n] = 0;
	memmove(w->rest, w->rest + skip + n, strlen(w->rest + skip + n) + 1);
	w->at_end = w->rest[strspn(w->rest, "/")] == 0;
	return true;
}

static void move_to(struct walk *w, int fd)
{
	close(w->at);
	w->at = fd;
}

// Puts what a link says before the rest.
static int follow_text(struct walk *w, const char *text)
{
	char rest[sizeof w->rest];
	if (strlen(text) + strlen(w->rest) + 2 > sizeof rest) {
		errno = ENAMETOOLONG;
		return -1;
	}
	snprintf(rest, sizeof rest, "%s%s", text, w->rest);
	memcpy(w->rest, rest, strlen(rest) + 1);
	if (text[0] != '/')
		return 0;
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	move_to(w, root);
	return 0;
}

// Names in the root of /proc that are others for each process.
static bool is_self(const struct walk *w, char *ret, size_t size)
{
	struct stat st;
	bool self = strcmp(w->last, "self") == 0, thread = strcmp(w->last, "thread-self") == 0;
	if ((!self && !thread) || fstat(w->at, &st) < 0 || st.st_dev != w->r->o->proc || st.st_ino != PROC_ROOT)
		return false;
	walk_know(w->r);
	if (self)
		snprintf(ret, size, "%d", (int)w->r->process);
	else
		snprintf(ret, size, "%d/task/%u", (int)w->r->process, w->r->call.pid);
	return true;
}

// A link of /proc that has no text of its own but leads to what a process has. 0: `link` was none.
static int follow_magic(struct walk *w, int link)
{
	struct stat st;
	if (fstat(link, &st) < 0)
		return -1;
	if (!walk_is_proc(w->r->o, link, &st))
		return 0;
	char path[PATH_MAX];
	const char *leaf;
	pid_t owner = walk_owner(w->at, &leaf, path, sizeof path);
	if (owner == 0)
		return 0;
	walk_know(w->r);
	errno = EACCES;
	int fd = owner == w->r->process || owner == (pid_t)w->r->call.pid ? openat(w->at, w->last, O_PATH | O_CLOEXEC)
	                                                                  : -1;
	if (fd < 0)
		return -1;
	move_to(w, fd);
	return 1;
}

// `link` is one, and is to be followed.
static int follow(struct walk *w, int link)
{
	char text[PATH_MAX];
	if (++w->links > LINKS) {
		errno = ELOOP;
		return -1;
	}
	int r = follow_magic(w, link);
	if (r)
		return r < 0 ? -1 : 0;
	ssize_t n = readlinkat(link, "", text, sizeof text - 1);
	if (n <= 0)
		return -1;
	text[n] = 0;
	return follow_text(w, text);
}

// Goes on by a name.
static int step(struct walk *w)
{
	char self[64];
	struct stat st;
	if (!next_name(w))
		return -1;
	if (!w->last[0] || strcmp(w->last, ".") == 0)
		return 0;
	if (is_self(w, self, sizeof self))
		return follow_text(w, self);
	int fd = openat(w->at, w->last, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	bool as_link = w->at_end && w->r->flags & O_NOFOLLOW && !w->rest[0];
	if (fstat(fd, &st) == 0 && S_ISLNK(st.st_mode) && !as_link) {
		int r = follow(w, fd);
		close(fd);
		return r;
	}
	move_to(w, fd);
	return 0;
}

int walk_to(struct walk *w, struct opener_request *r)
{
	struct stat st;
	*w = (struct walk){.r = r, .at = open_start(r)};
	strcpy(w->rest, r->path);
	int result = w->at < 0 ? -1 : 0;
	while (result == 0 && w->rest[0]) {
		bool folder = w->rest[strspn(w->rest, "/")] == 0;
		if (folder && fstat(w->at, &st) == 0 && !S_ISDIR(st.st_mode)) {
			errno = ENOTDIR;
			result = -1;
		} else if (folder) {
			break;
		} else {
			result = step(w);
		}
	}
	return result;
}

int walk_at_once(const struct opener_request *r, struct stat *ret)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC | (uint64_t)(r->flags & O_NOFOLLOW),
	                       .resolve = RESOLVE_NO_MAGICLINKS};
	int start = r->path[0] == '/' ? AT_FDCWD : open_start(r);
	int fd = start == -1 ? -1 : (int)syscall(SYS_openat2, start, r->path, &how, sizeof how);
	if (start >= 0)
		close(start);
	if (fd >= 0 && fstat(fd, ret) == 0 && ret->st_dev != r->o->proc)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}
