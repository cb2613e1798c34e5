// How the inputs of recorded tests were treated: symbolic as a whole, window by window, or concrete; by file, over all
// tests, from the analysis scopes in the store.
#ifndef VEER_EXPLORE_TREATMENT_H
#define VEER_EXPLORE_TREATMENT_H

#include "explore/scope.h"
#include "store/store.h"

struct treatment {
	struct input_source of;           // standard input, or a file; the name is the treatment's own
	uint32_t group;                   // enum scope_group
	uint32_t tests;                   // that read it, and of which the first scope was analysed
	uint32_t whole, partly, concrete; // how many of them treated it so
	uint64_t size, symbolic;          // bytes: of the largest, and the most that were symbolic in tests of `partly`
};

struct treatments {
	struct treatment *v; // those that are not whole in all tests first
	size_t n, cap;
	size_t whole; // inputs that were symbolic as a whole in all tests
};

int treatments_read(struct store *s, struct treatments *ret, struct err *err);
void treatments_release(struct treatments *t);

// A line about all of them, about one of them; the caller frees.
char *treatments_sum(const struct treatments *t);
char *treatment_line(const struct treatment *t);
// "whole", "windows" or "concrete": the least of what its tests did.
const char *treatment_word(const struct treatment *t);

#endif
