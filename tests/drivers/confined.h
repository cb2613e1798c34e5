// What drivers that run programs share: a process in a sandbox of its own, with a folder that is removed afterwards.
#ifndef VEER_TESTS_DRIVERS_CONFINED_H
#define VEER_TESTS_DRIVERS_CONFINED_H

#include "sandbox/sandbox.h"

void confined_complain(const char *path, const char *why); // of a program that is built; to standard error

// Runs `work` there; its output is flushed. Returns what it returned, 1 when it did not come to that, or -1 with *err
// filled: there is no such sandbox.
int confined_run(enum sandbox_mode mode, const struct sandbox_limits *limits,
                 int (*work)(struct sandbox *sandbox, void *opaque), void *opaque, struct err *err);

#endif
