// Which of several kinds of work in one campaign is next: each has a share of the time, and the shares follow what the
// time gained lately. Nothing here reads a clock.
#ifndef VEER_EXPLORE_ROTATION_H
#define VEER_EXPLORE_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

struct rotation_member {
	double spent, gained; // lately
	double ahead;         // time that it had, in units of its share
	double seconds;       // all of it
	bool joined;          // it has spent time
};

struct rotation {
	struct rotation_member *v;
	uint32_t n;
	double since; // time since older time and gain were halved
};

void rotation_init(struct rotation *t, uint32_t n);
void rotation_release(struct rotation *t);

// Of the members that have work, the one that is furthest behind its share; t->n when none has. NULL: all have.
uint32_t rotation_next(const struct rotation *t, const bool *can);
// 0 to 1; all shares together are 1, and none is less than a tenth of an even one.
double rotation_share(const struct rotation *t, uint32_t who);
void rotation_spend(struct rotation *t, uint32_t who, double seconds);
void rotation_gain(struct rotation *t, uint32_t who, double worth);

#endif
