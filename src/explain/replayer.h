// Where inputs of a campaign run again, in the sandbox, to be looked at: what a run's trace says, what seeds cover.
#ifndef VEER_EXPLAIN_REPLAYER_H
#define VEER_EXPLAIN_REPLAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "explore/cover.h"
#include "run/input.h"
#include "run/sandbox.h"
#include "run/windows.h"
#include "store/store.h"

struct replayer;

// The programs of a campaign, by absolute path, each once: the one that was explored, or those of the recorded tests.
// *ret_libraries: where each finds its libraries, LD_LIBRARY_PATH of one of its tests; NULL: nobody asks.
int replayer_programs(struct store *store, struct strv *ret, struct strv *ret_libraries, struct err *err);
// The same for one more, unless it is there; `snapshot`: of one of its inputs (0: none).
void replayer_add_program(struct store *store, const char *program, int64_t snapshot, struct strv *ret,
                          struct strv *ret_libraries);

// `folder`: the campaign's. Builds the variants of all programs; one that cannot be built is no error here, but
// running it is. `libraries`: where each finds its own. `complain`: as of an executor.
struct replayer *replayer_new(struct store *store, const char *folder, const struct strv *programs,
                              const struct strv *libraries, enum sandbox_mode mode,
                              void (*complain)(const char *path, const char *why), struct err *err);
void replayer_free(struct replayer *l);

// Files of a snapshot that are larger are symbolic only where `windows` say so: the trace would not hold them.
enum { REPLAYER_LARGE = 4096 };

// Runs the input, in that snapshot of the store (0: none); its trace, for trace_read(), is added to *ret.
int replayer_trace(struct replayer *l, const char *program, int64_t snapshot, const struct input *in,
                   const struct windows *windows, struct buf *ret, struct err *err);

// What the programs and their libraries have that can be covered; nothing is yet. The caller frees.
struct cover *replayer_cover(const struct replayer *l);

// Runs all seeds, for at most so many seconds. Returns how many ran, and what they cover in *cover; of how many in
// *ret_of.
int64_t replayer_cover_seeds(struct replayer *l, struct cover *cover, double seconds, int64_t *ret_of, struct err *err);

#endif
