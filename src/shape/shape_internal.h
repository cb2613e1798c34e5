// Look-ups over shapes, for shape*.c only: an index that comes with the program that was read.
#ifndef VEER_SHAPE_SHAPE_INTERNAL_H
#define VEER_SHAPE_SHAPE_INTERNAL_H

#include "shape/shape.h"

struct shape_index *shape_index_make(const struct shape_program *p);
void shape_index_drop(struct shape_program *p); // NULL is fine

// Functions whose address is taken somewhere and whose signature is that text; their number.
uint32_t shape_targets(const struct shape_program *p, const char *signature, const struct shape_ref **ret);

#endif
