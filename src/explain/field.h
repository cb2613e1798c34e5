// Forms that expressions of programs often have: numbers of several bytes, decimal numbers, lengths of texts.
#ifndef VEER_EXPLAIN_FIELD_H
#define VEER_EXPLAIN_FIELD_H

#include "expr/tape.h"

// Bytes of an input in a row.
struct field {
	uint32_t source, offset, bytes;
	bool big;       // the first byte counts most
	unsigned above; // bytes of the value below it, which are 0
	unsigned base;  // of digits
};

// The expression is an unsigned number whose bytes these are, however it was put together.
bool field_of(const struct expr_pool *p, uint32_t id, struct field *ret);

// It is what digits of base 8, 10 or 16 amount to, if these bytes are decimal digits; whoever asks has to know, also of
// others, whether they are.
bool field_number(struct tape *scratch, uint32_t id, struct field *ret); // scratch: as of byteset_of

// It is the number of bytes from `offset` on that are not 0. `bytes` were looked at.
bool field_text_length(const struct expr_pool *p, uint32_t id, struct field *ret);

#endif
