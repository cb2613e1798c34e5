// Conditions of don't-care analysis: simplified, and sorted by slices, those that share no input.
#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "expr/simplify.h"
#include "solver/care_internal.h"

bool care_take_conditions(struct care_solver *s, const uint32_t *conditions, uint32_t n, const uint8_t *bytes)
{
	struct expr_pool *p = s->env->pool;
	if (s->max < n) {
		s->max = n;
		s->conditions = mem_resize(s->conditions, n * sizeof *s->conditions);
	}
	s->n = 0;
	tape_clear(&s->tape);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = expr_simplify(p, conditions[i]);
		if (expr_is_const(p, id)) {
			if (!expr_value(p, id))
				return false;
			continue;
		}
		tape_add(&s->tape, id);
		s->conditions[s->n++] = (struct care_condition){.id = id, .only = p->only[id]};
	}
	tape_load(&s->tape, bytes);
	tape_run(&s->tape);
	for (uint32_t i = 0; i < s->n; i++)
		if (!s->tape.values[s->tape.step_of[s->conditions[i].id] - 1])
			return false;
	return true;
}

uint32_t care_slice_of(struct care_solver *s, uint32_t var)
{
	assert(var < s->env->pool->n_vars);
	while (s->parent[var] != var)
		var = s->parent[var] = s->parent[s->parent[var]];
	return var;
}

static uint32_t join(struct care_solver *s, uint32_t a, uint32_t b)
{
	if (a == NO_VARIABLE || b == NO_VARIABLE)
		return a == NO_VARIABLE ? b : a;
	a = care_slice_of(s, a);
	b = care_slice_of(s, b);
	uint32_t less = a < b ? a : b;
	s->parent[a] = s->parent[b] = less;
	return less;
}

static uint32_t below(const struct care_solver *s, uint32_t id)
{
	assert(s->below[id]); // it has been visited
	return s->below[id] == NO_VARIABLE ? NO_VARIABLE : s->below[id] - 1;
}

// All operands are visited. All variables below a node are of one slice: whoever depends on the node
// depends on all of them.
static void finish(struct care_solver *s, uint32_t id)
{
	const struct expr_pool *p = s->env->pool;
	const struct expr_node *n = &p->nodes[id];
	const uint32_t operands[] = {n->a, n->b, n->c};
	uint32_t var = n->op == OP_INPUT ? p->only[id] : NO_VARIABLE;
	assert(!s->below[id]);
	for (unsigned i = 0; i < op_operands(n->op); i++)
		var = join(s, var, below(s, operands[i]));
	const struct expr_table *table = n->op == OP_LOOKUP ? &p->tables[n->b] : NULL;
	for (uint32_t i = 0; table && table->exprs && i < table->size; i++)
		if (table->exprs[i])
			var = join(s, var, below(s, table->exprs[i]));
	s->below[id] = var == NO_VARIABLE ? NO_VARIABLE : var + 1;
	vec_room(s->visited, s->n_visited + 1, s->max_visited);
	s->visited[s->n_visited++] = id;
}

static void visit(struct care_solver *s, uint32_t id)
{
	postorder_begin(&s->walk, id);
	for (uint32_t e; (e = postorder_next(&s->walk, s->env->pool, s->below, NULL, NULL));)
		finish(s, e);
}

static void forget_visits(struct care_solver *s)
{
	for (uint32_t i = 0; i < s->n_visited; i++)
		s->below[s->visited[i]] = 0;
	s->n_visited = 0;
}

static int compare_conditions(const void *a, const void *b)
{
	const struct care_condition *x = a, *y = b;
	if (x->slice != y->slice)
		return x->slice < y->slice ? -1 : 1;
	if (x->only != y->only)
		return x->only < y->only ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

bool care_is_opaque(const struct care_solver *s, uint32_t id)
{
	return !blast_can(s->env->pool, id) && s->env->pool->only[id] == EXPR_MANY;
}

void care_find_slices(struct care_solver *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (!care_is_opaque(s, s->conditions[i].id))
			visit(s, s->conditions[i].id);
	for (uint32_t i = 0; i < s->n; i++) {
		struct care_condition *c = &s->conditions[i];
		c->slice = care_is_opaque(s, c->id) ? NO_VARIABLE : below(s, c->id);
		if (c->slice != NO_VARIABLE)
			c->slice = care_slice_of(s, c->slice);
	}
	forget_visits(s);
	qsort(s->conditions, s->n, sizeof *s->conditions, compare_conditions);
	uint32_t n = 0; // each once
	for (uint32_t i = 0; i < s->n; i++)
		if (!n || s->conditions[i].id != s->conditions[n - 1].id)
			s->conditions[n++] = s->conditions[i];
	s->n = n;
}
