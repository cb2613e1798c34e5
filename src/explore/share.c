#include "explore/share.h"

// Neither gets less than LEAST: what one leads to can only be known while it is tried. The shares are looked at after
// each tenth of all work so far, WINDOW at least, since there is less and less to find; what was done before then
// counts half.
static const double LEAST = 0.1, WINDOW = 1000;

void share_init(struct share *s, double part)
{
	*s = (struct share){.part = part >= 0 ? part : 0.5, .fixed = part >= 0};
}

unsigned share_next(const struct share *s)
{
	if (s->part <= 0 || s->part >= 1)
		return s->part <= 0 ? SHARE_WIDE : SHARE_WALKS;
	return s->ahead[SHARE_WALKS] < s->ahead[SHARE_WIDE] ? SHARE_WALKS : SHARE_WIDE;
}

// The shares are as the squares of what was gained for the same work: most of what the lesser finds while there is
// much, the better would have found soon. One side more each, so that nothing says nothing.
static void look(struct share *s)
{
	double rate[SHARES];
	for (unsigned i = 0; i < SHARES; i++) {
		rate[i] = (s->gained[i] + 1) / (s->spent[i] + 1);
		rate[i] *= rate[i];
		s->gained[i] /= 2;
		s->spent[i] /= 2;
		s->ahead[i] = 0;
	}
	s->part = rate[SHARE_WALKS] / (rate[SHARE_WALKS] + rate[SHARE_WIDE]);
	s->part = s->part < LEAST ? LEAST : s->part > 1 - LEAST ? 1 - LEAST : s->part;
	s->since = 0;
}

void share_spend(struct share *s, unsigned who, double work)
{
	double part = who == SHARE_WALKS ? s->part : 1 - s->part;
	s->spent[who] += work;
	s->all[who] += work;
	s->since += work;
	if (part > 0)
		s->ahead[who] += work / part;
	if (!s->fixed && s->since >= WINDOW && 10 * s->since >= s->all[SHARE_WIDE] + s->all[SHARE_WALKS])
		look(s);
}

void share_gain(struct share *s, unsigned who, double sides)
{
	s->gained[who] += sides;
	s->found[who] += sides;
}
