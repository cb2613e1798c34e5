// Rewrite rules: the table of rules.def, parsed, and the search for one that fits.
//
// A rule is a tree of terms on each side and a list of conditions. It is parsed at the
// first use, once per order in which operands of commutative operators may stand.
#ifndef VEER_EXPR_RULE_H
#define VEER_EXPR_RULE_H

#include "expr/expr.h"

enum {
	RULE_TERMS = 48,
	RULE_INTS = 20,
	RULE_TESTS = 8,
	RULE_VARS = 6,   // u v w x y z
	RULE_CONSTS = 8, // A..H
	RULE_NAMES = 6,  // i..n
	RULE_NONE = 0xff,
};

enum rule_term_kind {
	TERM_VAR,    // any expression
	TERM_CONST,  // any constant
	TERM_NUMBER, // this constant
	TERM_OP,
	// What is known of the values of a variable (expr/range.h); in conditions and right-hand sides.
	TERM_MIN,
	TERM_MAX,
	TERM_LOW,
	TERM_HIGH,
	TERM_ZEROS,
	TERM_ONES,
};

struct rule_term {
	uint8_t kind, op;
	uint8_t slot;  // which variable or constant
	bool constant; // nothing below it is a variable
	int16_t number;
	uint8_t width, low; // integers; RULE_NONE: not given
	uint8_t kids[3];    // terms
};

enum rule_part_kind { PART_NUMBER, PART_NAME, PART_VAR_WIDTH, PART_CONST_WIDTH, PART_VALUE, PART_TZ, PART_LZ };

// A sum of small integers.
struct rule_int {
	uint8_t n;
	struct {
		int8_t sign;
		uint8_t kind;
		int16_t arg;
	} parts[4];
};

enum rule_test_kind { TEST_EQ, TEST_NE, TEST_LT, TEST_LE, TEST_TERM };

struct rule_test {
	uint8_t kind;
	uint8_t a, b; // integers; of TEST_TERM: a is a constant term, which must be 1
};

struct rule {
	const char *text[3];         // as in rules.def: left, right, conditions
	bool reordered;              // the rule before it, with operands the other way round
	uint8_t left, right;         // terms
	uint8_t first_op, second_op; // of the operands that it fits; RULE_NONE: any
	uint8_t asks;                // bits: the variables of whose values the conditions know something
	uint8_t n_terms, n_ints, n_tests;
	struct rule_term terms[RULE_TERMS];
	struct rule_int ints[RULE_INTS];
	struct rule_test tests[RULE_TESTS];
};

// What the letters of a rule stand for. The pool is used for ranges only.
struct rule_binding {
	const struct expr_pool *pool;
	unsigned width; // of the whole expression
	uint32_t vars[RULE_VARS], consts[RULE_CONSTS];
	uint16_t var_widths[RULE_VARS], const_widths[RULE_CONSTS];
	eval_value values[RULE_CONSTS];
	int names[RULE_NAMES];
	unsigned bound; // bits: variables, then constants, then names
};

static inline unsigned rule_var_bit(unsigned slot)
{
	return 1u << slot;
}
static inline unsigned rule_const_bit(unsigned slot)
{
	return 1u << (RULE_VARS + slot);
}
static inline unsigned rule_name_bit(unsigned slot)
{
	return 1u << (RULE_VARS + RULE_CONSTS + slot);
}

// All rules, in the order of the table.
const struct rule *rule_table(unsigned *ret_n);

// The first rule that fits a node whose operands are simple, in *ret what its letters stand for; NULL: none.
const struct rule *rule_find(const struct expr_pool *p, const struct expr_node *node, struct rule_binding *ret);

int rule_int(const struct rule *r, unsigned i, const struct rule_binding *b);
// The width of a term; `hint` is the width of a number that does not say it.
unsigned rule_width(const struct rule *r, unsigned term, const struct rule_binding *b, unsigned hint);
// The hint for operand k of a term that is `width` wide.
unsigned rule_hint(const struct rule *r, unsigned term, unsigned k, const struct rule_binding *b, unsigned width);
// The value of a constant term.
eval_value rule_value(const struct rule *r, unsigned term, const struct rule_binding *b, unsigned hint);

#endif
