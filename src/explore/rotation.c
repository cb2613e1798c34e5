#include "explore/rotation.h"

#include <assert.h>

#include "base/mem.h"

// Time and gain count half after each WINDOW seconds of all. LEAST: of an even share, which every member has.
static const double WINDOW = 10, KEPT = 0.5, LEAST = 0.1;

void rotation_init(struct rotation *t, uint32_t n)
{
	*t = (struct rotation){.v = mem_zero((n + 1) * sizeof *t->v), .n = n};
}

void rotation_release(struct rotation *t)
{
	mem_free(t->v);
	*t = (struct rotation){0};
}

// Both counts are one larger, so that no time means no opinion.
static double rate(const struct rotation_member *x)
{
	return (x->gained + 1) / (x->spent + 1);
}

double rotation_share(const struct rotation *t, uint32_t who)
{
	assert(who < t->n);
	double all = 0;
	for (uint32_t i = 0; i < t->n; i++)
		all += rate(&t->v[i]);
	const double share = (1 - LEAST) * rate(&t->v[who]) / all + LEAST / t->n;
	assert(share > 0 && share < 1 + 1e-9);
	return share;
}

uint32_t rotation_next(const struct rotation *t, const bool *can)
{
	uint32_t best = t->n;
	for (uint32_t i = 0; i < t->n; i++)
		if ((!can || can[i]) && (best == t->n || t->v[i].ahead < t->v[best].ahead))
			best = i;
	return best;
}

// A member that joins late, or had nothing to do for a while, does not catch up: nobody else wanted the time.
static void join(struct rotation *t, struct rotation_member *x)
{
	double least = 0;
	bool any = false;
	for (uint32_t i = 0; i < t->n; i++)
		if (t->v[i].joined && (!any || t->v[i].ahead < least)) {
			least = t->v[i].ahead;
			any = true;
		}
	x->joined = true;
	x->ahead = x->ahead > least ? x->ahead : least;
}

void rotation_spend(struct rotation *t, uint32_t who, double seconds)
{
	assert(who < t->n && seconds >= 0);
	struct rotation_member *x = &t->v[who];
	if (!x->joined)
		join(t, x);
	x->ahead += seconds / rotation_share(t, who);
	x->spent += seconds;
	x->seconds += seconds;
	t->since += seconds;
	if (t->since < WINDOW)
		return;
	t->since = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		t->v[i].spent *= KEPT;
		t->v[i].gained *= KEPT;
	}
}

void rotation_gain(struct rotation *t, uint32_t who, double worth)
{
	assert(who < t->n && worth >= 0);
	t->v[who].gained += worth;
}
