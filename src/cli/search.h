// Options of search strategies, for commands that search.
#ifndef VEER_CLI_SEARCH_H
#define VEER_CLI_SEARCH_H

#include "base/err.h"
#include "search/features.h"
#include "search/strategy.h"

struct search_options {
	const char *search, *tune, *weights, *learn;
};

struct search {
	enum strategy_kind kind;
	struct tuning tuning;
	bool has_weights;
	double weights[FEATURES];
};

// -1 with *err filled, which is for people who used an option wrongly.
int search_read(const struct search_options *o, struct search *ret, struct err *err);

#endif
