// Recording a command's tests into a folder: what `veer record` and `veer test` share (record.c).
#ifndef VEER_CLI_RECORDING_H
#define VEER_CLI_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

// Runs the command, records, and puts the tests into the folder's store. Returns the command's wait status, -1 with
// *err filled. *ret_seeds: how many tests the folder has of this recording. Unless `quiet`, a line on standard error
// sums up.
int cli_record(const char *folder, char **argv, bool quiet, uint64_t *ret_seeds, struct err *err);

#endif
