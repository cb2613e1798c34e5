// Whose turn it is, of two searches of one campaign: each has its share of the work, and the shares follow what the
// work led to lately. Nothing here looks at a clock.
#ifndef VEER_EXPLORE_SHARE_H
#define VEER_EXPLORE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

enum { SHARE_FRONTIER, SHARE_EPISODES, SHARES };

struct share {
	double part;                          // of SHARE_EPISODES
	bool fixed;                           // it stays
	double ahead[SHARES];                 // work done, each in units of its share
	double spent[SHARES], gained[SHARES]; // lately
	double since;                         // work since the shares were looked at
	double all[SHARES], found[SHARES];    // of the whole campaign, to tell
};

// `part`: what SHARE_EPISODES has for good, 0 to 1; negative: it follows from what is gained.
void share_init(struct share *s, double part);

unsigned share_next(const struct share *s);
void share_spend(struct share *s, unsigned who, double work);
void share_gain(struct share *s, unsigned who, double edges);

#endif
