// The tests of a recorded suite, in the order in which they are amplified: distance by distance, so that each has had
// its checks before any is left, and within a distance program by program.
#ifndef VEER_EXPLORE_SUITE_H
#define VEER_EXPLORE_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum test_state {
	TEST_WAITS, // at the suite's distance
	TEST_AT,    // a worker is at it
	TEST_PAST,  // it was at it, or need not
};

// Of a test: nothing is left, whatever the distance; or it was dropped.
enum { LEVEL_ALL = 1 << 20, LEVEL_DROPPED };

struct suite_test {
	int64_t scene, input; // of the store
	uint64_t name;        // of what was recorded: the same on other days, and in other folders of tests
	uint32_t program;     // of the workers' setup
	uint32_t times;       // executions that were the same
	int32_t level;        // distance up to which all was done; -1: nothing was
	enum test_state state;
	bool matched; // the program does as it was recorded
	bool dropped; // its path shows nothing that others do not
	bool last;    // there is nothing at larger distances
	bool cut;     // at some distance there was no time for all of it
	bool unready; // its program has no variants yet
	char *why;    // it is not amplified, and why; NULL: it is
};

struct suite {
	struct suite_test *v;
	size_t n, cap;
	unsigned distance, max_distance;
	unsigned factor; // see visit.h; 0: 2
	size_t left;     // that wait, at this distance
	size_t unready;  // that wait for their programs: until these are built, the distance stays 0
	uint32_t *at;    // programs of those that workers are at
	size_t n_at, at_cap;
	bool done; // nothing is left at any
};

struct suite_test *suite_add(struct suite *s, const struct suite_test *t);
void suite_release(struct suite *s);

// Begins with distance 0. Tests that were done at a distance before are past it.
void suite_start(struct suite *s);
// The variants of the program are built, or cannot be: then its tests have a reason.
void suite_ready(struct suite *s, uint32_t program);
// A test to be at, of this program if there is one (UINT32_MAX: any); NULL: none waits.
struct suite_test *suite_next(struct suite *s, uint32_t program);
// It was at it; `all`: nothing of it was left out; `last`: at larger distances there is nothing.
void suite_past(struct suite *s, struct suite_test *t, bool all, bool last);
// When none waits and none is at: the next distance. False: that was the last, or some tests are not ready.
bool suite_farther(struct suite *s);

#endif
