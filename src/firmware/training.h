// A training program: a firmware as it is, bit for bit and at its addresses, in which the call of main goes to training
// runs instead. What is written is assembler and a linker script for the device's own compiler:
//
//   FOLDER/firmware.S, firmware-N.bin   the firmware's parts
//   FOLDER/training.ld                  where they lie, and the training runs behind them
//   FOLDER/training.c                   runs all, each with the firmware's variables as they are after a reset
//   FOLDER/veer_training.h              triggers, which the user may define otherwise
#ifndef VEER_FIRMWARE_TRAINING_H
#define VEER_FIRMWARE_TRAINING_H

#include "firmware/program.h"

struct training {
	const struct program *program;
	uint32_t flash, ram; // where the training runs lie
	uint32_t main_call;  // address of the instruction that calls main
	bool is_jump;        // for good
};

// Where it is all to lie: addresses, 0: behind the firmware's own.
int training_init(struct training *ret, const struct program *program, uint32_t flash, uint32_t ram, struct err *err);
// `tables`: names of tables of runs (veer_runs_NAME); `ids`: of the runs.
int training_write(const struct training *t, const char *folder, const struct strv *tables, const struct strv *ids,
                   struct err *err);
int training_write_header(const struct training *t, const char *folder, struct err *err);

struct training_call { // of `callee`, an address, goes to the symbol `to`
	uint32_t callee;
	const char *to;
};

// Appends a copy of the function's machine code, as assembler text in C, called `label`. False, with *reason: there is
// no way.
bool training_copy(const struct training *t, uint32_t address, const struct training_call *calls, size_t n,
                   const char *label, struct buf *out, const char **reason);

// The two words at `ram`: which run to make (0: all), and the run whose trigger is on (0: none).
enum { TRAINING_ONLY = 0, TRAINING_TRIGGER = 4 };

// --- the training program that came of it -----------------------------------------------------------

struct training_copied { // machine code of a firmware's function
	uint32_t address, size, from;
};

struct training_map {
	struct training_copied *copies; // by address
	uint32_t n;
};

void training_map_read(struct training_map *ret, const struct image *training);
void training_map_release(struct training_map *m);
// Where the instruction lies in the firmware: the address itself, unless it is in a copy.
uint32_t training_map_address(const struct training_map *m, uint32_t address);

#endif
