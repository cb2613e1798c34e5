// The executors of one program, by version and variant: each is started when it is first asked for, and all of them run
// in the same snapshot.
#ifndef VEER_EXECUTE_EXECUTORS_H
#define VEER_EXECUTE_EXECUTORS_H

#include "execute/executor.h"

// What all of them have in common.
struct executors_setup {
	const struct builder *builder; // its `variant` does not count; variants must be in the cache already
	const char *sym;               // of variants that trace; see struct executor_setup
	struct sandbox *sandbox;
	bool floats; // operations on floats are checked (abi/launch.h)
	void (*complain)(const char *path, const char *why);
};

// An executor that was started. It stays where it is until executors_stop.
struct executors_member {
	uint32_t version;
	const char *variant;
	struct builder builder;
	struct executor executor;
};

struct executors {
	struct executors_setup setup;
	const struct snapshot *snapshot; // of the next runs; see executor_set_snapshot
	const char *files;
	struct executors_member **v;
	size_t n;
};

// What the setup points to must outlive the set. Nothing is started yet.
void executors_init(struct executors *ret, const struct executors_setup *setup);

// The executor of the target as `variant`: one of executors.c's table, "native" for the program itself. Targets of the
// same version must be the same until executors_stop. NULL with *err filled when it cannot be started.
struct executor *executors_get(struct executors *s, const struct target *t, const char *variant, struct err *err);

// The next runs of all of them, also of those that are not started yet, are in this snapshot (executor_set_snapshot).
void executors_set_snapshot(struct executors *s, const struct snapshot *snapshot, const char *files);

// Stops those that were started. The set can be used again, for another program.
void executors_stop(struct executors *s);

#endif
