// Is it a bug? The sanitized variant, run on the input by itself, decides. Nothing else makes a finding.
#ifndef VEER_FINDINGS_ORACLE_H
#define VEER_FINDINGS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "run/executor.h"

enum finding_level { LEVEL_NONE, LEVEL_WARNING, LEVEL_RESOURCE, LEVEL_ERROR };

extern const char *const finding_levels[]; // "none", "warning", "resource", "error"

struct verdict {
	enum finding_level level;
	char *kind; // "heap-buffer-overflow", "signed-integer-overflow", "division-by-zero", "assertion", "abort",
	            // "segv"...
	char *file, *function;
	unsigned line;
	char *stack;  // the frames in the program, innermost first: "FUNCTION FILE:LINE" a line each
	char *report; // what the sanitizer said, in full
	uint64_t key; // kind and stack: the same bug has the same
};

struct verdicts {
	struct verdict *v; // the worst first
	size_t n, cap;
};

// Runs the input; what it does wrong, in *ret (n == 0: nothing). `sanitized`: an executor of that variant.
// `milliseconds`: how long a run may take before it is a hang, which is looked at again with `native` (NULL: hangs
// are not judged).
int oracle_run(struct executor *sanitized, struct executor *native, const struct input *in, unsigned milliseconds,
               struct verdicts *ret, struct err *err);
void verdicts_release(struct verdicts *v);

// Whether the stack names the program: what makes up a key reaches its main function. Otherwise the same bug, in code
// that programs share, has the same key in all of them.
bool stack_names_program(const char *stack);

// Gives back what is remembered from one call to the next (source lines of addresses).
void oracle_forget(void);

// Makes the input nearer to `seed`, then smaller unless it is to `stay` near, while the verdict with `key` stays; at
// most `runs` runs.
int oracle_minimise(struct executor *sanitized, struct input *in, const struct input *seed, bool stay, uint64_t key,
                    unsigned milliseconds, unsigned runs, struct err *err);

#endif
