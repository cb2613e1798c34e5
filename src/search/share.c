#include "search/share.h"

#include <assert.h>
#include <math.h>

// Episodes begin with the share LEAST and never have less, since what they gain is only known while they run; nor more
// than MOST, since the frontier search explores what is near their runs. The shares are computed anew after each tenth
// of all work so far, WINDOW at least, since there is less and less to find; work before that counts KEPT each time.
static const double LEAST = 0.05, MOST = 0.5, WINDOW = 1000, KEPT = 0.8;

void share_init(struct share *s, double part)
{
	*s = (struct share){.part = part >= 0 ? part : LEAST, .fixed = part >= 0};
}

unsigned share_next(const struct share *s)
{
	if (s->part <= 0 || s->part >= 1)
		return s->part <= 0 ? SHARE_FRONTIER : SHARE_EPISODES;
	return s->ahead[SHARE_EPISODES] < s->ahead[SHARE_FRONTIER] ? SHARE_EPISODES : SHARE_FRONTIER;
}

// The shares are proportional to the squares of gain per work: most of what the worse search finds while there is much
// to find, the better one would have found soon. Both counts are one larger, so that no work means no opinion.
static void recompute(struct share *s)
{
	double rate[SHARES];
	for (unsigned i = 0; i < SHARES; i++) {
		rate[i] = (s->gained[i] + 1) / (s->spent[i] + 1);
		rate[i] *= rate[i];
		s->gained[i] *= KEPT;
		s->spent[i] *= KEPT;
		s->ahead[i] = 0;
	}
	s->part = rate[SHARE_EPISODES] / (rate[SHARE_EPISODES] + rate[SHARE_FRONTIER]);
	s->part = s->part < LEAST ? LEAST : s->part > MOST ? MOST : s->part;
	assert(s->part > 0 && s->part < 1);
	s->since = 0;
}

void share_spend(struct share *s, unsigned who, double work)
{
	assert(who < SHARES && work >= 0);
	double part = who == SHARE_EPISODES ? s->part : 1 - s->part;
	s->spent[who] += work;
	s->all[who] += work;
	s->since += work;
	if (part > 0)
		s->ahead[who] += work / part;
	if (!s->fixed && s->since >= WINDOW && 10 * s->since >= s->all[SHARE_FRONTIER] + s->all[SHARE_EPISODES])
		recompute(s);
}

// The logarithm: one run that covers much says little about the next.
void share_gain(struct share *s, unsigned who, double edges)
{
	assert(who < SHARES && edges >= 0);
	s->gained[who] += log2(1 + edges);
	s->found[who] += edges;
}
