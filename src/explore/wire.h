// What the coordinator of a campaign and its workers say to each other, over a socket pair: a job, then a result.
#ifndef VEER_EXPLORE_WIRE_H
#define VEER_EXPLORE_WIRE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "explore/account.h"
#include "explore/decide.h"
#include "findings/oracle.h"
#include "run/executor.h"
#include "solver/solver.h"

enum job_flags {
	JOB_PATH = 1,     // say which decisions the run made
	JOB_CARE = 2,     // say which bytes matter
	JOB_ORACLE = 4,   // let the sanitized variant run it, too
	JOB_MINIMISE = 8, // and make the input smaller for each thing it does wrong
	JOB_ALL = 16,     // with JOB_PATH: all decisions, also those that were told before
	JOB_AFTER = 32,   // with JOB_PATH: those behind `expect`, likewise; none when the run did not come by it
	JOB_QUICK =
		128, // with JOB_ORACLE: not when the run took too long; with JOB_MATCH: natively, no longer than traced
	JOB_MASKS = 512,  // with JOB_CARE: say which bits of which bytes matter
	JOB_EDGES = 1024, // with JOB_PATH: say which sides of branches it came by, whether new or not
	JOB_FIRST = 2048, // solve ways in their order, until one has a solution
	JOB_MATCH = 64,   // say whether the program does as it was recorded, natively, and traced as natively
	JOB_TRACE = 256,  // hand over the trace of the run
};

// A way to solve, off the path of the job's input.
struct job_alternative {
	uint32_t event;
	struct alternative alternative;
	uint64_t place;  // of the decision, if the event is UINT32_MAX
	uint64_t *known; // values that it must not take
	uint32_t n_known;
};

struct job {
	uint64_t id;       // of the input
	uint32_t program;  // of the setup
	int64_t snapshot;  // names `around`; 0: none
	struct buf around; // the recorded test's snapshot, as bytes
	uint32_t flags;
	uint32_t milliseconds; // for solving; what is not answered then is left. 0: no limit
	uint32_t run_ms;       // of a run; 0: as in the setup. JOB_MATCH: at most that
	uint64_t expect;       // a key that the run should come by; 0: none
	uint32_t care_us;      // JOB_CARE: what it may take, the run not included
	struct buf windows;    // what of the input is symbolic (windows_encode)
	uint64_t target;       // names the windows, in keys, too; 0: all is symbolic
	struct input input;
	struct input seed; // what shrinking should come near to
	struct job_alternative *alternatives;
	uint32_t n_alternatives;
};

// A decision that this worker has not told of yet.
struct reported {
	struct decision decision; // first, turns: in the result's array
	uint32_t depth;
};

struct result_answer {
	uint64_t key;
	enum answer answer;
	enum solver_reason reason;
	uint32_t event; // that was asked about
	uint32_t changed;
	struct input input; // sat
};

// Of a unit, which parts were reached first by this run.
struct result_cover {
	uint64_t unit;
	uint32_t n;
	uint8_t *bytes;
};

struct result_verdict {
	struct verdict verdict;
	struct input input; // shrunk, or as it was
	int32_t changed;    // bytes that differ from the seed; -1: not known
	int32_t care;       // bytes that matter to what it does wrong; likewise
};

struct result_name {
	char *name;
	uint32_t count;
};

#define RESULT_ARRAY(type, name)                                                                                       \
	type *name;                                                                                                    \
	uint32_t n_##name

struct result {
	char *failed; // nothing else is filled in: the worker cannot go on
	uint64_t id;
	struct run_result run;
	bool as_expected, cut, full, damaged, symbolic; // symbolic: there was input
	bool unmodelled, untraced;                      // labels were lost, in calls or instructions
	bool no_input;                                  // no byte of the run is input, and nothing depends on any
	uint32_t decisions;                             // in all
	uint64_t path;                                  // names all of them; 0: the run broke an assumption
	uint64_t join;                                  // key of the last decision that was told before; 0: none
	uint64_t leaf;                                  // key of the last one; 0: none
	uint32_t changed_cover;                         // parts that were new to this worker
	int32_t care, care_of;                          // bytes that matter, of how many; -1: not asked for
	RESULT_ARRAY(struct reported, reported);
	RESULT_ARRAY(struct alternative, alternatives);
	RESULT_ARRAY(struct result_answer, answers);
	RESULT_ARRAY(struct result_cover, cover);
	RESULT_ARRAY(struct result_verdict, verdicts);
	RESULT_ARRAY(struct result_name, names); // functions without a model
	RESULT_ARRAY(struct result_name, reads); // JOB_ALL: standard input and files that it read; count: see
	                                         // reads_reach
	struct input whole;                      // JOB_MASKS: the input, with all objects that the program made
	struct input masks;                      // likewise, with bits that matter in place of its bytes
	RESULT_ARRAY(uint8_t, edges);            // JOB_EDGES: a bit each (cover_hits)
	uint64_t us_run, us_read, us_solve, us_oracle, us_care;
	uint64_t nodes;
	enum outcome outcome; // JOB_MATCH: it cannot be analysed, or not all of it; OUTCOME_NONE: it can
	char *differs;        // and why it cannot; NULL: it can
	uint64_t native_us;   // JOB_MATCH: what the native run took
	struct buf trace;     // JOB_TRACE: see trace_encode
};

void job_release(struct job *j);
void result_release(struct result *r);

// Both return 0; -1 with *err filled when the other side is gone or talks nonsense.
int job_send(int fd, const struct job *j, struct err *err);
int job_receive(int fd, struct job *ret, struct err *err); // 1: the other side has closed
int result_send(int fd, const struct result *r, struct err *err);
int result_receive(int fd, struct result *ret, struct err *err);

#endif
