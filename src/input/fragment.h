// What a run enters in place of main: the part of kind FRAGMENT of its input (abi/fragment.h).
#ifndef VEER_INPUT_FRAGMENT_H
#define VEER_INPUT_FRAGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/fragment.h"
#include "input/input.h"

enum { FRAGMENT_DEPTH = 4, FRAGMENT_OBJECT = 1 << 16 }; // defaults of depth and object_max

struct fragment {
	uint64_t unit;     // of the function (struct shape_unit)
	uint32_t function; // its number there
	uint32_t marker;
	uint32_t depth;      // 0: FRAGMENT_DEPTH
	uint32_t object_max; // bytes; 0: FRAGMENT_OBJECT
	const struct fragment_name *globals;
	size_t n_globals; // that start as cells
	const struct fragment_name *stubs;
	size_t n_stubs; // functions whose calls are stubs
};

// The bytes of the part. Limits (FRAGMENT_DEPTH_MAX and others in abi/fragment.h) must hold: the caller checks what
// users say.
void fragment_encode(const struct fragment *f, struct buf *out);

// The other way round; the arrays lie in `data`, at a multiple of 4. False: that is no such part.
bool fragment_decode(struct fragment *ret, const void *data, size_t size);

// Makes the input enter there: in place of the part that it has.
void fragment_set(struct input *in, const struct fragment *f);

// What the input enters; false: main. The arrays are the input's.
bool fragment_of(const struct input *in, struct fragment *ret);

// Names what the input enters: different fragments have different names. 0: main.
uint64_t fragment_name(const struct input *in);

#endif
