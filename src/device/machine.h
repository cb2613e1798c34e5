// A Cortex-M that runs a firmware without a board: Unicorn executes the instructions, semihosting is all there is
// around it. A firmware may be damaged or hostile: it reads the files that the caller names, and no others.
#ifndef VEER_DEVICE_MACHINE_H
#define VEER_DEVICE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "firmware/image.h"

enum { MACHINE_ACCESSES = 20, MACHINE_REGISTERS = 16 };

struct machine_access {
	uint32_t address, value;
	bool write;
};

// An instruction that was executed.
struct machine_step {
	uint32_t address, size;
	uint32_t code; // the second halfword of a 32-bit instruction in the upper half
	uint32_t before[MACHINE_REGISTERS], after[MACHINE_REGISTERS];
	struct machine_access accesses[MACHINE_ACCESSES];
	uint32_t n; // of them
};

struct machine_setup {
	const struct image *image;
	const char *command; // what SYS_GET_CMDLINE gives
	const char *input;   // what the console reads
	size_t input_size;
	const struct strv *files; // that the firmware may read, by these names
	uint64_t limit;           // of instructions
	uint32_t set, value;      // a word of its memory, before it starts; set 0: none
	bool (*step)(void *opaque, const struct machine_step *step); // false: that is all
	void *opaque;
};

struct machine_result {
	uint64_t instructions;
	int status; // of SYS_EXIT
	bool ended; // by SYS_EXIT, or because `step` had all; else `why`
	char why[128];
	struct buf output; // what it wrote; the caller releases it
};

// -1 with *err filled: it could not be started.
int machine_run(const struct machine_setup *setup, struct machine_result *ret, struct err *err);

#endif
