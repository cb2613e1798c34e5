// Where inputs of a campaign run again, in the sandbox, to be looked at: what a run's trace says, what seeds cover.
#ifndef VEER_SESSION_REPLAYER_H
#define VEER_SESSION_REPLAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "coverage/cover.h"
#include "input/input.h"
#include "input/windows.h"
#include "sandbox/sandbox.h"
#include "session/profiles.h"
#include "store/store.h"

struct client;
struct replayer;

// The programs of a campaign, by absolute path, each once: the one that was explored, or those of the recorded tests.
// *ret_libraries: where each finds its libraries, LD_LIBRARY_PATH of one of its tests; NULL: nobody asks.
int replayer_programs(struct store *store, struct strv *ret, struct strv *ret_libraries, struct err *err);
// The same for one more, unless it is there; `snapshot`: of one of its inputs (0: none).
void replayer_add_program(struct store *store, const char *program, int64_t snapshot, struct strv *ret,
                          struct strv *ret_libraries);

struct replayer_setup {
	struct store *store;                     // the campaign's, which must outlive the replayer
	const char *folder;                      // of the campaign
	const struct strv *programs, *libraries; // libraries: where each program finds its own
	enum sandbox_mode mode;
	enum profile profile; // PROFILE_replay: there is an explored variant only, and so no oracle
	void (*complain)(const char *path, const char *why); // as of an executor
};

// Builds the variants of all programs; one that cannot be built is no error here, but running it is. The setup must
// outlive the call only.
struct replayer *replayer_new(const struct replayer_setup *setup, struct err *err);
void replayer_free(struct replayer *l);

// Its worker, for other jobs; programs have the numbers of setup->programs.
struct client *replayer_client(struct replayer *l);
// In a process that was forked from the replayer's, which had no worker yet: a worker of that process, in a folder of
// its own. replayer_stop() before the process ends.
void replayer_forked(struct replayer *l, unsigned process);
void replayer_stop(struct replayer *l);
// Builds native variants.
const struct builder *replayer_native(const struct replayer *l);
// Why the program has no variants; NULL: it has.
const char *replayer_reason(const struct replayer *l, uint32_t program);

// Files of a snapshot that are larger are symbolic only where `windows` say so: the trace would not hold them.
enum { REPLAYER_LARGE = 4096 };

// Runs the input, in that snapshot of the store (0: none); its trace, for trace_read(), is added to *ret.
int replayer_trace(struct replayer *l, const char *program, int64_t snapshot, const struct input *in,
                   const struct windows *windows, struct buf *ret, struct err *err);

// The traced variants of the programs and of their libraries.
const struct strv *replayer_variants(const struct replayer *l);
const char *replayer_worker_dirs(const struct replayer *l); // a folder for those of sandboxes

// What the programs and their libraries have that can be covered; nothing is yet. The caller frees.
struct cover *replayer_cover(const struct replayer *l);

// Runs all seeds, for at most so many seconds. Returns how many ran, and what they cover in *cover; of how many in
// *ret_of.
int64_t replayer_cover_seeds(struct replayer *l, struct cover *cover, double seconds, int64_t *ret_of, struct err *err);

#endif
