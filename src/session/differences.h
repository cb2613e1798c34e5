// What two versions of a program do differently: the inputs of a campaign that show it, grouped by the change that
// causes it, as far as runs tell; their folders; the parts of results.json.
#ifndef VEER_SESSION_DIFFERENCES_H
#define VEER_SESSION_DIFFERENCES_H

#include "compare/changes.h"
#include "coverage/goals.h"
#include "findings/baseline.h"
#include "findings/differences.h"
#include "store/store.h"

// Which function each goal belongs to.
struct change_goals {
	struct goals *goals;
	uint32_t *function; // by goal: its number in struct code_changes
};

// A goal for each block that the other version does not have, of functions that can behave differently. The coverage
// has both programs already.
void change_goals_new(struct change_goals *ret, const struct code_changes *changes, const struct cover *cover);
void change_goals_release(struct change_goals *g);

enum function_verdict { VERDICT_NONE, VERDICT_SAME, VERDICT_DIFFERENT, VERDICT_UNDECIDED };

// What is known of a difference: whole runs showed it, a whole run could be led there, or made-up state shows it.
enum difference_class { DIFFERENCE_CONFIRMED, DIFFERENCE_LIFTED, DIFFERENCE_POSSIBLE };
const char *difference_class_word(enum difference_class class);

struct entered;

struct difference {
	uint32_t goal;     // UINT32_MAX: none was reached by all of its inputs
	uint32_t function; // in struct code_changes; UINT32_MAX: not known
	enum difference_kind kind;
	int64_t example; // the smallest input that shows it
	char *why;       // what it shows
	uint32_t inputs; // that show it
	double score;    // how well the change tells inputs that show it from those that do not
	bool accepted;   // by the baseline
	enum difference_class class;
	// Of a difference that is not confirmed: the place that has another value, the values; the function that runs
	// entered, how many calls that is from the change, and which version's state the example makes up. Otherwise
	// NULL and 0.
	char *identifier, *old, *new;
	uint32_t entry, distance, side;
	int64_t whole; // of DIFFERENCE_LIFTED: the input of the whole run
};

struct compared_function {
	enum function_verdict verdict;
	char *reason;
	uint32_t inputs; // that execute what changed
};

struct differences {
	const struct code_changes *changes;
	struct difference *v; // in the order of their rank
	uint32_t n, n_accepted;
	struct compared_function *functions; // by function of `changes`
	uint32_t n_inputs, n_noise;          // compared; of them, those that OLD itself runs differently each time
	uint32_t n_entered;                  // of them, those that enter a function
	struct entered *entered;             // NULL: no run did
};

// Without a store: nothing was run. `complete`: all paths of both versions were. `entered`: NULL: whole runs only.
// `accepted`: NULL: none is.
int differences_read(struct differences *ret, struct store *s, const struct code_changes *changes,
                     const struct change_goals *goals, struct entered *entered, bool complete,
                     const struct baseline *accepted, struct err *err);
void differences_release(struct differences *d);

// What names it in a baseline.
struct finding_name difference_name(const struct differences *d, const struct difference *x);
uint32_t differences_reported(const struct differences *d, enum difference_class most); // those that are not accepted

struct differences_place {
	struct store *store;
	const char *output, *cwd, *files, *sym;
	const char *programs[CHANGE_SIDES]; // absolute
};

// DIR/differences/D1 ...: report.txt, the input, reproduce.sh. Those of earlier sessions go.
int differences_write(const struct differences *d, const struct differences_place *place, struct err *err);

// The parts "changes", "functions" and "differences" of results.json, each with a comma before it.
void differences_json(const struct differences *d, struct buf *out);
// For people: a line for each difference, and how many functions have which verdict.
void differences_print(const struct differences *d, bool verbose, struct buf *out);

#endif
