// Inside of left.c: the values of an object, and the report that they go into.
#ifndef VEER_RUNTIME_FRAGMENT_LEFT_WALK_H
#define VEER_RUNTIME_FRAGMENT_LEFT_WALK_H

#include "runtime/fragment/fragment.h"

// --- left.c: the report -------------------------------------------------------------------------------

bool left_is_full(void);
void left_put(const char *text);
void left_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void left_put_bytes(const uint8_t *data, uint64_t size);
void left_put_text(const uint8_t *data, uint64_t size); // long ones by a hash of all of it

// --- left_walk.c ---------------------------------------------------------------------------------------

struct left_walk {
	const uint8_t *before; // of the object, as it was; NULL: it is new
	uint64_t base;         // of the object
	char place[CELL_NAME];
	unsigned nesting;
};

// Reports what differs from before; of a new object, all of it. `end`: where the object ends.
void left_walk(struct left_walk *w, struct type t, uint64_t at, uint64_t end);
void left_walk_elements(struct left_walk *w, struct type t, uint64_t at, uint64_t size);
void left_text(struct left_walk *w, uint64_t at, uint64_t size);

// Says which object of the input, or which function or global, lies there. False: none does.
bool left_put_cell(uint64_t address);
bool left_put_static(uint64_t address);

#endif
