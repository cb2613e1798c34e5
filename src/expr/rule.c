// The table of rules, and matching.
//
// Rules are looked for by the operator of the node, that of its first operand, and whether
// the second one is a constant: for each there is a list of the rules that may fit, in the
// order of the table.
#include "expr/rule.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "expr/range.h"
#include "expr/rule_parse.h"

enum { RULES_MAX = 800, CANDIDATES_MAX = 48000 };

static const struct {
	const char *text[3];
} sources[] = {
#define RULE(left, right, conditions) {{left, right, conditions}},
#include "expr/rules.def"
#undef RULE
};

static struct rule rules[RULES_MAX];
static unsigned n_rules;

// candidates[begins[list]] up to begins[list + 1]
struct candidate {
	uint16_t rule;
	uint8_t second_op;
};
static struct candidate candidates[CANDIDATES_MAX];
static unsigned n_candidates;
static uint16_t begins[OP_COUNT * OP_COUNT * 2 + 1];

static unsigned list_of(unsigned op, unsigned first, bool second_is_const)
{
	return (op * OP_COUNT + first) * 2 + second_is_const;
}

// --- the other orders of operands ------------------------------------------------------------------

static bool is_constant_term(const struct rule *r, unsigned t)
{
	return r->terms[t].kind == TERM_CONST || r->terms[t].kind == TERM_NUMBER;
}

// Constants stand on the right, so there is one order only. Nor does a root over two variables need
// the other one: the table has both rules when they differ.
static bool can_swap(const struct rule *r, unsigned t)
{
	const struct rule_term *term = &r->terms[t];
	if (term->kind != TERM_OP || !op_commutes(term->op) || is_constant_term(r, term->kids[1]))
		return false;
	return t != r->left || r->terms[term->kids[0]].kind != TERM_VAR || r->terms[term->kids[1]].kind != TERM_VAR;
}

static void swap_kids(struct rule_term *t)
{
	uint8_t first = t->kids[0];
	t->kids[0] = t->kids[1];
	t->kids[1] = first;
}

// The terms of the left-hand side stand before all others.
static void add_orders(struct rule *r)
{
	uint8_t places[8];
	unsigned n = 0;
	for (unsigned t = 0; t < r->right; t++)
		if (r->terms[t].kind == TERM_OP && can_swap(r, t)) {
			assert(n < sizeof places);
			places[n++] = (uint8_t)t;
		}
	for (unsigned order = 1; order < 1u << n; order++) {
		assert(n_rules < RULES_MAX);
		struct rule *other = &rules[n_rules++];
		*other = *r;
		other->reordered = true;
		for (unsigned i = 0; i < n; i++)
			if (order >> i & 1)
				swap_kids(&other->terms[places[i]]);
	}
}

// --- the index -------------------------------------------------------------------------------------

static uint8_t operand_op(const struct rule *r, unsigned k)
{
	unsigned kid = r->terms[r->left].kids[k];
	if (kid == RULE_NONE || r->terms[kid].kind == TERM_VAR)
		return RULE_NONE;
	return r->terms[kid].kind == TERM_OP ? r->terms[kid].op : OP_CONST;
}

static void index_list(unsigned first, bool second_is_const, const uint16_t *of_op, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct rule *r = &rules[of_op[i]];
		if (r->first_op != RULE_NONE && r->first_op != first)
			continue;
		if (r->second_op != RULE_NONE && (r->second_op == OP_CONST) != second_is_const)
			continue;
		assert(n_candidates < CANDIDATES_MAX);
		candidates[n_candidates++] = (struct candidate){of_op[i], r->second_op};
	}
}

static void index_op(unsigned op, const uint16_t *of_op, unsigned n)
{
	for (unsigned first = 0; first < OP_COUNT; first++)
		for (unsigned second = 0; second < 2; second++) {
			begins[list_of(op, first, second)] = (uint16_t)n_candidates;
			index_list(first, second, of_op, n);
		}
}

static void index_rules(void)
{
	for (unsigned op = 0; op < OP_COUNT; op++) {
		uint16_t of_op[RULES_MAX];
		unsigned n = 0;
		for (unsigned i = 0; i < n_rules; i++) {
			if (rules[i].terms[rules[i].left].op != op)
				continue;
			rules[i].first_op = operand_op(&rules[i], 0);
			rules[i].second_op = operand_op(&rules[i], 1);
			of_op[n++] = (uint16_t)i;
		}
		index_op(op, of_op, n);
	}
	begins[list_of(OP_COUNT, 0, false)] = (uint16_t)n_candidates;
}

static void parse_all(void)
{
	for (unsigned i = 0; i < sizeof sources / sizeof *sources; i++) {
		assert(n_rules < RULES_MAX);
		struct rule *r = &rules[n_rules++];
		rule_parse(r, sources[i].text);
		add_orders(r);
	}
	index_rules();
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

const struct rule *rule_table(unsigned *ret_n)
{
	pthread_once(&once, parse_all);
	*ret_n = n_rules;
	return rules;
}

// --- values of terms -------------------------------------------------------------------------------

static int small(eval_value v)
{
	enum { LARGE = 1 << 20 };
	return v > LARGE ? LARGE : (int)v;
}

static int part_value(unsigned kind, int arg, const struct rule_binding *b)
{
	switch (kind) {
	case PART_NAME: return b->names[arg];
	case PART_VAR_WIDTH: return b->var_widths[arg];
	case PART_CONST_WIDTH: return b->const_widths[arg];
	case PART_VALUE: return small(b->values[arg]);
	case PART_TZ: return (int)eval_count(OP_CTTZ, b->const_widths[arg], b->values[arg]);
	case PART_LZ: return (int)eval_count(OP_CTLZ, b->const_widths[arg], b->values[arg]);
	default: return arg;
	}
}

int rule_int(const struct rule *r, unsigned i, const struct rule_binding *b)
{
	const struct rule_int *in = &r->ints[i];
	int sum = 0;
	for (unsigned k = 0; k < in->n; k++)
		sum += in->parts[k].sign * part_value(in->parts[k].kind, in->parts[k].arg, b);
	return sum;
}

static bool is_bare_number(const struct rule *r, unsigned t)
{
	return r->terms[t].kind == TERM_NUMBER && r->terms[t].width == RULE_NONE;
}

unsigned rule_width(const struct rule *r, unsigned term, const struct rule_binding *b, unsigned hint)
{
	const struct rule_term *t = &r->terms[term];
	if (t->width != RULE_NONE)
		return (unsigned)rule_int(r, t->width, b);
	switch (t->kind) {
	case TERM_NUMBER: return hint;
	case TERM_CONST: return b->const_widths[t->slot];
	case TERM_OP: break;
	default: return b->var_widths[t->slot];
	}
	if (op_gives_bit(t->op))
		return 1;
	if (t->op == OP_CONCAT)
		return rule_width(r, t->kids[0], b, 0) + rule_width(r, t->kids[1], b, 0);
	unsigned from = t->op == OP_ITE ? 1 : 0;
	if (is_bare_number(r, t->kids[from]) && t->kids[from + 1] != RULE_NONE)
		from++;
	return rule_width(r, t->kids[from], b, hint);
}

unsigned rule_hint(const struct rule *r, unsigned term, unsigned k, const struct rule_binding *b, unsigned width)
{
	const struct rule_term *t = &r->terms[term];
	if (t->op == OP_ITE)
		return k ? width : 1;
	if (!op_gives_bit(t->op))
		return width;
	return rule_width(r, t->kids[is_bare_number(r, t->kids[0]) ? 1 : 0], b, 0);
}

static const struct range *known(const struct rule_binding *b, unsigned slot)
{
	return range_of(b->pool, b->vars[slot]);
}

// A constant and its width.
struct sized {
	eval_value value;
	unsigned width;
};

static struct sized term_value(const struct rule *r, unsigned term, const struct rule_binding *b, unsigned hint);

static struct sized leaf_value(const struct rule *r, const struct rule_term *t, const struct rule_binding *b,
                               unsigned hint)
{
	unsigned width = t->kind == TERM_CONST ? b->const_widths[t->slot] : b->var_widths[t->slot];
	switch (t->kind) {
	case TERM_CONST: return (struct sized){b->values[t->slot], width};
	case TERM_MIN: return (struct sized){known(b, t->slot)->min, width};
	case TERM_MAX: return (struct sized){known(b, t->slot)->max, width};
	case TERM_LOW: return (struct sized){(eval_value)known(b, t->slot)->low & eval_mask(width), width};
	case TERM_HIGH: return (struct sized){(eval_value)known(b, t->slot)->high & eval_mask(width), width};
	case TERM_ZEROS: return (struct sized){known(b, t->slot)->zeros, width};
	case TERM_ONES: return (struct sized){known(b, t->slot)->ones, width};
	default: width = t->width != RULE_NONE ? (unsigned)rule_int(r, t->width, b) : hint;
	}
	assert(t->kind == TERM_NUMBER && width >= 1 && width <= EXPR_WIDTH_MAX);
	return (struct sized){(eval_value)t->number & eval_mask(width), width};
}

// Operands of two; a number is as wide as the other one.
static void pair_values(const struct rule *r, const struct rule_term *t, const struct rule_binding *b, unsigned hint,
                        struct sized kids[3])
{
	unsigned first = is_bare_number(r, t->kids[0]) ? 1 : 0;
	kids[first] = term_value(r, t->kids[first], b, op_gives_bit(t->op) ? 0 : hint);
	kids[1 - first] = term_value(r, t->kids[1 - first], b, kids[first].width);
}

static struct sized term_value(const struct rule *r, unsigned term, const struct rule_binding *b, unsigned hint)
{
	const struct rule_term *t = &r->terms[term];
	if (t->kind != TERM_OP)
		return leaf_value(r, t, b, hint);
	struct sized kids[3] = {{0}};
	if (t->op == OP_ITE)
		for (unsigned k = 0; k < 3; k++)
			kids[k] = term_value(r, t->kids[k], b, k ? hint : 1);
	else if (t->kids[1] != RULE_NONE)
		pair_values(r, t, b, hint, kids);
	else
		kids[0] = term_value(r, t->kids[0], b, hint);
	unsigned width = t->width != RULE_NONE ? (unsigned)rule_int(r, t->width, b)
	                 : op_gives_bit(t->op) ? 1
	                 : t->op == OP_CONCAT  ? kids[0].width + kids[1].width
	                                       : kids[t->op == OP_ITE].width;
	assert(width >= 1 && width <= EXPR_WIDTH_MAX);
	struct trace_node n = {.op = t->op, .width = (uint16_t)width};
	if (t->op == OP_EXTRACT)
		n.b = (uint32_t)rule_int(r, t->low, b);
	return (struct sized){eval_node(&n, kids[0].width, kids[0].value, kids[1].value, kids[2].value, kids[1].width),
	                      width};
}

eval_value rule_value(const struct rule *r, unsigned term, const struct rule_binding *b, unsigned hint)
{
	return term_value(r, term, b, hint).value;
}

// --- matching --------------------------------------------------------------------------------------

// A name that is not bound yet is the whole integer of its term.
static bool match_int(const struct rule *r, unsigned i, int value, struct rule_binding *b)
{
	const struct rule_int *in = &r->ints[i];
	if (in->n == 1 && in->parts[0].kind == PART_NAME) {
		unsigned slot = (unsigned)in->parts[0].arg;
		if (!(b->bound & rule_name_bit(slot))) {
			b->bound |= rule_name_bit(slot);
			b->names[slot] = value;
			return true;
		}
	}
	return rule_int(r, i, b) == value;
}

static bool match_var(unsigned slot, const struct expr_pool *p, uint32_t id, struct rule_binding *b)
{
	if (b->bound & rule_var_bit(slot))
		return b->vars[slot] == id;
	b->bound |= rule_var_bit(slot);
	b->vars[slot] = id;
	b->var_widths[slot] = p->nodes[id].width;
	return true;
}

static bool match_const(unsigned slot, const struct expr_pool *p, uint32_t id, struct rule_binding *b)
{
	if (!expr_is_const(p, id))
		return false;
	if (b->bound & rule_const_bit(slot))
		return b->consts[slot] == id;
	b->bound |= rule_const_bit(slot);
	b->consts[slot] = id;
	b->const_widths[slot] = p->nodes[id].width;
	b->values[slot] = expr_value(p, id);
	return true;
}

static bool match_node(const struct rule *r, unsigned term, const struct expr_pool *p, const struct expr_node *n,
                       struct rule_binding *b);

static bool match(const struct rule *r, unsigned term, const struct expr_pool *p, uint32_t id, struct rule_binding *b)
{
	const struct rule_term *t = &r->terms[term];
	switch (t->kind) {
	case TERM_VAR: return match_var(t->slot, p, id, b);
	case TERM_CONST: return match_const(t->slot, p, id, b);
	case TERM_NUMBER:
		return expr_is_const(p, id) &&
		       expr_value(p, id) == ((eval_value)t->number & eval_mask(expr_width(p, id)));
	default: return p->nodes[id].op == t->op && match_node(r, term, p, &p->nodes[id], b);
	}
}

static bool match_node(const struct rule *r, unsigned term, const struct expr_pool *p, const struct expr_node *n,
                       struct rule_binding *b)
{
	const struct rule_term *t = &r->terms[term];
	const uint32_t operands[] = {n->a, n->b, n->c};
	if (t->width != RULE_NONE && !match_int(r, t->width, n->width, b))
		return false;
	if (t->low != RULE_NONE && !match_int(r, t->low, (int)n->b, b))
		return false;
	for (unsigned k = 0; k < 3 && t->kids[k] != RULE_NONE; k++)
		if (!match(r, t->kids[k], p, operands[k], b))
			return false;
	return true;
}

static bool holds(const struct rule *r, const struct rule_test *test, const struct rule_binding *b)
{
	if (test->kind == TEST_TERM)
		return rule_value(r, test->a, b, 1) == 1;
	int x = rule_int(r, test->a, b), y = rule_int(r, test->b, b);
	return test->kind == TEST_EQ ? x == y : test->kind == TEST_NE ? x != y : test->kind == TEST_LT ? x < y : x <= y;
}

// Most variables are of this kind, and rules that ask about them would not fit.
static bool anything_known(const struct rule *r, const struct expr_pool *p, const struct rule_binding *b)
{
	for (unsigned slot = 0; slot < RULE_VARS; slot++) {
		if (!(r->asks & rule_var_bit(slot)))
			continue;
		const struct expr_node *n = &p->nodes[b->vars[slot]];
		if (n->op == OP_CONST || (n->op != OP_INPUT && n->op != OP_LOOKUP && n->width > 1))
			return true;
	}
	return false;
}

static bool fits(const struct rule *r, const struct expr_pool *p, const struct expr_node *node, struct rule_binding *b)
{
	b->bound = 0;
	if (!match_node(r, r->left, p, node, b) || (r->asks && !anything_known(r, p, b)))
		return false;
	for (unsigned i = 0; i < r->n_tests; i++)
		if (!holds(r, &r->tests[i], b))
			return false;
	return true;
}

const struct rule *rule_find(const struct expr_pool *p, const struct expr_node *node, struct rule_binding *ret)
{
	pthread_once(&once, parse_all);
	uint8_t second = op_operands(node->op) > 1 ? p->nodes[node->b].op : RULE_NONE;
	unsigned list = list_of(node->op, p->nodes[node->a].op, second == OP_CONST);
	ret->pool = p;
	ret->width = node->width;
	for (unsigned i = begins[list]; i < begins[list + 1]; i++) {
		const struct candidate *c = &candidates[i];
		if ((c->second_op == RULE_NONE || c->second_op == second) && fits(&rules[c->rule], p, node, ret))
			return &rules[c->rule];
	}
	return NULL;
}
