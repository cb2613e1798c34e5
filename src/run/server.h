// A traced program that is started once and forks for every run: what it costs to
// load and link it is paid once. The program runs without the tracer of interpose.h:
// the libraries it needs are exchanged for their variants by way of LD_LIBRARY_PATH,
// those it loads later and the programs it executes are the native ones. Runs
// are children of the process that asks for them, which has no others.
#ifndef VEER_RUN_SERVER_H
#define VEER_RUN_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "instrument/build.h"

struct server {
	char *run; // folder RUN, as for interpose.h
	pid_t pid;
	int ask;
	bool serves;   // it has done a run
	int processor; // that the server stays on, -1: any
};

// Starts argv[0], which must be built by veer-cc, as the builder's variant. `prepare` is
// called with the folder RUN before that, as in struct interpose; `complain` when the variant
// of a library cannot be built or exchanged, which is then loaded as it is.
int server_start(struct server *ret, const struct builder *b, char **argv,
                 int (*prepare)(void *opaque, const char *run, struct err *err), void *opaque,
                 void (*complain)(const char *path, const char *why), struct err *err);

// One run. Returns its wait status; -1 with *err filled when the server is gone. A run
// that takes longer than `milliseconds` (0: no limit) is killed.
int server_run(struct server *s, unsigned milliseconds, struct err *err);

void server_stop(struct server *s);

#endif
