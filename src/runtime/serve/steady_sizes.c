// Sizes of folders (GIVEN_STEADY), see steady.c: they depend on the file system, and on what a folder once had, and
// the view of a run is on another one than where a test was recorded. All have one block.
#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/serve/steady.h"

enum { FOLDER_SIZE = 4096, FOLDER_BLOCKS = FOLDER_SIZE / 512 };

static int level(int r, struct stat *st)
{
	if (steady && r == 0 && S_ISDIR(st->st_mode)) {
		st->st_size = FOLDER_SIZE;
		st->st_blocks = FOLDER_BLOCKS;
	}
	return r;
}

OPEN int stat(const char *path, struct stat *st)
{
	return level(NEXT(stat)(path, st), st);
}

OPEN int lstat(const char *path, struct stat *st)
{
	return level(NEXT(lstat)(path, st), st);
}

OPEN int fstat(int fd, struct stat *st)
{
	return level(NEXT(fstat)(fd, st), st);
}

OPEN int fstatat(int folder, const char *path, struct stat *st, int flags)
{
	return level(NEXT(fstatat)(folder, path, st, flags), st);
}

// The same structure on 64-bit systems.
OPEN int stat64(const char *path, struct stat64 *st)
{
	return level(NEXT(stat64)(path, st), (struct stat *)st);
}

OPEN int lstat64(const char *path, struct stat64 *st)
{
	return level(NEXT(lstat64)(path, st), (struct stat *)st);
}

OPEN int fstat64(int fd, struct stat64 *st)
{
	return level(NEXT(fstat64)(fd, st), (struct stat *)st);
}

OPEN int fstatat64(int folder, const char *path, struct stat64 *st, int flags)
{
	return level(NEXT(fstatat64)(folder, path, st, flags), (struct stat *)st);
}

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one stands for the other");

OPEN int statx(int folder, const char *path, int flags, unsigned mask, struct statx *st)
{
	int r = NEXT(statx)(folder, path, flags, mask, st);
	if (steady && r == 0 && S_ISDIR(st->stx_mode)) {
		st->stx_size = FOLDER_SIZE;
		st->stx_blocks = FOLDER_BLOCKS;
	}
	return r;
}
