// Tests in C of cases that enter a program at a fragment: for each the relevant state as typed data with
// initialisers, the call, and what it did as an expectation. They include the source of the unit they test, so that
// static functions and types are at hand, are compiled with the options that the project compiled it with, and need no
// veer.
//
//   FOLDER/NAME_test.c   the tests of a unit, and what runs them: each in a process of its own
//   FOLDER/Makefile      builds and runs all of them: make check
//   FOLDER/SKIPPED       a line for each case that is no test, with the reason
#ifndef VEER_EXPORT_FRAGMENT_C_H
#define VEER_EXPORT_FRAGMENT_C_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "input/input.h"
#include "sandbox/sandbox.h"
#include "shape/state.h"

struct fragment_case {
	const char *id; // "I12": a name that C can have
	const void *entry;
	size_t entry_size;
	const struct state_part *parts; // with masks of what is relevant
	uint32_t n;
	const char *bug; // what the oracle says about it; NULL: nothing
};

// The case of an input, with masks of what is relevant in it (NULL: everything does). False: it enters no fragment. The
// input must outlive the case, whose parts the caller frees.
bool fragment_case_of(struct fragment_case *ret, const char *id, const struct input *in, const struct input *masks);

struct fragment_call {   // in a function of a firmware
	uint32_t callee; // address
	const char *name, *to;
};

// A device in whose firmware the cases run, in the place of this machine (docs/developers/TRAINING.md): its functions
// are entered where they lie, or as copies of their machine code whose calls of stubs go elsewhere.
struct fragment_device {
	const char *flags; // of its compiler
	// Where the firmware has something of that name: known to all its units, or static in a source of that name.
	bool (*find)(void *opaque, const char *name, const char *file, bool function, uint32_t *ret_address,
	             uint32_t *ret_size);
	// Appends, as assembler text, a copy of the function at `address`, called `label`, with other calls. False,
	// with *reason (not to be freed): there is no way.
	bool (*copy)(void *opaque, uint32_t address, const struct fragment_call *calls, size_t n, const char *label,
	             struct buf *out, const char **reason);
	void *opaque;
};

struct fragment_suite {
	const char *const *programs; // as veer-cc linked them: the program, and libraries that it is linked with
	size_t n_programs;
	const struct shape_program *shapes;
	const struct fragment_case *cases;
	size_t n;
	bool cmocka;
	const char *compiler; // NULL: cc
	enum sandbox_mode mode;
	const char *worker_dirs;              // folder for the sandbox's own
	const struct fragment_device *device; // NULL: tests for this machine
	unsigned jobs;                        // files at a time; 0: one
};

struct fragment_skipped {
	char *id, *reason;
};

struct fragment_written {
	size_t tests, checks; // checks: expectations in them
	struct fragment_skipped *skipped;
	size_t n_skipped;
	struct strv ids;    // of the cases that were written
	struct strv tables; // of a device: names of their tables
};

// Writes, builds and runs the tests: what does not compile, does not pass, or does not give the same result twice is
// left out and listed. -1 with *err filled: nothing could be written (no compile options in the program, no compiler).
int fragment_c_write(const char *folder, const struct fragment_suite *suite, struct fragment_written *ret,
                     struct err *err);
// Runs a command on what was written, confined: it writes in `folder` only, which it starts in, and may start the
// compiler. What it prints goes to *output. Its exit status, or -1 with *err filled.
int fragment_make(const struct strv *argv, const char *folder, const char *compiler, struct buf *output,
                  struct err *err);
void fragment_written_release(struct fragment_written *w);

#endif
