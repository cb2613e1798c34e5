// What is read from files and streams, in terms of the input: shared by the models of
// read() and of streams.
#ifndef VEER_RUNTIME_MODELS_READING_H
#define VEER_RUNTIME_MODELS_READING_H

#include "runtime/models/model.h"

// The length as far as it is known: without a label when it is not, or is not symbolic.
struct sym reading_length(struct rt_source *s);

// offset < length: in this run; and as one bit
bool reading_has(struct rt_source *s, uint64_t offset);
struct sym reading_exists(struct rt_source *s, uint64_t offset);

// How many bytes an attempt to read `wanted` at `offset` gives; `got` in this run. Without
// label when that does not follow from the length.
struct sym reading_count(struct rt_source *s, uint64_t offset, struct sym wanted, uint64_t got);
// The same, of a read that the next one goes on from, until the position is set.
struct sym reading_on(struct rt_source *s, uint64_t offset, struct sym wanted, uint64_t got);
void reading_moved(struct rt_source *s);

// So much was read to where an address with label `l` points. That it is there is a condition of the path when
// something was written, and that something was comes before it.
void reading_to(struct site *site, label l, const void *to, struct sym count);

// A read of as many bytes as the input says. Those that it would not have written, had it been asked for fewer, keep
// what they were: so that is remembered before it, of the first ones.
enum { READING_KEPT = 4096 };
#define READING_ROOM(l) ((l) && rt_on ? READING_KEPT : 1) // of the array that it is remembered in
struct reading_before {
	uint8_t *bytes;
	uint64_t n;
};
struct reading_before reading_before(uint8_t *room, label wanted, uint64_t n, const void *to);
// After it: they are `got`, and depend on how many were asked for.
void reading_into(const struct reading_before *b, struct sym wanted, struct sym got, void *to);

// `n` bytes from `offset` on are at `data`: of a stream they are new. Memory gets labels.
// Returns false when the file is not what it was: then its length is not, either.
bool reading_data(struct rt_source *s, uint64_t offset, void *data, uint64_t n);
bool reading_is_same(struct rt_source *s, uint64_t offset, const void *data, uint64_t n);

// A stream has ended. What was read before is a condition of the path, then: it was there.
void reading_ended(struct site *site, struct rt_source *s);

// A branch of the path that has no branch in the code; nothing when there is no label.
void reading_branch(struct site *site, struct sym condition);

// A position that was set from the end on: the label of what is known to be at `position`.
void reading_from_end(struct rt_source *s, int64_t offset, uint64_t position);
label reading_position(struct rt_source *s, uint64_t position);
// It is about to be read from there: then the path keeps the length.
void reading_at(struct site *site, struct rt_source *s, uint64_t position);

// The offset that descriptor fd is at; -1 when it has none. Leaves errno alone.
int64_t reading_offset(int fd);

#endif
