// A finding, understood: plain data that every report shows in its own way. What the store knows is always there; what
// takes a run of the program (which condition failed, the relevant bytes, the path) only when it can be run again.
#ifndef VEER_EXPLAIN_EXPLAIN_H
#define VEER_EXPLAIN_EXPLAIN_H

#include "input/input.h"
#include "possible/possible.h"
#include "session/replayer.h"
#include "store/store.h"

enum byte_mark { BYTE_UNKNOWN, BYTE_RELEVANT, BYTE_ANY }; // ANY: whatever it is, the run takes the same path

// Bytes of a part that the program computes with as a float.
struct explained_float {
	uint32_t offset, bytes; // 4: float, 8: double, 10: long double
};

// A part of the input beside what it was in the test.
struct explained_part {
	char *name;                         // "argument 1", "standard input", "file /src/x"
	const struct input_part *now, *was; // NULL: not there
	uint8_t *marks;                     // enum byte_mark, of the bytes of `now`; NULL: not known
	size_t changed;                     // bytes that differ; of those that only one has, all
	struct explained_float *floats;     // by offset
	size_t n_floats;
};

enum step_kind { STEP_WENT, STEP_FAILS };

// A place on the path, where what comes next depended on the input.
struct explained_step {
	enum step_kind kind;
	char *file, *function;
	const char *name; // of the file: the end of it, as long as it has to be
	uint32_t line, column;
	char *condition;        // that holds there, in terms of the input; of STEP_FAILS: what is wrong
	char *now;              // the value of what it is about; NULL: `condition` says all
	uint32_t times;         // in a row
	uint32_t period, again; // it and those before it, `period` together, come `again` times more
};

// Where an operand stands in the expression that the check is at.
enum operand_side { OPERAND_OTHER, OPERAND_INDEX, OPERAND_LEFT, OPERAND_RIGHT };

// What the check that failed is about.
struct explained_operand {
	char *what; // "index", "divisor"; NULL: it has no name
	enum operand_side side;
	char *expression, *now;
	char *was; // NULL: not known
};

// Bytes or a number of the input that the condition is about.
struct explained_value {
	char *name; // "stdin[3]", "stdin[4..7]", "length(stdin)"
	char *now, *was;
	bool same;
};

struct explanation {
	struct stored_finding finding; // strings are owned
	char *id;                      // "F1"
	char *sentence;                // the bug in one
	struct strv also;              // other findings that are the same bug (groups.h): "F2"
	bool test_code;                // it is in the tests' own code (findings/testcode.h); who knows that sets it
	struct input input, seed;
	struct input unchanged; // what else the run read, when some of it is relevant
	bool has_input, has_seed;
	int64_t snapshot;
	struct possible possible; // of a finding of level possible
	int64_t promoted;         // the error that stands for it; 0: none
	bool of_suite;            // distance and depth mean something
	uint32_t generations;     // inputs between the seed and it, each made from the one before by solving
	struct explained_part *parts;
	size_t n_parts;
	char *why_not; // it was not run again, and why; NULL: it was, and what follows is filled in
	// The condition that had to hold and did not. NULL: none is known that depends on the input; `depends` may say
	// what does, and otherwise it is the path there that makes the program fail.
	char *condition, *object; // object: what the access is about; NULL: none
	char *depends;
	char *verdict; // with the values of the run: "index 7, where the number of elements is 7"; NULL: none
	struct explained_operand *operands;
	size_t n_operands;
	struct explained_value *values;
	size_t n_values;
	bool diverges; // from the path of the seed; else it is the same path, with other values
	struct explained_step *steps;
	size_t n_steps, steps_left_out; // these are from the divergence on, or the last before the failure
	size_t steps_gap;               // before this one some are left out
	size_t steps_implied;           // that follow from others
	int32_t care, care_of;          // relevant bytes, of how many; -1: not known
};

// Fills in what the store knows, and takes over what *f points to. -1 with *err filled when the store cannot be read.
int explain_stored(struct explanation *ret, struct store *store, const char *folder, struct stored_finding *f,
                   struct err *err);

// And what runs say; why_not when there is no way to run it.
void explain_runs(struct explanation *x, struct replayer *replayer);

void explanation_release(struct explanation *x);

// Adds a part that is no argument; either may be NULL, not both.
void explanation_add_part(struct explanation *x, const struct input_part *now, const struct input_part *was);

// explain_stored for all findings of the store that are reported (tells NULL: all), of each group (groups.h) the first;
// the caller releases and frees.
int explain_all(struct store *store, const char *folder, bool (*prints)(void *opaque, const struct stored_finding *f),
                void *opaque, struct explanation **ret, size_t *ret_n, struct err *err);

// The bug in one sentence, from what the sanitizer said; when a recorded test shows it without any change, the sentence
// begins with that. The caller frees.
char *explain_sentence(const struct explanation *x);
// The sanitizer that reports findings of this kind; NULL: they show without one.
const char *explain_sanitizer(const char *kind);
// Its value in the fewest digits that are read as it; returns its type. NULL: "not there".
const char *explain_float(struct buf *out, const struct input_part *p, const struct explained_float *f);

// How it was found: "from test S3 (cut -c1), on the test's own path (distance 0, depth 4); ..."; the caller frees.
char *explain_origin(const struct explanation *x);

// What a list of the parts of its input shows.
const char *explain_input(const struct explanation *x);
// Of a part that both have: ", as in the test", ", 1 changed", " (3 in the test), 2 changed".
void explain_change(struct buf *out, const struct explained_part *p);

// What a kind of finding means: a title, what it is, what to do about it. Never NULL.
struct kind_words {
	const char *title, *what, *help;
};
struct kind_words explain_kind(const char *kind);

// "'a'", "'\n'", "0x80".
void explain_byte(struct buf *out, uint8_t byte);
// As a string of C, of at most `most` bytes.
void explain_bytes(struct buf *out, const void *data, size_t size, size_t most);

#endif
