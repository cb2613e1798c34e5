// The printer of terms, for what holds them: a trace, a pool.
#ifndef VEER_EXPR_PRINT_H
#define VEER_EXPR_PRINT_H

#include "abi/eval.h"
#include "base/buf.h"

// Where terms are found. They are named by numbers from 1 on; operands are older.
struct terms {
	const void *of;
	uint32_t n; // numbers are below it
	// The operator, its width and operands. Of INPUT, `a` says which input and `b` which byte.
	struct trace_node (*node)(const void *of, uint32_t id);
	eval_value (*value)(const void *of, uint32_t id); // of a CONST
	const char *(*input_label)(const void *of, uint32_t input);
	struct input_type (*input_type)(const void *of, uint32_t input);
	// The table that a LOOKUP reads, and the term of one of its bytes; 0: it is constant.
	const uint8_t *(*table)(const void *of, uint32_t lookup, uint64_t *ret_size); // NULL: not known
	uint32_t (*table_byte)(const void *of, uint32_t lookup, uint64_t i);
};

// As C would write it, at most about `limit` bytes.
void terms_print(const struct terms *t, uint32_t id, size_t limit, struct buf *out);
// A value of that many bits, as constants are printed.
void terms_print_value(eval_value value, unsigned width, struct buf *out);

#endif
