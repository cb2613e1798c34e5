// Starting other programs.
#ifndef VEER_BASE_PROCESS_H
#define VEER_BASE_PROCESS_H

#include <sys/types.h>

#include "base/err.h"

// Starts argv[0] (an absolute path, or a name to look up in PATH) in the folder
// `cwd`, or here when that is NULL or gone. Descriptors given as -1 are
// inherited. Returns the process id, or -1 with *err filled
// when the program cannot be executed.
pid_t process_start(char *const argv[], const char *cwd, int in, int out, int errors, struct err *err);

// The same, confined.
struct confine;
pid_t process_start_confined(char *const argv[], const char *cwd, int in, int out, int errors,
                             const struct confine *how, struct err *err);

// Waits for the process; returns its exit status as the shell would show it
// (128 + signal when a signal ended it). *ret_signal, when not NULL, gets that signal or 0.
int process_wait(pid_t pid, int *ret_signal);

// Seconds of processor time that the process and all below it have used, those that ended and were waited for
// included; 0 when there is no such process.
double process_cpu(pid_t pid);

#endif
