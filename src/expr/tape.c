#include "expr/tape.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

void tape_init(struct tape *t, const struct expr_pool *pool)
{
	*t = (struct tape){.pool = pool};
}

void tape_release(struct tape *t)
{
	mem_free(t->steps);
	mem_free(t->values);
	mem_free(t->step_of);
	mem_free(t->vars);
	mem_free(t->var_steps);
	vec_release(&t->walk);
	mem_free(t->focus);
	mem_free(t->touched);
	mem_free(t->changes);
	*t = (struct tape){0};
}

void tape_clear(struct tape *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		t->step_of[t->steps[i].id] = 0;
	t->n = t->n_vars = t->n_focus = t->current = 0;
}

// The value of this step is another one, those of what depends on it may be.
static void leave_current(struct tape *t, uint32_t step)
{
	if (t->current > step)
		t->current = step;
}

void tape_cut(struct tape *t, uint32_t n)
{
	assert(n <= t->n);
	for (uint32_t i = n; i < t->n; i++)
		t->step_of[t->steps[i].id] = 0;
	while (t->n_vars && t->var_steps[t->n_vars - 1] >= n)
		t->n_vars--;
	if (n < t->n)
		t->n = n;
	leave_current(t, t->n);
	t->n_focus = 0;
}

static void cover_pool(struct tape *t)
{
	uint32_t n = t->pool->max;
	if (t->n_step_of >= n)
		return;
	vec_cover(t->step_of, t->n_step_of, n);
	t->n_step_of = n;
}

static void add_var(struct tape *t, uint32_t var, uint32_t step)
{
	if (t->n_vars == t->max_vars) {
		t->max_vars = (uint32_t)vec_capacity(t->n_vars + 1, t->max_vars, sizeof *t->vars);
		t->vars = mem_resize(t->vars, t->max_vars * sizeof *t->vars);
		t->var_steps = mem_resize(t->var_steps, t->max_vars * sizeof *t->var_steps);
	}
	t->vars[t->n_vars] = var;
	t->var_steps[t->n_vars++] = step;
}

// All operands are on the tape already.
static void add_step(struct tape *t, uint32_t id)
{
	if (t->n == t->max) {
		t->max = (uint32_t)vec_capacity(t->n + 1, t->max, sizeof *t->values);
		t->steps = mem_resize(t->steps, t->max * sizeof *t->steps);
		t->values = mem_resize(t->values, t->max * sizeof *t->values);
	}
	const struct expr_node *n = &t->pool->nodes[id];
	unsigned operands = op_operands(n->op);
	assert(!t->step_of[id] && (!operands || t->step_of[n->a]) && (operands < 2 || t->step_of[n->b]));
	struct tape_step *s = &t->steps[t->n];
	*s = (struct tape_step){.node = {.op = n->op, .width = n->width, .a = n->a, .b = n->b, .c = n->c}, .id = id};
	if (operands > 0) {
		s->a = t->step_of[n->a] - 1;
		s->width_a = t->pool->nodes[n->a].width;
	}
	if (operands > 1) {
		s->b = t->step_of[n->b] - 1;
		s->width_b = t->pool->nodes[n->b].width;
	}
	if (operands > 2)
		s->c = t->step_of[n->c] - 1;
	if (n->op == OP_INPUT) {
		s->a = t->pool->only[id];
		add_var(t, s->a, t->n);
	}
	if (n->op == OP_CONST)
		t->values[t->n] = expr_value(t->pool, id);
	t->step_of[id] = ++t->n;
}

uint32_t tape_add(struct tape *t, uint32_t id)
{
	cover_pool(t);
	assert(id && id < t->pool->n);
	postorder_begin(&t->walk, id);
	for (uint32_t e; (e = postorder_next(&t->walk, t->pool, t->step_of, NULL, NULL));)
		add_step(t, e);
	return t->step_of[id] - 1;
}

// Bytes behind the end of a table are 0.
static eval_value look_up(const struct tape *t, const struct tape_step *s)
{
	const struct expr_table *table = &t->pool->tables[s->node.b];
	uint64_t at = (uint64_t)t->values[s->a];
	eval_value r = 0;
	for (unsigned k = 0; k < s->node.width / 8u; k++) {
		uint64_t i = at + k;
		if (i < at || i >= table->size)
			continue;
		uint32_t e = table->exprs ? table->exprs[i] : 0;
		r |= (e ? t->values[t->step_of[e] - 1] : table->bytes[i]) << 8 * k;
	}
	return r;
}

void tape_evaluate(struct tape *t, uint32_t i)
{
	const struct tape_step *s = &t->steps[i];
	switch (s->node.op) {
	case OP_CONST:
	case OP_INPUT: break;
	case OP_LOOKUP: t->values[i] = look_up(t, s); break;
	default: // computed from its operands
		t->values[i] =
			eval_node(&s->node, s->width_a, t->values[s->a], t->values[s->b], t->values[s->c], s->width_b);
	}
}

void tape_put(struct tape *t, uint32_t step, eval_value value)
{
	t->values[step] = value;
	leave_current(t, step);
}

static void set_input(struct tape *t, uint32_t step, uint8_t value)
{
	assert(t->steps[step].node.op == OP_INPUT);
	if (t->values[step] == value)
		return;
	t->values[step] = value;
	leave_current(t, step);
}

void tape_load(struct tape *t, const uint8_t *bytes)
{
	for (uint32_t i = 0; i < t->n_vars; i++)
		set_input(t, t->var_steps[i], bytes[t->vars[i]]);
}

bool tape_has(const struct tape *t, uint32_t var)
{
	assert(var < t->pool->n_vars);
	uint32_t id = t->pool->vars[var].expr;
	return id < t->n_step_of && t->step_of[id];
}

void tape_set(struct tape *t, uint32_t var, uint8_t value)
{
	assert(tape_has(t, var));
	set_input(t, t->step_of[t->pool->vars[var].expr] - 1, value);
}

void tape_run(struct tape *t)
{
	assert(t->current <= t->n);
	for (; t->current < t->n; t->current++)
		tape_evaluate(t, t->current);
}

static bool depends(const struct tape *t, const struct tape_step *s)
{
	unsigned operands = op_operands(s->node.op);
	if ((operands > 0 && t->touched[s->a]) || (operands > 1 && t->touched[s->b]) ||
	    (operands > 2 && t->touched[s->c]))
		return true;
	const struct expr_table *table = s->node.op == OP_LOOKUP ? &t->pool->tables[s->node.b] : NULL;
	for (uint32_t i = 0; table && table->exprs && i < table->size; i++)
		if (table->exprs[i] && t->touched[t->step_of[table->exprs[i]] - 1])
			return true;
	return false;
}

static void cover_touched(struct tape *t)
{
	if (t->max_touched >= t->n)
		return;
	t->max_touched = t->max_focus = t->max;
	t->touched = mem_resize(t->touched, t->max);
	t->focus = mem_resize(t->focus, t->max * sizeof *t->focus);
}

void tape_keep(struct tape *t)
{
	t->n_changes = 0;
}

static bool set_step(struct tape *t, uint32_t step, eval_value was)
{
	if (t->values[step] == was)
		return false;
	vec_room(t->changes, t->n_changes + 1, t->max_changes);
	t->changes[t->n_changes++] = (struct tape_change){step, was};
	return t->touched[step] = 1;
}

void tape_change(struct tape *t, const uint32_t *vars, const uint8_t *values, uint32_t n)
{
	uint32_t first = t->n, begin = t->n_changes;
	cover_touched(t);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t step = t->step_of[t->pool->vars[vars[i]].expr] - 1;
		eval_value was = t->values[step];
		t->values[step] = values[i];
		if (begin == t->n_changes && was != values[i])
			memset(t->touched, 0, t->n);
		if (set_step(t, step, was) && step < first)
			first = step;
	}
	t->evaluated += (t->n - first) / 4; // looked at
	for (uint32_t i = first; i < t->n; i++) {
		if (!depends(t, &t->steps[i]))
			continue;
		eval_value was = t->values[i];
		tape_evaluate(t, i);
		t->evaluated++;
		set_step(t, i, was);
	}
}

void tape_undo(struct tape *t)
{
	while (t->n_changes) {
		const struct tape_change *c = &t->changes[--t->n_changes];
		t->values[c->step] = c->was;
	}
}

void tape_focus(struct tape *t, uint32_t var)
{
	cover_touched(t);
	uint32_t first = t->step_of[t->pool->vars[var].expr] - 1;
	assert(first < t->n);
	memset(t->touched, 0, t->n);
	t->touched[first] = 1;
	t->n_focus = 0;
	t->focus[t->n_focus++] = first;
	for (uint32_t i = first + 1; i < t->n; i++)
		if (depends(t, &t->steps[i])) {
			t->touched[i] = 1;
			t->focus[t->n_focus++] = i;
		}
}

void tape_try(struct tape *t, uint8_t value)
{
	assert(t->n_focus);
	t->values[t->focus[0]] = value;
	for (uint32_t i = 1; i < t->n_focus; i++)
		tape_evaluate(t, t->focus[i]);
}

eval_value expr_eval(const struct expr_pool *p, uint32_t id, const uint8_t *bytes)
{
	struct tape t;
	tape_init(&t, p);
	uint32_t step = tape_add(&t, id);
	tape_load(&t, bytes);
	tape_run(&t);
	eval_value v = t.values[step];
	tape_release(&t);
	return v;
}
