// What a run is given: arguments, variables of the environment, standard input, files, and bytes for the objects
// that the program makes symbolic itself. Plain data: it can be compared, stored, and written down as files.
#ifndef VEER_RUN_INPUT_H
#define VEER_RUN_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum input_kind {
	PART_ARGUMENT, // in order, the program's name first
	PART_VARIABLE, // name: of the environment; others are as they were
	PART_STDIN,    // without one, standard input is empty
	PART_FILE,     // name: its absolute path
	PART_OBJECTS,  // of veer_make_symbolic and its kin, one after the other, in the order in which they are made
	PART_KINDS
};

struct input_part {
	enum input_kind kind;
	char *name; // NULL where there is none
	struct buf data;
};

struct input {
	struct input_part *v;
	size_t n, cap;
};

// Adds a part; the bytes are copied. Strings have no terminator.
struct input_part *input_add(struct input *in, enum input_kind kind, const char *name, const void *data, size_t size);
struct input_part *input_find(const struct input *in, enum input_kind kind, const char *name); // or NULL
struct input_part *input_argument(const struct input *in, size_t number);                      // or NULL
void input_copy(struct input *to, const struct input *from);
bool input_equal(const struct input *a, const struct input *b);
size_t input_size(const struct input *in); // bytes of all parts
// How many bytes differ; those that only one of them has count as such, and an empty argument, variable or file as one.
size_t input_difference(const struct input *a, const struct input *b);
void input_release(struct input *in);

// As bytes, the same for the same input; decoding trusts nothing.
void input_encode(const struct input *in, struct buf *out);
int input_decode(struct input *ret, const void *data, size_t size, struct err *err);
uint64_t input_hash(const struct input *in);

#endif
