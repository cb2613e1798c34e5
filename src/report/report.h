// What a campaign came to, in the formats that people and tools read: a file each, and a line in formats.def.
#ifndef VEER_REPORT_REPORT_H
#define VEER_REPORT_REPORT_H

#include "base/buf.h"
#include "base/err.h"
#include "coverage/cover.h"
#include "explain/explain.h"
#include "session/results.h"
#include "store/store.h"

struct report {
	struct store *store;
	const char *folder; // of the campaign, as the user names it
	const char *root;   // absolute: paths below it are printed relative to it
	const struct results_choice *choice;
	struct explanation *v; // findings that are reported: those of the project's code first
	size_t n;
	bool warnings; // list them in text
	// What seeds cover, and what all inputs do; NULL: not known.
	struct cover *before, *after;
	int64_t seeds_run, seeds; // of which `before` is, and how many there are
	int64_t explained;        // findings that were run again
};

// What a format needs besides the store.
enum report_needs { NEEDS_FINDINGS = 1, NEEDS_RUNS = 2, NEEDS_COVERAGE = 4 };

struct report_format {
	const char *name, *file; // file: what it is written to in the campaign's folder; NULL: standard output
	unsigned needs;
	int (*write)(const struct report *r, struct buf *out, struct err *err);
	const char *what;
};

// NULL: there is none of that name.
const struct report_format *report_format(const char *name);
void report_format_names(struct buf *out); // "text, json, ..."

#define FORMAT(name, file, needs, function, what)                                                                      \
	int function(const struct report *r, struct buf *out, struct err *err);
#include "report/formats.def"
#undef FORMAT

// --- parts that formats share ---------------------------------------------------------------------

// An explanation in full, as `veer explain` prints it.
void text_explanation(struct buf *out, const struct report *r, const struct explanation *x, bool colour);

// The frames of a stack, innermost first: calls `each` with function, file and line.
void report_each_frame(const char *stack,
                       void (*each)(void *opaque, const char *function, const char *file, uint32_t line), void *opaque);

// The last step of that kind at a line of the finding's file; NULL: none.
const struct explained_step *report_step_at(const struct explanation *x, uint32_t line, enum step_kind kind);

// "index i = stdin[3] - '0' = 17 (in the test: 3)", where the source calls it i; the caller frees.
char *report_operand(const struct explanation *x, const struct explained_operand *o);
// Whether the source has the line that the check stands at, so that what is wrong is shown there.
bool report_fails_in_source(const struct explanation *x);

// A line each about what was not analysed; none when everything was.
void report_limits(const struct report *r, struct strv *ret);

#endif
