// How much effort the solver spends on conditions on floats, of which many have no solution and nobody can tell which.
//
// Every candidate is solved with little effort at first; with less, the more candidates of the same branch edge stayed
// unknown. What was left in haste is kept. A quarter of the campaign's time is for solving some of it with all effort:
// of branch edges that no run took, those that were tried least so. When nothing else is left, all of it is solved so,
// and then, when there is a budget, with more and more.
#ifndef VEER_EXPLORE_EFFORTS_H
#define VEER_EXPLORE_EFFORTS_H

#include "base/map.h"
#include "explore/campaign_internal.h"

struct edge_effort {
	uint64_t edge;           // 0: free
	uint32_t unknown, tried; // candidates left in haste; those solved with all effort
};
MAP(edge_efforts, struct edge_effort);

struct efforts {
	struct edge_efforts edges;
	struct candidate *open; // left in haste: of branch edges that no run had taken, the latest last
	size_t n_open, open_max;
	struct candidate *rest; // others
	size_t n_rest, rest_max;
	uint64_t solved; // candidates
};

void efforts_release(struct efforts *e);
// solver_env.effort for the candidate.
int8_t efforts_usual(const struct efforts *e, const struct candidate *f);
// What the solver said.
void efforts_answered(struct efforts *e, const struct campaign *c, const struct candidate *f,
                      const struct result_answer *a);
// One that is to be solved with all effort now; false: none, or others first.
bool efforts_choose(struct efforts *e, struct campaign *c, struct candidate *ret);
// Any that was left in haste and is still of interest, to be solved with all effort; false: none.
bool efforts_take(struct efforts *e, const struct campaign *c, struct candidate *ret);

#endif
