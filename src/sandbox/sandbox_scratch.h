// The copy of the working folder of SANDBOX_LANDLOCK: sandbox_scratch.c makes and restores it, sandbox_landlock.c keeps
// runs inside.
#ifndef VEER_SANDBOX_SANDBOX_SCRATCH_H
#define VEER_SANDBOX_SANDBOX_SCRATCH_H

#include <sys/types.h>

#include "sandbox/sandbox_internal.h"

// Which inode in BOX/cwd is the copy of which in BOX/kept: a file that was moved to the place of another has the wrong
// one, whatever else it has in common with it.
struct twin {
	ino_t kept, copy;
};

enum { TWINS = 1 << 16 }; // more than twice MAX_FILES

struct scratch {
	char *real;          // the working folder
	struct watch *watch; // of BOX/cwd; NULL: everything is looked at after each run
	char *put;           // what was put into `open` last: its path there
	struct twin *twins;
	int cwd, kept, open;
	int rules;
	int opener; // where listeners of runs' opens go to
};

// Copies `from` with all that is in it to a new folder BOX/NAME, which *ret is; `scratch` learns of twins, unless it is
// NULL. -1 with *err filled; *ret is to be closed also then, when it is not -1.
int scratch_copy(const struct sandbox *s, int from, const char *name, struct scratch *scratch, int *ret,
                 struct err *err);

#endif
