// What the two halves of the phrasing of expressions share: values (phrase.c) and conditions (phrase_condition.c).
#ifndef VEER_EXPLAIN_PHRASE_INTERNAL_H
#define VEER_EXPLAIN_PHRASE_INTERNAL_H

#include "explain/field.h"
#include "explain/phrase.h"
#include "expr/tape.h"

enum { FIELDS_PRINTED = 8 };

// How tightly an operator binds; operands that bind less get parentheses.
enum tightness { T_ANY, T_OR, T_AND, T_COMPARE, T_BITS, T_SHIFT, T_SUM, T_PRODUCT, T_UNARY };

struct writing {
	const struct phrasing *p;
	struct buf *out;
	size_t limit;
	unsigned depth;
	bool cut;                             // something was left out
	const struct byteset *possible;       // of the only variable of the whole condition; NULL: anything
	const struct tape *taken;             // of choices only what the run took is printed; NULL: both
	bool chose;                           // and there was one
	struct field printed[FIELDS_PRINTED]; // of these the byte order was printed
	size_t n_printed;
};

void print(struct writing *w, uint32_t id, enum tightness needed);
void print_condition(struct writing *w, uint32_t id, bool holds, enum tightness needed);

bool print_is_full(struct writing *w); // then "..." was written
void print_group(struct writing *w, bool group, char parenthesis);
void print_infix(struct writing *w, const char *symbol, uint32_t a, uint32_t b, enum tightness own,
                 enum tightness needed);
void print_choice(struct writing *w, const struct expr_node *n, enum tightness needed);
void print_operator(struct writing *w, uint32_t id, enum tightness needed);
bool print_float(struct buf *out, eval_value value, unsigned width); // false: it is of no such width

// A length or a number of arguments: no byte of a text.
bool phrase_is_number(const struct expr_pool *p, uint32_t source);

#endif
