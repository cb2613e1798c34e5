// The programs of a session: their variants, built at once or in the background, and the graphs of their code.
#ifndef VEER_SESSION_PROGRAMS_H
#define VEER_SESSION_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "coverage/graph.h"
#include "session/building.h"
#include "session/tools.h"
#include "worker/worker.h"

struct session_program {
	char *libraries;     // where it finds its libraries: LD_LIBRARY_PATH of its runs; NULL: ours
	char *reason;        // why it has no variants; NULL: it has, or they are not built yet
	struct graph *graph; // NULL: not read yet
};

struct programs {
	struct worker_program *v;     // as workers know them
	struct session_program *info; // what only the session knows of each
	uint32_t n, n_built;
	const struct session_tools *tools;
	struct cover *cover; // gets what each program has that can be covered
	void (*complain)(const char *path, const char *why);
	struct builder variants[USE_VARIANTS]; // that are built, the traced one first
	const struct builder *all[USE_VARIANTS];
	unsigned n_variants;
	struct building *building; // NULL: nothing is built in the background
};

// The tools and the coverage must outlive it. `complain`: hears of libraries that run natively (execute/server.h).
void programs_init(struct programs *p, enum use use, const struct session_tools *tools, struct cover *cover,
                   void (*complain)(const char *path, const char *why));
// Ends what is being built.
void programs_release(struct programs *p);

// `path`: absolute; `root`: names the program in keys (worker/worker.h). Returns its number.
uint32_t programs_add(struct programs *p, const char *path, uint64_t root);

// Builds its variants now. `sanitized`: hears of libraries that the sanitized variant does without, like
// `complain` for the explored one; NULL: nobody does, as both miss the same.
int programs_build(struct programs *p, uint32_t program, void (*sanitized)(const char *path, const char *why),
                   struct err *err);
// It is not to be built, and why.
void programs_leave_out(struct programs *p, uint32_t program, const char *why);

// Builds its variants in the background, up to `jobs` at a time, the sooner the larger `worth`. Before the first
// programs_poll.
void programs_queue(struct programs *p, uint32_t program, double worth, unsigned jobs);
// Begins what can be begun. Calls `built` for each program that has its variants since the last time, or will not have
// them: then info[program].reason says why. False: none is left.
bool programs_poll(struct programs *p, void (*built)(void *opaque, uint32_t program), void *opaque);
struct building_counts programs_count(const struct programs *p);

// Calls `each` for the traced variants of the program and of its libraries, which are built.
int programs_each_variant(struct programs *p, uint32_t program,
                          int (*each)(void *opaque, const char *variant, struct err *err), void *opaque,
                          struct err *err);

// The graph of its code, for strategies with episodes. Its variants must be built. On failure *ret is a graph without
// points, and *err says why.
int programs_graph(struct programs *p, uint32_t program, const struct graph **ret, struct err *err);

#endif
