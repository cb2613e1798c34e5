// What of a program's input is symbolic: the words after --sym.
//
//   argv         the arguments, without the program's name, and how many there are
//   stdin        standard input
//   file:PATH    that file, whichever call reads it
//   files        every file that the program reads and did not make itself
//   env:NAME     that variable of the environment
//   env          every variable that the program asks for by its name
//   test-env     of these, what a recorded test set itself, without the machinery of suites (variables.def)
//   sock         what comes through sockets
#ifndef VEER_INPUT_SYM_H
#define VEER_INPUT_SYM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

// Are these words that can stand after --sym? What they name need not be there.
int sym_check(const char *list, struct err *err);

// Calls `each` with the name of every variable of the environment that the list names (env:NAME).
void sym_each_variable(const char *list, void (*each)(void *opaque, const char *name), void *opaque);
// Takes these out of this process's environment: they are input, so a run has them when its input does.
void sym_clear_variables(const char *list);
// Does the list name this variable of the environment (env:NAME)?
bool sym_names_variable(const char *list, const char *name, size_t length);

// Writes RUN/sym, where traced programs look (runtime/trace/source.c).
int sym_write(const char *run, const char *list, bool self_check, struct err *err);
// The same for runs that start in `cwd` and may see files that are not there yet.
int sym_write_for(const char *run, const char *list, const char *cwd, bool self_check, struct err *err);

// Is this one of the words of the list?
bool sym_has(const char *list, const char *word);

#endif
