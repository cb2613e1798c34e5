// Mutations of an input, for search without a solver: at the bytes that unsolved conditions depend on, by the words of
// the program, by numbers as text and as bytes, by chance.
#ifndef VEER_INPUT_MUTATE_H
#define VEER_INPUT_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "input/input.h"

struct mutate_place {
	uint32_t part, offset; // of the input
};

struct mutator {
	const char *sym;                   // what is input, the words after --sym; NULL: arguments and standard input
	const struct strv *words;          // of the program; NULL: none
	const struct mutate_place *places; // relevant bytes; none: all may be
	size_t n_places;
	uint64_t round;  // how many mutations of the input were made before
	uint64_t random; // state of the generator
};

// Changes the input: the `round`-th mutation, and counts up. The first ones go through the values of single bytes, all
// others are random. False: nothing can be changed.
bool mutate(struct mutator *m, struct input *in);

#endif
