// Command lines from tables: the same entries parse the arguments and print the
// help, so the two cannot disagree.
#ifndef VEER_CLI_OPTIONS_H
#define VEER_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

// Numbers are from 0 to 1,000,000,000, but for exit statuses, 1 to 255, and how many processes there are to be, 1 to
// OPTION_WORKERS_MAX: each is a worker with a sandbox, a solver and fork servers of its own.
enum option_type { OPTION_FLAG, OPTION_TEXT, OPTION_NUMBER, OPTION_EXIT_STATUS, OPTION_WORKERS };
enum { OPTION_WORKERS_MAX = 256 };

struct option_spec {
	const char *name; // without dashes
	char letter;      // 0: none
	enum option_type type;
	size_t offset;        // of a bool, const char * or int in the command's struct
	const char *argument; // how the help calls the value; NULL for flags
	const char *help;
};

struct command {
	const char *name;
	const char *usage; // what follows the name
	const char *summary;
	const char *details; // paragraphs for --help
	const struct option_spec *options;
	size_t n_options;
	int (*run)(int argc, char **argv); // argv[0] is the command's name; returns the exit status
};

#define OPTIONS_COUNT(a) (sizeof(a) / sizeof *(a))

// Parses argv[1..] into *values, up to "--" or the first word that is no option.
// Returns the index of the first word left; -1 with *err filled; -2 when --help
// was asked for and has been printed.
int options_parse(const struct command *command, int argc, char **argv, void *values, struct err *err);

void options_help(const struct command *command);

// Prints a line. Names of programs, files and functions, and what libraries say of them, may hold any bytes: it is made
// printable (base/utf8.h), all of it.
void cli_line(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_part(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3))); // of a line

// Prints `veer: TEXT` on standard error and returns the exit status for bad usage.
int cli_usage_error(const struct command *command, const char *text);

// What commands that run variants say when a program runs natively although it was built
// by veer-cc, and when it does what cannot work under the tracer (record/interpose.h).
void cli_runs_natively(const char *path, const char *why);
void cli_limit(const char *path, const char *what);

// Prints `veer: TEXT` and returns the exit status for everything else that failed.
int cli_fail(const char *text);

// Ends as a command ended, by the same signal if it was one; `status` as of waitpid.
int cli_end_like(int status);

enum { EXIT_FAIL = 1, EXIT_USAGE = 2 };

#define COMMAND(name) extern const struct command command_##name;
#include "cli/commands.def"
#undef COMMAND

#endif
