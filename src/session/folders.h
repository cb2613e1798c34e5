// Folders of a campaign's findings.
#ifndef VEER_SESSION_FOLDERS_H
#define VEER_SESSION_FOLDERS_H

#include "findings/verdict.h"
#include "input/input.h"
#include "store/store.h"

struct folders {
	struct store *store;
	const char *output; // the campaign
	const char *cwd;    // where runs start that have no snapshot
	const char *files;  // contents of snapshots' files; NULL: there are none
	const char *sym;    // what --sym says
};

// Writes the folder of a finding, with the input that has it, of a recorded test in that snapshot (0: of none).
int folders_write(const struct folders *w, const struct stored_finding *f, const struct verdict *v,
                  const struct input *in, int64_t snapshot, struct err *err);

// Those that are not there: a campaign may have ended between the finding and its folder.
int folders_complete(const struct folders *w, struct err *err);

#endif
