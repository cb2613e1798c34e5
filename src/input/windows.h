// The symbolic windows of a run: of each input, the range of bytes that is symbolic. All others are concrete: they are
// part of what the run is given and carry no label. Plain data, as an input is.
#ifndef VEER_INPUT_WINDOWS_H
#define VEER_INPUT_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

#include "abi/input.h"
#include "abi/launch.h"
#include "base/buf.h"
#include "base/err.h"

struct window {
	struct input_source of; // of role INPUT_BYTES; the name is the window's own
	uint64_t from,
		to; // LAUNCH_OPEN: to the end and beyond, with the length; from == to: all of the input is concrete
};

struct windows {
	struct window *v;
	size_t n, cap;
	uint64_t limit; // of inputs without a window, so many bytes are symbolic; 0: all
};

void windows_add(struct windows *w, struct input_source of, uint64_t from, uint64_t to);
void windows_release(struct windows *w);

// As bytes, none for windows that leave everything symbolic; decoding trusts nothing.
void windows_encode(const struct windows *w, struct buf *out);
int windows_decode(struct windows *ret, const void *data, size_t size, struct err *err);

// As the runtime reads them (abi/launch.h): written to `to`, which has room for `most` bytes and lies at a multiple
// of 8. Returns how many were written; SIZE_MAX: they do not fit.
size_t windows_give(const struct windows *w, void *to, size_t most);

#endif
