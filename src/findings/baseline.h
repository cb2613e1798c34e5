// Findings that are known: a baseline, which veer writes, and suppressions, which people write. Both are the same text,
// a finding or several a line:
//
//   KIND FILE FUNCTION [PROGRAM]
//
// each a glob, with blanks between them; a backslash takes from the character behind it what it means. FILE and PROGRAM
// match as glob_path says. Without PROGRAM, or with `*`: of any. `#` begins a comment. Lines have no numbers: a finding
// stays known when something before it changes.
#ifndef VEER_FINDINGS_BASELINE_H
#define VEER_FINDINGS_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

// Of a finding; NULL: not known. A program that is not known is any, when it is written.
struct finding_name {
	const char *kind, *file, *function, *program;
};

struct baseline {
	struct baseline_line *v;
	size_t n;
};

// Adds the lines of a file. -1 with *err filled, one line with the place, when it cannot be read or is none.
int baseline_read(struct baseline *b, const char *path, struct err *err);
void baseline_release(struct baseline *b);

bool baseline_has(const struct baseline *b, const struct finding_name *f);

// Adds the line of a finding, for baseline_write. Files below `folder` are named from there, others by their last name:
// the sources may lie elsewhere next time.
void baseline_add(struct baseline *b, const char *folder, const struct finding_name *f);

// Creates or replaces the file: the lines, sorted, each once.
int baseline_write(const struct baseline *b, const char *path, struct err *err);

#endif
