// What a branch on the path of an episode is like: a bit for each feature of features.def. Parametric heuristics
// score branches by the sum of the weights of those that are set.
#ifndef VEER_SEARCH_FEATURES_H
#define VEER_SEARCH_FEATURES_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "coverage/graph.h"

enum feature {
#define FEATURE(NAME, what) FEATURE_##NAME,
#include "search/features.def"
#undef FEATURE
	FEATURES
};

#define FEATURE_BIT(NAME) ((uint64_t)1 << FEATURE_##NAME)

struct episode;
struct features; // what is the same for all branches of a path, and of the same branch wherever it is on it

struct features *features_new(const struct graph *g);
void features_free(struct features *f);

// The episode is at another run, or has chosen something.
void features_begin(struct episode *w);

// Of an alternative: `place` on the path, number of the alternative there.
uint64_t features_of(struct episode *w, uint32_t place, uint32_t alternative);

double features_score(uint64_t bits, const double *weights);

// Weights as text: a line each, with what it is for behind a '#'. Reading returns -1 with *err filled when there are
// not as many as there are features, or one is beyond 10.
void weights_print(const double *weights, struct buf *out);
int weights_read(const char *path, double *ret, struct err *err);

#endif
