// What of a recorded suite is amplified, and which findings are reported.
#ifndef VEER_SESSION_CHOICE_H
#define VEER_SESSION_CHOICE_H

#include "base/err.h"
#include "explore/sample.h"
#include "findings/baseline.h"
#include "findings/filter.h"
#include "findings/testcode.h"
#include "possible/possible.h"
#include "store/store.h"

struct choice_options {
	const char *include, *exclude, *checks;
	const char *baseline, *write_baseline, *suppressions;
	const char *sample;
	int random;
	const char *test_code;
	bool test_code_errors;
	bool possible;     // findings of level possible are reported, too
	bool possible_all; // also those that a filter suppresses
};

struct results_choice;

enum choice_reason {
	CHOICE_REPORTED,
	CHOICE_KNOWN,
	CHOICE_SUPPRESSED,
	CHOICE_LEFT_OUT,
	CHOICE_POSSIBLE, // nobody has asked for those
	CHOICE_FILTERED, // likewise; a filter suppresses it (possible/filters.def)
	CHOICE_PROMOTED, // the error of a whole run stands for it
	CHOICE_REASONS
};

struct choice {
	const struct choice_options *options;
	struct filter filter;
	struct baseline known, suppressed;
	struct sample sample;
	struct test_code test_code; // see choice_set_root
	struct store *store;        // see choice_assess; NULL: nothing is known of possible findings yet
	struct possible_errors *errors;
};

// -1 with *err filled when an option, or a file that it names, makes no sense.
int choice_init(struct choice *ret, const struct choice_options *o, struct err *err);
void choice_release(struct choice *c);

// From now on possible findings are reported, if anybody asks for them, by what the store knows of them now. It must
// outlive the choice.
int choice_assess(struct choice *c, struct store *store, struct err *err);

// Whether a finding is reported, or why not.
enum choice_reason choice_of(const struct choice *c, const struct stored_finding *f);

// From now on it is known which findings are in the tests' own code. `files`: the sources that are analysed.
void choice_set_root(struct choice *c, const char *root, const struct strv *files);
bool choice_is_test_code(const struct choice *c, const struct stored_finding *f);

// How many tests of how many were chosen at random; of: 0 when nothing was left to chance.
struct choice_sample {
	size_t n, of;
};

// Gives a reason to each test that is not wanted; `programs`: the path of each.
void choice_apply(struct choice *c, struct suite *suite, const char *const *programs, size_t n_programs,
                  struct choice_sample *ret);

// Counts the findings of the store by what becomes of them.
int choice_count(const struct choice *c, struct store *store, size_t ret[CHOICE_REASONS], struct err *err);

// For results.json. The choice must outlive it.
struct results_choice choice_results(const struct choice *c);

// Writes the new baseline, if that was asked for. `cwd`: where veer runs.
int choice_write(const struct choice *c, struct store *store, const char *cwd, struct err *err);

#endif
