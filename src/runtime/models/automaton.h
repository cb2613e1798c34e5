// Patterns (regular expressions, file names) over symbolic text: whether one matches is one
// expression. A pattern is built from nodes; its automaton has a state for each place where
// the pattern has a character, and edges with conditions on what is beside the place between
// two bytes. A pattern that is too large is `full` and matches nothing.
#ifndef VEER_RUNTIME_MODELS_AUTOMATON_H
#define VEER_RUNTIME_MODELS_AUTOMATON_H

#include "runtime/models/model.h"

struct byte_set {
	uint64_t bits[4];
};

static inline void byte_set_add(struct byte_set *s, unsigned byte)
{
	s->bits[byte / 64] |= (uint64_t)1 << byte % 64;
}

static inline bool byte_set_has(const struct byte_set *s, unsigned byte)
{
	return s->bits[byte / 64] >> byte % 64 & 1;
}

// Conditions on a place.
enum {
	AT_LINE_START = 1,
	AT_LINE_END = 2,
	AT_START = 4,
	AT_END = 8,
	AFTER_WORD = 16,
	AFTER_OTHER = 32,
	BEFORE_WORD = 64,
	BEFORE_OTHER = 128,
	NO_LEADING_PERIOD = 256, // no '.' at the start of a file's name is next
	CONDITIONS = 9,
};

struct automaton;
typedef unsigned pattern; // a node

struct automaton *automaton_new(void); // NULL when there is no memory
void automaton_free(struct automaton *a);

pattern automaton_empty(struct automaton *a);
pattern automaton_byte(struct automaton *a, const struct byte_set *set); // one of these
pattern automaton_condition(struct automaton *a, unsigned conditions);   // all of them
pattern automaton_both(struct automaton *a, pattern first, pattern second);
pattern automaton_either(struct automaton *a, pattern one, pattern other);
pattern automaton_repeat(struct automaton *a, pattern what, unsigned least, unsigned most);
enum { AUTOMATON_NO_LIMIT = 1 << 20 };

// When the pattern is complete. Returns false when it is too large.
bool automaton_finish(struct automaton *a, pattern whole);

// The text: up to a NUL that may be anywhere, or of a fixed length.
struct subject {
	const char *text;
	bool terminated;
	uint64_t length;                 // in this run
	struct model_string string;      // when terminated
	bool no_line_start, no_line_end; // its ends are none
	bool newlines;                   // '\n' ends a line
	bool components;                 // '/' ends a file's name
};

struct subject subject_string(const char *text);
struct subject subject_bytes(const char *text, uint64_t length);
bool subject_is_symbolic(const struct subject *s);
// How much work a run is, about.
uint64_t automaton_work(const struct automaton *a, const struct subject *s);

// The first place from `from` to `to` where a match starts, 32 bits wide; -1 when there is none.
struct automaton_start {
	struct sym any, place;
};
struct automaton_start automaton_start(const struct automaton *a, const struct subject *s, uint64_t from, uint64_t to);

// How long the longest match is that starts there, 32 bits wide; -1 when there is none.
struct sym automaton_length(const struct automaton *a, const struct subject *s, uint64_t start);

// To which sets of the pattern byte i of the text belongs, as a number: it decides all that
// the pattern can tell about it.
struct sym automaton_kind(const struct automaton *a, const struct subject *s, uint64_t i);

// All bytes are below 128.
struct sym subject_is_ascii(const struct subject *s);

#endif
