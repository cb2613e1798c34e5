// From a solution back to an input: what the run had, with the solution's bytes in it.
#ifndef VEER_PATH_APPLY_H
#define VEER_PATH_APPLY_H

#include "input/input.h"
#include "path/path.h"

// `base`: what the run of this path was given. Strings end at their first NUL, contents have the length that the
// solution says, arguments are as many. Returns how many bytes differ from what they were, counting those of lengths
// that changed as one.
uint32_t apply_model(struct input *ret, const struct input *base, const struct path *p, const struct model *m);

// Makes the cell that the event is about longer, with zeros (ALTERNATIVE_GROW).
void apply_grown(struct input *in, const struct path *p, uint32_t event, uint64_t size);

// All objects that the run came to have names from now on; a stream of objects keeps what the run did not take.
void apply_names(struct input *in, const struct trace *t);

// Objects that the run had and the input says nothing of, or not all, are added as they were.
void apply_objects(struct input *in, const struct path *p);

// The relevant bits of `n` variables of the pool: *ret is like `base`, with masks in place of bytes. What is not
// symbolic is relevant. `sym`: the words after --sym; contents that it names and that the run did not read are not.
void apply_masks(struct input *ret, const struct input *base, const struct path *p, const uint8_t *masks, uint32_t n,
                 const char *sym);

// What always holds when parts must not grow beyond those of `largest`: strings end there, lengths and the number of
// arguments are at most what they are there. Parts that it does not have may grow.
void apply_limits(struct path *p, const struct input *largest);

#endif
