// What a run wrote to files, as far as the sandbox keeps it apart: for comparing two runs of the same input.
#ifndef VEER_SANDBOX_WRITTEN_H
#define VEER_SANDBOX_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"
#include "sandbox/sandbox.h"

struct written_entry {
	char *path;       // as the run sees it
	uint32_t mode;    // of stat; 0: it was deleted
	uint64_t size;    // of a file
	struct hash hash; // of its content, or of where a link leads
};

struct written {
	struct written_entry *v; // sorted by path
	size_t n, cap;
	bool known; // false: this sandbox cannot tell
};

// After a run, before sandbox_reset. What is there already is released.
void written_read(struct written *ret, const struct sandbox *s);
void written_release(struct written *w);

// Leaves what another run, `again`, wrote alike.
void written_agree(struct written *w, const struct written *again);
// What is at the paths of `w` in the file system as it is, for a run that was in no sandbox. What else that run wrote
// is not known.
void written_look(struct written *ret, const struct written *w);

// As bytes; decoding trusts nothing.
void written_encode(const struct written *w, struct buf *out);
bool written_decode(struct written *ret, struct cursor *c);

// Whether the run `now` wrote what `before` did. `again`: another run like `before`; what these two do not agree on is
// not compared; NULL: none. If not, *ret_why says which file differs first, and how.
bool written_same(const struct written *before, const struct written *now, const struct written *again,
                  struct buf *ret_why);

#endif
