// A plan for training: runs of a device, and the segments that each takes; a folder that `veer infer plan` writes. The
// file `plan` in it:
//
//   veer plan 1
//   run I12 ext          an input of veer cover's campaign, and its phase
//   24 total/0a1b2c3d:1  a segment: how many clocks it takes, and its name
//   3 ?                  code that is not the firmware's
//
// Beside it stand the firmware (firmware.elf), the training program and its sources, and what runs of the firmware
// itself are given (phase inp: inputs/I12.args, a line for each argument, and inputs/I12.stdin).
#ifndef VEER_INFER_PLAN_H
#define VEER_INFER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct plan_segment {
	uint32_t clocks;
	char *name; // "?": none
};

struct plan_run {
	char *id, *phase;
	struct plan_segment *segments;
	uint32_t n;
	uint64_t clocks; // of all
};

struct plan {
	struct plan_run *runs;
	uint32_t n;
};

#define PLAN_PROGRAM "training.elf"
#define PLAN_FIRMWARE "firmware.elf"
#define PLAN_FILE "plan"

// The file may be damaged or hostile.
int plan_read(struct plan *ret, const char *path, struct err *err);
int plan_write(const struct plan *plan, const char *path, struct err *err);
void plan_release(struct plan *plan);

// Takes over the strings and segments.
void plan_add(struct plan *plan, const struct plan_run *run);
void plan_add_segment(struct plan_run *run, uint32_t clocks, const char *name);

// The run that a recording is of, by its name: ID.sigmf-meta, or ID~N.sigmf-meta for the N-th recording of it. NULL:
// none.
const struct plan_run *plan_run_of(const struct plan *plan, const char *recording);

// The folder has a plan.
bool plan_is(const char *folder);

#endif
