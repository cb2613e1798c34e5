// veer's own headers and its support archive (src/support) on the native compiler's
// command line. What a program does not use of them leaves no trace in it.
#ifndef VEER_CC_SUPPORT_H
#define VEER_CC_SUPPORT_H

#include <stdbool.h>

#include "cc/args.h"

struct support {
	char *include; // folder of veer.h and klee/klee.h; NULL when it is not there
	char *archive; // likewise
};

// Looks beside veer-cc, then in ../lib/veer.
void support_find(struct support *ret);
void support_release(struct support *support);

// True when the command links an executable that the archive may be needed for.
bool support_is_linked(const struct support *support, const struct cc_args *args);

// Adds to the native arguments, and for the headers to those of the bitcode run, what
// the command needs.
void support_add(const struct support *support, struct cc_args *args);

#endif
