// Which way to try next. A strategy is told of every way that turns up and names one when it is asked; ways are tried
// once, so every strategy ends, and all find the same on a program that can be explored completely.
#ifndef VEER_EXPLORE_STRATEGY_H
#define VEER_EXPLORE_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explore/decide.h"
#include "explore/tree.h"

// A way that was not taken, and the run that passed it.
struct flip {
	int64_t input;
	uint32_t event, depth;
	struct turn turn;
	uint64_t place;        // TURN_OTHER: whose values are known
	uint32_t covered;      // what that run covered that was new
	uint32_t milliseconds; // that it took
	bool rare;             // one of very many: only when nothing else is left
};

enum strategy_kind {
#define STRATEGY(NAME, word, what) STRATEGY_##NAME,
#include "explore/strategies.def"
#undef STRATEGY
	STRATEGIES
};

bool strategy_find(const char *word, enum strategy_kind *ret);
const char *strategy_words(void); // for messages: "a, b, c"

struct strategy;
struct strategy *strategy_new(enum strategy_kind kind, uint64_t random,
                              const struct tree *sides); // sides: that some run took; lives longer
void strategy_free(struct strategy *s);
void strategy_add(struct strategy *s, const struct flip *f);
// False: nothing is left, or with an `input` other than 0 the next one is not off that run.
bool strategy_next(struct strategy *s, int64_t input, struct flip *ret);
size_t strategy_waiting(const struct strategy *s);

#endif
