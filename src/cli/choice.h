// What of a recorded suite is amplified, and which of its findings are told of.
#ifndef VEER_CLI_CHOICE_H
#define VEER_CLI_CHOICE_H

#include "base/err.h"
#include "explore/sample.h"
#include "findings/baseline.h"
#include "findings/filter.h"
#include "findings/testcode.h"
#include "store/store.h"

struct choice_options {
	const char *include, *exclude, *checks;
	const char *baseline, *write_baseline, *suppressions;
	const char *sample;
	int random;
	const char *test_code;
	bool test_code_errors;
};

enum choice_reason { CHOICE_REPORTED, CHOICE_KNOWN, CHOICE_SUPPRESSED, CHOICE_LEFT_OUT, CHOICE_REASONS };

struct choice {
	const struct choice_options *options;
	struct filter filter;
	struct baseline known, suppressed;
	struct sample sample;
	struct test_code test_code; // see choice_set_root
};

// -1 with *err filled when an option, or a file that it names, makes no sense.
int choice_init(struct choice *ret, const struct choice_options *o, struct err *err);
void choice_release(struct choice *c);

// Whether a finding is told of, or why not.
enum choice_reason choice_of(const struct choice *c, const struct stored_finding *f);

// From now on it is known which findings are in the tests' own code. `files`: the sources that are analysed.
void choice_set_root(struct choice *c, const char *root, const struct strv *files);
bool choice_is_test_code(const struct choice *c, const struct stored_finding *f);

// Whether the exit status tells of it: an error that is told of, and not in the tests' own code unless that was asked
// for.
bool choice_fails(const struct choice *c, const struct stored_finding *f);

// Gives a reason to each test that is not wanted; `programs`: the path of each. Says on standard error how many are
// left after sampling, and what that means.
void choice_apply(struct choice *c, struct suite *suite, const char *const *programs, size_t n_programs);

// Says how many findings of the store are not told of.
int choice_print(const struct choice *c, struct store *store, struct err *err);

// Writes the new baseline, if that was asked for. `cwd`: where veer runs.
int choice_write(const struct choice *c, struct store *store, const char *cwd, struct err *err);

#endif
