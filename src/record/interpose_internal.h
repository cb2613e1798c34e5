// The tracer of a command, for interpose*.c only: interpose.c starts it and waits for it, interpose_trace.c is what it
// does.
#ifndef VEER_RECORD_INTERPOSE_INTERNAL_H
#define VEER_RECORD_INTERPOSE_INTERNAL_H

#include <stdbool.h>

#include "record/executables.h"
#include "record/interpose.h"
#include "record/tracee.h"

// What the tracer tells its parent when the command has ended.
struct ended {
	int status;
	struct interpose_counts counts;
};

// A system call that was changed on its way in, and is put right on its way out.
struct changed {
	pid_t pid;
	bool exec;
	struct syscall_state before;
};

struct tracer {
	const struct interpose *options;
	char *run; // folder
	struct executables executables;
	struct changed *changed;
	size_t n_changed, cap_changed;
	pid_t *waiting; // stopped until a build is done
	size_t n_waiting, cap_waiting;
	pid_t *exempt; // their next execve is let through
	size_t n_exempt, cap_exempt;
	struct interpose_counts counts;
	struct strv reported; // limits that were reported, as "path: what"
	pid_t command;
	int channel; // to the parent; carries the command's wait status
};

// Until the last traced process has ended; when the command has, its parent learns of it through `channel`.
void tracer_trace(struct tracer *t);

#endif
