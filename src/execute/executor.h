// Runs a program on one input after the other, as a variant, in a fork server, inside the sandbox of this worker.
#ifndef VEER_EXECUTE_EXECUTOR_H
#define VEER_EXECUTE_EXECUTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "execute/server.h"
#include "execute/target.h"
#include "input/input.h"
#include "input/snapshot.h"
#include "input/windows.h"
#include "sandbox/sandbox.h"
#include "sandbox/written.h"
#include "variants/build.h"

enum run_end {
	RUN_EXITED,  // code: its exit status
	RUN_SIGNAL,  // code: the signal that ended it
	RUN_TIMEOUT, // killed: it took too long
	RUN_MEMORY,  // killed: it had too much memory
	RUN_OUTPUT,  // ended: it wrote more than allowed
	RUN_ENDS
};

struct run_result {
	enum run_end end;
	int code;
	uint64_t wall_us, cpu_us; // cpu_us: of the run itself
	bool server_died;         // and was started again
};

// Of a wait status, as far as it tells: which limit ended the run, and what it took, it does not.
struct run_result run_ended(int status);

struct executor_setup {
	const struct builder
		*builder; // whose variant to run; variant NULL or "native": the program itself, started anew each time
	struct target target;
	const char *sym; // words after --sym; NULL: nothing from outside is symbolic
	struct sandbox *sandbox;
	bool steady;  // the same clock and random numbers in every run
	bool on_heap; // arguments and variables in heap blocks of their size
	bool floats;  // operations on floats are checked (LAUNCH_FLOATS)
	bool want_trace, want_cover;
	bool self_check;      // every node of the trace is compared with what the program has
	uint64_t trace_nodes; // room in the trace; 0: 1 << 22
	void (*complain)(const char *path, const char *why);
};

struct executor {
	struct executor_setup setup;
	struct server server;
	void *launch;
	uint64_t launch_size;
	void *trace; // want_trace: what the last run recorded, for trace_read()
	uint64_t trace_size;
	uint8_t *cover; // want_cover: see abi/cover.h
	uint64_t cover_size;
	int fds[3];                       // given, trace, cover: the server inherits them
	char *reports;                    // folder of the last run's reports; emptied before each
	char *output;                     // file with what the last run wrote on standard output and error
	int input_fd, read_fd, output_fd; // input_fd: what is read from read_fd, for us to write
	int32_t run;                      // pid of a native run
	void *clean;                      // the start of the trace's header
	unsigned number;                  // of server folders
	const struct snapshot *snapshot;  // of the next runs; see executor_set_snapshot
	const char *files;
	struct hash snapshot_name;     // see snapshot_put.h
	const struct windows *windows; // of the next runs; see executor_set_windows
	int mark_fd;                   // a file that tells what time it is for files
	char *libraries;               // LD_LIBRARY_PATH of the snapshot; NULL: ours
	char *served;                  // with which the server was started
	struct written *written;       // what runs write to files is noted there; NULL: nobody asks
	bool where;                    // a run that a signal ends writes where; traced variants (abi/launch.h)
	bool concrete;                 // of the next runs: nothing is symbolic (LAUNCH_CONCRETE)
	bool left, other, labels;      // of the next runs: LAUNCH_LEFT, LAUNCH_OTHER, LAUNCH_LABELS
	uint32_t most_events;          // of the next runs: then the trace is full; 0: as many as there is room for
	uint32_t most_decisions;       // likewise, of conditions and different checks
	bool head;                     // of the next runs: they end when the trace is full
};

// The program must have its variant in the cache already, and those of its libraries (server_build); the worker cannot
// write there.
int executor_start(struct executor *ret, const struct executor_setup *setup, struct err *err);

// One run, of at most `milliseconds` (0: no limit). -1 with *err filled when the program cannot be run at all.
int executor_run(struct executor *e, const struct input *in, unsigned milliseconds, struct run_result *ret,
                 struct err *err);

// The next runs are of this recorded test: its folder, environment, clock and files, changed by what the input has of
// them. `files`: absolute, where contents are kept. NULL: as set up. Both must outlive the runs, and not change
// meanwhile. Executors that share a sandbox share the view, too: those that run in turn are best in the same snapshot.
// A run fails
// (-1) when the snapshot cannot be made: the sandbox is not one of namespaces, contents are gone, it has no working
// folder.
void executor_set_snapshot(struct executor *e, const struct snapshot *snapshot, const char *files);

// What of their input is symbolic in the next runs, among what `sym` names; NULL: all of it. Must outlive them.
void executor_set_windows(struct executor *e, const struct windows *windows);

void executor_stop(struct executor *e);

#endif
