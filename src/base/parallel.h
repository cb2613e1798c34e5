// The same work for many items, in processes of their own: each takes the next item that nobody has, does it, and sends
// what came of it. For work that waits for other programs, or is done by code that knows one caller at a time; what it
// changes in memory is gone with its process, but for the bytes that it sends.
#ifndef VEER_BASE_PARALLEL_H
#define VEER_BASE_PARALLEL_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct parallel {
	unsigned jobs; // processes at a time, at least 1
	size_t n;      // items
	void *opaque;
	// In a process of its own, the number `process` of them: appends what came of the item to *ret. -1 with *err
	// filled: all ends.
	int (*work)(void *opaque, unsigned process, size_t item, struct buf *ret, struct err *err);
	// Here, once for each item, in any order. -1 with *err filled: all ends.
	int (*take)(void *opaque, size_t item, struct cursor *came, struct err *err);
	// In each process, before it ends; may be NULL.
	void (*leave)(void *opaque, unsigned process);
};

// Returns when all items are done, or -1 with *err filled; none of the processes is left in any case. When the caller
// is killed, they are, too.
int parallel_run(const struct parallel *p, struct err *err);

#endif
