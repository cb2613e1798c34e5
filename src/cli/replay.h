// What the two ways of veer replay share: by finding (replay.c) and by file (replay_files.c).
#ifndef VEER_CLI_REPLAY_H
#define VEER_CLI_REPLAY_H

#include <stdbool.h>

#include "run/executor.h"

enum { REPLAY_MS = 10000 };

struct replay_options {
	const char *output;
	int error_exit;
	bool gdb, native, unsafe;
};

// Runs every input in `paths` on the program, whose command line is `argv`. Returns the exit status.
int replay_files(const struct replay_options *o, char **paths, int n_paths, char **argv);

// Prints how a run of the native program ended; true when that is a failure.
bool replay_tell(const struct run_result *run);

#endif
