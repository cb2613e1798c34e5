// What the files are that a command executes and loads: built by veer-cc or
// not, script or program, with a variant in the cache or still to build. Each
// file is looked into once.
#ifndef VEER_RECORD_EXECUTABLES_H
#define VEER_RECORD_EXECUTABLES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/map.h"
#include "variants/build.h"

enum executable_state {
	EXECUTABLE_FOREIGN,  // runs as it is
	EXECUTABLE_SCRIPT,   // `interpreter` says what runs it
	EXECUTABLE_READY,    // `variant` is the file to run instead
	EXECUTABLE_MISSING,  // built by veer-cc; its variant has to be built
	EXECUTABLE_BUILDING, // by the process `builder`
};

struct executable {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec modified;
	enum executable_state state;
	char *path;                   // as it was first named, resolved; NULL for foreign files
	char *variant;                // of EXECUTABLE_READY
	char *interpreter, *argument; // of EXECUTABLE_SCRIPT; argument may be NULL
	pid_t builder;
	struct err *problem; // shared with the builder
	struct hash id;      // of its content, once somebody asked
	bool identified;
};

struct executable_key {
	dev_t device;
	ino_t inode;
};
struct executable_entry {
	struct executable_key key;
	struct executable *executable;
};
MAP(executables, struct executable_entry);

// The executable behind `path`, which may lead through /proc/PID. NULL when there is
// no such regular file. A variant that cannot be built is reported through `complain`
// once, and the executable is foreign from then on.
struct executable *executables_find(struct executables *t, const struct builder *b, const char *path,
                                    void (*complain)(const char *path, const char *why));

// Starts building a EXECUTABLE_MISSING one in a child process.
int executables_start_build(struct executable *x, const struct builder *b, struct err *err);

// The child `pid` ended: returns the executable it worked on, now ready or foreign;
// NULL when it was no builder.
struct executable *executables_finish_build(struct executables *t, const struct builder *b, pid_t pid,
                                            void (*complain)(const char *path, const char *why));

// The hash of all of its content, for one that has a path. False: it cannot be read.
bool executables_id(struct executable *x, struct hash *ret);

void executables_release(struct executables *t);

#endif
