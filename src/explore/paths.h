// The paths of all runs of a campaign, as strategies that walk from run to run need them: the execution tree with its
// decisions, each once, the ways that lead off them, and what each run came by.
#ifndef VEER_EXPLORE_PATHS_H
#define VEER_EXPLORE_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explore/graph.h"
#include "explore/strategy.h"
#include "explore/tree.h"
#include "explore/wire.h"

enum { PATHS_NONE = UINT32_MAX, PATHS_CONTEXTS = 4 };

// Sides and ways have numbers of their own, so that counts of them are arrays: first the sides of the graph, then "not
// that side" for each of them, which is what a run that did not go to a case of a switch took there, then whatever is
// not in the graph.
typedef uint32_t branch_id;

// There are millions of turns and nodes: how large they are is most of what a long campaign keeps in memory.
struct path_alternative {
	uint64_t key, value; // key 0: there is nothing to ask
	uint32_t other;      // side of the graph that it leads to; PATHS_NONE: none is known
	branch_id self : 28; // what is negated
	uint32_t op : 3;     // enum alternative_op
	bool rare : 1;
};

struct path_node {
	uint64_t place;
	uint32_t parent; // PATHS_NONE: the first decision of a run
	uint32_t point;  // of the graph; PATHS_NONE: none
	uint32_t edge;   // that it took, likewise
	branch_id self;
	uint32_t first, alternatives;
	uint32_t depth;   // how many come before it
	uint32_t run;     // the first that came by
	uint32_t context; // which
};

struct path_context {
	uint64_t before[PATHS_CONTEXTS]; // names the last 1, 2 ... before a node that need not come before it
};

struct path_run {
	int64_t input;
	uint32_t leaf;  // PATHS_NONE: it decided nothing
	uint32_t n;     // decisions
	uint32_t edges; // which set
	bool endless;   // it was ended; what is near it takes as long
};

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
	uint32_t open;            // turns before it are answered
	struct path_slot *keys;   // to nodes and inputs
	struct path_slot *inputs; // to runs
	struct path_slot *others; // sides that are not in the graph, to numbers
	struct path_slot *seen;   // sets of sides
	struct path_slot *named;  // contexts
	size_t n_keys, cap_keys, n_inputs, cap_inputs, n_others, cap_others, n_seen, cap_seen, n_named, cap_named;
	uint8_t *sets;
	uint32_t n_sets, max_sets, set_size; // bytes of a set
};

void paths_init(struct paths *p, const struct graph *g, const struct tree *tree, uint32_t most);
void paths_release(struct paths *p);

// A run of the input, as its worker told. Its number, which it has already when the input ran before.
uint32_t paths_add(struct paths *p, int64_t input, const struct result *r);

bool paths_full(const struct paths *p); // of further runs, only what they share with others is kept

// The way `key` was answered with this input.
void paths_answer(struct paths *p, uint64_t key, int64_t input);

// A run that goes that way, whether it was made for it or not; PATHS_NONE: none is known.
uint32_t paths_goes(const struct paths *p, uint64_t key);

// The input of a run that goes that way, or else the one that was to, whether it ran or not; 0: there is none.
int64_t paths_input(const struct paths *p, uint64_t key);
uint32_t paths_run_of(const struct paths *p, int64_t input); // PATHS_NONE: it has not run
const uint8_t *paths_edges(const struct paths *p, uint32_t run);
uint32_t paths_ids(const struct paths *p); // how many numbers of sides there are by now

// The nodes of a run, from the first on; `ret` has room for them.
void paths_get(const struct paths *p, uint32_t run, uint32_t *ret);

uint32_t paths_node_of(const struct paths *p, uint32_t alternative); // that it leads off

// What to ask for a turn at a node, off a run that came by.
struct candidate paths_candidate(const struct paths *p, uint32_t run, uint32_t node, uint32_t alternative);

// The oldest ways that nobody asked for yet, off one run: `ret` gets up to `most` of them. `busy` says which are being
// asked for.
uint32_t paths_oldest(struct paths *p, struct candidate *ret, uint32_t most, bool (*busy)(void *opaque, uint64_t key),
                      void *opaque);

#endif
