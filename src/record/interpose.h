// Running a command so that every program it executes, at any depth, that was
// built by veer-cc runs as a variant of itself. A tracer (ptrace and a seccomp
// filter) stops the command's processes at execve, at the dynamic loader's opens
// and at readlink, and nowhere else; it needs nothing from the environment, so it
// works under `env -i`, through scripts, and for static programs.
//
// For the time of the run there is a folder RUN in the cache:
//   RUN/x/N/NAME   hard link to a variant; it is started under this name
//   RUN/o/N        symbolic link to the program it stands for
//   RUN/l/N        symbolic link to a library's variant that was loaded
//   RUN/reports/   what the sanitized variants report (runtime/san.c)
//   RUN/trace      where a traced one records (runtime/trace/start.c), if there
#ifndef VEER_RECORD_INTERPOSE_H
#define VEER_RECORD_INTERPOSE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "variants/build.h"

struct recorder;

// What happened under the tracer while the command ran.
struct interpose_counts {
	uint32_t variants;  // times a program was started as its variant
	uint32_t libraries; // times a library was loaded as its variant
};

struct interpose {
	const struct builder *builder;
	// A program runs natively although it was built by veer-cc; may be called in another process.
	void (*complain)(const char *path, const char *why);
	// A program does what cannot work under the tracer; reported once a program and reason.
	void (*limit)(const char *path, const char *what);
	// Called in this process with the folder RUN: before the command starts (a negative
	// result ends it all, with *err filled), and when it has ended. Either may be NULL.
	int (*prepare)(void *opaque, const char *run, struct err *err);
	void (*finish)(void *opaque, const char *run);
	struct recorder *recorder;       // programs run natively, and it follows what they do (recorder.h); or NULL
	struct interpose_counts *counts; // filled when the command has ended; may be NULL
	void *opaque;
};

// Runs the command and returns its wait status (see waitpid), or -1 with *err
// filled when it could not be started. Processes that outlive the command go on
// being traced in the background. SIGINT, SIGTERM and SIGHUP do not end this
// process from now on: they are passed on to all traced processes, unless they came
// from the keyboard, which tells these itself.
int interpose_run(const struct interpose *options, char **argv, struct err *err);

// The first of these signals that came while a command ran, or since; 0: none.
int interpose_interrupted(void);

// What cannot work under the tracer: reported through options->limit, once a program and reason (`reported`).
void interpose_warn_ptrace(struct strv *reported, const struct interpose *options, pid_t pid);
void interpose_check_setuid(struct strv *reported, const struct interpose *options, pid_t pid, int folder,
                            const char *path);

// Says in *err why this machine does not allow it, and returns -1; 0 when it does.
int interpose_possible(struct err *err);

#endif
