#ifndef VEER_EXPORT_FRAGMENT_MAKE_H
#define VEER_EXPORT_FRAGMENT_MAKE_H

#include "export/fragment_internal.h"

struct fragment_make_test {
	const char *name; // of the program, and with .c of its source
	const struct fragment_build *build;
	const struct fragment_source *source;
	const struct strv *wraps;
};

// A word of a command.
void fragment_make_word(struct buf *out, const char *word);
// A file as a prerequisite, where its name allows that.
void fragment_make_prerequisite(struct buf *out, const char *path);

// The Makefile of the tests: programs, objects of the other units, `check`, `clean`.
void fragment_makefile(const struct fragment_build *builds, size_t n_builds, const struct fragment_make_test *tests,
                       size_t n, const char *compiler, bool cmocka, struct buf *out);

#endif
