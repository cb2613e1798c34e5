#include "expr/rule_parse.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct parser {
	struct rule *rule;
	const char *at;
};

static bool accept(struct parser *ps, const char *text)
{
	size_t n = strlen(text);
	if (strncmp(ps->at, text, n) != 0)
		return false;
	ps->at += n;
	return true;
}

static void expect(struct parser *ps, const char *text)
{
	bool found = accept(ps, text);
	assert(found);
	(void)found;
}

static void skip_blanks(struct parser *ps)
{
	while (*ps->at == ' ')
		ps->at++;
}

static bool is_var(char c)
{
	return c >= 'u' && c <= 'z';
}

static bool is_constant(char c)
{
	return c >= 'A' && c < 'A' + RULE_CONSTS;
}

static bool is_name(char c)
{
	return c >= 'i' && c < 'i' + RULE_NAMES;
}

static void parse_part(struct parser *ps, struct rule_int *in, int sign)
{
	assert(in->n < sizeof in->parts / sizeof *in->parts);
	unsigned kind = PART_NUMBER;
	int arg = 0;
	if (accept(ps, "|")) {
		kind = is_var(*ps->at) ? PART_VAR_WIDTH : PART_CONST_WIDTH;
		arg = is_var(*ps->at) ? *ps->at - 'u' : *ps->at - 'A';
		ps->at++;
		expect(ps, "|");
	} else if (isdigit((unsigned char)*ps->at)) {
		arg = (int)strtol(ps->at, (char **)&ps->at, 10);
	} else {
		kind = accept(ps, "tz")   ? PART_TZ
		       : accept(ps, "lz") ? PART_LZ
		       : is_name(*ps->at) ? PART_NAME
		                          : PART_VALUE;
		assert(kind == PART_NAME || is_constant(*ps->at));
		arg = *ps->at++ - (kind == PART_NAME ? 'i' : 'A');
	}
	in->parts[in->n].sign = (int8_t)sign;
	in->parts[in->n].kind = (uint8_t)kind;
	in->parts[in->n++].arg = (int16_t)arg;
}

static unsigned parse_int(struct parser *ps)
{
	struct rule *r = ps->rule;
	assert(r->n_ints < RULE_INTS);
	struct rule_int *in = &r->ints[r->n_ints];
	*in = (struct rule_int){0};
	parse_part(ps, in, accept(ps, "-") ? -1 : 1);
	for (;;) {
		if (accept(ps, "+"))
			parse_part(ps, in, 1);
		else if (accept(ps, "-"))
			parse_part(ps, in, -1);
		else
			return r->n_ints++;
	}
}

static unsigned parse_op(struct parser *ps)
{
	size_t n = strcspn(ps->at, " .)");
	for (unsigned op = 0; op < OP_COUNT; op++) {
		const char *name = op_name(op);
		if (strlen(name) == n && strncasecmp(name, ps->at, n) == 0) {
			ps->at += n;
			return op;
		}
	}
	return OP_COUNT;
}

static unsigned parse_known(struct parser *ps)
{
	static const char *const names[] = {"min", "max", "low", "high", "zeros", "ones"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (accept(ps, names[i]))
			return TERM_MIN + i;
	assert(!"an operator");
	return 0;
}

static unsigned new_term(struct parser *ps, unsigned kind)
{
	assert(ps->rule->n_terms < RULE_TERMS);
	ps->rule->terms[ps->rule->n_terms] = (struct rule_term){.kind = (uint8_t)kind,
	                                                        .width = RULE_NONE,
	                                                        .low = RULE_NONE,
	                                                        .constant = kind != TERM_VAR,
	                                                        .kids = {RULE_NONE, RULE_NONE, RULE_NONE}};
	return ps->rule->n_terms++;
}

static unsigned parse_term(struct parser *ps);

static unsigned parse_call(struct parser *ps)
{
	unsigned op = parse_op(ps), t = new_term(ps, TERM_OP);
	struct rule_term *term = &ps->rule->terms[t];
	if (op == OP_COUNT) {
		term->kind = (uint8_t)parse_known(ps);
		expect(ps, " ");
		assert(is_var(*ps->at));
		term->slot = (uint8_t)(*ps->at++ - 'u');
		ps->rule->asks |= (uint8_t)rule_var_bit(term->slot);
		expect(ps, ")");
		return t;
	}
	term->op = (uint8_t)op;
	if (accept(ps, "."))
		term->width = (uint8_t)parse_int(ps);
	if (accept(ps, "."))
		term->low = (uint8_t)parse_int(ps);
	for (unsigned k = 0; k < op_operands(op); k++) {
		expect(ps, " ");
		unsigned kid = parse_term(ps);
		term->kids[k] = (uint8_t)kid;
		term->constant = term->constant && ps->rule->terms[kid].constant;
	}
	expect(ps, ")");
	return t;
}

static unsigned parse_term(struct parser *ps)
{
	if (accept(ps, "("))
		return parse_call(ps);
	if (is_var(*ps->at)) {
		unsigned t = new_term(ps, TERM_VAR);
		ps->rule->terms[t].slot = (uint8_t)(*ps->at++ - 'u');
		return t;
	}
	if (is_constant(*ps->at)) {
		unsigned t = new_term(ps, TERM_CONST);
		ps->rule->terms[t].slot = (uint8_t)(*ps->at++ - 'A');
		return t;
	}
	unsigned t = new_term(ps, TERM_NUMBER);
	assert(*ps->at == '-' || isdigit((unsigned char)*ps->at));
	ps->rule->terms[t].number = (int16_t)strtol(ps->at, (char **)&ps->at, 10);
	if (accept(ps, "."))
		ps->rule->terms[t].width = (uint8_t)parse_int(ps);
	return t;
}

static struct rule_test parse_test(struct parser *ps)
{
	struct rule_test test = {.kind = TEST_TERM};
	if (*ps->at == '(') {
		test.a = (uint8_t)parse_term(ps);
		return test;
	}
	test.a = (uint8_t)parse_int(ps);
	bool swap = *ps->at == '>';
	test.kind = accept(ps, "==")                       ? TEST_EQ
	            : accept(ps, "!=")                     ? TEST_NE
	            : accept(ps, "<=") || accept(ps, ">=") ? TEST_LE
	                                                   : TEST_LT;
	if (test.kind == TEST_LT)
		expect(ps, swap ? ">" : "<");
	test.b = (uint8_t)parse_int(ps);
	return swap ? (struct rule_test){.kind = test.kind, .a = test.b, .b = test.a} : test;
}

void rule_parse(struct rule *r, const char *const text[3])
{
	*r = (struct rule){.text = {text[0], text[1], text[2]}};
	struct parser ps = {.rule = r, .at = text[0]};
	r->left = (uint8_t)parse_term(&ps);
	assert(!*ps.at);
	ps.at = text[1];
	r->right = (uint8_t)parse_term(&ps);
	assert(!*ps.at);
	ps.at = text[2];
	while (*ps.at) {
		assert(r->n_tests < RULE_TESTS);
		struct rule_test test = parse_test(&ps);
		r->tests[r->n_tests++] = test;
		accept(&ps, ",");
		skip_blanks(&ps);
	}
}
