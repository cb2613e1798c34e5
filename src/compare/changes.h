// What is different between two versions of a program, by their facts: functions, data, types, and what only has
// another name. Functions are paired by name, static ones by file and name, what is left over by equal code.
#ifndef VEER_COMPARE_CHANGES_H
#define VEER_COMPARE_CHANGES_H

#include "base/buf.h"
#include "compare/facts.h"

enum change_kind {
#define CHANGE_KIND(name, word, runs, text) CHANGE_##name,
#include "compare/change_kinds.def"
#undef CHANGE_KIND
	CHANGE_KINDS
};

const char *change_word(enum change_kind kind);
const char *change_text(enum change_kind kind);
bool change_runs(enum change_kind kind);

enum { CHANGE_SIDES = 2, CHANGE_OLD = 0, CHANGE_NEW = 1, CHANGE_FAR = UINT32_MAX };

// A function of one or of both versions.
struct changed_function {
	const struct fact_function *side[CHANGE_SIDES]; // NULL: this version has none
	enum change_kind kind;
	bool renamed;
	bool retyped;               // it takes or returns something of another type
	const char *because;        // DATA: the global
	bool *blocks[CHANGE_SIDES]; // which of its blocks the other version does not have
	uint32_t calls; // how many calls it is away from a change, at least; 0: it is one; CHANGE_FAR: none is reached
};

struct changed_global {
	const struct fact_global *side[CHANGE_SIDES];
	enum change_kind kind; // NONE, CODE: another value, ADDED, DELETED
	bool renamed;
};

struct changed_type {
	const struct fact_type *side[CHANGE_SIDES];
	enum change_kind kind; // LAYOUT, ADDED, DELETED
};

struct code_changes {
	const struct facts *facts[CHANGE_SIDES];
	struct changed_function *functions; // all of them, those of NEW first, in its order
	struct changed_global *globals;
	struct changed_type *types; // those that differ
	uint32_t n_functions, n_globals, n_types;
	struct strv natives; // sources of native units that differ
};

// The facts must outlive it.
void code_changes_find(struct code_changes *ret, const struct facts *old, const struct facts *new);
void code_changes_release(struct code_changes *c);

// Fills in `calls` of all functions.
void code_changes_find_entries(struct code_changes *c);

const struct fact_function *change_function(const struct changed_function *f); // as NEW has it, or else OLD
// How many functions can behave differently, as far as is known.
uint32_t code_changes_count(const struct code_changes *c);
// Whether anything differs that is more than a name or a layout.
bool code_changes_any(const struct code_changes *c);
// The lines of a function's blocks that the other version does not have, each once, in order; adds them.
void code_changes_lines(const struct changed_function *f, int side, struct buf *ret_u32, uint32_t *ret_n);

// A page of text: what changed, and the entries that are at most `distance` calls away.
void code_changes_print(const struct code_changes *c, uint32_t distance, struct buf *out);

#endif
