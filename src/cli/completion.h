// Completion of command lines in shells, from the tables that parse them.
#ifndef VEER_CLI_COMPLETION_H
#define VEER_CLI_COMPLETION_H

#include "base/buf.h"
#include "base/err.h"
#include "cli/commands.h"

// What may stand in a place of a command line.
enum completion_kind {
	COMPLETE_NOTHING, // a number, say
	COMPLETE_FILE,
	COMPLETE_FOLDER,
	COMPLETE_WORD,    // one of `words`
	COMPLETE_LIST,    // any of `words`, separated by commas
	COMPLETE_FINDING, // F1, F2 ...
	COMPLETE_COMMAND, // a word of veer's
};

struct completion {
	enum completion_kind kind;
	char *words; // separated by blanks; NULL unless it is a matter of words
};

// What an option's value is; `words` is the caller's.
struct completion completion_of_option(const struct option_spec *option);

// What a command's words are that are no options. What follows "--" is always a command or its arguments.
enum completion_kind completion_of_rest(const struct command *command);

void completion_bash(struct buf *out);
void completion_zsh(struct buf *out);
void completion_fish(struct buf *out);

// Appends the script for the shell of that name; -1 with *err filled when it is not known.
int completion_write(const char *shell, struct buf *out, struct err *err);

#endif
