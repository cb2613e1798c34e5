// Many blobs that are much alike, such as recorded tests with the same long environment: kept as differences from a few
// of them, which are kept whole. Whoever keeps them gives them numbers.
#ifndef VEER_BASE_DELTA_H
#define VEER_BASE_DELTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { DELTA_BASES = 8 }; // that are remembered

struct delta_base {
	uint64_t id;
	struct buf data;
	void *prepared; // for packing
};

// A zero-initialised one is valid.
struct delta {
	struct delta_base v[DELTA_BASES];
	size_t n, next; // next: the one that is forgotten for another
	size_t last;    // that was of use
};

// True: *out has the difference from one of the bases. False: it is to be kept as it is, and if it is not small,
// delta_add needs to know its number.
bool delta_pack(struct delta *d, const void *data, size_t size, struct buf *out);
void delta_add(struct delta *d, uint64_t id, const void *data, size_t size);

// What was kept, whole again: *ret is added to. `fetch` gets what is kept under a number, as it is. Trusts nothing.
int delta_unpack(struct delta *d, const void *data, size_t size,
                 int (*fetch)(void *opaque, uint64_t id, struct buf *ret, struct err *err), void *opaque,
                 struct buf *ret, struct err *err);

void delta_release(struct delta *d);

#endif
