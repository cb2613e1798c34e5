// The account of a recorded suite: how many tests were really analysed, and what became of the others. All numbers that
// veer reports about that come from here.
#ifndef VEER_STORE_ACCOUNT_H
#define VEER_STORE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"

enum outcome {
	OUTCOME_NONE, // not known yet
#define OUTCOME(NAME, group, word, words) OUTCOME_##NAME,
#include "store/outcomes.def"
#undef OUTCOME
	OUTCOMES
};

enum outcome_group {
	GROUP_DONE, // analysed
	GROUP_PART, // analysed in part: cut, with checks solved
	GROUP_CUT,  // cut before a check was solved
	GROUP_NOT,  // not analysed
	GROUP_LEFT, // not asked for: no part of the share
};

const char *outcome_word(enum outcome o);       // NULL for OUTCOME_NONE
const char *outcome_says(enum outcome o);       // behind a number: "12 ..."
enum outcome outcome_parse(const char *word);   // OUTCOME_NONE for what is no such word, or NULL
enum outcome_group outcome_group(enum outcome); // not of OUTCOME_NONE
// What becomes of a cut test of which checks were solved; others stay what they are.
enum outcome outcome_in_part(enum outcome o);

// Tests that have outcome and reason alike, but for numbers in the reason.
struct account_reason {
	enum outcome outcome;
	char *why; // of the first of them; NULL: the outcome says it all
	size_t n;
};

struct account {
	size_t recorded;
	size_t n[OUTCOMES];
	struct account_reason *reasons; // of those that were not analysed, the most frequent first
	size_t n_reasons;
};

// Counts one test. `why`: in a line; may be NULL.
void account_add(struct account *a, enum outcome o, const char *why);
// Of the tests of the last recording.
int account_read(struct account *ret, struct store *s, struct err *err);
void account_release(struct account *a);

// What the store says of a test: one whose turn never came, and that can be run, was not reached.
enum outcome account_outcome(const struct stored_snapshot *c);

size_t account_asked(const struct account *a);  // recorded, but for those that were left out on request
size_t account_part(const struct account *a);   // analysed in part
size_t account_cut(const struct account *a);    // cut, and nothing of them analysed
double account_share(const struct account *a);  // percent of those asked for that were analysed; 0 when there are none
bool account_is_whole(const struct account *a); // all that was asked for was analysed, and there was something

// "3 of 10 recorded tests were analysed; 2 cut by time, 1 ended differently traced".
void account_sentence(const struct account *a, struct buf *out);

#endif
