// Models from recordings whose path is known.
#ifndef VEER_INFER_TRAIN_H
#define VEER_INFER_TRAIN_H

#include "firmware/program.h"
#include "infer/model.h"
#include "signal/recording.h"

struct trainer;

// The program must outlive it.
struct trainer *trainer_new(const struct program *program);
void trainer_free(struct trainer *t);

// A recording with labels.
int trainer_add(struct trainer *t, struct recording *r, struct err *err);

struct trained {
	uint32_t segments, all; // that were seen, that the program has
	uint64_t unknown;       // labels that name none of its segments
	uint64_t too_long;      // segments that no template has room for
};

// `lines`: appends the source lines of addresses, "FILE:LINE FUNCTION" each (findings/symbolize.h).
typedef int (*train_lines)(void *opaque, const uint64_t *addresses, size_t n, struct strv *ret, struct err *err);
int trainer_end(struct trainer *t, train_lines lines, void *opaque, struct model *ret, struct trained *counts,
                struct err *err);

#endif
