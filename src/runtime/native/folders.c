// Preloaded into native runs in a snapshot: folders have the size that they had when the test was recorded. The file
// system that a run sees says something else (an overlay on tmpfs: 20 bytes an entry; most disks: 4096), and what
// `ls -l` and `du` print depends on it. Everything else is as the kernel says.
//
// A folder is known by its device and inode. What the program makes itself, and what its children see, is left as it
// is.
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "abi/folder_sizes.h"

#define OPEN __attribute__((visibility("default")))

enum { BLOCK = 512, FOLDERS_MAX = 4096 };

struct folder {
	dev_t device;
	ino_t inode;
	off_t size;
};

static struct folder folders[FOLDERS_MAX];
static size_t n_folders;

static int stat_at(int folder, const char *path, struct stat *ret, int flags)
{
	return (int)syscall(SYS_newfstatat, folder, path, ret, flags);
}

static const struct folder *find(dev_t device, ino_t inode)
{
	for (size_t i = 0; i < n_folders; i++)
		if (folders[i].inode == inode && folders[i].device == device)
			return &folders[i];
	return NULL;
}

static void add(char *path, off_t size)
{
	struct stat st;
	if (n_folders < FOLDERS_MAX && stat_at(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
		folders[n_folders++] = (struct folder){st.st_dev, st.st_ino, size};
}

// The environment is the test's again; its strings stay where they are.
static void forget(const char *name)
{
	size_t n = strlen(name), to = 0;
	for (size_t i = 0; environ[i]; i++)
		if (strncmp(environ[i], name, n) != 0 || environ[i][n] != '=')
			environ[to++] = environ[i];
	environ[to] = NULL;
}

__attribute__((constructor(101))) static void start(void)
{
	char *list = getenv(FOLDER_SIZES_VARIABLE);
	if (!list)
		return;
	forget("LD_PRELOAD");
	forget(FOLDER_SIZES_VARIABLE);
	for (char *end; *list; list = end + 1) {
		char *path;
		off_t size = strtoll(list, &path, 10);
		end = strchr(list, '\n');
		if (!end || *path != ' ')
			break;
		*end = 0;
		add(path + 1, size);
	}
}

// --- as libc has it -----------------------------------------------------------------------------

static int answer(int r, struct stat *st)
{
	const struct folder *f = r == 0 && S_ISDIR(st->st_mode) ? find(st->st_dev, st->st_ino) : NULL;
	if (f) {
		st->st_size = f->size;
		st->st_blocks = f->size / BLOCK;
	}
	return r;
}

OPEN int fstatat(int folder, const char *restrict path, struct stat *restrict ret, int flags)
{
	return answer(stat_at(folder, path, ret, flags), ret);
}

OPEN int stat(const char *restrict path, struct stat *restrict ret)
{
	return fstatat(AT_FDCWD, path, ret, 0);
}

OPEN int lstat(const char *restrict path, struct stat *restrict ret)
{
	return fstatat(AT_FDCWD, path, ret, AT_SYMLINK_NOFOLLOW);
}

OPEN int fstat(int fd, struct stat *ret)
{
	return answer((int)syscall(SYS_fstat, fd, ret), ret);
}

OPEN int statx(int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict ret)
{
	int r = (int)syscall(SYS_statx, folder, path, flags, mask, ret);
	bool is_folder = r == 0 && (ret->stx_mask & STATX_TYPE) && S_ISDIR(ret->stx_mode);
	const struct folder *f = is_folder ? find(makedev(ret->stx_dev_major, ret->stx_dev_minor), ret->stx_ino) : NULL;
	if (f) {
		ret->stx_size = (uint64_t)f->size;
		ret->stx_blocks = (uint64_t)f->size / BLOCK;
	}
	return r;
}

// The same by other names: for large files, and of versions of libc before 2.33.
_Static_assert(sizeof(struct stat64) == sizeof(struct stat), "they are the same");
#define ALSO(name, of) extern typeof(name) name __attribute__((alias(#of), visibility("default")))

OPEN int __xstat(int version, const char *path, struct stat *ret)
{
	(void)version;
	return stat(path, ret);
}

OPEN int __lxstat(int version, const char *path, struct stat *ret)
{
	(void)version;
	return lstat(path, ret);
}

OPEN int __fxstat(int version, int fd, struct stat *ret)
{
	(void)version;
	return fstat(fd, ret);
}

OPEN int __fxstatat(int version, int folder, const char *path, struct stat *ret, int flags)
{
	(void)version;
	return fstatat(folder, path, ret, flags);
}

int __xstat64(int version, const char *path, struct stat64 *ret);
int __lxstat64(int version, const char *path, struct stat64 *ret);
int __fxstat64(int version, int fd, struct stat64 *ret);
int __fxstatat64(int version, int folder, const char *path, struct stat64 *ret, int flags);
ALSO(stat64, stat);
ALSO(lstat64, lstat);
ALSO(fstat64, fstat);
ALSO(fstatat64, fstatat);
ALSO(__xstat64, __xstat);
ALSO(__lxstat64, __lxstat);
ALSO(__fxstat64, __fxstat);
ALSO(__fxstatat64, __fxstatat);
