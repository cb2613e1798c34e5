// Two searches of one campaign, each with a share of the work: search episodes (episode.h), which are about branches,
// and a frontier search in the order of `generational`, which has the checks, alternatives of which there are very
// many, and, when the class of the episodes mixes, all other candidates, too. Functions are those of strategy.h.
#ifndef VEER_SEARCH_PORTFOLIO_H
#define VEER_SEARCH_PORTFOLIO_H

#include "search/strategy.h"

struct portfolio;

struct portfolio *portfolio_new(const struct strategy_class *episodes, const struct strategy_setup *setup);
void portfolio_free(struct portfolio *s);
void portfolio_seed(struct portfolio *s, int64_t input);
void portfolio_add(struct portfolio *s, const struct candidate *f);
void portfolio_ran(struct portfolio *s, int64_t input, const struct result *r, uint32_t covered);
uint32_t portfolio_choose(struct portfolio *s, unsigned slot, bool alone, struct candidate *ret, uint32_t most,
                          bool *ret_first);
void portfolio_answer(struct portfolio *s, unsigned slot, uint32_t i, uint64_t key, int64_t input);
void portfolio_answered(struct portfolio *s, unsigned slot, const struct result *r);
void portfolio_lost(struct portfolio *s, int64_t input);
size_t portfolio_waiting(const struct portfolio *s);
bool portfolio_weights(const struct portfolio *s, double *ret);
void portfolio_report(const struct portfolio *s, struct buf *out);
struct paths *portfolio_paths(struct portfolio *s);

#endif
