// A traced program that is started once and forks for every run: what it costs to
// load and link it is paid once. The program runs without the tracer of interpose.h:
// the libraries it needs are exchanged for their variants by way of LD_LIBRARY_PATH,
// those it loads later and the programs it executes are the native ones. Runs
// are children of the process that asks for them (execute/waiting.h).
#ifndef VEER_EXECUTE_SERVER_H
#define VEER_EXECUTE_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "abi/server.h"
#include "base/err.h"
#include "execute/waiting.h"
#include "variants/build.h"

struct server {
	char *run; // folder RUN, as for interpose.h
	pid_t pid;
	uint64_t ticket; // of waiting.h
	int ask;
	struct server_state *state;
	bool serves;   // it has done a run
	int processor; // that the server stays on, -1: any
};

// Starts argv[0], which must be built by veer-cc, as the builder's variant. `prepare` is
// called with the folder RUN before that, as in struct interpose; `complain` when the variant
// of a library cannot be built or exchanged, which is then loaded as it is.
int server_start(struct server *ret, const struct builder *b, char **argv,
                 int (*prepare)(void *opaque, const char *run, struct err *err), void *opaque,
                 void (*complain)(const char *path, const char *why), struct err *err);

// How a server is started where that is not all the same.
struct server_place {
	const char *run;              // an empty folder; NULL: one in the cache
	int (*confine)(void *opaque); // in the new process, before the program; -1 with errno: it cannot be started
	int (*prepare)(void *opaque, const char *run, struct err *err);
	void *opaque;         // of both
	const int *hand_down; // descriptors that the program inherits under their numbers
	size_t n_hand_down;
	const int *streams; // standard input, output, error, and no others; NULL: ours
	bool may_build;     // variants that are not in the cache
	// LD_LIBRARY_PATH, by which it finds its libraries; NULL: ours.
	const char *libraries;
};

int server_start_at(struct server *ret, const struct builder *b, char **argv, const struct server_place *place,
                    void (*complain)(const char *path, const char *why), struct err *err);

// Builds what a server of the program will need: its variant, and those of its libraries.
struct server_build {
	const char *libraries;                                            // as in struct server_place
	int (*built)(void *opaque, const char *variant, struct err *err); // each of them; NULL: nobody asks
	void *opaque;
	void (*complain)(const char *path, const char *why);
	bool must_load; // with these libraries: -1 when the dynamic loader misses one
};

int server_build(const struct builder *b, const char *program, const struct server_build *how, struct err *err);

// One run, watched. -1 with *err filled when the server is gone.
int server_ask(struct server *s, const struct waiting *how, struct ending *ret, struct err *err);

// A descriptor of `size` bytes of memory that a server can be given, which nobody can make smaller or
// larger, mapped at *ret. `read_only`: for everybody but us. -1 with *err filled.
int server_share(const char *name, uint64_t size, bool read_only, void **ret, struct err *err);
// Links RUN/NAME to the descriptor, for a server that inherits it.
int server_link(const char *run, const char *name, int fd, struct err *err);

// One run. Returns its wait status; -1 with *err filled when the server is gone. A run
// that takes longer than `milliseconds` (0: no limit) is killed.
int server_run(struct server *s, unsigned milliseconds, struct err *err);

void server_stop(struct server *s);

#endif
