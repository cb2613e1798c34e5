// The tests of a recorded suite, in the order in which they are amplified: distance by distance, so that the
// checks of all tests are queried before any path diverges, and within a distance program by program. A test may have
// several analysis scopes (scope.h): later ones begin when there is time for them, and catch up with the distance.
#ifndef VEER_EXPLORE_SUITE_H
#define VEER_EXPLORE_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explore/scope.h"
#include "store/account.h"

enum test_state {
	TEST_WAITS, // at the suite's distance
	TEST_AT,    // a worker is at it
	TEST_PAST,  // done at this distance, or nothing to do
};

// Levels of a test: nothing is left at any distance; it was dropped.
enum { LEVEL_ALL = 1 << 20, LEVEL_DROPPED };

struct suite_test {
	int64_t snapshot, input; // of the store
	uint64_t name;           // hash of what was recorded: the same on other days, and in other folders of tests
	uint32_t program;        // of the workers' setup
	uint32_t times;          // identical executions that were recorded
	int32_t level;           // distance up to which everything was done; -1: nothing was
	enum test_state state;
	bool matched; // native and traced runs do what was recorded
	bool dropped; // its path has nothing that paths of other tests do not have
	bool last;    // there is nothing at larger distances
	bool cut;     // at some distance there was no time for all of it
	bool begun;   // one of its checks, at least, was solved
	bool unready; // its program has no variants yet
	bool late;    // it takes long: others of its distance come first
	char *why;    // it is not amplified, and why; NULL: it is
	// Its first analysis scope, or, of windows, a later one.
	uint32_t number;           // 0: the first
	uint64_t from, to;         // what is symbolic, once `parts` are known
	uint64_t reached;          // the run was cut: position after the last one that was analysed; 0: it was not cut
	int32_t tried;             // the last distance that was begun; -1: none
	bool slow;                 // it waits until there is time for it
	bool poor;                 // the scope before it had nothing new
	uint32_t windows;          // of a first scope: how many later ones it has
	struct scope_parts *parts; // of a first scope: the inputs that it reads; NULL: not known yet
	struct suite_test *of;     // of a later one: the first of the test
	enum outcome outcome;      // what became of it so far
	int64_t native_us;         // what its native run takes; 0: not known
};

struct suite {
	struct suite_test *v;
	size_t n, cap;
	unsigned distance, max_distance;
	unsigned factor; // see amplification.h; 0: 2
	size_t left;     // scopes that wait at this distance
	size_t late;     // tests that are late
	size_t unready;  // tests whose programs are being built: until then the distance stays 0
	uint32_t *at;    // programs of the tests that workers are at
	size_t n_at, at_cap;
	bool done;                   // nothing is left at any distance
	struct suite_test **windows; // later scopes
	size_t n_windows, windows_cap;
	size_t slow;        // windows that wait and are slow; `left` does not count them
	struct alike alike; // what tests read alike
	uint64_t *widths;   // bytes that a scope of a program may have, as far as is known
	size_t n_widths;
};

struct store;
struct err;

// Stores level and outcome of a test. Not of windows: the row of a test is that of its first scope.
int suite_store(const struct suite_test *t, struct store *store, struct err *err);

struct suite_test *suite_add(struct suite *s, const struct suite_test *t);
void suite_release(struct suite *s);

// Begins with distance 0. Tests that an earlier session did at a distance are past it.
void suite_start(struct suite *s);
// The variants of the program are built; or cannot be, then `why` of its tests is set.
void suite_ready(struct suite *s, uint32_t program);
// The distance at which the scope is analysed now or next.
unsigned suite_distance(const struct suite_test *t);
// Adds the next scope of the test, after `after`; it is slow if `after` is not the first. Or restores one that an
// earlier session began.
struct suite_test *suite_add_window(struct suite *s, struct suite_test *after, uint64_t from, uint64_t to);
struct suite_test *suite_restore_window(struct suite *s, const struct suite_test *stored);
// The scope was too large: it waits again, with fewer symbolic bytes.
void suite_narrow(struct suite *s, struct suite_test *t, uint64_t from, uint64_t to);
// Takes a scope that waits, of this program if there is one (UINT32_MAX: any), late ones last; NULL: none waits.
struct suite_test *suite_next(struct suite *s, uint32_t program);
// Takes a slow window, at distance 0; NULL: there is none.
struct suite_test *suite_next_slow(struct suite *s, uint32_t program);
// Takes this test, which waits; gives it back: it waits again.
void suite_take(struct suite *s, struct suite_test *t);
void suite_give_back(struct suite *s, struct suite_test *t);
void suite_delay(struct suite *s, struct suite_test *t); // the test is late from now on
// A worker is done with the scope at its distance; `all`: nothing was left out; `last`: larger distances have nothing.
void suite_past(struct suite *s, struct suite_test *t, bool all, bool last);
// Goes on to the next distance, when no scope waits and no worker is at one. False: that was the last, or programs are
// being built.
bool suite_farther(struct suite *s);

#endif
