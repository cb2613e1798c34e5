// Calls that fail: for tests of what is left of a store after a kill or an error at the k-th of them, either among the
// calls of SQLite's file system (open, write, sync, truncate, delete) or among the process's own system calls.
#ifndef VEER_TESTS_UNIT_FAILING_CALLS_H
#define VEER_TESTS_UNIT_FAILING_CALLS_H

#include <stdbool.h>

enum fault { FAULT_NONE, FAULT_KILL, FAULT_TORN, FAULT_ERROR, FAULT_FULL, FAULTS };
enum fault_level { FAULT_AT_SQLITE, FAULT_AT_SYSTEM, FAULT_LEVELS };

enum { FAILING_KILLED = 9 }; // exit status of a process that a fault ended

// Once in a process, before SQLite is used there: the call number `after` (1: the first) fails in that way.
void failing_install(enum fault kind, enum fault_level level, long after);

// Calls that are none of the tested ones go between failing_pause(true) and failing_pause(false). Returns whether the
// fault has come.
bool failing_pause(bool pause);

#endif
