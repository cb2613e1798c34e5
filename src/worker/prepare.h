// Queries of one path that are issued in another order than that of the path. Each needs the conditions before it,
// and a path that goes back starts over (path.h); so a few at a time are made in the path's order, kept, and then
// issued.
#ifndef VEER_WORKER_PREPARE_H
#define VEER_WORKER_PREPARE_H

#include "path/decide.h"
#include "worker/wire.h"

enum { PREPARE_MOST = 8 };

struct prepared {
	struct prepared_query {
		struct condition_list conditions, originals;
		bool is_one; // false: there is no query
	} v[PREPARE_MOST];
};

// Up to PREPARE_MOST of them.
void prepare_queries(struct prepared *p, struct path *path, const struct job_alternative *alternatives, uint32_t n);
// The i-th, good until others are prepared; false: the run does not have it.
bool prepare_query(const struct prepared *p, const struct path *path, uint32_t i, struct query *ret);
void prepare_release(struct prepared *p);

#endif
