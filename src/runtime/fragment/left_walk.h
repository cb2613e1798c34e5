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
	uint32_t input;        // of the trace, whose bytes it was made of; CELL_NONE: none
	char place[CELL_NAME];
	unsigned nesting;
};

// Reports what differs from before; of a new object, all of it. `end`: where the object ends.
void left_walk(struct left_walk *w, struct type t, uint64_t at, uint64_t end);
void left_walk_elements(struct left_walk *w, struct type t, uint64_t at, uint64_t size);
void left_text(struct left_walk *w, uint64_t at, uint64_t size);

// --- left_labels.c -------------------------------------------------------------------------------------

// Is it as it was, on every run of this path (without LAUNCH_LABELS: in this one)?
bool left_is_same(const struct left_walk *w, uint64_t at, uint64_t size);
bool left_is_same_pointer(const struct left_walk *w, uint64_t at);
// What the value of the report's next line is made of.
void left_note_bytes(const struct left_walk *w, uint64_t at, uint64_t size);
void left_note_pointer(uint64_t at);
void left_note_unclear(uint64_t at, uint64_t size); // unless it is constant
void left_next_line(void);

// --- left_walk.c ---------------------------------------------------------------------------------------

// Says which object of the input, or which function or global, lies there. False: none does.
bool left_put_cell(uint64_t address);
bool left_put_static(uint64_t address);

#endif
