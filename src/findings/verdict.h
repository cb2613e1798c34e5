// Verdicts: what an oracle reports for an input, the worst first, each bug once.
#ifndef VEER_FINDINGS_VERDICT_H
#define VEER_FINDINGS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/level.h"

struct verdict {
	enum finding_level level;
	char *kind; // "heap-buffer-overflow", "signed-integer-overflow", "division-by-zero", "assertion", "abort",
	            // "segv"...
	char *file, *function;
	unsigned line;
	char *stack;  // the frames in the program, innermost first: "FUNCTION FILE:LINE" a line each
	char *report; // what the oracle saw, in full
	uint64_t key; // kind and stack: the same bug has the same
};

struct verdicts {
	struct verdict *v;
	size_t n, cap;
	bool crowded; // the run left more files of reports than are read: the input is not run again to minimise it
};

// Adds one, unless the same bug is there already or there are too many. Takes `stack` and `report`, which may be NULL.
// Place and key come of the stack.
void verdicts_add(struct verdicts *v, enum finding_level level, const char *kind, char *stack, char *report);
void verdicts_remove(struct verdicts *v, size_t i);
// The worst first, otherwise as they came.
void verdicts_sort(struct verdicts *v);
// NULL: it has none of that key.
const struct verdict *verdicts_find(const struct verdicts *v, uint64_t key);
void verdict_release(struct verdict *v); // what it points to
void verdicts_release(struct verdicts *v);

// --- lines of a stack -----------------------------------------------------------------------------

struct stack_line {
	const char *function, *file; // parts of the text
	size_t function_size, file_size;
	unsigned line;
};

// Reads the line that `text` begins with; returns where the next one begins, at the end of the text if there is none.
const char *stack_line_read(const char *text, struct stack_line *ret);

// Whether the stack names the program: what makes up a key reaches its main function. Otherwise the same bug, in code
// that programs share, has the same key in all of them.
bool stack_names_program(const char *stack);

#endif
