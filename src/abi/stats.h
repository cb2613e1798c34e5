// What the traced programs of a `veer run` did, all together: a file RUN/stats that
// each of them maps and adds to.
#ifndef VEER_ABI_STATS_H
#define VEER_ABI_STATS_H

#include <stdint.h>

enum { STATS_NAMES = 512, STATS_NAME = 56 };

struct trace_stats {
	uint64_t programs;               // that recorded
	uint64_t nodes, events, checked; // of those that ended in an orderly way
	uint64_t mismatches;             // of the self-check
	uint64_t full;                   // programs that ran out of room
	struct stats_name {
		uint32_t state; // 0: free, 1: being filled, 2: filled
		uint32_t zero;
		uint64_t count;
		char name[STATS_NAME]; // of a function without model
	} unmodelled[STATS_NAMES];
};

#endif
