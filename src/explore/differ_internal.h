// Inside of the driver of versions: differ.c runs whole programs and takes results, differ_entries.c decides about runs
// that enter functions.
#ifndef VEER_EXPLORE_DIFFER_INTERNAL_H
#define VEER_EXPLORE_DIFFER_INTERNAL_H

#include "base/map.h"
#include "base/vec.h"
#include "explore/differ.h"
#include "explore/driver.h"
#include "explore/searcher.h"

enum { VERSIONS = 2, BOTH = (1 << VERSIONS) - 1 };

// An input.
struct compared {
	int64_t input;  // 0: free
	uint8_t ran;    // a bit for each version that has run it
	bool asked;     // it is being compared, or was
	uint8_t rounds; // of variations
	bool wanted;    // it shows something, as a variation did
	int64_t whole;  // of an input that enters a function: the input of a whole run that calls it so; 0: not known
	uint32_t next;  // of the other version's path: the first event with alternatives that nobody asked for
	int64_t snapshot, seed;
	uint8_t *goals; // that either version reached; NULL: none
	uint32_t n_goals;
	uint32_t lane;
};
MAP(compared_map, struct compared);

// Kinds of differences of inputs that execute the same changes.
struct shown {
	uint64_t name; // 0: free
	uint32_t inputs;
};
MAP(kinds_map, struct shown);

// A search in a version: of whole runs (the first two lanes), or of runs that enter a function.
struct lane {
	struct searcher searcher;
	struct work_queue runs;
	double seconds; // of workers
	bool seeded, exhausted;
	struct differ_outcome outcome;
	// Of the old version's: how many inputs were not joined yet (JOB_JOIN), and whether something was left open.
	uint64_t unjoined, joined;
	bool left_open, proved;
};

// An input that enters a function and shows a difference.
struct lifted {
	struct work_item item;
	size_t next; // of the whole runs, the one to try next
};

struct differ {
	const struct differ_setup *setup;
	struct lane *lanes; // VERSIONS each, of whole runs and of every entry
	uint32_t n_lanes;
	struct work_queue ignored, comparisons, of_entries, joins, later_joins, lifts; // comparisons: of whole runs
	double comparing, entering; // seconds: of all that entries take
	uint8_t *shown;             // goals of whole runs that differ
	uint32_t n_shown;
	struct compared_map inputs;
	struct kinds_map kinds;
	VEC(int64_t) whole;        // inputs of whole runs
	VEC(struct lifted) lifted; // what whole runs may be led to
	unsigned lift_turns;
	VEC(int64_t) agreeing; // inputs on which both versions do the same
	size_t next;           // of them, whose variations are tried
	unsigned turns;        // of entries
	size_t compared, different, noise;
};

struct differ *differ_of(const struct campaign *c);
struct compared *differ_input(struct differ *d, int64_t input);
// Adds an input, unless there is one like it, and runs it where `from` was run (NULL: whole). *ret_input: its number.
int differ_add_input(struct campaign *c, const struct input *in, const struct work_item *from, int64_t *ret_input,
                     struct err *err);
// The next run or queries of a search.
bool differ_explore_lane(struct campaign *c, struct worker_slot *slot, uint32_t lane);

// --- differ_entries.c -----------------------------------------------------------------------------

uint32_t differ_entry_of(uint32_t lane);
bool differ_wants_entry(const struct differ *d, uint32_t lane); // whole runs do not show all of it
// Other values on paths that are known: of runs that enter a function, or of whole ones.
bool differ_vary(struct campaign *c, struct worker_slot *slot, bool enters);
int differ_explore_entries(struct campaign *c, struct worker_slot *slot, bool *ret_any, struct err *err);
bool differ_turn_of_entries(const struct campaign *c);
// Finds out which entries are proved to be the same by now. Are all changes?
void differ_settle(const struct campaign *c);
bool differ_is_proved(const struct campaign *c);
// An input of an entry was compared, in this session or an earlier one.
void differ_compared_entry(struct campaign *c, const struct work_item *t, const char *kind, bool earlier);
int differ_take_join(struct campaign *c, const struct work_item *t, const struct result *r, struct err *err);

// --- differ_lift.c --------------------------------------------------------------------------------

// The item's input enters a function, and shows a difference: whole runs are to be led there.
void differ_lift(struct campaign *c, const struct work_item *t);
bool differ_choose_lift(struct campaign *c, struct worker_slot *slot);
int differ_fill_lift(struct campaign *c, const struct work_item *t, struct job *j, struct err *err);
int differ_take_lift(struct campaign *c, const struct work_item *t, const struct result *r, struct err *err);

#endif
