// An executor from the inside, for the files that it consists of: executor.c starts and stops, executor_give.c writes
// what a run is given, executor_run.c runs.
#ifndef VEER_EXECUTE_EXECUTOR_INTERNAL_H
#define VEER_EXECUTE_EXECUTOR_INTERNAL_H

#include "execute/executor.h"

#define REPORTS "reports" // in the sandbox's `open`

enum { EXECUTOR_PAGE = 4096 };

// The program itself runs, without a server.
bool executor_is_native(const struct executor *e);

// A new server, in a folder of its own; what it loads is what the snapshot says (executor_libraries).
int executor_start_server(struct executor *e, struct err *err);
void executor_stop_server(struct executor *e);
// LD_LIBRARY_PATH of the next runs.
const char *executor_libraries(const struct executor *e);
// In a new process: confines it, with the same addresses every time where the machine allows it. -1 with errno.
int executor_confine(void *e);

// Everything that the next run finds: launch block, streams, files, objects, an empty trace and counters.
int executor_give(struct executor *e, const struct input *in, struct err *err);

#endif
