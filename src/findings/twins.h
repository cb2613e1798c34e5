// The functions that two versions of a program have in common, with their shapes: an input that enters one of them in a
// version becomes the other version's, with the same made-up state as far as both have it.
#ifndef VEER_FINDINGS_TWINS_H
#define VEER_FINDINGS_TWINS_H

#include "input/input.h"
#include "shape/convert.h"

enum { TWINS = 2 };

struct twin {
	struct shape_ref side[TWINS];
};

struct twins {
	const struct shape_program *shapes[TWINS];
	const struct twin *v;
	uint32_t n;
};

// Which version's state an input makes up: inputs that twins_first makes, and those made of these, say so.
unsigned twins_side(const struct input *in);

// The twin that an input of this version enters; false: none. *ret: from this version to the other.
bool twins_find(const struct twins *t, unsigned side, const struct input *in, uint32_t *ret_number,
                struct convert *ret);
struct convert twins_pair(const struct twins *t, uint32_t number, unsigned side);

// Makes the first input of a version that enters the twin, with what both versions have of the globals: as cells.
void twins_first(const struct twins *t, uint32_t number, unsigned side, struct input *ret);

// The input as the other version's. False: it enters none of the twins.
bool twins_convert(const struct twins *t, unsigned side, const struct input *in, struct input *ret);

// Does each number and text of the state lie where it lies in the other version's state, whatever it is?
bool twins_is_one_state(const struct twins *t, unsigned side, const struct input *in);

// Does it have strings of any length, which are made up as short ones?
bool twins_has_strings(const struct twins *t, unsigned side, const struct input *in);
// Are all variables that calls from the twin may come to made up, in both versions?
bool twins_makes_up_all(const struct twins *t, uint32_t number);

// Changes some of the numbers and texts that it makes up. The same state of *random gives the same variation. False:
// there is nothing to change.
bool twins_vary(const struct twins *t, unsigned side, struct input *in, uint64_t *random);

// Its state in words: a line each, "n = 3".
void twins_print(const struct twins *t, unsigned side, const struct input *in, struct buf *out);

#endif
