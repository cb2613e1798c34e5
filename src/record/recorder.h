// The tracer's side of recording: what interpose.c reports of the processes that it traces. Programs run natively;
// those that were built by veer-cc get a second filter at their execve, and stop at the system calls of
// record_calls.def. Processes of which nothing is recorded stop at execve only.
#ifndef VEER_RECORD_RECORDER_H
#define VEER_RECORD_RECORDER_H

#include <sys/types.h>

#include "base/err.h"
#include "record/record.h"

struct recorder;

// `folder` has files/ and an empty recorded/ already. `counts` is memory that the tracer shares with its parent.
struct recorder *recorder_new(const char *folder, const struct interpose *options, struct record_counts *counts,
                              struct err *err);
void recorder_free(struct recorder *r);

int recorder_install_filter(void); // in the process that becomes the command; -1 with errno set on failure

// A traced process has stopped, or ended, with this wait status. It goes on.
void recorder_stop(struct recorder *r, pid_t pid, int status);
void recorder_end(struct recorder *r, pid_t pid, int status);

#endif
