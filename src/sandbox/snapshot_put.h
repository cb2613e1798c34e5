// snapshot_put in parts, for who runs a snapshot many times.
#ifndef VEER_SANDBOX_SNAPSHOT_PUT_H
#define VEER_SANDBOX_SNAPSHOT_PUT_H

#include "input/snapshot.h"
#include "sandbox/sandbox.h"

// Makes the view of the next run what it was: before each run, as sandbox_put. Files of `in` have their content from
// there. Only with SANDBOX_NAMESPACES; what cannot be made (another user's, a device) is left out.
int snapshot_put(const struct snapshot *s, const struct input *in, const char *files, struct sandbox *sandbox,
                 struct err *err);

// Of all that it is, times included: views of snapshots with the same name are the same.
struct hash snapshot_name(const struct snapshot *s);

// Makes the snapshot's files what runs find from now on; cheap when they are already. NULL: what is really there.
int snapshot_show(const struct snapshot *s, struct hash name, const char *files, struct sandbox *sandbox,
                  struct err *err);

// Files of the input, for the next run; they keep permissions and times that the snapshot has for them.
int snapshot_put_input(const struct snapshot *s, const struct input *in, struct sandbox *sandbox, struct err *err);

#endif
