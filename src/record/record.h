// Recording: a command runs as it would, and every execution of a program that was built by veer-cc, at any depth,
// leaves a seed (snapshot.h): what it was given and what of the file system it had to do with, as it was at that
// moment.
#ifndef VEER_RECORD_RECORD_H
#define VEER_RECORD_RECORD_H

#include "base/err.h"
#include "input/snapshot.h"
#include "record/interpose.h"

struct record_counts {
	uint64_t executions; // of programs that were built by veer-cc
	uint64_t seeds;      // that were written, identical ones included
	uint64_t lost;       // executions of which nothing could be kept (the disk is full, say)
	uint64_t bytes;      // contents that were new
};

// Runs the command and writes below `folder` (made if needed): files/HASH, contents of files; recorded/N, one per
// execution, written when it has ended (snapshot_encode, as a difference from another one if that is shorter, and
// input_encode, each behind its size as 8 bytes). What an
// earlier, killed recording left there is removed first. Returns the command's wait status, -1 with *err filled.
// `complain`, `limit`: as for interpose.
int record_run(const char *folder, char **argv, const struct interpose *options, struct record_counts *ret,
               struct err *err);

// Calls `each` for every seed in folder/recorded, in order of N, until it returns other than 0; returns that. Files
// that are damaged are counted in *ret_damaged (may be NULL) and left out.
int record_each(const char *folder, int (*each)(void *opaque, struct snapshot *snapshot, struct input *in),
                void *opaque, size_t *ret_damaged, struct err *err);

// All of folder/recorded is gone afterwards; contents stay.
void record_clear(const char *folder);

#endif
