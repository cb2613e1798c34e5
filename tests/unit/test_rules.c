// The simplifier: Z3 proves every rule at many widths; random expressions keep their values.
#include "expr/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <z3.h>

#include "expr/range.h"
#include "expr/simplify.h"
#include "expr/tape.h"
#include "query.h"
#include "test.h"

// --- instances of a rule: widths, and values of the constants that widths depend on ---------------

static const unsigned some_widths[] = {1, 2, 3, 8, 13, 16, 32, 64};
static uint64_t rnd;
static unsigned chosen[RULE_TERMS]; // widths of the terms on the left

static unsigned pick_width(unsigned from, unsigned to, const struct rule_binding *b)
{
	unsigned width = some_widths[random_below(&rnd, COUNT(some_widths))];
	if (random_below(&rnd, 2)) { // one that is there already
		unsigned i = random_below(&rnd, RULE_VARS + RULE_CONSTS);
		if (b->bound & 1u << i)
			width = i < RULE_VARS ? b->var_widths[i] : b->const_widths[i - RULE_VARS];
	}
	return width >= from && width <= to ? width : from + random_below(&rnd, to - from + 1);
}

// Constants whose value counts in widths have one.
static bool has_value(const struct rule *r, unsigned slot)
{
	for (unsigned i = 0; i < r->n_ints; i++)
		for (unsigned k = 0; k < r->ints[i].n; k++)
			if (r->ints[i].parts[k].kind >= PART_VALUE && r->ints[i].parts[k].arg == (int)slot)
				return true;
	return false;
}

static bool is_hard(const struct rule *r)
{
	for (unsigned t = 0; t < r->n_terms; t++) {
		unsigned op = r->terms[t].kind == TERM_OP ? r->terms[t].op : 0;
		if (op == OP_MUL || op == OP_UMULO || op == OP_SMULO || (op >= OP_UDIV && op <= OP_SREM))
			return true;
	}
	return false;
}

static eval_value pick_value(unsigned width)
{
	eval_value one = 1, any = random_next(&rnd), v;
	any = any << 64 | random_next(&rnd);
	unsigned k = random_below(&rnd, width), l = random_below(&rnd, width);
	switch (random_below(&rnd, 7)) {
	case 0: v = random_below(&rnd, width + 1); break;
	case 1: v = one << k; break;
	case 2: v = eval_mask(k); break;
	case 3: v = ~eval_mask(k); break;
	case 4: v = eval_mask(k) << l; break;
	case 5: v = (eval_value)0 - random_below(&rnd, 20); break;
	default: v = any; break;
	}
	return v & eval_mask(width);
}

static bool bind_int(const struct rule *r, unsigned i, int value, struct rule_binding *b)
{
	const struct rule_int *in = &r->ints[i];
	if (in->n == 1 && in->parts[0].kind == PART_NAME && !(b->bound & rule_name_bit((unsigned)in->parts[0].arg))) {
		b->bound |= rule_name_bit((unsigned)in->parts[0].arg);
		b->names[in->parts[0].arg] = value;
		return true;
	}
	return rule_int(r, i, b) == value;
}

static bool choose(const struct rule *r, unsigned term, unsigned width, struct rule_binding *b);

static bool choose_leaf(const struct rule *r, const struct rule_term *t, unsigned width, struct rule_binding *b)
{
	if (t->kind == TERM_NUMBER)
		return true;
	unsigned bit = t->kind == TERM_VAR ? rule_var_bit(t->slot) : rule_const_bit(t->slot);
	uint16_t *widths = t->kind == TERM_VAR ? b->var_widths : b->const_widths;
	if (b->bound & bit)
		return widths[t->slot] == width;
	b->bound |= bit;
	widths[t->slot] = (uint16_t)width;
	if (t->kind == TERM_CONST)
		b->values[t->slot] = pick_value(width);
	return true;
}

static bool choose_kids(const struct rule *r, const struct rule_term *t, unsigned wa, unsigned wb,
                        struct rule_binding *b)
{
	return choose(r, t->kids[0], wa, b) && (t->kids[1] == RULE_NONE || choose(r, t->kids[1], wb, b)) &&
	       (t->kids[2] == RULE_NONE || choose(r, t->kids[2], wb, b));
}

static bool choose_extract(const struct rule *r, const struct rule_term *t, unsigned width, struct rule_binding *b)
{
	unsigned whole = pick_width(width + 1, width > 64 ? 128 : width + 64, b);
	unsigned low = random_below(&rnd, 3) ? random_below(&rnd, whole - width + 1) : 0;
	return bind_int(r, t->low, (int)low, b) && choose(r, t->kids[0], whole, b);
}

// Gives a term that width, and those below it any that fit; false: another try, please.
static bool choose(const struct rule *r, unsigned term, unsigned width, struct rule_binding *b)
{
	const struct rule_term *t = &r->terms[term];
	chosen[term] = width;
	if (t->kind != TERM_OP)
		return choose_leaf(r, t, width, b);
	if (t->width != RULE_NONE && !bind_int(r, t->width, (int)width, b))
		return false;
	if (t->op == OP_EXTRACT)
		return width < 128 && choose_extract(r, t, width, b);
	if (t->op == OP_ITE)
		return choose_kids(r, t, 1, width, b);
	bool extends = t->op == OP_ZEXT || t->op == OP_SEXT;
	if (extends || t->op == OP_CONCAT) {
		unsigned part = width > 1 ? pick_width(1, width - 1, b) : 0;
		return width > 1 && choose_kids(r, t, extends ? part : width - part, part, b);
	}
	if (op_gives_bit(t->op)) {
		unsigned below = pick_width(1, 64, b);
		return width == 1 && choose_kids(r, t, below, below, b);
	}
	return choose_kids(r, t, width, width, b);
}

// The width given goes to the root, or to what it compares.
static bool choose_instance(const struct rule *r, unsigned width, struct rule_binding *b)
{
	const struct rule_term *t = &r->terms[r->left];
	*b = (struct rule_binding){0};
	bool compares = op_gives_bit(t->op);
	b->width = chosen[r->left] = compares ? 1 : width;
	if (!(compares ? choose_kids(r, t, width, width, b) : choose(r, r->left, width, b)))
		return false;
	for (unsigned i = 0; i < r->n_tests; i++) {
		const struct rule_test *test = &r->tests[i];
		if (test->kind == TEST_TERM)
			continue;
		int x = rule_int(r, test->a, b), y = rule_int(r, test->b, b);
		if (!(test->kind == TEST_EQ   ? x == y
		      : test->kind == TEST_NE ? x != y
		      : test->kind == TEST_LT ? x < y
		                              : x <= y))
			return false;
	}
	return true;
}

// --- rules in Z3 -----------------------------------------------------------------------------------

struct proof {
	Z3_context z3;
	Z3_solver solver;
	Z3_params params;
	const struct rule *rule;
	struct rule_binding b;
	bool values;                // constants have the values of the binding
	Z3_ast known[RULE_VARS][6]; // min, max, low, high, zeros, ones
};

static Z3_ast number(struct proof *p, unsigned width, eval_value v)
{
	Z3_ast low = Z3_mk_unsigned_int64(p->z3, (uint64_t)v, Z3_mk_bv_sort(p->z3, width < 64 ? width : 64));
	if (width <= 64)
		return low;
	return Z3_mk_concat(p->z3, Z3_mk_unsigned_int64(p->z3, (uint64_t)(v >> 64), Z3_mk_bv_sort(p->z3, width - 64)),
	                    low);
}

static Z3_ast symbol(struct proof *p, const char *name, unsigned slot, unsigned width)
{
	char text[32];
	snprintf(text, sizeof text, "%s%u", name, slot);
	return Z3_mk_const(p->z3, Z3_mk_string_symbol(p->z3, text), Z3_mk_bv_sort(p->z3, width));
}

static Z3_ast bit(struct proof *p, Z3_ast condition)
{
	return Z3_mk_ite(p->z3, condition, number(p, 1, 1), number(p, 1, 0));
}

static Z3_ast variable(struct proof *p, unsigned slot)
{
	return symbol(p, "x", slot, p->b.var_widths[slot]);
}

// Something that is known of a variable is any constant for which it is true.
static Z3_ast known(struct proof *p, unsigned kind, unsigned slot)
{
	static const char *const names[] = {"min", "max", "low", "high", "zeros", "ones"};
	Z3_context c = p->z3;
	unsigned i = kind - TERM_MIN, width = p->b.var_widths[slot];
	if (p->known[slot][i])
		return p->known[slot][i];
	Z3_ast x = variable(p, slot), k = symbol(p, names[i], slot, width), holds;
	switch (kind) {
	case TERM_MIN: holds = Z3_mk_bvule(c, k, x); break;
	case TERM_MAX: holds = Z3_mk_bvule(c, x, k); break;
	case TERM_LOW: holds = Z3_mk_bvsle(c, k, x); break;
	case TERM_HIGH: holds = Z3_mk_bvsle(c, x, k); break;
	case TERM_ZEROS: holds = Z3_mk_eq(c, Z3_mk_bvand(c, k, x), number(p, width, 0)); break;
	default: holds = Z3_mk_eq(c, Z3_mk_bvand(c, k, x), k); break;
	}
	Z3_solver_assert(c, p->solver, holds);
	return p->known[slot][i] = k;
}

static Z3_ast overflow(struct proof *p, unsigned op, unsigned width, Z3_ast x, Z3_ast y)
{
	Z3_context c = p->z3;
	bool is_signed = op == OP_SADDO || op == OP_SSUBO || op == OP_SMULO;
	unsigned more = op == OP_UMULO || op == OP_SMULO ? width : 1;
	Z3_ast a = is_signed ? Z3_mk_sign_ext(c, more, x) : Z3_mk_zero_ext(c, more, x);
	Z3_ast b = is_signed ? Z3_mk_sign_ext(c, more, y) : Z3_mk_zero_ext(c, more, y);
	Z3_ast r = op == OP_UADDO || op == OP_SADDO   ? Z3_mk_bvadd(c, a, b)
	           : op == OP_USUBO || op == OP_SSUBO ? Z3_mk_bvsub(c, a, b)
	                                              : Z3_mk_bvmul(c, a, b);
	Z3_ast low = Z3_mk_extract(c, width - 1, 0, r);
	Z3_ast back = is_signed ? Z3_mk_sign_ext(c, more, low) : Z3_mk_zero_ext(c, more, low);
	return bit(p, Z3_mk_not(c, Z3_mk_eq(c, r, back)));
}

static Z3_ast count(struct proof *p, unsigned op, unsigned width, Z3_ast x)
{
	Z3_context c = p->z3;
	Z3_ast sum = number(p, width, op == OP_CTPOP ? 0 : width);
	for (unsigned i = 0; i < width; i++) {
		unsigned at = op == OP_CTTZ ? width - 1 - i : i; // the last one to be looked at counts
		Z3_ast one = Z3_mk_eq(c, Z3_mk_extract(c, at, at, x), number(p, 1, 1));
		Z3_ast then = op == OP_CTPOP  ? Z3_mk_bvadd(c, sum, number(p, width, 1))
		              : op == OP_CTLZ ? number(p, width, width - 1 - at)
		                              : number(p, width, at);
		sum = Z3_mk_ite(c, one, then, sum);
	}
	return sum;
}

static Z3_ast apply(struct proof *p, const struct rule_term *t, unsigned width, const unsigned widths[3], Z3_ast k[3])
{
	Z3_context c = p->z3;
	switch (t->op) {
	case OP_ADD: return Z3_mk_bvadd(c, k[0], k[1]);
	case OP_SUB: return Z3_mk_bvsub(c, k[0], k[1]);
	case OP_MUL: return Z3_mk_bvmul(c, k[0], k[1]);
	case OP_UDIV: return Z3_mk_bvudiv(c, k[0], k[1]);
	case OP_SDIV: return Z3_mk_bvsdiv(c, k[0], k[1]);
	case OP_UREM: return Z3_mk_bvurem(c, k[0], k[1]);
	case OP_SREM: return Z3_mk_bvsrem(c, k[0], k[1]);
	case OP_SHL: return Z3_mk_bvshl(c, k[0], k[1]);
	case OP_LSHR: return Z3_mk_bvlshr(c, k[0], k[1]);
	case OP_ASHR: return Z3_mk_bvashr(c, k[0], k[1]);
	case OP_AND: return Z3_mk_bvand(c, k[0], k[1]);
	case OP_OR: return Z3_mk_bvor(c, k[0], k[1]);
	case OP_XOR: return Z3_mk_bvxor(c, k[0], k[1]);
	case OP_NOT: return Z3_mk_bvnot(c, k[0]);
	case OP_EQ: return bit(p, Z3_mk_eq(c, k[0], k[1]));
	case OP_ULT: return bit(p, Z3_mk_bvult(c, k[0], k[1]));
	case OP_ULE: return bit(p, Z3_mk_bvule(c, k[0], k[1]));
	case OP_SLT: return bit(p, Z3_mk_bvslt(c, k[0], k[1]));
	case OP_SLE: return bit(p, Z3_mk_bvsle(c, k[0], k[1]));
	case OP_ZEXT: return Z3_mk_zero_ext(c, width - widths[0], k[0]);
	case OP_SEXT: return Z3_mk_sign_ext(c, width - widths[0], k[0]);
	case OP_EXTRACT: {
		unsigned low = (unsigned)rule_int(p->rule, t->low, &p->b);
		return Z3_mk_extract(c, low + width - 1, low, k[0]);
	}
	case OP_CONCAT: return Z3_mk_concat(c, k[0], k[1]);
	case OP_ITE: return Z3_mk_ite(c, Z3_mk_eq(c, k[0], number(p, 1, 1)), k[1], k[2]);
	case OP_CTPOP:
	case OP_CTLZ:
	case OP_CTTZ: return count(p, t->op, width, k[0]);
	default: return overflow(p, t->op, widths[0], k[0], k[1]);
	}
}

// What expr_make would ask for.
static bool widths_fit(const struct proof *p, const struct rule_term *t, unsigned width, const unsigned w[3])
{
	if (width < 1 || width > EXPR_WIDTH_MAX)
		return false;
	switch (t->op) {
	case OP_ZEXT:
	case OP_SEXT: return w[0] <= width;
	case OP_EXTRACT: {
		int low = rule_int(p->rule, t->low, &p->b);
		return low >= 0 && (unsigned)low + width <= w[0];
	}
	case OP_CONCAT: return w[0] + w[1] == width;
	case OP_ITE: return w[0] == 1 && w[1] == width && w[2] == width;
	default: return t->kids[1] == RULE_NONE || w[0] == w[1];
	}
}

static unsigned term_width(const struct proof *p, unsigned at, unsigned hint)
{
	return at < p->rule->right ? chosen[at] : rule_width(p->rule, at, &p->b, hint);
}

static Z3_ast term(struct proof *p, unsigned at, unsigned hint)
{
	const struct rule *r = p->rule;
	const struct rule_term *t = &r->terms[at];
	unsigned width = term_width(p, at, hint), widths[3] = {0};
	CHECK_THAT(width >= 1 && width <= EXPR_WIDTH_MAX, "%s -> %s: width %u", r->text[0], r->text[1], width);
	switch (t->kind) {
	case TERM_VAR: return variable(p, t->slot);
	case TERM_CONST:
		return p->values || has_value(r, t->slot) ? number(p, width, p->b.values[t->slot])
		                                          : symbol(p, "c", t->slot, width);
	case TERM_NUMBER: return number(p, width, (eval_value)t->number & eval_mask(width));
	case TERM_OP: break;
	default: return known(p, t->kind, t->slot);
	}
	Z3_ast kids[3] = {0};
	for (unsigned k = 0; k < 3 && t->kids[k] != RULE_NONE; k++) {
		unsigned kid_hint = rule_hint(r, at, k, &p->b, width);
		widths[k] = term_width(p, t->kids[k], kid_hint);
		kids[k] = term(p, t->kids[k], kid_hint);
	}
	CHECK_THAT(widths_fit(p, t, width, widths), "%s -> %s: width %u of %s", r->text[0], r->text[1], width,
	           op_name(t->op));
	return apply(p, t, width, widths, kids);
}

static bool has_values(const struct proof *p)
{
	bool any = p->values;
	for (unsigned slot = 0; slot < RULE_CONSTS; slot++)
		any |= has_value(p->rule, slot);
	return any;
}

enum verdict { WRONG, PROVED, VACUOUS, UNKNOWN };

// Are there values for which the conditions hold; and, with `wrong`, the two sides differ? A solver that is
// asked only once is much faster.
static Z3_lbool ask(struct proof *p, bool wrong)
{
	const struct rule *r = p->rule;
	Z3_context c = p->z3;
	p->solver = Z3_mk_solver_for_logic(c, Z3_mk_string_symbol(c, "QF_BV"));
	Z3_solver_inc_ref(c, p->solver);
	// Effort, not time: the same on every machine.
	Z3_params_set_uint(c, p->params, Z3_mk_string_symbol(c, "rlimit"), p->values ? 50000 : 4000000);
	Z3_solver_set_params(c, p->solver, p->params);
	memset(p->known, 0, sizeof p->known);
	for (unsigned i = 0; i < r->n_tests; i++)
		if (r->tests[i].kind == TEST_TERM)
			Z3_solver_assert(c, p->solver, Z3_mk_eq(c, term(p, r->tests[i].a, 1), number(p, 1, 1)));
	Z3_ast left = term(p, r->left, p->b.width);
	if (wrong)
		Z3_solver_assert(c, p->solver, Z3_mk_not(c, Z3_mk_eq(c, left, term(p, r->right, p->b.width))));
	Z3_lbool answer = Z3_solver_check(c, p->solver);
	if (wrong && answer == Z3_L_TRUE && getenv("VERBOSE"))
		printf("%s\n", Z3_model_to_string(c, Z3_solver_get_model(c, p->solver)));
	Z3_solver_dec_ref(c, p->solver);
	return answer;
}

static bool has_term_test(const struct rule *r)
{
	for (unsigned i = 0; i < r->n_tests; i++)
		if (r->tests[i].kind == TEST_TERM)
			return true;
	return false;
}

// `sure`: the conditions can hold at these widths, as an earlier proof showed.
static enum verdict prove(struct proof *p, bool sure)
{
	if (!sure && has_term_test(p->rule) && ask(p, false) == Z3_L_FALSE)
		return VACUOUS;
	Z3_lbool answer = ask(p, true);
	return answer == Z3_L_FALSE ? PROVED : answer == Z3_L_TRUE ? WRONG : UNKNOWN;
}

static void start_z3(struct proof *p)
{
	Z3_config config = Z3_mk_config();
	p->z3 = Z3_mk_context(config);
	Z3_del_config(config);
	p->params = Z3_mk_params(p->z3);
	Z3_params_inc_ref(p->z3, p->params);
}

static void stop_z3(struct proof *p)
{
	Z3_params_dec_ref(p->z3, p->params);
	Z3_del_context(p->z3);
}

// One rule, with some instances of each width. Products and large widths are hard: constants have values
// there, and Z3 may give up.
//
// With `each` 0: one instance, and of the widths above 8 only two, in turn.
static void prove_rule(struct proof *p, unsigned each, unsigned alternative)
{
	const char *const *text = p->rule->text;
	unsigned proved = 0, easy_width = is_hard(p->rule) ? 3 : 13;
	for (unsigned i = 0; i < COUNT(some_widths); i++) {
		unsigned width = some_widths[i], done = 0;
		if (!each && width > 8 && (i + alternative) % 2)
			continue;
		for (unsigned tries = 0; tries < 400 && done < (each ? each : 1); tries++) {
			if (!choose_instance(p->rule, width, &p->b))
				continue;
			p->values = width > easy_width;
			enum verdict v = prove(p, !has_values(p) && width > 3 && proved);
			CHECK_THAT(v != WRONG, "%s -> %s if %s, at %u bits", text[0], text[1], text[2], width);
			CHECK_THAT(v != UNKNOWN || width > easy_width, "%s -> %s if %s, at %u bits", text[0], text[1],
			           text[2], width);
			proved += v == PROVED;
			done += v != VACUOUS;
			tries += v == VACUOUS ? 20 : 0;
		}
	}
	if (getenv("VERBOSE"))
		printf("%6ld ms %3u proved: %s -> %s if %s\n", clock() / 1000, proved, text[0], text[1], text[2]);
	CHECK_THAT(proved > 0, "%s -> %s if %s: nothing proved", text[0], text[1], text[2]);
}

// Every fourth rule, so that none of the tests takes long.
static void prove_part(unsigned part)
{
	struct proof p = {0};
	unsigned n;
	const struct rule *rules = rule_table(&n);
	const char *each = getenv("RULES_EACH"); // more, after changes of rules
	rnd = 1;
	start_z3(&p);
	for (unsigned i = 0, k = 0; i < n; i++) {
		if (rules[i].reordered || k++ % 4 != part)
			continue;
		if (k / 4 % (4 / test_times(4)))
			continue;
		p.rule = &rules[i];
		prove_rule(&p, each ? (unsigned)atoi(each) : 0, k / 4);
	}
	stop_z3(&p);
}

static void z3_proves_first_part(void)
{
	prove_part(0);
}

static void z3_proves_second_part(void)
{
	prove_part(1);
}

static void z3_proves_third_part(void)
{
	prove_part(2);
}

static void z3_proves_fourth_part(void)
{
	prove_part(3);
}

// --- random expressions ----------------------------------------------------------------------------

enum { VARS = 6, NODES = 40 };

static uint32_t fit(struct expr_pool *p, uint32_t id, unsigned width)
{
	unsigned from = expr_width(p, id);
	if (from > width)
		return expr_make(p, OP_EXTRACT, width, id,
		                 random_below(&rnd, 2) ? random_below(&rnd, from - width + 1) : 0, 0);
	if (from == width)
		return id;
	return expr_make(p, random_below(&rnd, 2) ? OP_ZEXT : OP_SEXT, width, id, 0, 0);
}

static unsigned random_width(void)
{
	static const unsigned usual[] = {1, 8, 16, 32, 64};
	return random_below(&rnd, 4) ? usual[random_below(&rnd, 5)] : 1 + random_below(&rnd, 128);
}

static uint32_t random_table(struct expr_pool *p, const uint32_t *ids, unsigned n)
{
	uint8_t bytes[40];
	uint32_t exprs[40] = {0}, size = random_below(&rnd, 40);
	for (unsigned i = 0; i < size; i++) {
		bytes[i] = random_below(&rnd, 2) ? (uint8_t)random_next(&rnd) : 7;
		uint32_t e = ids[random_below(&rnd, n)];
		if (expr_width(p, e) == 8 && !random_below(&rnd, 4))
			exprs[i] = e;
	}
	return expr_table(p, bytes, random_below(&rnd, 2) ? exprs : NULL, size);
}

// Some operation on two of the expressions that are there.
static uint32_t random_node(struct expr_pool *p, const uint32_t *ids, unsigned n)
{
	unsigned op = OP_ADD + random_below(&rnd, OP_LOOKUP + 1 - OP_ADD), width = random_width();
	uint32_t a = ids[random_below(&rnd, n)], b = ids[random_below(&rnd, n)], c = ids[random_below(&rnd, n)];
	switch (op) {
	case OP_ZEXT:
	case OP_SEXT:
	case OP_EXTRACT: return fit(p, a, width);
	case OP_LOOKUP: return expr_lookup(p, 8u << random_below(&rnd, 4), fit(p, a, 64), random_table(p, ids, n));
	case OP_CONCAT:
		width = expr_width(p, a) + expr_width(p, b);
		return width <= EXPR_WIDTH_MAX ? expr_make(p, op, width, a, b, 0) : a;
	case OP_ITE: return expr_make(p, op, width, fit(p, a, 1), fit(p, b, width), fit(p, c, width));
	default: break;
	}
	if (random_below(&rnd, 2))
		width = expr_width(p, a);
	bool is_bit = op_gives_bit(op);
	a = fit(p, a, width);
	if (op_operands(op) == 1)
		return expr_make(p, op, width, a, 0, 0);
	return expr_make(p, op, is_bit ? 1 : width, a, fit(p, b, width), 0);
}

static uint32_t random_const(struct expr_pool *p)
{
	unsigned width = random_width();
	return expr_const(p, width, pick_value(width));
}

static void fill(struct expr_pool *p, uint32_t *ids, unsigned n)
{
	uint32_t source = expr_source(p, input_source(INPUT_STDIN, INPUT_BYTES, 0, ""));
	for (unsigned i = 0; i < n; i++)
		ids[i] = i < VARS                     ? expr_input(p, source, i)
		         : i == VARS                  ? random_const(p)
		         : random_below(&rnd, 4) == 0 ? random_const(p)
		                                      : random_node(p, ids, i);
}

static void random_bytes(uint8_t bytes[VARS])
{
	static const uint8_t extreme[] = {0, 1, 0x7f, 0x80, 0xff, '0', '9', 10};
	for (unsigned i = 0; i < VARS; i++)
		bytes[i] = random_below(&rnd, 2) ? extreme[random_below(&rnd, 8)] : (uint8_t)random_next(&rnd);
}

// Below a simplified expression no rule fits any more.
static void check_simple(const struct expr_pool *p, uint32_t id)
{
	struct tape t;
	struct rule_binding b;
	tape_init(&t, p);
	tape_add(&t, id);
	uint32_t bad = 0;
	for (uint32_t i = 0; i < t.n && !bad; i++) {
		const struct expr_node *n = &p->nodes[t.steps[i].id];
		if (p->simple[t.steps[i].id] != t.steps[i].id && n->op != OP_CONST && n->op != OP_INPUT)
			bad = t.steps[i].id;
		if (op_operands(n->op) && n->op != OP_LOOKUP && rule_find(p, n, &b))
			bad = t.steps[i].id;
	}
	tape_release(&t);
	CHECK_THAT(!bad, "%s is not simple", op_name(p->nodes[bad].op));
}

static void check_expression(struct expr_pool *p, uint32_t id)
{
	uint32_t simple = expr_simplify(p, id);
	CHECK(expr_width(p, simple) == expr_width(p, id));
	CHECK(expr_simplify(p, simple) == simple);
	for (unsigned i = 0; i < 8; i++) {
		uint8_t bytes[VARS];
		random_bytes(bytes);
		eval_value was = expr_eval(p, id, bytes), is = expr_eval(p, simple, bytes);
		CHECK_THAT(was == is, "%s became %s: %llx, not %llx", op_name(p->nodes[id].op),
		           op_name(p->nodes[simple].op), (unsigned long long)is, (unsigned long long)was);
		struct range r = *range_of(p, id);
		eval_signed s = eval_sign(was, expr_width(p, id));
		CHECK_THAT(r.low <= s && s <= r.high, "of %s", op_name(p->nodes[id].op));
		CHECK_THAT(r.min <= was && was <= r.max && !(was & r.zeros) && (was & r.ones) == r.ones, "of %s",
		           op_name(p->nodes[id].op));
	}
	check_simple(p, simple);
}

static void values_stay_the_same(void)
{
	const char *more = getenv("RULES_ROUNDS");
	unsigned rounds = more ? (unsigned)atoi(more) : 400;
	for (unsigned round = 0; round < rounds; round++) {
		rnd = 1000 + round;
		struct expr_pool p;
		uint32_t ids[NODES];
		expr_pool_init(&p);
		fill(&p, ids, NODES);
		for (unsigned i = VARS; i < NODES; i++)
			check_expression(&p, ids[i]);
		CHECK_THAT(p.cut == 0, "round %u", round);
		expr_pool_release(&p);
	}
}

// --- tables ----------------------------------------------------------------------------------------

static void tables_are_read(void)
{
	struct expr_pool p;
	expr_pool_init(&p);
	uint32_t source = expr_source(&p, input_source(INPUT_STDIN, INPUT_BYTES, 0, "")), x = expr_input(&p, source, 0);
	uint8_t bytes[600], zeros[4] = {0};
	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = i < 512 ? (uint8_t)(7 + i % 2) : (uint8_t)i;
	uint32_t table = expr_table(&p, bytes, NULL, sizeof bytes), empty = expr_table(&p, zeros, NULL, sizeof zeros);
	uint32_t at = expr_make(&p, OP_ZEXT, 64, x, 0, 0), twice = expr_make(&p, OP_ADD, 64, at, at, 0);
	// A constant offset, also across the end.
	CHECK(expr_simplify(&p, expr_lookup(&p, 16, expr_const(&p, 64, 2), table)) == expr_const(&p, 16, 0x0807));
	CHECK(expr_simplify(&p, expr_lookup(&p, 16, expr_const(&p, 64, 599), table)) == expr_const(&p, 16, 599 % 256));
	CHECK(expr_simplify(&p, expr_lookup(&p, 16, expr_const(&p, 64, (uint64_t)-1), table)) == expr_const(&p, 16, 0));
	// The same value at every offset that there can be; or not.
	CHECK(expr_simplify(&p, expr_lookup(&p, 16, twice, table)) == expr_const(&p, 16, 0x0807));
	CHECK(!expr_is_const(&p, expr_simplify(&p, expr_lookup(&p, 16, at, table))));
	CHECK(expr_simplify(&p, expr_lookup(&p, 8, at, empty)) == expr_const(&p, 8, 0));
	// Entries that are expressions.
	uint32_t exprs[2] = {expr_not(&p, expr_not(&p, x)), expr_make(&p, OP_SUB, 8, x, x, 0)};
	uint32_t mixed = expr_table(&p, bytes, exprs, 2);
	CHECK(expr_simplify(&p, expr_lookup(&p, 16, expr_const(&p, 64, 0), mixed)) ==
	      expr_make(&p, OP_ZEXT, 16, x, 0, 0));
	expr_pool_release(&p);
}

// --- large ones ------------------------------------------------------------------------------------

static void chains_are_no_problem(void)
{
	static const uint8_t chained[] = {OP_ADD, OP_SUB, OP_XOR, OP_AND, OP_OR, OP_MUL, OP_EQ, OP_ITE, OP_NOT};
	for (unsigned k = 0; k < COUNT(chained); k++) {
		struct expr_pool p;
		expr_pool_init(&p);
		rnd = k;
		uint32_t source = expr_source(&p, input_source(INPUT_STDIN, INPUT_BYTES, 0, "")),
			 bit = expr_eq(&p, expr_input(&p, source, 0), 7);
		uint32_t x = expr_make(&p, OP_ZEXT, 32, expr_input(&p, source, 1), 0, 0);
		for (unsigned i = 0; i < 100000; i++) {
			uint32_t y = expr_const(&p, 32, pick_value(32));
			if (i & 1)
				y = expr_make(&p, OP_ZEXT, 32, expr_input(&p, source, i % 1000), 0, 0);
			switch (chained[k]) {
			case OP_EQ: x = expr_make(&p, OP_ZEXT, 32, expr_make(&p, OP_EQ, 1, x, y, 0), 0, 0); break;
			case OP_ITE: x = expr_make(&p, OP_ITE, 32, bit = expr_not(&p, expr_eq(&p, x, i)), x, y); break;
			case OP_NOT: x = expr_make(&p, OP_ADD, 32, expr_not(&p, x), y, 0); break;
			default: x = expr_make(&p, chained[k], 32, x, y, 0);
			}
		}
		uint32_t low = expr_make(&p, OP_EXTRACT, 8, x, 0, 0);
		uint32_t conditions[] = {expr_eq(&p, x, 5), expr_not(&p, expr_eq(&p, low, 7)),
		                         expr_make(&p, OP_ULT, 1, x, expr_const(&p, 32, 99), 0)};
		for (unsigned i = 0; i < COUNT(conditions); i++)
			CHECK(expr_simplify(&p, conditions[i]));
		expr_pool_release(&p);
	}
}

static const struct test tests[] = {
	TEST(z3_proves_first_part),  TEST(z3_proves_second_part), TEST(z3_proves_third_part),
	TEST(z3_proves_fourth_part), TEST(values_stay_the_same),  TEST(tables_are_read),
	TEST(chains_are_no_problem),
};

TEST_MAIN("rules")
