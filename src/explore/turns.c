#include "explore/turns.h"

#include <assert.h>

#include "base/mem.h"

// What was spent and gained counts half after each WINDOW seconds of all. LEAST: of an even share, which everybody has.
static const double WINDOW = 10, KEPT = 0.5, LEAST = 0.1;

void turns_init(struct turns *t, uint32_t n)
{
	*t = (struct turns){.v = mem_zero((n + 1) * sizeof *t->v), .n = n};
}

void turns_release(struct turns *t)
{
	mem_free(t->v);
	*t = (struct turns){0};
}

// One more each, so that nothing says nothing.
static double rate(const struct turn_taker *x)
{
	return (x->gained + 1) / (x->spent + 1);
}

double turns_share(const struct turns *t, uint32_t who)
{
	double all = 0;
	for (uint32_t i = 0; i < t->n; i++)
		all += rate(&t->v[i]);
	return (1 - LEAST) * rate(&t->v[who]) / all + LEAST / t->n;
}

uint32_t turns_next(const struct turns *t, const bool *can)
{
	uint32_t best = t->n;
	for (uint32_t i = 0; i < t->n; i++)
		if ((!can || can[i]) && (best == t->n || t->v[i].ahead < t->v[best].ahead))
			best = i;
	return best;
}

// Who comes late, or could not for a while, does not catch up: the others had time that nobody else wanted.
static void join(struct turns *t, struct turn_taker *x)
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

void turns_spend(struct turns *t, uint32_t who, double seconds)
{
	assert(who < t->n && seconds >= 0);
	struct turn_taker *x = &t->v[who];
	if (!x->joined)
		join(t, x);
	x->ahead += seconds / turns_share(t, who);
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

void turns_gain(struct turns *t, uint32_t who, double worth)
{
	assert(who < t->n);
	t->v[who].gained += worth;
}
