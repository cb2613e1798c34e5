// Where explored programs run, so that they harm nothing. A worker enters it once; what it starts from then on is
// inside, and what a run wrote is thrown away after it.
//
//   namespaces  own user, mount, pid, net and ipc namespaces. The worker is process 1 in there and sees the file system
//               read-only; the programs it starts see a copy-on-write view of it (`root`), which they are chrooted
//               into before their first instruction.
//   landlock    where namespaces are forbidden: writing only below a scratch copy of the working folder, which is
//               restored after a run that changed it; no sockets, no signals to others. What would be copied
//               elsewhere is denied.
//   none        only when the user insists (--unsafe-no-sandbox).
#ifndef VEER_SANDBOX_SANDBOX_H
#define VEER_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

enum sandbox_mode { SANDBOX_NONE, SANDBOX_NAMESPACES, SANDBOX_LANDLOCK, SANDBOX_MODES };

struct sandbox_limits {
	unsigned processes; // at a time; 0: 64
	uint64_t disk;      // bytes that a run may write, a quarter of them to `open`; 0: 64 MB
	uint64_t memory;    // bytes that a run may have in memory, all its processes; 0: 1 GB
	uint64_t output;    // bytes on standard output and error; 0: 1 MB
};

struct sandbox {
	enum sandbox_mode mode;
	struct sandbox_limits limits;
	char *worker_dir; // folder of its own, a file system of limited size, that only the worker sees
	char *open;       // a folder in it that runs see too, at the same path, and can write to; keeps what they write
	char *runs;       // a folder in it that runs see too, at the same path, and can only read
	char *root;       // the view that runs are in; NULL: the file system as it is
	char *cwd;        // their working folder, as seen there
	char *less;       // what of that this machine does not allow; NULL: nothing
	int last_pid;     // a number written here is followed by that of the next process; -1: that is not to be had
	pid_t keep[8];    // processes that live on after a run: fork servers
	size_t n_keep;
	void *more; // sandbox.c's own
};

extern const char *const sandbox_names[SANDBOX_MODES]; // "none", "namespaces", "landlock"

// Whether this machine can do it; if not, *why says what is missing and how to enable it (may be NULL).
bool sandbox_works(enum sandbox_mode mode, struct buf *why);

// The best mode that works; SANDBOX_NONE when none does.
enum sandbox_mode sandbox_best(void);

// Forks a process inside. Returns its pid to the parent; 0 in the child, with *ret filled; -1 with *err filled.
// `box`: an empty folder. `cwd`: where runs start. The child ends when its parent does.
pid_t sandbox_fork(struct sandbox *ret, enum sandbox_mode mode, const struct sandbox_limits *limits,
                   const char *worker_dir, const char *cwd, struct err *err);

// Between fork and exec of a program: enters the view, in the folder `cwd` of it, gives up what the worker has and runs
// must not (privileges), sets limits and the filter of system calls. Descriptors are left alone: those of folders
// outside the view must be closed on exec. 0, or -1 with errno.
int sandbox_confine(const struct sandbox *s);

// Between fork and exec of a program that is not a run but loads one's files: the dynamic loader that lists libraries.
// It can read files and write to descriptors that it inherits, and nothing else. Needs no sandbox. 0, or -1 with errno.
int sandbox_confine_reader(void);

// Shows a folder in the view as it is, read-only, from now on: servers are executed from there, and what a program is
// executed from keeps its name only as long as the mount stays that it lies in. Nothing is done where there is no view.
int sandbox_show(struct sandbox *s, const char *folder, struct err *err);

// Puts a file where the next run will find it: `path` as runs see it, folders made as needed. Links that earlier runs
// left are not followed out of the view.
int sandbox_put(struct sandbox *s, const char *path, const void *data, size_t size, struct err *err);

// Removes what runs left in `open`, but for the folder of that name, which is there and empty then. No link that they
// left is followed.
int sandbox_empty_open(const struct sandbox *s, const char *folder, struct err *err);

// The path by which runs find what the user calls `path`; the caller frees it. In SANDBOX_LANDLOCK a path below the
// user's working folder leads into the copy of it, and any other that a file is to be put at to a folder in `open`:
// for files that are put, not for those that are only read. Elsewhere it is the path itself.
char *sandbox_path(const struct sandbox *s, const char *path);

// A process that lives on after a run, in the place of another; 0: none.
void sandbox_keep(struct sandbox *s, pid_t old, pid_t new);

// Kills what a run left: all processes inside but this one and those in `keep`.
void sandbox_kill(struct sandbox *s);

// After a run: kills what it left, throws away what it wrote. Files that sandbox_put put are to be put again
// before the next run. Cheap when nothing was written.
int sandbox_reset(struct sandbox *s, struct err *err);

// Bytes in memory of all processes inside but this one and those in `keep`; for limits while a run takes its time.
uint64_t sandbox_memory(const struct sandbox *s);

// From outside: ends the process that sandbox_fork made, and with it all that it started. It is waited for as any
// child.
void sandbox_end(enum sandbox_mode mode, pid_t pid);

// In the child, before it ends.
void sandbox_leave(struct sandbox *s);

#endif
