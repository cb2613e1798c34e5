// What sanitized programs reported during a run, grouped: a kind at a place
// counts once, however many processes ran into it. The files come from the
// programs under test and are treated as hostile.
#ifndef VEER_FINDINGS_REPORTS_H
#define VEER_FINDINGS_REPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/level.h"

struct sanitizer_report {
	enum finding_level level; // a memory error; a warning: undefined behaviour that did not stop the program
	char *kind, *file, *function;
	unsigned line, column; // column: of the first one reported in the line; 0: unknown
	size_t times;
};

struct sanitizer_reports {
	struct sanitizer_report *v;
	size_t n, cap;
};

// Reads RUN/reports, which must not be a link. Damaged lines are counted as kind "unreadable report".
void sanitizer_reports_read(struct sanitizer_reports *ret, const char *folder);
// Those of undefined behaviour alone, which are in one file.
void sanitizer_reports_undefined(struct sanitizer_reports *ret, const char *folder);
void sanitizer_reports_release(struct sanitizer_reports *r);

// Errors first, then the most frequent.
void sanitizer_reports_sort(struct sanitizer_reports *r);

// Copies the files of the run into `folder`, which is created.
int sanitizer_reports_save(const char *from, const char *folder, struct err *err);

#endif
