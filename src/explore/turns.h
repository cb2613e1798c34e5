// Whose turn it is, of several kinds of work in one campaign: each has a share of the time, and the shares follow what
// the time led to lately. Nothing here looks at a clock.
#ifndef VEER_EXPLORE_TURNS_H
#define VEER_EXPLORE_TURNS_H

#include <stdbool.h>
#include <stdint.h>

struct turn_taker {
	double spent, gained; // lately
	double ahead;         // time it had, in units of its share
	double seconds;       // all of it
	bool joined;          // it has had a turn
};

struct turns {
	struct turn_taker *v;
	uint32_t n;
	double since; // time since what was before began to count less
};

void turns_init(struct turns *t, uint32_t n);
void turns_release(struct turns *t);

// Of those that can, the one that is behind its share the most; `n` of t when none can. NULL: all can.
uint32_t turns_next(const struct turns *t, const bool *can);
// 0 to 1; all shares together are 1, and none is less than a tenth of an even one.
double turns_share(const struct turns *t, uint32_t who);
void turns_spend(struct turns *t, uint32_t who, double seconds);
void turns_gain(struct turns *t, uint32_t who, double worth);

#endif
