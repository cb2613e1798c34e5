// Files and paths. Every function that can fail returns a negative value and
// fills *err; nothing here prints.
#ifndef VEER_BASE_FILE_H
#define VEER_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

// A read-only mapping of a whole regular file. data is NULL for an empty file.
struct file_map {
	const uint8_t *data;
	size_t size;
};

int file_map(const char *path, struct file_map *ret, struct err *err);
void file_unmap(struct file_map *map);

int file_read(const char *path, struct buf *ret, struct err *err);

// Writes all bytes; returns -1 with errno set on failure (short writes are continued).
int file_write_all(int fd, const void *data, size_t size);

// Creates or replaces `path`, with `mode` less the umask, so that other processes see the old or the whole
// new content, never a part.
int file_replace(const char *path, const void *data, size_t size, unsigned mode, struct err *err);
// The same for a path that the user named: a device or a pipe that is there is written to, not replaced.
int file_output(const char *path, const void *data, size_t size, unsigned mode, struct err *err);
// Whether it would fail, as far as is known before: for who only writes after long work. Nothing is created.
int file_can_output(const char *path, struct err *err);

int file_mkdirs(const char *path, unsigned mode, struct err *err); // like mkdir -p

// A new folder for this process alone, below $TMPDIR or /tmp; NULL with *err filled. The caller frees.
char *file_temporary(const char *name, struct err *err);

// Makes the folder, in one that is there, or takes one that is: but not a link, which may lead anywhere. For what veer
// keeps below the folder that the user names.
int file_subfolder(const char *path, unsigned mode, struct err *err);
// The same for `below` (names with slashes) in `folder`, which is there: no link on the way is followed.
int file_subfolders(const char *folder, const char *below, unsigned mode, struct err *err);
// A new empty file for writing, whatever was there before, which is not followed. Returns a descriptor, or -1.
int file_create(const char *path, unsigned mode, struct err *err);
int file_remove_tree(const char *path); // like rm -rf; never follows links
bool file_exists(const char *path);

// `path` made absolute against `cwd`; caller frees.
char *path_absolute(const char *cwd, const char *path);
const char *path_basename(const char *path);
char *path_dirname(const char *path); // caller frees
// An absolute path without ".", ".." and doubled slashes, which then stays below any folder it is appended to; what the
// file system has there (links) does not matter. NULL when nothing is left. The caller frees.
char *path_clean(const char *path);
// As compilers name files, but "/a/./b//../c" as "/a/c", as far as a look at the text can tell; what is relative stays
// so. The caller frees.
char *path_tidy(const char *path);
// What of `path` comes after `folder`, which it lies in; "." for the folder itself, NULL when it lies elsewhere. Only
// the names are looked at.
const char *path_below(const char *path, const char *folder);
char *path_cwd(void); // caller frees; "/" when the directory is gone
// Frees an absolute path and returns the innermost folder around it, or it itself, that exists; caller frees.
char *path_existing(char *path);

// Absolute path of the running executable's directory; caller frees.
char *path_of_self(void);

// Looks `name` up in PATH (or takes it as it is when it holds a slash); caller
// frees; NULL when there is no such executable.
char *path_find_program(const char *name);

#endif
