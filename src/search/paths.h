// The paths of all runs of a campaign, as search episodes need them: the execution tree with its decisions, each
// once, their alternatives, and the branch edges that each run took.
#ifndef VEER_SEARCH_PATHS_H
#define VEER_SEARCH_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "coverage/graph.h"
#include "path/tree.h"
#include "search/strategy.h"
#include "worker/wire.h"

enum { PATHS_NONE = UINT32_MAX, PATHS_CONTEXTS = 4 };

// Branch edges have numbers, so that counts of them are arrays: first the edges of the graph, then "not that edge" for
// each of them, which is what a run took that did not go to a case of a switch, then edges that are not in the graph.
typedef uint32_t branch_id;

// There are millions of alternatives and nodes: they are most of the memory of a long campaign.
struct path_alternative {
	uint64_t key, value; // key 0: there is nothing to solve
	uint32_t other;      // edge of the graph that it takes; PATHS_NONE: none is known
	branch_id self : 28; // what is negated
	uint32_t op : 3;     // enum alternative_op
	bool rare : 1;
};

struct path_node {
	uint64_t place;
	uint32_t parent; // PATHS_NONE: the first decision of a run
	uint32_t point;  // of the graph; PATHS_NONE: none
	uint32_t edge;   // of the graph, that was taken; PATHS_NONE: none
	branch_id self;
	uint32_t first, alternatives;
	uint32_t depth;   // number of decisions before it
	uint32_t run;     // the first run that took it
	uint32_t context; // which
};

struct path_context {
	uint64_t before[PATHS_CONTEXTS]; // hashes of the last 1, 2 ... edges before a node that do not dominate it
};

struct path_run {
	int64_t input;
	uint32_t leaf;  // last node; PATHS_NONE: no decision
	uint32_t n;     // decisions
	uint32_t edges; // which set
	bool endless;   // a hang
};

struct path_slot {
	uint64_t name;  // 0: free
	uint32_t input; // of a key: its solution; 0, and of others: none
	uint32_t index;
};
MAP(path_slots, struct path_slot);

struct paths {
	const struct graph *graph;
	const struct tree *tree;
	struct path_node *nodes;
	struct path_alternative *alternatives;
	struct path_run *runs;
	uint32_t n_nodes, max_nodes, n_alternatives, max_alternatives, n_runs, max_runs;
	uint32_t most;                 // nodes
	struct path_context *contexts; // most nodes have that of another one
	uint32_t n_contexts, max_contexts;
	uint32_t open;            // alternatives before it are answered
	struct path_slots keys;   // to nodes and inputs
	struct path_slots inputs; // to runs
	struct path_slots others; // edges that are not in the graph, to numbers
	struct path_slots seen;   // sets of branch edges
	struct path_slots named;  // contexts
	uint8_t *sets;
	uint32_t n_sets, max_sets, set_size; // bytes of a set
};

void paths_init(struct paths *p, const struct graph *g, const struct tree *tree, uint32_t most);
void paths_release(struct paths *p);

// Adds a run of the input, as its worker reported it. Returns its number, or that of an earlier run of the input.
uint32_t paths_add(struct paths *p, int64_t input, const struct result *r);

bool paths_full(const struct paths *p); // of further runs, only the prefix that others have is stored

// The branch edge `key` has this solution.
void paths_answer(struct paths *p, uint64_t key, int64_t input);

// A run that takes the branch edge, whether it was solved for it or not; PATHS_NONE: none is known.
uint32_t paths_goes(const struct paths *p, uint64_t key);

// The input of a run that takes the branch edge, or else its solution, whether that ran or not; 0: there is none.
int64_t paths_input(const struct paths *p, uint64_t key);
uint32_t paths_run_of(const struct paths *p, int64_t input); // PATHS_NONE: it has not run
const uint8_t *paths_edges(const struct paths *p, uint32_t run);
uint32_t paths_ids(const struct paths *p); // how many numbers of branch edges there are by now

// The nodes of a run, from the first on; `ret` has room for them.
void paths_get(const struct paths *p, uint32_t run, uint32_t *ret);

uint32_t paths_node_of(const struct paths *p, uint32_t alternative); // whose alternative it is

// The candidate for an alternative of a node, on a run that has the node.
struct candidate paths_candidate(const struct paths *p, uint32_t run, uint32_t node, uint32_t alternative);

// The oldest candidates without an answer, of one run: `ret` gets up to `most` of them. `busy` says which are being
// solved.
uint32_t paths_oldest(struct paths *p, struct candidate *ret, uint32_t most, bool (*busy)(void *opaque, uint64_t key),
                      void *opaque);

#endif
