// All commands of veer, for whoever goes through them.
#ifndef VEER_CLI_COMMANDS_H
#define VEER_CLI_COMMANDS_H

#include "cli/options.h"

extern const struct command *const commands[];
extern const size_t n_commands;

// veer-cc takes its options from clang; this is what there is to say of it.
extern const struct command compiler_command;

// NULL when there is none of that name.
const struct command *command_find(const char *name);

// What is called by its own name, and not by `veer NAME`.
bool command_is_program(const struct command *command);

#endif
