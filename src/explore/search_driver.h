// The driver of `veer explore`: searches from seeds with a strategy.
#ifndef VEER_EXPLORE_SEARCH_DRIVER_H
#define VEER_EXPLORE_SEARCH_DRIVER_H

#include <stddef.h>

#include "input/input.h"
#include "search/strategy.h"

// campaign_setup.driver_setup of driver_search.
struct search_setup {
	struct strategy_options strategy;
	const struct input *seeds;
	size_t n_seeds;
	// With other tools, otherwise NULL: returns, about once a second, the inputs that they have found since; *ret
	// is the caller's. Then the campaign does not end when nothing is left.
	void (*more)(void *opaque, struct input **ret, size_t *ret_n);
};

struct driver;
extern const struct driver driver_search;

#endif
