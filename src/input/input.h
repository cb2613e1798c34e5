// What a run is given: parts of the kinds in abi/inputs.def. Arguments stand in order, the program's name first; other
// variables of the environment are as they were; without a part of that kind, standard input is empty; objects that the
// program makes symbolic itself are parts of their names, and those without one are made of the bytes of an object
// without a name, in the order in which they are made. Parts of the same kind and name are distinguished by their
// order. Plain data: it can be compared, stored, and written down as files.
#ifndef VEER_INPUT_INPUT_H
#define VEER_INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/input.h"
#include "base/buf.h"
#include "base/err.h"

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
// The part that symbolic bytes of a trace come from; NULL: it has none.
struct input_part *input_part_of(const struct input *in, struct input_source source);
struct input_part *input_nth(const struct input *in, enum input_kind kind, const char *name, size_t n); // or NULL
// How many parts of the same kind and name stand before this one.
size_t input_ordinal(const struct input *in, size_t part);
void input_remove(struct input *in, size_t part);
struct input_part *input_argument(const struct input *in, size_t number); // or NULL
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
// Which input something is about: kind, ordinal and name; the role is INPUT_BYTES. The caller frees the name of one
// that was decoded, NULL when the cursor is bad.
void input_source_encode(struct input_source source, struct buf *out);
struct input_source input_source_decode(struct cursor *c);
char *input_source_label(struct input_source source); // input_label; the caller frees
// Its objects and cells as a run is given them (abi/objects.h); nothing when it has none.
void input_objects(const struct input *in, struct buf *out);

#endif
