// The path of a run, from the addresses of the instructions that were executed.
#ifndef VEER_FIRMWARE_FOLLOW_H
#define VEER_FIRMWARE_FOLLOW_H

#include "firmware/program.h"

struct followed {
	uint64_t begin, end; // in the caller's time
	uint32_t function;   // CODE_NONE: code that the program's segments do not have
	uint32_t number;
};

struct follower {
	const struct program *program;
	void (*take)(void *opaque, const struct followed *segment);
	void *opaque;
	uint32_t block; // the one that control is in; CODE_NONE: of none
	struct followed now;
	bool running;
};

void follower_init(struct follower *f, const struct program *program,
                   void (*take)(void *opaque, const struct followed *segment), void *opaque);
// An instruction begins at that time.
void follower_step(struct follower *f, uint32_t address, uint64_t time);
void follower_end(struct follower *f, uint64_t time);

#endif
