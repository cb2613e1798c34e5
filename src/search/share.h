// Which of the two searches of a portfolio is next: each has its share of the work, and the shares follow what the work
// gained lately. Nothing here reads a clock.
#ifndef VEER_SEARCH_SHARE_H
#define VEER_SEARCH_SHARE_H

#include <stdbool.h>
#include <stdint.h>

enum { SHARE_FRONTIER, SHARE_EPISODES, SHARES };

struct share {
	double part;                          // of SHARE_EPISODES
	bool fixed;                           // it does not follow the gain
	double ahead[SHARES];                 // work done, each in units of its share
	double spent[SHARES], gained[SHARES]; // lately
	double since;                         // work since the shares were computed
	double all[SHARES], found[SHARES];    // of the whole session, for the report
};

// `part`: fixed share of SHARE_EPISODES, 0 to 1; negative: the share follows the gain.
void share_init(struct share *s, double part);

unsigned share_next(const struct share *s);
void share_spend(struct share *s, unsigned who, double work);
void share_gain(struct share *s, unsigned who, double edges);

#endif
