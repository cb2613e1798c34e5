// The recorded tests of a campaign, as a session amplifies them: loaded from the store, chosen, their programs built in
// the background.
#ifndef VEER_SESSION_TESTS_H
#define VEER_SESSION_TESTS_H

#include "base/err.h"
#include "explore/suite.h"
#include "session/choice.h"

struct graph;
struct session;

struct tests {
	struct suite suite;
	struct choice_sample sampled;
	bool *loaded; // by program: the test that its libraries are of found them
};

// Loads them into s->tests and their programs into s->programs, chooses among them by s->setup->choice, and begins to
// build. The store is open. `factor`: of explore/suite.h; tests that were analysed with another one, other symbolic
// input or other checks are analysed again. Fails when the campaign has no tests.
int tests_load(struct session *s, unsigned factor, struct err *err);
void tests_free(struct tests *t); // NULL: nothing

// Stores the outcomes of the tests that no worker was at; inside a transaction.
int tests_store(struct session *s, struct err *err);

// For struct amplify_setup; opaque is the session.
bool tests_await(void *opaque);                                  // awaits
const struct graph *tests_graph(void *opaque, uint32_t program); // graph_of

#endif
