// Folders that a suite makes for a test and that have another name each time (`mktemp -d`). Their names are part of a
// seed, which runs in a folder of that name, but not of its identity: the same test is the same seed in the next
// recording.
//
// A folder is temporary when it did not exist before the recording (it is gone now, or was made after the recording
// began), and the test ran in it or it lies directly in /tmp, /var/tmp or the test's TMPDIR. Only the parts of its name
// that can be chosen anew each time count for nothing: digits (process numbers, times), and the last run of at least
// four letters, digits and underscores (mktemp's). The length of the name counts.
#ifndef VEER_INPUT_TEMPORARY_H
#define VEER_INPUT_TEMPORARY_H

#include "base/buf.h"
#include "input/snapshot.h"

struct temporary {
	int64_t seconds; // when the recording began
	uint32_t nanoseconds;
};

// The recording in `folder` (record.h) began when its folder `recorded` was made. Where the file system does not tell,
// only folders that are gone are temporary.
struct temporary temporary_since(const char *folder);

// Overwrites, wherever the names of the snapshot's temporary folders occur in `bytes`, the part that is chosen anew
// each time.
void temporary_mask(const struct temporary *t, const struct snapshot *s, struct buf *bytes);

#endif
