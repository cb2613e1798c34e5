// A process that writes a campaign until it is killed, and what must hold of the store afterwards, whenever that was.
#ifndef VEER_TESTS_UNIT_STORE_WRITER_H
#define VEER_TESTS_UNIT_STORE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

// Writes transactions of `inputs` inputs and five times as many flips; after each commit the number of inputs of the
// campaign goes to `tell` (8 bytes). Ends when a write fails, with *err filled.
void store_writer_run(const char *folder, int inputs, int tell, struct err *err);

struct store_writer_sum {
	int64_t inputs, candidates, findings;
};

// Opens the campaign and compares rows with counters, ids with what the writer puts there, SQLite's own check.
// -1 with *err filled when anything is wrong.
int store_writer_verify(const char *folder, struct store_writer_sum *ret, struct err *err);

// Starts a writer, kills it `microseconds` after its first commit (`early`: after its start), reads what it told:
// *ret_told is the number of inputs it said were committed, 0: none in this life. Returns -1 with *err filled when
// the writer failed by itself.
int store_writer_kill(const char *folder, int inputs, bool early, unsigned microseconds, int64_t *ret_told,
                      struct err *err);

#endif
