// A worker that is asked about one input after the other, by who has no campaign to run.
#ifndef VEER_WORKER_CLIENT_H
#define VEER_WORKER_CLIENT_H

#include "worker/worker.h"

struct client {
	const struct worker_setup *setup;
	const char *worker_dirs;
	struct worker worker;
	unsigned n_workers;
	uint64_t asked;
};

// `worker directories`: a folder for those of workers. Both must outlive it. Nothing is started yet.
void client_init(struct client *a, const struct worker_setup *setup, const char *worker_dirs);

// The job gets a number of its own. A worker that it was too much for is replaced when there is another one.
int client_call(struct client *a, const struct job *j, struct result *ret, struct err *err);

// Its worker ends; the next job has a new one, which knows nothing of those before it.
void client_stop(struct client *a);

#endif
