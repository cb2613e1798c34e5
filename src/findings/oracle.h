// Is it a bug? An oracle runs an input, as whatever variants and versions it needs, and decides. Nothing else makes a
// finding. A campaign has one, which its setup names.
#ifndef VEER_FINDINGS_ORACLE_H
#define VEER_FINDINGS_ORACLE_H

#include "base/err.h"
#include "execute/executors.h"
#include "findings/verdict.h"

struct twins;

// What an oracle is asked about.
struct oracle_case {
	struct executors *executors; // of the target's program, in the snapshot of the recorded test if there is one
	const struct target *target;
	const struct target *other; // the version that it is compared with; NULL: there is none
	const struct twins *twins;  // functions of both that runs can enter (twins.h); NULL: none
	unsigned milliseconds;      // how long a run may take before it may be a hang
	// Adds to an input what a run of it makes up beside (abi/fragment.h), so that the oracle sees the same objects.
	// NULL: the input has it all.
	int (*make_whole)(void *opaque, struct input *in, struct err *err);
	void *opaque;
	bool quick; // leave out verdicts that need more runs to be confirmed (minimising asks hundreds of times)
};

struct oracle {
	const char *name;
	// Runs the input; what it does wrong, in *ret, which need not be initialised (n == 0: nothing). -1 with *err
	// filled, and nothing in *ret, when it cannot be run. The same input gets the same verdicts, with the same
	// keys.
	int (*run)(const struct oracle_case *c, const struct input *in, struct verdicts *ret, struct err *err);
	void (*forget)(void); // gives back what is remembered from one call to the next; NULL: nothing is
};

// The sanitized variant, run on the input by itself; hangs, memory exhaustion and stack overflows when the native
// program shows them, too.
extern const struct oracle oracle_sanitizers;

// What the last run of a sanitized variant reported, for oracles that run one; *ret is empty.
void oracle_take_reports(const struct executor *sanitized, struct verdicts *ret);

// The same for inputs that enter the program at a fragment (abi/fragment.h), of level possible: nobody has checked that
// the program comes there with what the input makes up. Whole runs are the sanitizers' as they are.
extern const struct oracle oracle_fragments;

// Of two versions of a program: what they show differently, natively (difference_kinds.def). What differs between two
// runs of the old one is no difference, but noise.
extern const struct oracle oracle_versions;
#define ORACLE_NOISE "noise"
#define ORACLE_SILENT "silent"         // of made-up state: nothing follows (oracle_twins.h)
#define ORACLE_WHOLE "whole run"       // begins a line behind what made-up state shows: the whole run that has it
bool oracle_is_slow(const char *kind); // to see this difference takes as long as a hang

// Makes the input nearer to `seed`, then smaller unless it is to `stay` near, while the verdict with `key` stays; at
// most `runs` runs, and none after one that left more reports than are read: whoever writes thousands makes them anew
// in each.
int oracle_minimise(const struct oracle *oracle, const struct oracle_case *c, struct input *in,
                    const struct input *seed, bool stay, uint64_t key, unsigned runs, struct err *err);

#endif
