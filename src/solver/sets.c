#include "solver/sets_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

// --- supports ------------------------------------------------------------------------------------

static void support_add(struct support *s, uint32_t var)
{
	uint32_t k = 0;
	while (s->n != TOO_MANY && k < s->n && s->vars[k] < var)
		k++;
	if (s->n == TOO_MANY || (k < s->n && s->vars[k] == var))
		return;
	if (s->n == FEW) {
		s->n = TOO_MANY;
		return;
	}
	memmove(s->vars + k + 1, s->vars + k, (s->n - k) * sizeof *s->vars);
	s->vars[k] = var;
	s->n++;
}

// Variables that have one value left are constants from then on.
static void support_join(struct sets *s, struct support *all, const struct support *other)
{
	if (other->n == TOO_MANY)
		all->n = TOO_MANY;
	for (uint32_t i = 0; i < other->n && all->n != TOO_MANY; i++)
		if (s->variables[other->vars[i]].n_alive > 1)
			support_add(all, other->vars[i]);
}

// Combinations of values of its variables.
static uint64_t size_of(const struct sets *s, const struct support *of)
{
	uint64_t size = 1;
	for (uint32_t i = 0; i < of->n; i++)
		size *= s->variables[of->vars[i]].n_alive;
	return size;
}

static bool fits(const struct sets *s, const struct support *of)
{
	return of->n != TOO_MANY && size_of(s, of) <= COMBINATIONS;
}

// --- the cone of a constraint ----------------------------------------------------------------------

uint32_t sets_first(const struct byteset *alive)
{
	uint32_t w = 0;
	while (!alive->word[w])
		w++;
	return 64 * w + (uint32_t)__builtin_ctzll(alive->word[w]);
}

// Adds the entries of a look-up's table that are input and that a value of its offset, a variable, names.
// Returns false when there are too many.
static bool add_entries(const struct sets *s, const struct tape_step *t, uint32_t *ret, uint32_t *n)
{
	const struct expr_table *table = &s->tape->pool->tables[t->node.b];
	if (s->variable_of[t->a] >= NEVER)
		return false;
	const struct variable *v = &s->variables[s->variable_of[t->a]];
	for (uint32_t i = 0; i < v->n; i++) {
		eval_value at = s->values[v->first + i];
		if (!byteset_has(&v->alive, i))
			continue;
		for (uint64_t k = (uint64_t)at; k < table->size && k - (uint64_t)at < t->node.width / 8u; k++) {
			if (!table->exprs[k])
				continue;
			if (*n == OPERANDS_MAX)
				return false;
			ret[(*n)++] = s->tape->step_of[table->exprs[k]] - 1;
		}
	}
	return true;
}

// The steps that a step reads; returns false when there are too many, or it is not known which.
static bool operands_of(const struct sets *s, uint32_t step, uint32_t *ret, uint32_t *ret_n)
{
	const struct tape_step *t = &s->tape->steps[step];
	const uint32_t operands[] = {t->a, t->b, t->c};
	*ret_n = op_operands(t->node.op);
	memcpy(ret, operands, *ret_n * sizeof *ret);
	bool entries = t->node.op == OP_LOOKUP && s->tape->pool->tables[t->node.b].exprs;
	return !entries || add_entries(s, t, ret, ret_n);
}

// Adds the step to the list unless it is a variable of the constraint, or a constant.
static bool reach(struct sets *s, const struct support *of, uint32_t step, uint32_t *list, uint32_t *n)
{
	bool defined = *n == 0; // the step of the constraint itself: not what is left of its values
	if (s->seen[step] == s->now_seen)
		return true;
	s->seen[step] = s->now_seen;
	s->level[step] = 0;
	uint32_t var = s->variable_of[step];
	for (uint32_t k = 0; k < of->n; k++)
		if (of->vars[k] == var) {
			s->level[step] = (uint8_t)k;
			return true;
		}
	if (!defined && var < NEVER && s->variables[var].n_alive == 1) {
		tape_put(s->tape, step, s->values[s->variables[var].first + sets_first(&s->variables[var].alive)]);
		return true;
	}
	assert(s->tape->steps[step].node.op != OP_INPUT); // it is in every support above it
	if (s->tape->steps[step].node.op == OP_CONST)
		return true;
	if (*n == CONE_MAX)
		return false;
	list[(*n)++] = step;
	return true;
}

static int compare_steps(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return a < b ? -1 : a > b;
}

// Returns false when the cone is too large.
static bool make_cone(struct sets *s, uint32_t root, const struct support *of)
{
	uint32_t list[CONE_MAX], n = 0;
	s->now_seen++;
	reach(s, of, root, list, &n);
	uint32_t operands[OPERANDS_MAX], n_operands;
	for (uint32_t i = 0; i < n; i++) {
		if (!operands_of(s, list[i], operands, &n_operands))
			return false;
		for (uint32_t k = 0; k < n_operands; k++)
			if (!reach(s, of, operands[k], list, &n))
				return false;
	}
	qsort(list, n, sizeof *list, compare_steps);
	memset(s->cone.n, 0, sizeof s->cone.n);
	for (uint32_t i = 0; i < n; i++) {
		uint8_t level = 0;
		operands_of(s, list[i], operands, &n_operands);
		for (uint32_t k = 0; k < n_operands; k++)
			level = s->level[operands[k]] > level ? s->level[operands[k]] : level;
		s->level[list[i]] = level;
		s->cone.steps[level][s->cone.n[level]++] = list[i];
	}
	return true;
}

// --- enumeration -----------------------------------------------------------------------------------

static void collect(struct sets *s, eval_value value)
{
	uint64_t hash = ((uint64_t)value ^ (uint64_t)(value >> 64)) * 0x9e3779b97f4a7c15u >> 32;
	uint32_t at = hash & (SLOTS - 1);
	for (; s->used[at] == s->now_used; at = (at + 1) & (SLOTS - 1))
		if (s->slots[at] == value)
			return;
	s->used[at] = s->now_used;
	s->slots[at] = value;
	s->collected[s->n_collected++] = value;
}

uint32_t sets_index(const struct sets *s, const struct variable *v, eval_value value)
{
	uint32_t from = 0, to = v->n;
	while (from < to) {
		uint32_t middle = (from + to) / 2;
		if (s->values[v->first + middle] < value)
			from = middle + 1;
		else
			to = middle;
	}
	return from < v->n && s->values[v->first + from] == value ? from : NONE;
}

static void support_value(struct sets *s, uint32_t k, uint32_t index)
{
	s->missing -= !byteset_has(&s->supported[k], index);
	s->supported[k].word[index / 64] |= (uint64_t)1 << index % 64;
}

// A combination was evaluated.
static void take(struct sets *s)
{
	const struct constraint *c = s->current;
	eval_value value = s->tape->values[c->step];
	if (s->collecting) {
		collect(s, value);
		return;
	}
	uint32_t index = 0;
	if (c->variable != NONE) {
		const struct variable *v = &s->variables[c->variable];
		index = sets_index(s, v, value);
		if (index == NONE || !byteset_has(&v->alive, index))
			return;
		support_value(s, FEW, index);
	} else if (!value) {
		return;
	}
	for (uint32_t k = 0; k < c->of.n; k++)
		support_value(s, k, s->at[k]);
}

static bool finished(const struct sets *s)
{
	return s->collecting ? s->n_collected > s->most : s->missing == 0;
}

static void enumerate(struct sets *s, uint32_t level)
{
	if (level == s->current->of.n) {
		take(s);
		return;
	}
	const struct variable *v = &s->variables[s->current->of.vars[level]];
	for (uint32_t i = 0; i < v->n && s->left > 0 && !finished(s); i++) {
		if (!byteset_has(&v->alive, i))
			continue;
		s->at[level] = i;
		tape_put(s->tape, v->step, s->values[v->first + i]);
		for (uint32_t k = 0; k < s->cone.n[level]; k++)
			tape_evaluate(s->tape, s->cone.steps[level][k]);
		s->left -= s->cone.n[level] + 1;
		enumerate(s, level + 1);
	}
}

// Evaluates the step of the constraint under all combinations of values.
static void enumerate_all(struct sets *s, const struct constraint *c)
{
	s->current = c;
	if (c->of.n == 0)
		for (uint32_t k = 0; k < s->cone.n[0]; k++)
			tape_evaluate(s->tape, s->cone.steps[0][k]);
	enumerate(s, 0);
}

// --- variables -------------------------------------------------------------------------------------

static uint32_t add_variable(struct sets *s, uint32_t step, uint32_t n)
{
	vec_room(s->variables, s->n_variables + 1, s->max_variables);
	if (s->n_values + n > s->max_values) {
		s->max_values = 2 * (s->n_values + n);
		s->values = mem_resize(s->values, s->max_values * sizeof *s->values);
	}
	struct variable *v = &s->variables[s->n_variables];
	*v = (struct variable){.step = step, .first = s->n_values, .n = n, .n_alive = n, .changed = ++s->clock};
	for (uint32_t i = 0; i < n; i++)
		v->alive.word[i / 64] |= (uint64_t)1 << i % 64;
	s->n_values += n;
	s->variable_of[step] = s->n_variables;
	s->reads[step] = false;
	s->supports[step] = (struct support){.n = 1, .vars = {s->n_variables}};
	return s->n_variables++;
}

static void add_constraint(struct sets *s, uint32_t step, uint32_t variable, const struct support *of, uint64_t revised)
{
	vec_room(s->constraints, s->n_constraints + 1, s->max_constraints);
	s->constraints[s->n_constraints++] =
		(struct constraint){.step = step, .variable = variable, .of = *of, .revised = revised};
}

static void add_input(struct sets *s, uint32_t step, const struct byteset *domain)
{
	uint32_t n = 0;
	eval_value values[VALUES_MAX];
	for (unsigned v = 0; v < VALUES_MAX; v++)
		if (byteset_has(domain, v))
			values[n++] = v;
	uint32_t first = s->n_values;
	add_variable(s, step, n);
	memcpy(s->values + first, values, n * sizeof *values);
}

static int compare_values(const void *x, const void *y)
{
	eval_value a = *(const eval_value *)x, b = *(const eval_value *)y;
	return a < b ? -1 : a > b;
}

// Makes the step a variable if it has at most `most` values.
static bool make_variable(struct sets *s, uint32_t step, uint64_t most)
{
	assert(most <= VALUES_MAX);
	if (s->variable_of[step] != NONE || most == 0)
		return false;
	s->variable_of[step] = NEVER;
	struct support of = s->supports[step];
	struct constraint c = {.step = step, .variable = NONE, .of = of};
	if (!fits(s, &of) || s->left <= 0 || !make_cone(s, step, &of))
		return false;
	s->collecting = true;
	s->n_collected = 0;
	s->most = (uint32_t)most;
	s->now_used++;
	enumerate_all(s, &c);
	s->collecting = false;
	if (s->left <= 0 || s->n_collected > most)
		return false;
	qsort(s->collected, s->n_collected, sizeof *s->collected, compare_values);
	uint32_t var = add_variable(s, step, s->n_collected);
	memcpy(s->values + s->variables[var].first, s->collected, s->n_collected * sizeof *s->collected);
	if (of.n > 0)
		add_constraint(s, step, var, &of, s->clock);
	return true;
}

static struct support joined(struct sets *s, const uint32_t *operands, uint32_t n)
{
	struct support all = {0};
	for (uint32_t k = 0; k < n; k++)
		support_join(s, &all, &s->supports[operands[k]]);
	return all;
}

bool sets_narrows(const struct tape *t, uint32_t step)
{
	const struct tape_step *s = &t->steps[step];
	return s->node.op == OP_LOOKUP ||
	       (s->node.op == OP_UREM && t->steps[s->b].node.op == OP_CONST && t->values[s->b] <= VALUES_MAX);
}

// What the step is a function of. Operands become variables where there are too many others; look-ups and the like,
// which have fewer values than combinations of what they depend on, do at once.
static void visit(struct sets *s, uint32_t step)
{
	const struct tape_step *t = &s->tape->steps[step];
	uint32_t operands[OPERANDS_MAX], n;
	s->variable_of[step] = NONE;
	s->reads[step] = false;
	s->supports[step] = (struct support){0};
	if (t->node.op == OP_LOOKUP && s->tape->pool->tables[t->node.b].exprs)
		make_variable(s, t->a, VALUES_MAX);
	if (!operands_of(s, step, operands, &n)) {
		s->supports[step].n = TOO_MANY;
		return;
	}
	struct support all = joined(s, operands, n);
	for (uint32_t k = 0; k < n && !fits(s, &all); k++)
		if (s->supports[operands[k]].n > 1 && make_variable(s, operands[k], VALUES_MAX))
			all = joined(s, operands, n);
	if (!fits(s, &all))
		all.n = TOO_MANY;
	s->supports[step] = all;
	s->reads[step] = sets_narrows(s->tape, step) || (n == 1 && s->reads[t->a]);
	if (t->node.op == OP_CONST || all.n == TOO_MANY)
		return;
	if (all.n == 1 && s->reads[step])
		make_variable(s, step, size_of(s, &all) / 2);
	else if (all.n == 0 || (s->reads[step] && s->uses[step] > 1))
		make_variable(s, step, VALUES_MAX);
}

// --- propagation -----------------------------------------------------------------------------------

// Removes the values that are not supported; returns false when none is left.
static bool remove_others(struct sets *s, uint32_t var, const struct byteset *supported)
{
	struct variable *v = &s->variables[var];
	uint32_t n = 0;
	for (int w = 0; w < 4; w++) {
		v->alive.word[w] &= supported->word[w];
		n += (uint32_t)__builtin_popcountll(v->alive.word[w]);
	}
	if (n < v->n_alive)
		v->changed = ++s->clock;
	v->n_alive = n;
	return n > 0;
}

// Returns false when a variable has no value left.
static bool revise(struct sets *s, struct constraint *c)
{
	c->revised = s->clock;
	if (!fits(s, &c->of) || !make_cone(s, c->step, &c->of))
		return true;
	memset(s->supported, 0, sizeof s->supported);
	s->missing = c->variable != NONE ? s->variables[c->variable].n_alive : 0;
	for (uint32_t k = 0; k < c->of.n; k++)
		s->missing += s->variables[c->of.vars[k]].n_alive;
	enumerate_all(s, c);
	if (c->of.n == 0)
		return s->tape->values[c->step]; // a condition: definitions without variables are no constraints
	if (s->left <= 0)
		return true;
	for (uint32_t k = 0; k < c->of.n; k++)
		if (!remove_others(s, c->of.vars[k], &s->supported[k]))
			return false;
	if (c->variable != NONE && !remove_others(s, c->variable, &s->supported[FEW]))
		return false;
	c->revised = s->clock; // enforcing it again would change nothing
	return true;
}

static bool is_due(const struct sets *s, const struct constraint *c)
{
	bool due = c->variable != NONE && s->variables[c->variable].changed > c->revised;
	for (uint32_t k = 0; k < c->of.n; k++)
		due |= s->variables[c->of.vars[k]].changed > c->revised;
	return due;
}

static void blame(struct sets *s, const struct constraint *c)
{
	for (uint32_t k = 0; k < c->of.n; k++)
		s->variables[c->of.vars[k]].weight++;
	if (c->variable != NONE)
		s->variables[c->variable].weight++;
}

// Back and forth over the constraints, which depend on earlier ones, until nothing changes. Returns false
// when a variable has no value left.
bool sets_propagate(struct sets *s)
{
	uint64_t before;
	bool back = true;
	do {
		before = s->clock;
		for (uint32_t i = 0; i < s->n_constraints && s->left > 0; i++) {
			struct constraint *c = &s->constraints[back ? s->n_constraints - 1 - i : i];
			if (is_due(s, c) && !revise(s, c)) {
				blame(s, c);
				return false;
			}
		}
		back = !back;
	} while (s->clock > before && s->left > 0);
	return true;
}

static void count_uses(struct sets *s)
{
	memset(s->uses, 0, s->tape->n);
	for (uint32_t i = 0; i < s->tape->n; i++) {
		const struct tape_step *t = &s->tape->steps[i];
		const uint32_t operands[] = {t->a, t->b, t->c};
		for (unsigned k = 0; k < op_operands(t->node.op); k++)
			s->uses[operands[k]] += s->uses[operands[k]] < 2;
	}
}

void sets_reset(struct sets *s)
{
	if (s->max_steps < s->tape->n) {
		uint32_t from = s->max_steps;
		s->max_steps = s->tape->max;
		s->supports = mem_resize(s->supports, s->max_steps * sizeof *s->supports);
		s->variable_of = mem_resize(s->variable_of, s->max_steps * sizeof *s->variable_of);
		s->level = mem_resize(s->level, s->max_steps);
		s->uses = mem_resize(s->uses, s->max_steps);
		s->reads = mem_resize(s->reads, s->max_steps);
		s->seed = mem_resize(s->seed, s->max_steps * sizeof *s->seed);
		vec_cover(s->seen, from, s->max_steps);
	}
	memcpy(s->seed, s->tape->values, s->tape->n * sizeof *s->seed);
	count_uses(s);
	s->n_variables = s->n_constraints = s->n_values = 0;
	s->visited = s->inputs = 0;
	s->clock = 0;
	s->left = STEPS_MAX;
}

bool sets_enforce(struct sets *s, uint32_t root, const struct byteset *domains)
{
	const struct tape *t = s->tape;
	for (; s->visited <= root; s->visited++)
		if (t->steps[s->visited].node.op == OP_INPUT) {
			assert(t->var_steps[s->inputs] == s->visited);
			add_input(s, s->visited, &domains[s->inputs++]);
		} else {
			visit(s, s->visited);
		}
	const struct support *of = &s->supports[root];
	if (of->n == TOO_MANY)
		return true;
	add_constraint(s, root, NONE, of, 0);
	return revise(s, &s->constraints[s->n_constraints - 1]);
}

struct sets *sets_new(struct tape *tape, struct solver_env *env)
{
	struct sets *s = mem_zero(sizeof *s);
	s->env = env;
	s->tape = tape;
	return s;
}

void sets_free(struct sets *s)
{
	mem_free(s->supports);
	mem_free(s->variable_of);
	mem_free(s->level);
	mem_free(s->uses);
	mem_free(s->reads);
	mem_free(s->seed);
	mem_free(s->kept.roots);
	mem_free(s->kept.ids);
	mem_free(s->kept.domains);
	mem_free(s->kept.supports);
	mem_free(s->kept.variable_of);
	mem_free(s->kept.reads);
	mem_free(s->kept.variables);
	mem_free(s->kept.constraints);
	mem_free(s->kept.values);
	mem_free(s->seen);
	mem_free(s->variables);
	mem_free(s->constraints);
	mem_free(s->values);
	mem_free(s);
}
