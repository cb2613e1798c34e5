// Some of the tests of a suite, chosen at random, and how likely they find what all would (Marinescu and Cadar,
// "make test-zesti", section IV-C).
#ifndef VEER_EXPLORE_SAMPLE_H
#define VEER_EXPLORE_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "explore/suite.h"

// "20" tests, or "12.5%" of them; a sample of nothing is none.
struct sample {
	double share;  // of the tests, in percent; 0: `number` of them
	size_t number; // 0 as well: all
};

// -1 with *err filled when the text is neither.
int sample_parse(struct sample *ret, const char *text, struct err *err);

// How many of `n` tests that is: at least one, and at most all.
size_t sample_size(const struct sample *s, size_t n);

// The probability that at least one of `k` tests, chosen from `n`, is among those `m` that find something:
// 1 - C(n-m, k) / C(n, k). m and k are at most n.
double sample_probability(size_t n, size_t m, size_t k);

// Chooses among the tests that are to be amplified, all alike; the others are given `why`. The same seed chooses the
// same tests, and nearly the same when a few are added to the suite. Returns how many were chosen; *ret_of: of how
// many.
size_t sample_suite(const struct sample *s, struct suite *suite, uint64_t seed, const char *why, size_t *ret_of);

#endif
