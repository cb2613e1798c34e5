#include "solver/search_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

enum { CONSTANTS = 64 };

void search_places_release(struct places *p)
{
	mem_free(p->all);
	mem_free(p->order);
	mem_free(p->constants);
	mem_free(p->widths);
	*p = (struct places){0};
}

static void add(struct places *p, const struct place *x)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->all[i].n == x->n && memcmp(p->all[i].vars, x->vars, x->n * sizeof *x->vars) == 0) {
			p->all[i].is_float |= x->is_float;
			return;
		}
	vec_room(p->all, p->n + 1, p->max);
	p->all[p->n++] = *x;
}

// The variables of a word, if it is nothing but input.
static bool read_word(const struct tape *t, uint32_t step, struct place *ret)
{
	const struct tape_step *s = &t->steps[step];
	if (s->node.op == OP_INPUT && ret->n < PLACE_BYTES) {
		ret->vars[ret->n++] = s->a;
		return true;
	}
	return s->node.op == OP_CONCAT && read_word(t, s->b, ret) && read_word(t, s->a, ret);
}

static void add_constant(struct places *p, const struct tape *t, uint32_t step)
{
	unsigned width = t->steps[step].node.width;
	if (p->n_constants == CONSTANTS)
		return;
	for (uint32_t i = 0; i < p->n_constants; i++)
		if (p->constants[i] == t->values[step] && p->widths[i] == width)
			return;
	if (!p->constants) {
		p->constants = mem_alloc(CONSTANTS * sizeof *p->constants);
		p->widths = mem_alloc(CONSTANTS);
	}
	p->constants[p->n_constants] = t->values[step];
	p->widths[p->n_constants++] = (uint8_t)width;
}

static void look_at(struct places *p, const struct tape *t, uint32_t user, uint32_t step)
{
	const struct tape_step *s = &t->steps[step];
	unsigned op = t->steps[user].node.op;
	bool as_float = op_is_float(op) && op_class(op) != OP_CLASS_INTEGER_TO_FLOAT;
	struct place word = {.is_float = as_float};
	if (as_float && s->node.op == OP_CONST)
		add_constant(p, t, step);
	if (s->node.op == OP_CONCAT && op != OP_CONCAT && read_word(t, step, &word))
		add(p, &word);
}

static const struct expr_var *sorting; // qsort's callback has no other way to it

static int by_offset(const void *x, const void *y)
{
	const struct expr_var *a = &sorting[*(const uint32_t *)x], *b = &sorting[*(const uint32_t *)y];
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

void search_places_find(struct places *p, const struct tape *t)
{
	p->n = p->n_order = p->n_constants = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct tape_step *s = &t->steps[i];
		const uint32_t operands[] = {s->a, s->b, s->c};
		for (unsigned k = 0; k < op_operands(s->node.op); k++)
			look_at(p, t, i, operands[k]);
	}
	vec_room(p->order, t->n_vars + 1, p->max_order);
	for (uint32_t i = 0; i < t->n_vars; i++) {
		const struct place byte = {.vars = {t->vars[i]}, .n = 1};
		add(p, &byte);
		p->order[p->n_order++] = t->vars[i];
	}
	sorting = t->pool->vars;
	qsort(p->order, p->n_order, sizeof *p->order, by_offset);
}

static eval_value value_of(const struct tape *t, uint32_t var)
{
	return t->values[t->step_of[t->pool->vars[var].expr] - 1];
}

static bool follows(const struct tape *t, uint32_t before, uint32_t after)
{
	const struct expr_var *a = &t->pool->vars[before], *b = &t->pool->vars[after];
	return a->source == b->source && a->offset + 1 == b->offset;
}

static bool is_digit(const struct tape *t, uint32_t var)
{
	eval_value c = value_of(t, var);
	return c >= '0' && c <= '9';
}

// A point inside belongs to the text of the number, not to its digits.
static bool belongs(const struct tape *t, uint32_t var)
{
	return is_digit(t, var) || value_of(t, var) == '.';
}

uint32_t search_places_decimal(const struct places *p, const struct tape *t, uint32_t var, struct place *ret)
{
	uint32_t at = 0, end;
	*ret = (struct place){0};
	while (at < p->n_order && p->order[at] != var)
		at++;
	if (at == p->n_order || !is_digit(t, var))
		return 0;
	for (end = at + 1;
	     end < p->n_order && follows(t, p->order[end - 1], p->order[end]) && belongs(t, p->order[end]);)
		end++;
	for (uint32_t i = end; i-- > 0 && ret->n < PLACE_BYTES;) {
		if (i + 1 < end && (!follows(t, p->order[i], p->order[i + 1]) || !belongs(t, p->order[i])))
			break;
		if (is_digit(t, p->order[i]))
			ret->vars[ret->n++] = p->order[i];
	}
	return ret->n;
}
