// A run of the simulated device: which segments it takes, and what it gives off meanwhile.
#ifndef VEER_DEVICE_REHEARSAL_H
#define VEER_DEVICE_REHEARSAL_H

#include "device/emission.h"
#include "firmware/follow.h"
#include "firmware/training.h"

struct rehearsal {
	const struct program *program; // whose segments are asked for
	const struct image *image;     // what runs: the program's own, or a training program
	// Of the program itself: the function at whose first call it begins; it ends with the run.
	uint32_t from;
	const char *command;
	struct buf input;
	const struct strv *files;
	// Of a training program: it begins and ends with the trigger. NULL: it is none.
	const struct training_map *map;
	const struct program *training; // the training program's own functions; NULL: nobody asks
	uint32_t ram, run;
	uint64_t limit;   // of instructions
	unsigned samples; // a clock
};

struct rehearsed {
	struct followed *path;
	size_t n, cap;
	struct emission *emission;
	const float *samples; // of the emission
	size_t n_samples;
	struct machine_result result;
	bool whole; // it came to its end
};

// -1 with *err: it could not be started. The caller releases *ret in either case.
int rehearse(const struct rehearsal *r, struct rehearsed *ret, struct err *err);
void rehearsed_release(struct rehearsed *r);

#endif
