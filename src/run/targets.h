// What the files are that a command executes and loads: built by veer-cc or
// not, script or program, with a variant in the cache or still to build. Each
// file is looked into once.
#ifndef VEER_RUN_TARGETS_H
#define VEER_RUN_TARGETS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "instrument/build.h"

enum target_state {
	TARGET_FOREIGN,  // runs as it is
	TARGET_SCRIPT,   // `interpreter` says what runs it
	TARGET_READY,    // `variant` is the file to run instead
	TARGET_MISSING,  // built by veer-cc; its variant has to be built
	TARGET_BUILDING, // by the process `builder`
};

struct target {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec modified;
	enum target_state state;
	char *path;                   // as it was first named, resolved; NULL for foreign files
	char *variant;                // of TARGET_READY
	char *interpreter, *argument; // of TARGET_SCRIPT; argument may be NULL
	pid_t builder;
	struct err *problem; // shared with the builder
	struct hash id;      // of its content, once somebody asked
	bool identified;
};

struct targets {
	struct target **slots; // open addressing
	size_t used, cap;
};

// The target behind `path`, which may lead through /proc/PID. NULL when there is
// no such regular file. A variant that cannot be built is told through `complain`
// once, and the target is foreign from then on.
struct target *targets_find(struct targets *t, const struct builder *b, const char *path,
                            void (*complain)(const char *path, const char *why));

// Starts building a TARGET_MISSING one in a child process.
int targets_start_build(struct target *target, const struct builder *b, struct err *err);

// The child `pid` ended: returns the target it worked on, now ready or foreign;
// NULL when it was no builder.
struct target *targets_finish_build(struct targets *t, const struct builder *b, pid_t pid,
                                    void (*complain)(const char *path, const char *why));

// The hash of all of its content, for one that has a path. False: it cannot be read.
bool targets_id(struct target *target, struct hash *ret);

void targets_release(struct targets *t);

#endif
