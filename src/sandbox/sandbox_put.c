// Files for a run, put below a folder that runs have written to: whatever links they left, nothing outside of that
// folder is reached.
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "sandbox/sandbox_internal.h"

static int open_in(int root, const char *path, int flags, unsigned mode)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC),
		.mode = mode,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd;
	do
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
	while (fd < 0 && (errno == EINTR || errno == EAGAIN));
	return fd;
}

// The folder a path is in, made when it is missing.
static int open_folder(int root, char *path)
{
	int fd = open_in(root, *path ? path : ".", O_PATH | O_DIRECTORY, 0);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	if (slash)
		*slash = 0;
	int parent = open_folder(root, slash ? path : "");
	if (slash)
		*slash = '/';
	if (parent < 0)
		return -1;
	int made = mkdirat(parent, name, 0755);
	int why = errno;
	close(parent);
	errno = why;
	if (made < 0 && errno != EEXIST)
		return -1;
	return open_in(root, path, O_PATH | O_DIRECTORY, 0);
}

// One that may not be written is made so for as long as it takes.
static int open_anyway(int root, const char *path, int flags)
{
	int there = open_in(root, path, O_PATH | O_NOFOLLOW, 0);
	char link[32];
	struct stat st;
	int fd = -1;
	snprintf(link, sizeof link, "/proc/self/fd/%d", there);
	if (there >= 0 && fstat(there, &st) == 0 && S_ISREG(st.st_mode) && chmod(link, st.st_mode | 0200) == 0) {
		fd = open_in(root, path, flags, 0644);
		if (fd < 0 || fchmod(fd, st.st_mode & 07777) < 0)
			chmod(link, st.st_mode & 07777);
	}
	if (there >= 0)
		close(there);
	return fd;
}

static bool finish(int fd, const struct put_like *like)
{
	return !like ||
	       (fchmod(fd, like->mode) == 0 && futimens(fd, (struct timespec[]){like->changed, like->changed}) == 0);
}

int put_file(int root, const char *path, const void *data, size_t size, const struct put_like *like, struct err *err)
{
	enum { FLAGS = O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_NONBLOCK };
	int fd = open_in(root, path, FLAGS, 0644);
	if (fd < 0 && errno == EACCES && like)
		fd = open_anyway(root, path, FLAGS);
	char *folder = path_dirname(path);
	if (fd < 0 && errno == ENOENT) {
		int made = open_folder(root, folder);
		if (made >= 0) {
			close(made);
			fd = open_in(root, path, FLAGS, 0644);
		}
	}
	mem_free(folder);
	struct stat st;
	bool regular = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	if (fd >= 0 && !regular) {
		close(fd);
		return err_set(err, "cannot put %s into the sandbox: it is there already, and is no regular file",
		               path);
	}
	bool done = fd >= 0 && file_write_all(fd, data, size) == 0 && finish(fd, like);
	if (!done && errno == EOVERFLOW)
		err_set(err, "cannot put %s into the sandbox: it is in a folder of another user; choose another place",
		        path);
	else if (!done)
		err_errno(err, "cannot put %s into the sandbox", path);
	if (fd >= 0)
		close(fd);
	return done ? 0 : -1;
}
