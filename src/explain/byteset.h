// Sets of values of a byte, and their text: conditions on one byte of input, whatever they are made of, are such
// a set.
#ifndef VEER_EXPLAIN_BYTESET_H
#define VEER_EXPLAIN_BYTESET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "expr/tape.h"

struct byteset {
	uint64_t bits[4];
};

struct byteset byteset_all(void);
bool byteset_has(const struct byteset *s, unsigned value);
void byteset_add(struct byteset *s, unsigned value);
struct byteset byteset_and(struct byteset a, struct byteset b);
struct byteset byteset_not(struct byteset a);
unsigned byteset_count(const struct byteset *s);
bool byteset_same(const struct byteset *a, const struct byteset *b);

// For which values of the only variable it depends on the condition holds. False: it depends on several, or none, or
// is too large to be tried out. `scratch`: an empty tape of the pool, which is empty again afterwards.
bool byteset_of(struct byteset *ret, struct tape *scratch, uint32_t condition);

// "stdin[3] == '-'", "stdin[3] in '0'..'9'", "argc >= 3". `possible`: values that it has at all. `number`: it is
// not a character.
void byteset_print(const struct byteset *s, const struct byteset *possible, const char *name, bool number,
                   struct buf *out);

#endif
