// Progressive symbolic execution: which fragment of a program to explore next, and for how long. Knows nothing of runs:
// it hands out fragments in rounds, and learns what became of each.
//
// A round offers every fragment that can still cover something, phase by phase (phases.def), functions as the caller
// has ordered them, breadth first along calls: those nearest to the program's entry come first, since their runs are
// the longest. Whoever explores a fragment does so for the slice that comes with it. Slices double from round to round,
// half as fast while a fragment gains nothing. Whole runs take a twentieth of the budget, once more in the first round
// if that covers something; in later rounds only as much of it as their latest gain a second is of all others'.
// A fragment is left out, and ends before its slice does, when nothing is left to cover in what it reaches: of `ext` in
// all functions that can be called, of whole runs in all that main reaches, of `stub` in the function itself, of `int`
// in the segments that begin at the marker.
#ifndef VEER_EXPLORE_PROGRESSIVE_H
#define VEER_EXPLORE_PROGRESSIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum phase {
#define PHASE(NAME, word, what) PHASE_##NAME,
#include "explore/phases.def"
#undef PHASE
	PHASES
};

const char *phase_word(enum phase phase);
const char *phase_words(void); // for messages: "a, b, c"
// A list of words as bits, 1 << phase; -1 with *err filled when one of them is no phase.
int phases_read(const char *words, unsigned *ret, struct err *err);

struct progressive_function {
	const uint32_t *callees; // numbers of functions that it may call
	uint32_t n_callees;
	const uint32_t *markers; // where a run can begin, besides its entry
	uint32_t n_markers;
	bool enters;    // a run can begin at its entry
	bool has_stubs; // it calls something that can be replaced
	bool wanted;    // it is to be covered
	bool is_root;   // whole runs come there by no call of the program: main, functions whose address is taken
};

struct progressive_setup {
	const struct progressive_function *functions; // in the order in which they are tried
	uint32_t n_functions;
	unsigned phases; // 1 << phase each
	double seconds;  // budget, from which slices follow; 0: none
	// How many segments of the function are not covered yet.
	uint32_t (*left)(void *opaque, uint32_t function);
	// The same of those that begin at a marker.
	uint32_t (*left_at)(void *opaque, uint32_t function, uint32_t marker);
	void *opaque;
};

struct plan_fragment {
	enum phase phase;
	uint32_t function, marker; // of PHASE_INP: 0
	bool busy;                 // somebody explores it
	bool exhausted;            // nothing is left to try
	bool has_checks;           // checks on its paths are left to solve, whatever it can cover
	uint32_t rounds;           // in which it was explored
	uint32_t idle;             // of the latest of those, in a row, that covered nothing
	double used;               // seconds
	double rate;               // what the latest of those covered, a second
	double slice;              // for which to explore it now
};

struct progressive {
	struct progressive_setup setup;
	struct plan_fragment *fragments; // in the order of a round
	uint32_t n_fragments;
	uint64_t *reached; // a row of bits per function: what it reaches, itself included
	uint64_t *whole;   // a row: what whole runs reach
	uint64_t *open;    // a row: which functions have something left to cover
	uint32_t row;      // words of a row
	uint32_t round, next;
	double slice;        // of the first round
	double used, gained; // by all fragments but whole runs, in the round before and in this one
};

// The setup's arrays must outlive it.
void progressive_init(struct progressive *p, const struct progressive_setup *setup);
void progressive_release(struct progressive *p);

// The next fragment to explore; busy from now on. NULL: there is none for now; *ret_ended: and there will be none
// that is: none is busy, either.
struct plan_fragment *progressive_next(struct progressive *p, bool *ret_ended);
// It was explored for so long, and covered so many segments. `exhausted`: nothing is left to try there.
void progressive_explored(struct progressive *p, struct plan_fragment *f, double seconds, uint32_t gained,
                          bool exhausted);
// Can it still cover something?
bool progressive_is_open(struct progressive *p, const struct plan_fragment *f);
// Nothing is left to try there, as an earlier session knows.
void progressive_exhaust(struct progressive *p, struct plan_fragment *f);

bool progressive_reaches(const struct progressive *p, uint32_t from, uint32_t to);

#endif
