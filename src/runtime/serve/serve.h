// What the runtimes of all variants do alike: they find the folder RUN, serve as fork server
// (abi/server.h), and take over what a run is given (abi/launch.h). Depends on libc and abi only; keeps errno.
#ifndef VEER_RUNTIME_SERVE_SERVE_H
#define VEER_RUNTIME_SERVE_SERVE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "abi/launch.h"

// The folder RUN of a program that was started as RUN/x/N/NAME; false when it was not.
bool serve_find_run(char ret[PATH_MAX]);

// Maps RUN/NAME, of at least that many bytes; NULL when there is none. Leaves no descriptor
// open. `shared`: what is written goes to the file.
void *serve_map(const char *run, const char *name, size_t at_least, bool shared, size_t *ret_size);

// The pipe that the server in the folder RUN is asked through; -1 when it is none.
int serve_open(const char *run);

// Forks for every byte that is asked for. Returns in the children only, which have taken over what they are given.
void serve(int ask);

// --- given.c ---------------------------------------------------------------------------------------

// In the server: is there something that runs are given?
void launch_find(const char *run);
bool launch_is_there(void);
// In a child. 0, or an errno.
int launch_take(void);

// Arguments that were given; argv is NULL when none were. For the program's main.
extern int launch_argc;
extern char **launch_argv;
extern const char *launch_set; // see abi/launch.h
// Files that changed then or later are the run's own; 0: not known.
extern struct timespec launch_since;
extern bool launch_where;    // LAUNCH_WHERE
extern bool launch_floats;   // LAUNCH_FLOATS
extern bool launch_left;     // LAUNCH_LEFT
extern bool launch_other;    // LAUNCH_OTHER
extern bool launch_concrete; // LAUNCH_CONCRETE
extern bool launch_labels;   // LAUNCH_LABELS

// What the run enters in place of main, with all that follows it; NULL: main.
struct fragment_entry;
const struct fragment_entry *launch_fragment(void);
const struct fragment_entry *launch_probe(void); // likewise: whose calls are probed

// The bytes of this input that are symbolic, of so many that it has now.
struct input_source;
void launch_window(struct input_source source, uint64_t length, uint64_t *ret_from, uint64_t *ret_to);

// --- steady.c: the same clock and random numbers in every run ----------------------------------------

void steady_start(int64_t clock);
extern bool steady;

#endif
