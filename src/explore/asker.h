// A worker that is asked about one input after the other, by who has no campaign to run.
#ifndef VEER_EXPLORE_ASKER_H
#define VEER_EXPLORE_ASKER_H

#include "explore/worker.h"

struct asker {
	const struct worker_setup *setup;
	const char *boxes;
	struct worker worker;
	unsigned n_workers;
	uint64_t asked;
};

// `boxes`: a folder for those of workers. Both must outlive it. Nothing is started yet.
void asker_init(struct asker *a, const struct worker_setup *setup, const char *boxes);

// The job gets a number of its own. A worker that it was too much for is replaced when there is another one.
int asker_ask(struct asker *a, const struct job *j, struct result *ret, struct err *err);

// Its worker ends; the next job has a new one, which knows nothing of those before it.
void asker_stop(struct asker *a);

#endif
