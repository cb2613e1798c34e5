// Conditions on floats by search: from the seed on, what makes the distance of the conditions (distance.h) smaller is
// kept. Moves are guesses by inversion (aim.h), steps of numbers by powers of two in units in the last place, of
// decimal numbers by powers of ten, and bytes. Conditions that stay violated weigh more and more. Whatever can be
// evaluated can be searched: libm and numbers in text, too. Never answers unsat.
//
// env->effort is how much this stage and those behind it may spend. With more of it the search takes another course,
// too.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "solver/aim.h"
#include "solver/distance.h"
#include "solver/search_places.h"
#include "solver/solver.h"

enum {
	STEPS = 3000000,      // evaluated for a query, at most
	STEPS_LIBM = 6000000, // where no other stage knows more
	AIMS = 4,             // guesses for a violated condition, in a row
	PLACES = 3,           // numbers that are moved then
	STALLED = 12,         // rounds without progress before something is changed at random
	RESTART = 10,         // such changes before it begins again
	CIRCUITS = -3,        // with less effort nobody makes circuits, which alone takes longer than the search
};

struct search {
	struct solver base;
	struct tape tape;
	struct aim aim;
	struct places places;
	uint32_t *roots; // steps of the conditions
	double *weights; // of the conditions
	uint32_t n, max;
	uint8_t *needed; // steps that the chosen condition depends on
	uint32_t max_needed;
	double score; // of the assignment: weighted distances
};

static uint64_t random_of(struct search *s)
{
	return random_next(&s->aim.random);
}

static uint32_t below(struct search *s, uint32_t limit)
{
	return (uint32_t)((random_of(s) >> 32) * limit >> 32);
}

static double measure(const struct search *s)
{
	double sum = 0;
	for (uint32_t i = 0; i < s->n; i++)
		sum += s->weights[i] * distance_of(&s->tape, s->roots[i], true);
	return sum;
}

static bool is_solved(const struct search *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (!s->tape.values[s->roots[i]])
			return false;
	return true;
}

// Tries values; they stay when that is better, or, sometimes, as good.
static bool try(struct search *s, const uint32_t *vars, const uint8_t *values, uint32_t n, bool level)
{
	tape_keep(&s->tape);
	tape_change(&s->tape, vars, values, n);
	double score = s->tape.n_changes ? measure(s) : s->score;
	if (score < s->score || (level && score == s->score)) {
		bool better = score < s->score;
		s->score = score;
		return better;
	}
	tape_undo(&s->tape);
	return false;
}

// --- numbers -------------------------------------------------------------------------------------

static eval_value read_place(const struct search *s, const struct place *p)
{
	eval_value v = 0;
	for (uint32_t i = 0; i < p->n; i++)
		v |= s->tape.values[s->tape.step_of[s->tape.pool->vars[p->vars[i]].expr] - 1] << 8 * i;
	return v;
}

static bool try_place(struct search *s, const struct place *p, eval_value v)
{
	uint8_t values[PLACE_BYTES];
	for (uint32_t i = 0; i < p->n; i++)
		values[i] = (uint8_t)(v >> 8 * i);
	return try(s, p->vars, values, p->n, false);
}

static bool is_float_place(const struct place *p)
{
	return p->is_float && (p->n == 2 || p->n == 4 || p->n == 8 || p->n == 10);
}

static eval_value moved_by(const struct place *p, eval_value v, eval_signed by)
{
	unsigned width = 8 * p->n;
	if (!is_float_place(p))
		return (v + (eval_value)by) & eval_mask(width);
	return distance_unrank(distance_rank(v, width) + by, width);
}

// Steps by powers of two, longer ones while they help.
static bool step_place(struct search *s, const struct place *p)
{
	unsigned width = 8 * p->n, from = below(s, width - 1);
	bool any = false;
	for (unsigned k = 0; k + 1 < width && !solver_out_of_time(s->base.env); k++) {
		eval_signed step = (eval_signed)1 << (from + k) % (width - 1);
		for (int sign = -1; sign <= 1; sign += 2)
			for (eval_signed by = sign * step; try_place(s, p, moved_by(p, read_place(s, p), by));
			     by *= 2) {
				any = true;
				if (by > (eval_signed)1 << (width - 2) || -by > (eval_signed)1 << (width - 2))
					break;
			}
	}
	return any;
}

// Numbers that programs often ask about, and those in the conditions.
static bool try_known(struct search *s, const struct place *p)
{
	static const double known[] = {0,   -0.0, 1,     -1,     0.5,      2,         10, 100,
	                               1e6, -1e6, 1e300, -1e300, INFINITY, -INFINITY, NAN};
	unsigned width = 8 * p->n;
	bool any = false;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		any |= try_place(s, p, eval_bits(known[i], width));
	for (uint32_t i = 0; i < s->places.n_constants; i++) {
		long double x = eval_float(s->places.constants[i], s->places.widths[i]);
		any |= try_place(s, p, eval_bits(x, width));
		any |= try_place(s, p, eval_bits(-x, width));
	}
	return any;
}

// Adds to a decimal number without making it longer.
static bool try_decimal(struct search *s, const struct place *p, uint32_t digit, int by)
{
	uint8_t values[PLACE_BYTES];
	for (uint32_t i = 0; i < p->n; i++) {
		int d = (int)(read_place(s, &(struct place){.vars = {p->vars[i]}, .n = 1}) - '0') +
		        (i == digit ? by : 0);
		values[i] = (uint8_t)d;
	}
	for (uint32_t i = 0; i < p->n; i++) {
		int d = (int8_t)values[i];
		if (i + 1 < p->n && (d < 0 || d > 9))
			values[i + 1] = (uint8_t)(values[i + 1] + (d < 0 ? -1 : 1));
		if (i + 1 == p->n && (d < 0 || d > 9))
			return false;
		values[i] = (uint8_t)('0' + (d + 10) % 10);
	}
	return try(s, p->vars, values, p->n, false);
}

static bool step_decimal(struct search *s, const struct place *p)
{
	bool any = false;
	for (uint32_t i = p->n; i-- > 0;)
		for (int by = -1; by <= 1; by += 2)
			while (try_decimal(s, p, i, by))
				any = true;
	return any;
}

static bool step_byte(struct search *s, const struct place *p)
{
	bool any = false;
	for (unsigned v = 0; v < 256 && !any; v++)
		any = try_place(s, p, (read_place(s, p) + v) & 255);
	return any;
}

static bool move_place(struct search *s, const struct place *p)
{
	struct place decimal;
	if (p->n == 1 && search_places_decimal(&s->places, &s->tape, p->vars[0], &decimal) > 1 && below(s, 4))
		return step_decimal(s, &decimal);
	if (p->n == 1)
		return step_byte(s, p);
	if (is_float_place(p) && below(s, 3) == 0 && try_known(s, p))
		return true;
	return step_place(s, p);
}

// --- conditions ----------------------------------------------------------------------------------

static uint32_t choose_violated(struct search *s)
{
	uint32_t seen = 0, chosen = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (!s->tape.values[s->roots[i]] && below(s, ++seen) == 0)
			chosen = i;
	return chosen;
}

static void need_table(struct search *s, const struct expr_table *table)
{
	for (uint32_t i = 0; table->exprs && i < table->size; i++)
		if (table->exprs[i])
			s->needed[s->tape.step_of[table->exprs[i]] - 1] = 1;
}

static void find_needed(struct search *s, uint32_t root)
{
	memset(s->needed, 0, root + 1);
	s->needed[root] = 1;
	for (uint32_t i = root + 1; i-- > 0;) {
		const struct tape_step *t = &s->tape.steps[i];
		const uint32_t operands[] = {t->a, t->b, t->c};
		for (unsigned k = 0; s->needed[i] && k < op_operands(t->node.op); k++)
			s->needed[operands[k]] = 1;
		if (s->needed[i] && t->node.op == OP_LOOKUP)
			need_table(s, &s->tape.pool->tables[t->node.b]);
	}
}

static bool is_needed(const struct search *s, const struct place *p, uint32_t root)
{
	uint32_t step = s->tape.step_of[s->tape.pool->vars[p->vars[0]].expr] - 1;
	return step <= root && s->needed[step];
}

// Moves numbers that the condition depends on.
static bool move_places(struct search *s, uint32_t root)
{
	uint32_t n = s->places.n, from = below(s, n), tried = 0;
	bool any = false;
	find_needed(s, root);
	for (uint32_t i = 0; i < n && tried < PLACES && !any; i++) {
		const struct place *p = &s->places.all[(from + i) % n];
		if (!is_needed(s, p, root))
			continue;
		any = move_place(s, p);
		tried++;
	}
	return any;
}

static bool aim(struct search *s, uint32_t root)
{
	bool any = false;
	for (unsigned i = 0; i < AIMS && !any; i++)
		any = aim_at(&s->aim, root) && try(s, s->aim.vars, s->aim.values, s->aim.n, below(s, 4) == 0);
	return any;
}

// Something else, for better or worse: a guess for one condition at the cost of others, or a number.
static void shake(struct search *s, uint32_t root)
{
	tape_keep(&s->tape);
	if (below(s, 3) && aim_at(&s->aim, root)) {
		tape_change(&s->tape, s->aim.vars, s->aim.values, s->aim.n);
	} else {
		const struct place *p = &s->places.all[below(s, s->places.n)];
		uint8_t values[PLACE_BYTES];
		uint64_t bits = random_of(s), more = random_of(s);
		for (uint32_t i = 0; i < p->n; i++)
			values[i] = (uint8_t)(i < 8 ? bits >> 8 * i : more >> 8 * (i - 8));
		if (p->n == 1 && below(s, 2))
			values[0] = (uint8_t)('0' + bits % 10);
		tape_change(&s->tape, p->vars, values, p->n);
	}
	for (uint32_t i = 0; i < s->n; i++)
		if (!s->tape.values[s->roots[i]])
			s->weights[i] += 1;
	s->score = measure(s);
}

static void restart(struct search *s, const uint8_t *seed)
{
	for (uint32_t i = 0; i < s->n; i++)
		s->weights[i] = 1;
	tape_load(&s->tape, seed);
	tape_run(&s->tape);
	s->tape.evaluated += s->tape.n;
	s->score = measure(s);
}

static bool find_solution(struct search *s, const uint8_t *seed, uint64_t steps)
{
	unsigned stalled = 0, shaken = 0;
	restart(s, seed);
	while (!is_solved(s)) {
		if (s->tape.evaluated > steps || solver_out_of_time(s->base.env))
			return false;
		uint32_t root = s->roots[choose_violated(s)];
		s->tape.evaluated += 1 + s->n / 4; // what choosing and measuring take
		if (aim(s, root) || move_places(s, root)) {
			stalled = 0;
			continue;
		}
		if (++stalled < STALLED && below(s, 3))
			continue;
		shake(s, root);
		stalled = 0;
		if (++shaken % RESTART == 0)
			restart(s, seed);
	}
	return true;
}

// --- the stage -------------------------------------------------------------------------------------

static uint8_t prepare(struct search *s, const struct query *q)
{
	const struct expr_pool *p = s->base.env->pool;
	uint8_t flags = 0;
	tape_clear(&s->tape);
	s->tape.evaluated = 0;
	if (s->max < q->n) {
		s->max = 2 * q->n;
		s->roots = mem_resize(s->roots, s->max * sizeof *s->roots);
		s->weights = mem_resize(s->weights, s->max * sizeof *s->weights);
	}
	s->n = q->n;
	for (uint32_t i = 0; i < q->n; i++) {
		s->roots[i] = tape_add(&s->tape, q->conditions[i]);
		flags |= p->nodes[q->conditions[i]].flags;
	}
	if (s->max_needed < s->tape.n) {
		s->max_needed = s->tape.max;
		s->needed = mem_resize(s->needed, s->max_needed);
	}
	search_places_find(&s->places, &s->tape);
	return flags;
}

static bool has_floats(const struct solver *base, const struct query *q)
{
	for (uint32_t i = 0; i < q->n; i++)
		if (base->env->pool->nodes[q->conditions[i]].flags & EXPR_FLOAT)
			return true;
	return false;
}

// The stages behind this one.
static enum answer pass(struct search *s, const struct query *q, struct model *ret)
{
	struct solver_env *env = s->base.env;
	return env->effort < CIRCUITS ? solver_unknown(&s->base, SOLVER_FLOATS) : solver_pass(&s->base, q, ret);
}

static enum answer solve_floats(struct search *s, const struct query *q, struct model *ret)
{
	const struct solver_env *env = s->base.env;
	bool alone = prepare(s, q) & EXPR_LIBM || env->floats == SOLVER_FLOATS_SEARCH;
	uint64_t steps = solver_effort(env, alone || env->effort >= 0 ? STEPS_LIBM : STEPS);
	s->aim.random = env->effort > 0 ? (uint64_t)env->effort + 1 : 1; // the same query has the same answer
	if (!s->places.n || !find_solution(s, q->seed, steps))
		return env->reason == SOLVER_TIME || env->reason == SOLVER_INTERRUPTED ? ANSWER_UNKNOWN
		                                                                       : pass(s, q, ret);
	model_clear(ret);
	for (uint32_t i = 0; i < s->tape.n_vars; i++)
		model_add(ret, s->tape.vars[i], (uint8_t)s->tape.values[s->tape.var_steps[i]]);
	return ANSWER_SAT;
}

static enum answer solve(struct solver *base, const struct query *q, struct model *ret)
{
	struct search *s = (struct search *)base;
	bool allowed = base->env->floats == SOLVER_FLOATS_AUTO || base->env->floats == SOLVER_FLOATS_SEARCH;
	if (!allowed || !has_floats(base, q))
		return solver_pass(base, q, ret);
	enum answer a = solve_floats(s, q, ret);
	if (base->env->sparing && a == ANSWER_UNKNOWN && base->env->reason != SOLVER_INTERRUPTED)
		base->env->reason = SOLVER_HASTE;
	return a;
}

static void release(struct solver *base)
{
	struct search *s = (struct search *)base;
	tape_release(&s->tape);
	aim_release(&s->aim);
	search_places_release(&s->places);
	mem_free(s->roots);
	mem_free(s->weights);
	mem_free(s->needed);
}

struct solver *search_new(struct solver_env *env, struct solver *next)
{
	static const struct solver_type type = {.name = "search", .solve = solve, .release = release};
	struct search *s = solver_new(&type, sizeof *s, env, next);
	tape_init(&s->tape, env->pool);
	aim_init(&s->aim, &s->tape, 1);
	return &s->base;
}
