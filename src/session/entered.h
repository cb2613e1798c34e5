// Of two versions of a program, the functions that runs can enter with state that veer makes up, as veer diff does it:
// those of both versions that are few calls away from a change. What such runs showed, as possible differences.
#ifndef VEER_SESSION_ENTERED_H
#define VEER_SESSION_ENTERED_H

#include "explore/differ.h"
#include "findings/twins.h"
#include "session/differences.h"

struct entered_function {
	uint32_t function; // in struct code_changes
	uint32_t distance; // calls to what changed
	bool hidden;       // in both versions only calls by its name lead to it
	struct differ_outcome outcome[CHANGE_SIDES];
	// Of its inputs: how many were compared, and agree, differ, say nothing.
	uint32_t agree, differ, silent;
	uint32_t absorbed; // differ, too, but whole runs that execute the same changes do not
	uint32_t reaching; // of those that agree: that execute a change
};

struct entered {
	struct shape_program shapes[CHANGE_SIDES];
	struct twins twins;
	struct twin *pairs;
	struct entered_function *v;   // the nearest first
	struct differ_entry *entries; // as many
	const char **unfit; // by function of the changes: why no run enters it; NULL: it does, or nobody asked
	const struct code_changes *changes;
	const struct change_goals *goals;
	uint32_t n;
	uint32_t n_changes; // functions that can behave differently
};

// The shapes are there. `distance`: of functions that are entered, at most.
void entered_init(struct entered *e, const struct code_changes *changes, uint32_t distance);
void entered_release(struct entered *e);

// For struct differ_setup, with the entered as `opaque`.
void entered_first(void *entered, uint32_t entry, uint32_t version, struct input *ret);
uint32_t entered_of(void *entered, const struct input *in, uint32_t *ret_version);
bool entered_wanted(void *entered, uint32_t entry, const uint8_t *shown, uint32_t n);
void entered_ended(void *entered, uint32_t entry, uint32_t version, const struct differ_outcome *o);

// A compared input that enters a function.
struct entered_row {
	uint32_t entry, side; // side: whose state it makes up
	int64_t input;
	const char *kind, *report; // as oracle_twins.h says; "": nothing differs
	const uint8_t *goals;
	uint32_t n_goals;
	uint64_t size;
	bool absorbed; // found out by entered_find
};

// The differences that rows show: roots, each with the smallest input. `add` gets each; its texts are the callee's.
// `agreed`: the goals of whole runs that show no difference, a bit each, as many bytes as goals of rows have. What a
// function that only calls by its name lead to does differently, while it executes nothing but these, the program makes
// up for.
void entered_find(struct entered *e, struct entered_row *rows, uint32_t n, const uint8_t *agreed,
                  void (*add)(void *opaque, const struct difference *x), void *opaque);

// What was found out about a function that shows no difference: a reason for people. True: it is the same.
bool entered_verdict(const struct entered *e, uint32_t function, struct buf *reason);

#endif
