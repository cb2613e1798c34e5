// What campaigns print of their findings: a line for each bug that is new or still there. Warnings
// are counted, and listed on request; what is in the tests' own code comes last, as a group of its own.
#ifndef VEER_CLI_FOUND_H
#define VEER_CLI_FOUND_H

#include "session/session.h"

struct found {
	bool live;     // there may be a line of progress to clear
	bool verbose;  // list warnings, and findings that are the same bug
	bool explored; // without recorded tests: findings go to standard output, the rest is obvious
};

// Prints a bug when it is one to be listed at once.
void found_print(const struct found *f, const struct session *s, const struct bug *bug);

// The end of a session: `print_end` prints how it went, with the totals ("1 error (found before), 2 warnings, 0
// others"); then comes what was only counted so far. *ret_errors: for the exit status.
int found_print_all(const struct found *f, struct session *s, void (*print_end)(void *opaque, const char *totals),
                    void *opaque, size_t *ret_errors, struct err *err);

#endif
