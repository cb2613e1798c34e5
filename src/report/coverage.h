// Coverage before and after, file by file: what formats that show lines and branches are made from.
#ifndef VEER_REPORT_COVERAGE_H
#define VEER_REPORT_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coverage/cover.h"

struct covered_line {
	uint32_t line;
	bool before, after;
};

struct covered_edge {
	uint32_t line, column, which;
	bool before, after;
};

struct covered_function {
	char *name;
	uint32_t line;
	bool before, after;
};

struct covered_file {
	char *name;
	struct cover_totals before, after;
	struct covered_line *lines;
	struct covered_edge *edges;
	struct covered_function *functions;
	size_t n_lines, n_edges, n_functions;
};

struct covered {
	struct covered_file *v; // by name
	size_t n;
};

// Both of the same programs, in the same order; `before` may be NULL: nothing is covered then.
void covered_make(struct covered *ret, const struct cover *before, const struct cover *after);
void covered_release(struct covered *c);

#endif
