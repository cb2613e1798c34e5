// Models near the seed. Of the bytes that a model changes, those that need not change
// are put back, by evaluation: in groups first, then one by one until no single byte
// can be put back any more (1-minimal). What must change gets a printable value if the
// seed had one there. Wishes are tried after that, when the model does not fulfil them
// by itself: most models do, once they are near.
#include "solver/near.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "expr/simplify.h"
#include "solver/check.h"

enum {
	GROUPS_FROM = 8, // changed bytes; fewer are tried one by one at once
};

struct wish {
	uint32_t condition;
	uint32_t first_var, n_vars; // in `wish_vars`
};

struct near {
	struct solver solver;
	struct check check;      // of the query and the granted wishes
	struct check wish_check; // of the wishes that concern the query
	struct near_counts counts;
	struct wish *wishes;
	uint32_t n_wishes;
	uint32_t *wish_vars;
	uint32_t n_wish_vars;
	uint32_t *open; // wishes that concern the query
	// The query, with wishes behind it.
	uint32_t *ids;
	uint32_t n, max;
	struct model model;
	uint32_t *changed; // variables that differ from the seed
	uint32_t n_changed, max_changed;
	uint64_t focus_steps; // what tape_focus looks at, in evaluated steps, about
	uint64_t steps;       // left
	uint32_t asks;        // left
};

// --- put back ------------------------------------------------------------------------------------

static bool may_spend(struct near *n, uint64_t steps)
{
	if (n->steps < steps || solver_out_of_time(n->solver.env)) {
		n->steps = 0;
		return false;
	}
	n->steps -= steps;
	n->counts.steps += steps;
	return true;
}

static uint8_t value_of(const struct near *n, uint32_t var)
{
	assert(tape_has(&n->check.tape, var));
	const struct tape *t = &n->check.tape;
	return (uint8_t)t->values[t->step_of[t->pool->vars[var].expr] - 1];
}

static void find_changed(struct near *n, const uint8_t *seed)
{
	const struct tape *t = &n->check.tape;
	if (n->max_changed < t->n_vars) {
		n->max_changed = t->max_vars;
		n->changed = mem_resize(n->changed, n->max_changed * sizeof *n->changed);
	}
	n->n_changed = 0;
	for (uint32_t i = 0; i < t->n_vars; i++)
		if ((uint8_t)t->values[t->var_steps[i]] != seed[t->vars[i]])
			n->changed[n->n_changed++] = t->vars[i];
}

// tape_focus compares operands, which is less than to evaluate; but in tables it looks at every byte.
static void measure_focus(struct near *n)
{
	const struct tape *t = &n->check.tape;
	n->focus_steps = t->n;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct tape_step *s = &t->steps[i];
		if (s->node.op == OP_LOOKUP && t->pool->tables[s->node.b].exprs)
			n->focus_steps += t->pool->tables[s->node.b].size;
	}
	n->focus_steps = n->focus_steps / 4 + 1;
}

// Changed bytes `from` to `to` - 1, all at once. The tape has to be run again afterwards.
static bool put_back_group(struct near *n, const uint8_t *seed, uint32_t from, uint32_t to)
{
	struct tape *t = &n->check.tape;
	uint8_t old[256];
	assert(from < to && to <= n->n_changed && to - from <= sizeof old);
	for (uint32_t i = from; i < to; i++) {
		old[i - from] = value_of(n, n->changed[i]);
		tape_set(t, n->changed[i], seed[n->changed[i]]);
	}
	tape_run(t);
	if (check_all(&n->check)) {
		memmove(n->changed + from, n->changed + to, (n->n_changed - to) * sizeof *n->changed);
		n->n_changed -= to - from;
		return true;
	}
	for (uint32_t i = from; i < to; i++)
		tape_set(t, n->changed[i], old[i - from]);
	return false;
}

// Large groups first: where few bytes are relevant, this is done after some tries.
static void put_back_groups(struct near *n, const uint8_t *seed)
{
	struct tape *t = &n->check.tape;
	uint32_t size = n->n_changed / 2 < 256 ? n->n_changed / 2 : 256;
	for (; n->n_changed >= GROUPS_FROM && size > 1; size /= 2)
		for (uint32_t i = 0; i < n->n_changed;) {
			uint32_t to = i + size < n->n_changed ? i + size : n->n_changed;
			if (!may_spend(n, t->n))
				break;
			i = put_back_group(n, seed, i, to) ? i : to;
		}
	tape_run(t);
}

// Do the conditions hold that depend on the variable in focus? The others do.
static bool focus_holds(const struct near *n)
{
	const struct check *c = &n->check;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->tape.touched[c->steps[i]] && !check_one(c, i))
			return false;
	return true;
}

static bool put_back_one(struct near *n, const uint8_t *seed, uint32_t var)
{
	struct tape *t = &n->check.tape;
	uint8_t old = value_of(n, var);
	tape_focus(t, var);
	tape_try(t, seed[var]);
	bool holds = focus_holds(n);
	if (!holds)
		tape_try(t, old);
	may_spend(n, t->n_focus * (2u - holds));
	return holds;
}

// Until no single one can be put back.
static void put_back_singles(struct near *n, const uint8_t *seed)
{
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 0; i < n->n_changed;) {
			if (!may_spend(n, n->focus_steps))
				return;
			if (put_back_one(n, seed, n->changed[i])) {
				n->changed[i] = n->changed[--n->n_changed];
				again = true;
			} else {
				i++;
			}
		}
	}
}

// --- nicer values --------------------------------------------------------------------------------

static bool printable(uint8_t c)
{
	return c >= 0x20 && c <= 0x7e;
}

static bool try_values(struct near *n, uint8_t low, uint8_t high)
{
	struct tape *t = &n->check.tape;
	for (unsigned v = low; v <= high && may_spend(n, t->n_focus); v++) {
		tape_try(t, (uint8_t)v);
		if (focus_holds(n))
			return true;
	}
	return false;
}

// A value of the same kind as the seed's, else one that is printable.
static bool make_nice(struct near *n, const uint8_t *seed, uint32_t var)
{
	uint8_t was = seed[var], old = value_of(n, var);
	if (!printable(was) || printable(old) || !may_spend(n, n->focus_steps))
		return false;
	tape_focus(&n->check.tape, var);
	bool nice = (was >= '0' && was <= '9' && try_values(n, '0', '9')) ||
	            (was >= 'a' && was <= 'z' && try_values(n, 'a', 'z')) ||
	            (was >= 'A' && was <= 'Z' && try_values(n, 'A', 'Z')) || try_values(n, 0x20, 0x7e);
	if (!nice)
		tape_try(&n->check.tape, old);
	return nice;
}

// Takes the model to the seed as far as it goes; the tape then has the values. The model holds.
static void approach(struct near *n, const uint8_t *seed)
{
	uint32_t nice = 0;
	find_changed(n, seed);
	if (!n->n_changed)
		return;
	measure_focus(n);
	if (n->n_changed >= GROUPS_FROM)
		put_back_groups(n, seed);
	put_back_singles(n, seed);
	for (uint32_t i = 0; i < n->n_changed; i++)
		nice += make_nice(n, seed, n->changed[i]);
	n->counts.nicer += nice;
	if (nice) // other values, other chances
		put_back_singles(n, seed);
}

// --- wishes --------------------------------------------------------------------------------------

static void add_id(struct near *n, uint32_t id)
{
	vec_room(n->ids, n->n + 1, n->max);
	n->ids[n->n++] = id;
}

void near_set_wishes(struct solver *near, const uint32_t *conditions, uint32_t count)
{
	struct near *n = (struct near *)near;
	struct expr_pool *p = near->env->pool;
	n->wishes = mem_resize(n->wishes, count * sizeof *n->wishes);
	n->open = mem_resize(n->open, count * sizeof *n->open);
	n->n_wishes = n->n_wish_vars = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t id = expr_simplify(p, conditions[i]);
		const struct tape *t = &n->check.tape;
		check_set(&n->check, &id, 1);
		if (!t->n_vars)
			continue;
		n->wishes[n->n_wishes++] = (struct wish){id, n->n_wish_vars, t->n_vars};
		n->wish_vars = mem_resize(n->wish_vars, (n->n_wish_vars + t->n_vars) * sizeof *n->wish_vars);
		memcpy(n->wish_vars + n->n_wish_vars, t->vars, t->n_vars * sizeof *t->vars);
		n->n_wish_vars += t->n_vars;
	}
}

// The wishes that share a variable with the query, which is what the tape has now.
static uint32_t find_open(struct near *n)
{
	uint32_t open = 0;
	for (uint32_t i = 0; i < n->n_wishes; i++) {
		const struct wish *w = &n->wishes[i];
		bool shares = false;
		for (uint32_t k = 0; k < w->n_vars && !shares; k++)
			shares = tape_has(&n->check.tape, n->wish_vars[w->first_var + k]);
		if (shares)
			n->open[open++] = w->condition;
	}
	return open;
}

// What the tape has, as a model: of all its variables, since the others' values count on them.
static void take_values(const struct near *n, struct model *ret)
{
	const struct tape *t = &n->check.tape;
	model_clear(ret);
	for (uint32_t i = 0; i < t->n_vars; i++)
		model_add(ret, t->vars[i], (uint8_t)t->values[t->var_steps[i]]);
}

// With the conditions in the list. A new model is approached; without one *ret is as before.
static bool ask_more(struct near *n, const struct query *q, struct model *ret)
{
	struct query more = {.conditions = n->ids, .n = n->n, .seed = q->seed};
	if (!n->asks || solver_out_of_time(n->solver.env))
		return false;
	n->asks--;
	n->counts.asks++;
	if (solver_pass(&n->solver, &more, &n->model) != ANSWER_SAT)
		return false;
	check_set(&n->check, n->ids, n->n);
	if (!check_model(&n->check, q->seed, &n->model))
		return false;
	approach(n, q->seed);
	take_values(n, ret);
	return true;
}

// All at once; if that cannot be, one by one, in their order.
static void grant(struct near *n, const struct query *q, uint32_t open, struct model *ret)
{
	for (uint32_t i = 0; i < q->n; i++)
		add_id(n, q->conditions[i]);
	for (uint32_t i = 0; i < open; i++)
		add_id(n, n->open[i]);
	check_set(&n->wish_check, n->open, open);
	bool all = check_model(&n->wish_check, q->seed, ret) || ask_more(n, q, ret);
	n->n = all ? n->n : q->n;
	for (uint32_t i = 0; !all && open > 1 && i < open; i++) {
		add_id(n, n->open[i]);
		if (check_one(&n->wish_check, i))
			continue;
		if (ask_more(n, q, ret))
			check_model(&n->wish_check, q->seed, ret);
		else
			n->n--;
	}
	n->counts.granted += n->n - q->n;
	n->counts.refused += open - (n->n - q->n);
}

// --- the stage -----------------------------------------------------------------------------------

static uint32_t count_changed(const struct model *m, const uint8_t *seed)
{
	uint32_t changed = 0;
	for (uint32_t i = 0; i < m->n; i++)
		changed += m->values[i] != seed[m->vars[i]];
	return changed;
}

static enum answer solve(struct solver *solver, const struct query *q, struct model *ret)
{
	struct near *n = (struct near *)solver;
	enum answer a = solver_pass(solver, q, ret);
	if (a != ANSWER_SAT)
		return a;
	check_set(&n->check, q->conditions, q->n);
	if (!check_model(&n->check, q->seed, ret))
		return a; // wrong: the first stage finds out
	n->steps = NEAR_STEPS;
	n->asks = NEAR_ASKS;
	n->counts.models++;
	n->counts.changed_before += count_changed(ret, q->seed);
	uint32_t open = find_open(n);
	approach(n, q->seed);
	take_values(n, ret);
	n->n = 0;
	if (open)
		grant(n, q, open, ret);
	n->counts.limited += n->steps == 0;
	n->counts.changed_after += count_changed(ret, q->seed);
	return a;
}

struct near_counts near_counts(const struct solver *near)
{
	return ((const struct near *)near)->counts;
}

static void release(struct solver *solver)
{
	struct near *n = (struct near *)solver;
	check_release(&n->check);
	check_release(&n->wish_check);
	model_release(&n->model);
	mem_free(n->wishes);
	mem_free(n->wish_vars);
	mem_free(n->open);
	mem_free(n->ids);
	mem_free(n->changed);
}

struct solver *near_new(struct solver_env *env, struct solver *next)
{
	static const struct solver_type type = {"near", solve, release};
	struct near *n = solver_new(&type, sizeof *n, env, next);
	check_init(&n->check, env->pool);
	check_init(&n->wish_check, env->pool);
	return &n->solver;
}
