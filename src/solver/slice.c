#include "solver/slice.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "expr/simplify.h"
#include "solver/check.h"

void condition_list_add(struct condition_list *l, uint32_t id)
{
	vec_room(l->ids, l->n + 1, l->max);
	l->ids[l->n++] = id;
}

void condition_list_release(struct condition_list *l)
{
	mem_free(l->ids);
	*l = (struct condition_list){0};
}

void slice_init(struct slice *s, struct expr_pool *pool)
{
	*s = (struct slice){.pool = pool};
}

void slice_release(struct slice *s)
{
	mem_free(s->parent);
	mem_free(s->seen);
	mem_free(s->table_class);
	mem_free(s->table_seen);
	mem_free(s->lists);
	mem_free(s->conditions);
	mem_free(s->met);
	mem_free(s->stack);
	mem_free(s->found);
	*s = (struct slice){0};
}

void slice_clear(struct slice *s)
{
	for (uint32_t i = 0; i < s->n_met; i++) {
		uint32_t id = s->met[i];
		const struct expr_node *n = &s->pool->nodes[id];
		s->parent[id] = 0;
		s->lists[id] = (struct slice_list){0};
		if (n->op == OP_LOOKUP)
			s->table_class[n->b] = 0;
	}
	s->n_met = s->n = 0;
}

static void cover_pool(struct slice *s)
{
	uint32_t n = s->pool->max, tables = s->pool->max_tables;
	if (s->n_nodes < n) {
		vec_cover(s->parent, s->n_nodes, n);
		vec_cover(s->seen, s->n_nodes, n);
		vec_cover(s->lists, s->n_nodes, n);
		s->n_nodes = n;
	}
	if (s->n_tables < tables) {
		vec_cover(s->table_class, s->n_tables, tables);
		vec_cover(s->table_seen, s->n_tables, tables);
		s->n_tables = tables;
	}
}

// --- classes -------------------------------------------------------------------------------------

static uint32_t find(struct slice *s, uint32_t id)
{
	assert(s->parent[id] && s->parent[id] != SLICE_NONE);
	while (s->parent[id] != id) {
		s->parent[id] = s->parent[s->parent[id]];
		id = s->parent[id];
	}
	return id;
}

// One class of two; their lists become one, not in order.
static uint32_t join(struct slice *s, uint32_t a, uint32_t b)
{
	if (a == SLICE_NONE || b == SLICE_NONE)
		return a == SLICE_NONE ? b : a;
	a = find(s, a);
	b = find(s, b);
	if (a == b)
		return a;
	struct slice_list *x = &s->lists[a], *y = &s->lists[b];
	if (x->first && y->first) {
		s->conditions[x->last - 1].next = y->first;
		x->last = y->last;
	} else if (y->first) {
		*x = *y;
	}
	*y = (struct slice_list){0};
	s->parent[b] = a;
	return a;
}

static uint32_t push(struct slice *s, uint32_t depth, uint32_t id)
{
	vec_room(s->stack, depth + 1, s->max_stack);
	s->stack[depth] = id;
	return depth + 1;
}

// The expressions a table contains: `exprs` of it, which are NULL when there are none.
static const struct expr_table *labelled_table(const struct slice *s, const struct expr_node *n)
{
	const struct expr_table *t = n->op == OP_LOOKUP ? &s->pool->tables[n->b] : NULL;
	return t && t->exprs ? t : NULL;
}

static uint32_t push_new_operands(struct slice *s, uint32_t depth, const struct expr_node *n)
{
	const uint32_t operands[] = {n->a, n->b, n->c};
	for (unsigned i = 0; i < op_operands(n->op); i++)
		if (!s->parent[operands[i]])
			depth = push(s, depth, operands[i]);
	const struct expr_table *t = labelled_table(s, n);
	for (uint32_t i = 0; t && !s->table_class[n->b] && i < t->size; i++)
		if (t->exprs[i] && !s->parent[t->exprs[i]])
			depth = push(s, depth, t->exprs[i]);
	return depth;
}

static uint32_t class_of_table(struct slice *s, const struct expr_node *n, const struct expr_table *t)
{
	uint32_t class = s->table_class[n->b];
	if (class)
		return class;
	class = SLICE_NONE;
	for (uint32_t i = 0; i < t->size; i++)
		if (t->exprs[i])
			class = join(s, class, s->parent[t->exprs[i]]);
	return s->table_class[n->b] = class;
}

// All operands have been met. A node whose operands depend on no input does not join anything.
static void meet(struct slice *s, uint32_t id)
{
	const struct expr_node *n = &s->pool->nodes[id];
	const uint32_t operands[] = {n->a, n->b, n->c};
	uint32_t class = n->op == OP_INPUT ? id : SLICE_NONE;
	assert(!s->parent[id]);
	for (unsigned i = 0; i < op_operands(n->op); i++)
		class = join(s, class, s->parent[operands[i]]);
	const struct expr_table *t = labelled_table(s, n);
	if (t)
		class = join(s, class, class_of_table(s, n, t));
	s->parent[id] = class;
	vec_room(s->met, s->n_met + 1, s->max_met);
	s->met[s->n_met++] = id;
}

static void meet_all(struct slice *s, uint32_t id)
{
	uint32_t depth = push(s, 0, id);
	while (depth) {
		uint32_t top = s->stack[depth - 1];
		uint32_t deeper = s->parent[top] ? depth : push_new_operands(s, depth, &s->pool->nodes[top]);
		if (deeper > depth) {
			depth = deeper;
			continue;
		}
		depth--;
		if (!s->parent[top])
			meet(s, top);
	}
}

void slice_add(struct slice *s, uint32_t condition, uint32_t tag)
{
	uint32_t simple = expr_simplify(s->pool, condition);
	cover_pool(s);
	meet_all(s, simple);
	vec_room(s->conditions, s->n + 1, s->max);
	uint32_t class = s->parent[simple];
	assert(class); // it has been met
	s->conditions[s->n++] = (struct slice_condition){.tag = tag, .node = class};
	if (class == SLICE_NONE)
		return;
	struct slice_list *l = &s->lists[find(s, class)];
	if (l->first)
		s->conditions[l->last - 1].next = s->n;
	else
		l->first = s->n;
	l->last = s->n;
}

uint32_t slice_class(struct slice *s, uint32_t position)
{
	assert(position < s->n);
	uint32_t node = s->conditions[position].node;
	return node == SLICE_NONE ? node : find(s, node);
}

uint32_t slice_class_of_var(struct slice *s, uint32_t var)
{
	assert(var < s->pool->n_vars);
	uint32_t id = s->pool->vars[var].expr;
	return id < s->n_nodes && s->parent[id] ? find(s, id) : SLICE_NONE;
}

// --- queries -------------------------------------------------------------------------------------

static int compare(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return a < b ? -1 : a > b;
}

static void add_found(struct slice *s, uint32_t n, uint32_t position)
{
	vec_room(s->found, n + 1, s->max_found);
	s->found[n] = position;
}

// The conditions of a class, in `found` from `n` on. The list is left in order, so that it need not be
// sorted again until the class grows by another.
static uint32_t collect(struct slice *s, uint32_t n, uint32_t root)
{
	uint32_t from = n;
	bool sorted = true;
	for (uint32_t at = s->lists[root].first; at; at = s->conditions[at - 1].next) {
		sorted = sorted && (n == from || s->found[n - 1] < at - 1);
		add_found(s, n++, at - 1);
	}
	if (sorted)
		return n;
	qsort(s->found + from, n - from, sizeof *s->found, compare);
	for (uint32_t i = from; i < n; i++)
		s->conditions[s->found[i]].next = i + 1 < n ? s->found[i + 1] + 1 : 0;
	s->lists[root].first = s->found[from] + 1;
	s->lists[root].last = s->found[n - 1] + 1;
	assert(!s->conditions[s->lists[root].last - 1].next);
	return n;
}

// A class that the given condition reaches, each once.
static uint32_t reach(struct slice *s, uint32_t n, uint32_t node)
{
	uint32_t root = node == SLICE_NONE ? 0 : find(s, node);
	if (!root || s->seen[root] == s->query)
		return n;
	s->seen[root] = s->query;
	return collect(s, n, root);
}

static uint32_t push_unseen(struct slice *s, uint32_t depth, uint32_t id)
{
	if (!s->parent[id]) {
		if (s->seen[id] == s->query)
			return depth;
		s->seen[id] = s->query;
	}
	return push(s, depth, id);
}

static uint32_t push_all_operands(struct slice *s, uint32_t depth, const struct expr_node *n)
{
	const uint32_t operands[] = {n->a, n->b, n->c};
	for (unsigned i = 0; i < op_operands(n->op); i++)
		depth = push_unseen(s, depth, operands[i]);
	const struct expr_table *t = labelled_table(s, n);
	if (!t || s->table_seen[n->b] == s->query)
		return depth;
	s->table_seen[n->b] = s->query;
	if (s->table_class[n->b])
		return s->table_class[n->b] == SLICE_NONE ? depth : push(s, depth, s->table_class[n->b]);
	for (uint32_t i = 0; i < t->size; i++)
		if (t->exprs[i])
			depth = push_unseen(s, depth, t->exprs[i]);
	return depth;
}

static void next_question(struct slice *s)
{
	if (++s->query)
		return;
	memset(s->seen, 0, s->n_nodes * sizeof *s->seen);
	if (s->n_tables)
		memset(s->table_seen, 0, s->n_tables * sizeof *s->table_seen);
	s->query = 1;
}

void slice_related(struct slice *s, uint32_t condition, struct condition_list *ret)
{
	uint32_t n = 0, classes = 0;
	uint32_t simple = expr_simplify(s->pool, condition);
	cover_pool(s);
	next_question(s);
	uint32_t depth = push_unseen(s, 0, simple);
	while (depth) {
		uint32_t id = s->stack[--depth], before = n;
		if (s->parent[id])
			n = reach(s, n, s->parent[id]);
		else
			depth = push_all_operands(s, depth, &s->pool->nodes[id]);
		classes += n > before;
	}
	if (classes > 1)
		qsort(s->found, n, sizeof *s->found, compare);
	ret->n = 0;
	for (uint32_t i = 0; i < n; i++)
		condition_list_add(ret, s->conditions[s->found[i]].tag);
}

// --- the stage -----------------------------------------------------------------------------------

struct parts {
	struct solver solver;
	struct slice slice;
	struct condition_list added; // to the slice
	struct check check;
	struct condition_list part;
	struct condition_list roots; // classes that the seed does not satisfy
	struct model model;
};

// The slice has these conditions from now on; but: one that is left out. What it had before may be where they begin.
static void set_slice(struct parts *p, const struct query *q, uint32_t but)
{
	uint32_t same = 0, n = q->n - (but < q->n);
	while (same < n && same < p->added.n && p->added.ids[same] == q->conditions[same + (same >= but)])
		same++;
	if (same < p->added.n) {
		slice_clear(&p->slice);
		p->added.n = same = 0;
	}
	for (; same < n; same++) {
		uint32_t condition = q->conditions[same + (same >= but)];
		slice_add(&p->slice, condition, condition);
		condition_list_add(&p->added, condition);
	}
	assert(p->slice.n == n && p->added.n == n);
}

// Finds the classes in which the seed violates a condition; false when a condition without input is false.
static bool find_violated(struct parts *p, const struct query *q)
{
	struct slice *s = &p->slice;
	set_slice(p, q, UINT32_MAX);
	next_question(s);
	p->roots.n = 0;
	for (uint32_t i = 0; i < q->n; i++) {
		if (check_one(&p->check, i))
			continue;
		uint32_t root = slice_class(s, i);
		if (root == SLICE_NONE)
			return false;
		if (s->seen[root] != s->query)
			condition_list_add(&p->roots, root);
		s->seen[root] = s->query;
	}
	return true;
}

static enum answer ask_part(struct parts *p, const struct query *q, uint32_t root)
{
	uint32_t n = collect(&p->slice, 0, root);
	p->part.n = 0;
	for (uint32_t i = 0; i < n; i++)
		condition_list_add(&p->part, p->slice.conditions[p->slice.found[i]].tag);
	struct query part = {.conditions = p->part.ids, .n = n, .seed = q->seed};
	return solver_pass(&p->solver, &part, &p->model);
}

// What the parts that were not asked about depend on: the seed's values.
static void add_seed(struct parts *p, const struct query *q, struct model *ret)
{
	struct slice *s = &p->slice;
	const struct tape *t = &p->check.tape;
	for (uint32_t i = 0; i < t->n_vars; i++) {
		uint32_t class = slice_class_of_var(s, t->vars[i]);
		if (class != SLICE_NONE && s->seen[class] != s->query)
			model_add(ret, t->vars[i], q->seed[t->vars[i]]);
	}
}

// The only condition that the seed violates; UINT32_MAX: there are more, or none.
static uint32_t find_only(struct parts *p, const struct query *q)
{
	uint32_t only = UINT32_MAX;
	check_set(&p->check, q->conditions, q->n);
	check_model(&p->check, q->seed, NULL);
	for (uint32_t i = 0; i < q->n; i++) {
		if (check_one(&p->check, i))
			continue;
		if (only != UINT32_MAX)
			return UINT32_MAX;
		only = i;
	}
	return only;
}

// Is the variable in a class that the last slice_related met, or in the condition alone?
static bool is_related(struct slice *s, uint32_t var)
{
	uint32_t id = s->pool->vars[var].expr;
	return id < s->n_nodes && s->seen[s->parent[id] ? find(s, id) : id] == s->query;
}

// Nearly all queries: a path that the seed takes, and one condition that it violates. The path's conditions are those
// of the query before, or begin with them.
static enum answer solve_one(struct parts *p, const struct query *q, uint32_t only, struct model *ret)
{
	struct slice *s = &p->slice;
	const struct tape *t = &p->check.tape;
	set_slice(p, q, only);
	slice_related(s, q->conditions[only], &p->roots);
	p->part.n = 0;
	for (uint32_t i = 0, k = 0; i < q->n; i++)
		if (i == only || (k < p->roots.n && p->roots.ids[k] == q->conditions[i])) {
			condition_list_add(&p->part, q->conditions[i]);
			k += i != only;
		}
	assert(p->part.n == p->roots.n + 1);
	const struct query part = {.conditions = p->part.ids, .n = p->part.n, .seed = q->seed};
	enum answer a = solver_pass(&p->solver, &part, &p->model);
	if (a == ANSWER_UNKNOWN)
		return solver_unknown(&p->solver, p->solver.env->reason);
	model_clear(ret);
	for (uint32_t k = 0; a == ANSWER_SAT && k < p->model.n; k++)
		if (is_related(s, p->model.vars[k]))
			model_add(ret, p->model.vars[k], p->model.values[k]);
	for (uint32_t i = 0; a == ANSWER_SAT && i < t->n_vars; i++)
		if (slice_class_of_var(s, t->vars[i]) != SLICE_NONE && !is_related(s, t->vars[i]))
			model_add(ret, t->vars[i], q->seed[t->vars[i]]);
	return a;
}

static enum answer solve(struct solver *solver, const struct query *q, struct model *ret)
{
	struct parts *p = (struct parts *)solver;
	enum answer all = ANSWER_SAT;
	uint32_t only = find_only(p, q);
	if (only != UINT32_MAX)
		return solve_one(p, q, only, ret);
	enum solver_reason reason = SOLVER_NONE;
	if (!find_violated(p, q))
		return ANSWER_UNSAT;
	model_clear(ret);
	for (uint32_t i = 0; i < p->roots.n; i++) {
		enum answer a = ask_part(p, q, p->roots.ids[i]);
		if (a == ANSWER_UNSAT)
			return a;
		if (a == ANSWER_UNKNOWN) {
			all = a;
			reason = solver->env->reason;
		}
		// What was simplified away for the classes may belong to another one.
		for (uint32_t k = 0; a == ANSWER_SAT && k < p->model.n; k++)
			if (slice_class_of_var(&p->slice, p->model.vars[k]) == p->roots.ids[i])
				model_add(ret, p->model.vars[k], p->model.values[k]);
	}
	if (all == ANSWER_UNKNOWN)
		return solver_unknown(solver, reason);
	add_seed(p, q, ret);
	return all;
}

static void release(struct solver *solver)
{
	struct parts *p = (struct parts *)solver;
	slice_release(&p->slice);
	check_release(&p->check);
	condition_list_release(&p->added);
	condition_list_release(&p->part);
	condition_list_release(&p->roots);
	model_release(&p->model);
}

struct solver *slice_new(struct solver_env *env, struct solver *next)
{
	static const struct solver_type type = {"slice", solve, release};
	struct parts *p = solver_new(&type, sizeof *p, env, next);
	slice_init(&p->slice, env->pool);
	check_init(&p->check, env->pool);
	return &p->solver;
}
