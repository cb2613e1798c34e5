#include "failing_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// --- SQLite's file system ---------------------------------------------------------------------------

static struct {
	enum fault kind;
	enum fault_level level;
	long left; // calls until then
} fault;

// What becomes of a call: 0, an error, or the end. `torn`: a write that is half done.
static int step(bool *torn)
{
	if (fault.kind == FAULT_NONE || fault.level != FAULT_AT_SQLITE || --fault.left != 0)
		return SQLITE_OK;
	if (fault.kind == FAULT_TORN && torn) {
		*torn = true;
		return SQLITE_OK;
	}
	if (fault.kind == FAULT_KILL || fault.kind == FAULT_TORN)
		_exit(FAILING_KILLED);
	return fault.kind == FAULT_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

struct file {
	sqlite3_file base;
	sqlite3_file *real; // behind this one
};

#define REAL(f) (((struct file *)(f))->real)
#define FORWARD(name, parameters, call)                                                                                \
	static int name parameters                                                                                     \
	{                                                                                                              \
		return REAL(f)->pMethods->call;                                                                        \
	}

FORWARD(f_read, (sqlite3_file * f, void *p, int n, sqlite3_int64 at), xRead(REAL(f), p, n, at))
FORWARD(f_size, (sqlite3_file * f, sqlite3_int64 *ret), xFileSize(REAL(f), ret))
FORWARD(f_lock, (sqlite3_file * f, int kind), xLock(REAL(f), kind))
FORWARD(f_unlock, (sqlite3_file * f, int kind), xUnlock(REAL(f), kind))
FORWARD(f_reserved, (sqlite3_file * f, int *ret), xCheckReservedLock(REAL(f), ret))
FORWARD(f_control, (sqlite3_file * f, int op, void *arg), xFileControl(REAL(f), op, arg))
FORWARD(f_sector, (sqlite3_file * f), xSectorSize(REAL(f)))
FORWARD(f_traits, (sqlite3_file * f), xDeviceCharacteristics(REAL(f)))
FORWARD(f_map, (sqlite3_file * f, int page, int size, int extend, void volatile **ret),
        xShmMap(REAL(f), page, size, extend, ret))
FORWARD(f_shm_lock, (sqlite3_file * f, int at, int n, int flags), xShmLock(REAL(f), at, n, flags))
FORWARD(f_unmap, (sqlite3_file * f, int remove), xShmUnmap(REAL(f), remove))

static void f_barrier(sqlite3_file *f)
{
	REAL(f)->pMethods->xShmBarrier(REAL(f));
}

static int f_close(sqlite3_file *f)
{
	return REAL(f)->pMethods ? REAL(f)->pMethods->xClose(REAL(f)) : SQLITE_OK;
}

static int f_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	bool torn = false;
	int code = step(&torn);
	if (code == SQLITE_OK)
		code = REAL(f)->pMethods->xWrite(REAL(f), p, torn ? n / 2 : n, at);
	if (torn)
		_exit(FAILING_KILLED);
	return code;
}

static int f_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	int code = step(NULL);
	return code ? code : REAL(f)->pMethods->xTruncate(REAL(f), size);
}

static int f_sync(sqlite3_file *f, int flags)
{
	int code = step(NULL);
	return code ? code : REAL(f)->pMethods->xSync(REAL(f), flags);
}

static sqlite3_vfs shim, *real_vfs;

static int v_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *ret)
{
	static const sqlite3_io_methods methods = {
		2,         f_close,  f_read,   f_write, f_truncate, f_sync,    f_size,  f_lock, f_unlock, f_reserved,
		f_control, f_sector, f_traits, f_map,   f_shm_lock, f_barrier, f_unmap, NULL,   NULL};
	((struct file *)f)->real = (sqlite3_file *)((char *)f + sizeof(struct file));
	f->pMethods = NULL;
	int code = step(NULL);
	code = code ? SQLITE_CANTOPEN : real_vfs->xOpen(real_vfs, name, REAL(f), flags, ret);
	if (code == SQLITE_OK)
		f->pMethods = &methods;
	return code;
}

static int v_delete(sqlite3_vfs *v, const char *name, int sync)
{
	int code = step(NULL);
	return code ? code : real_vfs->xDelete(real_vfs, name, sync);
}

void failing_install(enum fault kind, enum fault_level level, long after)
{
	real_vfs = sqlite3_vfs_find(NULL);
	shim = *real_vfs;
	shim.zName = "faults";
	shim.szOsFile += (int)sizeof(struct file);
	shim.xOpen = v_open;
	shim.xDelete = v_delete;
	sqlite3_vfs_register(&shim, 1);
	fault.kind = kind;
	fault.level = level;
	fault.left = after;
}

bool failing_pause(bool pause)
{
	static enum fault kind;
	bool came = fault.kind != FAULT_NONE && fault.left <= 0;
	if (pause) {
		kind = fault.kind;
		fault.kind = FAULT_NONE;
	} else {
		fault.kind = kind;
	}
	return came;
}

// --- system calls -----------------------------------------------------------------------------------
// What stands in the program is called by the libraries, too, in place of libc's.

#define CALL __attribute__((visibility("default")))

// Whether the call fails, with errno.
static bool fails(void)
{
	if (fault.kind == FAULT_NONE || fault.level != FAULT_AT_SYSTEM || --fault.left != 0)
		return false;
	if (fault.kind == FAULT_KILL || fault.kind == FAULT_TORN)
		_exit(FAILING_KILLED);
	errno = fault.kind == FAULT_FULL ? ENOSPC : EIO;
	return true;
}

// A write that is half done when the process ends, or that writes half of it and then fails.
static ssize_t part_of(ssize_t (*call)(int, const void *, size_t, off_t), int fd, const void *p, size_t n, off_t at)
{
	bool now = fault.kind != FAULT_NONE && fault.level == FAULT_AT_SYSTEM && fault.left == 1;
	if (now && (fault.kind == FAULT_TORN || fault.kind == FAULT_FULL) && n > 1)
		call(fd, p, n / 2, at);
	return fails() ? -1 : call(fd, p, n, at);
}

static ssize_t raw_write(int fd, const void *p, size_t n, off_t at)
{
	(void)at;
	return syscall(SYS_write, fd, p, n);
}

static ssize_t raw_pwrite(int fd, const void *p, size_t n, off_t at)
{
	return syscall(SYS_pwrite64, fd, p, n, at);
}

CALL ssize_t write(int fd, const void *p, size_t n)
{
	return part_of(raw_write, fd, p, n, 0);
}

CALL ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	return part_of(raw_pwrite, fd, p, n, at);
}

CALL int fsync(int fd)
{
	return fails() ? -1 : (int)syscall(SYS_fsync, fd);
}

CALL int fdatasync(int fd)
{
	return fails() ? -1 : (int)syscall(SYS_fdatasync, fd);
}

CALL int ftruncate64(int fd, off64_t size)
{
	return fails() ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

CALL int unlink(const char *path)
{
	return fails() ? -1 : (int)syscall(SYS_unlink, path);
}

CALL int mkdir(const char *path, mode_t mode)
{
	return fails() ? -1 : (int)syscall(SYS_mkdir, path, mode);
}

static int open_with(const char *path, int flags, va_list list)
{
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
	return fails() ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

CALL int open64(const char *path, int flags, ...)
{
	va_list list;
	va_start(list, flags);
	int fd = open_with(path, flags, list);
	va_end(list);
	return fd;
}

#ifndef __USE_FILE_OFFSET64 // else it is open64
CALL int open(const char *path, int flags, ...)
{
	va_list list;
	va_start(list, flags);
	int fd = open_with(path, flags, list);
	va_end(list);
	return fd;
}
#endif
