// The events of a trace as `veer path` prints them.
#ifndef VEER_CLI_PATH_PRINT_H
#define VEER_CLI_PATH_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "expr/trace.h"

// Prints event `index`, which must be one of *t: its place in the source and its condition. `all`: with its number and
// its kind, as the event log has it.
void path_print_event(const struct trace *t, uint32_t index, bool all);

// Prints a line on standard error: the functions without a model in which labels were lost, the most frequent first.
// Nothing if there are none.
void path_print_unmodelled(const struct trace *t);

#endif
