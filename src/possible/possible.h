// Possible findings: errors in runs that enter a function with made-up state. What of that state they need
// (precondition.h), who calls the function (chains.h), which filter suppresses them (filters.def), and what became of
// the attempts to lead whole runs there. The store has a record of each, by the finding's key.
#ifndef VEER_POSSIBLE_POSSIBLE_H
#define VEER_POSSIBLE_POSSIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"

enum possible_filter {
	FILTER_NONE,
#define FILTER(NAME, word, why) FILTER_##NAME,
#include "possible/filters.def"
#undef FILTER
	FILTERS
};

const char *possible_filter_word(enum possible_filter f);
const char *possible_filter_why(enum possible_filter f);

struct possible {
	bool assessed;           // what follows is filled in
	bool relevant;           // conditions are of relevant values only; else of all that differ from 0
	char *entered;           // the function, and where in it: "parse", "parse, at the loop in line 12"
	struct strv conditions;  // "s->len == 5", "buf points to 4 bytes"; none: any state will do
	struct strv callers;     // "main > load > parse"; none: no function that main reaches calls it
	enum possible_filter by; // of the finding itself; possible_suppressed says whether it is suppressed
	// Whole runs that were probed.
	bool lifts;              // there are whole runs to try, and the function is entered at its beginning
	bool tried;              // all that there are now
	uint32_t runs, called;   // called: runs that call the function
	uint32_t calls, refuted; // of it; refuted: that cannot have what the finding needs
	uint32_t solved;         // inputs that the solver made
	int64_t last;            // the last whole run's input that was tried
};

void possible_release(struct possible *p);

// What the store has of it; all zeros when it has nothing. possible_release().
void possible_read(struct store *store, uint64_t key, struct possible *ret);
int possible_write(struct store *store, uint64_t key, const struct possible *p, struct err *err);

// The filter that suppresses it, also by what whole runs show; FILTER_NONE: none does.
enum possible_filter possible_suppressed(const struct possible *p);

// "no whole run calls parse (5 tried)", for people; the caller frees.
char *possible_lifted(const struct possible *p);

// --- promotion ------------------------------------------------------------------------------------

// The findings of whole runs in a store, by kind and place: a possible finding at the same place is promoted.
struct possible_errors;
struct possible_errors *possible_errors_read(struct store *store, struct err *err); // NULL: the store cannot be read
void possible_errors_free(struct possible_errors *e);                               // may be NULL
int64_t possible_promoted(const struct possible_errors *e, const struct stored_finding *f); // its id; 0: it is not

#endif
