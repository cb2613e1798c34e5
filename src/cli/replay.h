// What the forms of veer replay share: a finding (replay.c), a seed (replay_seed.c), files (replay_files.c).
#ifndef VEER_CLI_REPLAY_H
#define VEER_CLI_REPLAY_H

#include <stdbool.h>

#include "execute/executor.h"
#include "store/store.h"

enum { REPLAY_MS = 10000 };

struct replay_options {
	const char *output;
	int error_exit;
	bool gdb, native, unsafe;
};

// Runs every input in `paths` on the program, whose command line is `argv`. Returns the exit status.
int replay_files(const struct replay_options *o, char **paths, int n_paths, char **argv);

// Replays seed `id` of the campaign natively and as its traced variant. Returns the exit status: 0 when both runs end
// as recorded and write the same output.
int replay_seed(const struct replay_options *o, int64_t id);

// An input of a campaign and the environment snapshot to run it in.
struct replayed {
	struct input input;
	bool has_snapshot;
	struct snapshot snapshot; // of a recorded test
	char *files;              // absolute: where contents of the snapshot's files are kept
	char *cwd; // an existing folder: where the campaign ran, or the nearest one above the test's folder
};

// Reads input `id` from the campaign in folder `output`. *ret is released in any case.
int replayed_read(struct replayed *ret, struct store *store, const char *output, int64_t id, struct err *err);
void replayed_release(struct replayed *r);

// Prints how a run of the native program ended; true when that is a failure.
bool replay_print(const struct run_result *run);

#endif
