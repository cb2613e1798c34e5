// Expressions of a pool, for people: in terms of the input's names, with as few words as will do. Only what is exact is
// said; what stays too long is cut, with "..." and the bytes that it is about.
#ifndef VEER_EXPLAIN_PHRASE_H
#define VEER_EXPLAIN_PHRASE_H

#include "base/buf.h"
#include "explain/byteset.h"
#include "expr/expr.h"

struct phrasing {
	const struct expr_pool *pool;
	const uint8_t *bytes; // per variable of the pool: what it was in the run that is explained
	char **names;         // per source: short
	uint32_t *sizes;      // per source: bytes from the first on that are variables
	uint32_t n_names;
	struct tape *scratch; // empty
	// Per variable: the values that it can have at all; NULL: any. Set by the caller.
	const struct byteset *possible;
};

// The pool may get expressions afterwards, but no sources.
void phrasing_init(struct phrasing *ret, const struct expr_pool *pool, const uint8_t *bytes);
void phrasing_release(struct phrasing *p);

// The condition, as it is, holds: "stdin[4..7] (little endian) == 0", "argv[1][0] in '0'..'9'". `possible`:
// the values that its only variable has, if it has an only one; NULL: any. The caller frees, here and below.
char *phrase_condition(const struct phrasing *p, uint32_t condition, const struct byteset *possible, size_t limit);
// Likewise a value; "f(stdin[0..19])" when it is too long.
char *phrase_value(const struct phrasing *p, uint32_t id, size_t limit);

// What the operands of a comparison are in the run, where the condition does not say so itself: "value 17", "value
// 'x'", "values 3 and 4"; NULL: there is nothing to say.
char *phrase_now(const struct phrasing *p, uint32_t condition);

// A value of that width; as a negative number where it is one and is_signed.
void phrase_number(struct buf *out, eval_value value, unsigned width, bool is_signed);

// The bytes that an expression depends on, in rows of neighbours: at most `most` are filled in. Returns how many there
// are.
struct byte_run {
	uint32_t source, offset, bytes;
};
size_t phrase_runs(const struct phrasing *p, uint32_t id, struct byte_run *ret, size_t most);
// In words: "stdin[3..5], argv[1][0]".
char *phrase_bytes(const struct phrasing *p, uint32_t id);

// "stdin[3]", "stdin[3..6]", "argc".
void phrase_input(const struct phrasing *p, uint32_t source, uint32_t offset, uint32_t bytes, struct buf *out);

#endif
