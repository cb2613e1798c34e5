// Goals: parts of the code that runs are to reach, by lines of functions. Of a run, which of them it reached.
#ifndef VEER_COVERAGE_GOALS_H
#define VEER_COVERAGE_GOALS_H

#include <stddef.h>
#include <stdint.h>

#include "coverage/cover.h"

struct goals;

// The coverage must have all programs already, and outlive it.
struct goals *goals_new(const struct cover *c);
void goals_free(struct goals *g); // NULL: nothing

// Adds a goal: these lines of a file, whose name ends with `file`, at a slash. Returns its number. One without lines
// that the coverage has is never reached.
uint32_t goals_add(struct goals *g, const char *file, const uint32_t *lines, uint32_t n);
uint32_t goals_count(const struct goals *g);

// Sets the bits of those that a run reached, before cover_merge.
void goals_reached(const struct goals *g, const void *image, size_t size, uint8_t *bits);

#endif
