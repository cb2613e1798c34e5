// A worker from the inside, for the files that it consists of: worker.c takes jobs and sends results, worker_run.c runs
// inputs, worker_report.c says what their traces show, worker_solve.c solves, worker_oracle.c asks the oracle,
// worker_lift.c leads whole runs to what made-up state shows, worker_mutate.c
// searches without the solver. worker_start.c is the coordinator's side.
#ifndef VEER_WORKER_WORKER_INTERNAL_H
#define VEER_WORKER_WORKER_INTERNAL_H

#include "path/path.h"
#include "path/tree.h"
#include "solver/care.h"
#include "worker/prepare.h"
#include "worker/traces.h"
#include "worker/worker.h"

enum { WORKER_REPORTED_MAX = 1 << 22 };

struct worker_state {
	const struct worker_setup *setup;
	int fd;
	struct sandbox sandbox;
	uint32_t program; // that runs; none yet: UINT32_MAX
	int64_t snapshot; // of the recorded test that the job is about
	struct snapshot decoded;
	const struct snapshot *around; // &decoded; NULL: there is none
	struct windows windows;        // what of it is symbolic
	uint64_t scope;                // names them
	struct executors executors;    // of the program
	struct executor *explored;     // of them, the one that runs are made with
	uint64_t matching;             // the input that is compared
	uint64_t us_match;             // what its traced runs took
	// The last run.
	bool ran;
	bool whole;              // to its end, whatever its trace held
	bool has_path, has_room; // has_room: the path was entered before, with this pool
	uint64_t id, with;       // with: the scope
	struct input input;
	struct input seen; // the same, files by the names that runs know them by
	struct run_result run;
	struct trace trace;
	struct buf taken;     // its memory, when it is that of the last run
	struct traces traces; // of runs before it
	struct path path;
	struct decisions decisions;
	struct decisions again; // read only to find places
	// Solving.
	bool solves;
	struct expr_pool pool;
	struct solver_env env;
	struct solver *solver;
	struct care_solver *care_solver;
	struct care care;
	struct model model;
	struct prepared prepared;
	struct input largest; // of the setup, files named likewise
	// What the coordinator knows already.
	struct tree reported;
	// Places of checks: TREE_SAT when the filter wants them, TREE_UNSAT when not.
	struct tree places;
};

// The process inside the sandbox, with its setup, sandbox and end of the socket filled in. Ends when the coordinator
// closes its end.
_Noreturn void worker_work(struct worker_state *s);

// --- worker_run.c ---------------------------------------------------------------------------------

uint64_t worker_clock(void); // in microseconds
const struct target *worker_target(const struct worker_state *s);
// What keys of paths begin with: the program, the fragment that the last run entered, and what of its input is
// concrete.
uint64_t worker_root(const struct worker_state *s);

// Traces have the names that runs know files by, which are not the user's in all kinds of sandboxes: *seen is the input
// with these, and an input that was made of one gets the user's names back.
void worker_see_names(const struct worker_state *s, struct input *seen, const struct input *in);
void worker_name_again(const struct worker_state *s, struct input *made);

// The job's snapshot, program and windows, for everything that follows. -1 with *err filled: the worker cannot go on.
int worker_enter(struct worker_state *s, const struct job *j, struct err *err);
void worker_stop_program(struct worker_state *s);

// Runs the job's input, unless the last run, or one whose trace is kept, was the same: s->run and s->trace. r->us_run
// is what it took.
int worker_run(struct worker_state *s, const struct job *j, struct result *r, struct err *err);
// Something else ran, or the trace changes: nothing refers to the last run's any more.
void worker_forget_path(struct worker_state *s);
void worker_forget_run(struct worker_state *s);
// s->trace is that of a run of the job's input.
void worker_note_input(struct worker_state *s, const struct job *j);

// Does the program itself do what it did when it was recorded? And does its traced variant? r->outcome, r->differs.
int worker_match(struct worker_state *s, const struct job *j, struct result *r, struct err *err);

// --- worker_report.c ------------------------------------------------------------------------------

// What the trace of the last run shows, as far as the job asks for it.
void worker_report(struct worker_state *s, const struct job *j, struct result *r);
// For struct decisions: whether the filter wants this check.
bool worker_wants(void *opaque, const struct trace *t, const struct trace_event *e, uint64_t place);

// --- worker_solve.c -------------------------------------------------------------------------------

// The job's alternatives of the last run's path, in their order, as far as its time goes.
void worker_solve(struct worker_state *s, struct job *j, struct result *r);
// Which bytes of the last run's input are relevant.
void worker_find_care(struct worker_state *s, const struct job *j, struct result *r);

// The solver's pool, and the path of the last run in it.
void worker_prepare_solving(struct worker_state *s);
// Has a part grown beyond what it may?
bool worker_is_too_large(const struct worker_state *s, const struct input *in);

// --- worker_lift.c --------------------------------------------------------------------------------

// Of a finding's input, which enters a fragment: r->whole, r->masks and r->facts. In place of the last run.
int worker_find_precondition(struct worker_state *s, const struct job *j, struct result *r, struct err *err);
// Whether the job's input, of a whole run, or one on its path calls the function with what the finding's input j->seed
// needs: r->calls, r->refuted, and solutions in r->answers. Of two versions, the states of calls that have it are
// there, too, as inputs that enter the function. Likewise.
int worker_lift(struct worker_state *s, const struct job *j, struct result *r, struct err *err);

// --- worker_mutate.c ------------------------------------------------------------------------------

// Runs mutations of the job's input, at the bytes that its alternatives depend on: r->mutants. In place of the last
// run.
int worker_mutate(struct worker_state *s, const struct job *j, struct result *r, struct err *err);

// --- worker_joint.c -------------------------------------------------------------------------------

// Of an input that enters a function of two versions: whether all states on the paths that both take agree. Counts
// queries in r->calls, those without a solution in r->refuted; solutions are in r->answers, each with the event from
// which on its own alternatives are new (all of them are known: of a state on the same paths). Likewise.
int worker_join(struct worker_state *s, const struct job *j, struct result *r, struct err *err);

// --- worker_oracle.c ------------------------------------------------------------------------------

// The verdicts on the job's input, each with the input minimised if the job asks for that. Another run takes the place
// of the last one.
int worker_confirm(struct worker_state *s, const struct job *j, struct result *r, struct err *err);

#endif
