// A session: one run of veer on a campaign. Opens the campaign's folder, builds programs, runs a driver
// (explore/driver.h), stores settings and results. Prints nothing: what happens is reported through callbacks.
//
// A command that runs a campaign makes a `struct session_setup` of its options, and then:
//
//	session_begin   tools, coverage; programs can be added and built
//	session_open    the store, with its lock
//	session_run     the driver, until it has nothing left or the budget is used up; then results.json
//	session_close   in any case
#ifndef VEER_SESSION_SESSION_H
#define VEER_SESSION_SESSION_H

#include "base/err.h"
#include "explore/campaign.h"
#include "session/bugs.h"
#include "session/profiles.h"
#include "session/programs.h"
#include "session/tools.h"

struct session;

struct session_setup {
	const char *command; // its name, for results
	const char *output;  // the campaign's folder
	// The program and its arguments, with NULL behind them, for a campaign of one command line: the folder has no
	// other then. NULL: programs are those of recorded tests.
	char *const *argv;
	const char *sym;             // what of the input is symbolic (input/sym.h)
	const struct input *largest; // parts of inputs must not grow beyond these; NULL: no limit
	const struct goals *goals;   // what runs are to reach (coverage/goals.h); NULL: nothing in particular
	const struct twins *twins;   // of two versions: functions that runs can enter (findings/twins.h); NULL: none
	bool recorded;               // inputs have snapshots, whose files are in the campaign's folder

	enum profile profile; // limits of workers
	enum use use;         // what is explored, and so which oracle it has
	enum sandbox_mode mode;
	unsigned jobs, timeout, memory; // workers; of a run, in milliseconds; of a run, in megabytes
	unsigned floats;                // how conditions on them are solved: enum solver_floats
	bool deterministic;             // no decision depends on a clock
	double seconds;                 // budget; 0: until nothing is left
	double began;                   // when the budget began, by campaign_now; 0: with session_run
	bool cpu;                       // the budget is processor time
	uint64_t runs;                  // budget of runs; 0: no limit
	volatile sig_atomic_t *stop;    // set from outside: the session ends in good order

	struct choice *choice; // which checks are queried, which findings are reported

	// Callbacks, with the session; setup->opaque is the command's. Only `complain` and `bug` are not optional.
	void (*complain)(const char *path, const char *why);           // a program or library runs natively
	void (*progress)(struct session *s, const struct campaign *c); // about twice a second
	void (*bug)(struct session *s, const struct bug *bug);         // that is to be reported
	void (*differs)(struct session *s, const struct campaign *c, int64_t input, const char *first); // campaign.h
	// A new finding, whether it is to be reported or not, before its folder is written.
	int (*found)(struct session *s, const struct verdict *v, const struct input *in, struct err *err);
	int (*corpus)(struct session *s, const struct campaign *c, const struct input *in, struct err *err);
	// What only this command stores at the end, in the same transaction as everything else.
	int (*store)(struct session *s, const struct campaign *c, struct err *err);
	void *opaque;

	campaign_worker_start worker_start; // of a test's own workers; then there are no tools. NULL: worker_start
};

struct session {
	const struct session_setup *setup;
	struct session_tools tools;
	struct programs programs;
	struct cover *cover; // of the programs
	struct store *store; // NULL: not open
	struct bugs bugs;
	struct tests *tests; // recorded ones (tests.h), for who loaded them; otherwise NULL
	char *cwd;           // absolute
	char *files;         // contents of the files of recorded tests
	char *worker_dirs;   // a folder for those of workers
};

// The setup must outlive the session; what is in it may be changed until session_run. session_close in any case.
int session_begin(struct session *s, const struct session_setup *setup, struct err *err);

// `create`: the folder may be new. Fails when another process has it open for writing, and when it has the campaign of
// another command line.
int session_open(struct session *s, bool create, struct err *err);

// Runs a driver over s->programs; callbacks in *driver_setup get the session as their opaque. Stores settings before,
// and counts, coverage, settings and results.json after it, even when it failed. The caller releases ret->search.
int session_run(struct session *s, const struct driver *driver, const void *driver_setup, struct campaign *ret,
                struct err *err);

void session_close(struct session *s);

// For drivers that reproduce findings of earlier sessions (amplify_setup.known): reports one by its key.
int session_report_known(void *opaque, uint64_t key, bool still, struct err *err);

#endif
