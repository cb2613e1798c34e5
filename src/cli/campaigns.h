// What the commands that run campaigns have in common.
#ifndef VEER_CLI_CAMPAIGNS_H
#define VEER_CLI_CAMPAIGNS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "base/err.h"
#include "cli/options.h"
#include "formats/foreign.h"
#include "sandbox/sandbox.h"
#include "session/session.h"

// How runs are made, and what is printed of it.
struct campaign_options {
	const char *sandbox, *hide, *floats;
	int jobs, timeout, memory, error_exit;
	bool stats, quiet, unsafe;
};

// How many runs an exploration makes, and what decides which.
struct exploring_options {
	int runs, random;
	bool deterministic;
};

int cli_default_jobs(void);

#define CAMPAIGN_DEFAULTS {.timeout = 1000, .memory = 1024, .jobs = cli_default_jobs()}

// Their rows in the table of a command whose values are a `type` that has them as `member`.
// clang-format off
#define CAMPAIGN_OPTIONS(type, member)                                                                                 \
	{"jobs", 'j', OPTION_WORKERS, offsetof(type, member.jobs), "N",                                                 \
	 "number of workers, at most 256 (default: all processors)"},                    \
	{"timeout", 0, OPTION_NUMBER, offsetof(type, member.timeout), "MS", "time limit of a run (default 1000; veer cover: 250)"},                \
	{"memory", 0, OPTION_NUMBER, offsetof(type, member.memory), "MB", "memory limit of a run (default 1024)"},                  \
	{"sandbox", 0, OPTION_TEXT, offsetof(type, member.sandbox), "MODE",                                            \
	 "kind of sandbox: {} (default: the first that works)"},                                               \
	{"hide", 0, OPTION_TEXT, offsetof(type, member.hide), "PATH[:PATH]",                                            \
	 "paths that runs cannot read, besides keys and tokens in the home folder (see veer doctor)"},                       \
	{"unsafe-no-sandbox", 0, OPTION_FLAG, offsetof(type, member.unsafe), NULL,                                     \
	 "run without a sandbox: programs can do what you can, on inputs nobody has seen"},                            \
	{"error-exitcode", 0, OPTION_EXIT_STATUS, offsetof(type, member.error_exit), "N",                                   \
	 "exit status, 1 to 255, when there are findings of level error (default: they do not change it)"},\
	{"float", 0, OPTION_TEXT, offsetof(type, member.floats), "HOW",                                                \
	 "how conditions on floats are solved: {} (default auto)"},                                                    \
	{"stats", 0, OPTION_FLAG, offsetof(type, member.stats), NULL, "print statistics at the end: where the time went"},           \
	{"quiet", 'q', OPTION_FLAG, offsetof(type, member.quiet), NULL, "print no progress"}
#define EXPLORING_OPTIONS(type, member)                                                                                \
	{"runs", 0, OPTION_NUMBER, offsetof(type, member.runs), "N", "number of runs (default: no limit)"},            \
	{"random-seed", 0, OPTION_NUMBER, offsetof(type, member.random), "N", "seed of random choices"},               \
	{"deterministic", 0, OPTION_FLAG, offsetof(type, member.deterministic), NULL,                                  \
	 "let no clock decide anything: with -j1 and --runs every session is the same"}
// What is checked, and whose errors count; `member` is a struct choice_options.
#define CHECKING_OPTIONS(type, member)                                                                                 \
	{"checks", 0, OPTION_TEXT, offsetof(type, member.checks), "LIST",                                              \
	 "sensitive operations to check: {}, or a kind of check by its name (default all; fp is not part of it)"},     \
	{"test-code", 0, OPTION_TEXT, offsetof(type, member.test_code), "LIST",                                        \
	 "globs of the tests' own sources, or none (default: by convention, as tests/, test_*.c)"},                    \
	{"test-code-errors", 0, OPTION_FLAG, offsetof(type, member.test_code_errors), NULL,                            \
	 "count errors in the tests' own code for --error-exitcode"}
// clang-format on
enum { CAMPAIGN_OPTIONS_COUNT = 10 };

// Whether --float (NULL: auto) is one of its words; which one goes to *ret (enum solver_floats).
int cli_floats(const char *word, unsigned *ret, struct err *err);

// What these options say of a session; their words are good. `exploring`: NULL for a command without them.
void cli_set_up(struct session_setup *ret, const struct campaign_options *o, const struct exploring_options *exploring);

// Addresses are the same in every run from now on.
void cli_prepare_process(void);
// SIGINT and SIGTERM set what it returns, to their number, from now on: the campaign stops in good order. Another one,
// two seconds later or more, ends the process at once.
volatile sig_atomic_t *cli_catch_signals(void);
// Exit status of a campaign that such a signal stopped: 130 or 143; 0: none came.
int cli_interrupted(void);

// "30s", "5m", "2h", or seconds; NULL: 0. -1 with *err filled when it is none of these.
int cli_budget(const char *text, double *ret, struct err *err);

// For a file that is written when a campaign is over: whether that would fail (file_can_output). `output`: the folder
// of the campaign, which will be there by then.
int cli_can_output(const char *path, const char *output, struct err *err);

// Hides these paths, with a colon between them, from all runs of this process (sandbox/hidden.h). NULL: none.
int cli_hide(const char *paths, struct err *err);

// The sandbox that is asked for, or the best there is (name NULL).
int cli_sandbox(const char *name, bool unsafe, enum sandbox_mode *ret, struct err *err);

// "F12" or "12"; -1 when it is neither.
int64_t cli_finding_id(const char *word);

// Where the time went.
void cli_stats(const struct campaign *c, unsigned jobs);

// What the symbolic search left out, in one line; nothing when it left out nothing.
void cli_print_left_out(const struct campaign *c);

// One line when there was no time for all of them.
void cli_print_unconfirmed(const struct campaign *c);

// Which sources may be quoted (report/source.h): those below this folder or `root`, if that is given, those of the
// campaign's programs, and the system's headers.
void cli_allow_sources(struct store *store, const char *root);

// One line about files that were left out when `path` was read.
void cli_left_out(const struct foreigns *all, const char *path);

#endif
