// Z3 as a stage: in this process, and in a child for each query. Each query gets a solver of its own: the one for bit
// vectors, or the general one when there are floats.
#include "solver/z3.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "solver/child.h"

static bool has_floats(const struct expr_pool *p, const struct query *q)
{
	for (uint32_t i = 0; i < q->n; i++)
		if (p->nodes[q->conditions[i]].flags & EXPR_FLOAT)
			return true;
	return false;
}

static Z3_solver make_solver(Z3_context c, bool floats)
{
	Z3_solver s = floats ? Z3_mk_solver(c) : Z3_mk_solver_for_logic(c, Z3_mk_string_symbol(c, "QF_BV"));
	if (s)
		Z3_solver_inc_ref(c, s);
	return s;
}

static void limit(Z3_context c, Z3_solver s, const char *name, uint64_t value)
{
	Z3_params p = Z3_mk_params(c);
	Z3_params_inc_ref(c, p);
	Z3_params_set_uint(c, p, Z3_mk_string_symbol(c, name), value < UINT32_MAX ? (unsigned)value : UINT32_MAX - 1);
	Z3_solver_set_params(c, s, p);
	Z3_params_dec_ref(c, p);
}

static bool assert_all(struct z3_terms *t, Z3_solver s, const struct query *q)
{
	Z3_ast one = Z3_mk_unsigned_int64(t->context, 1, Z3_mk_bv_sort(t->context, 1));
	for (uint32_t i = 0; i < q->n; i++) {
		Z3_ast a = z3_translate(t, q->conditions[i]);
		if (!a || !one)
			return false;
		Z3_solver_assert(t->context, s, Z3_mk_eq(t->context, a, one));
	}
	return Z3_get_error_code(t->context) == Z3_OK;
}

// Z3 has words for it, which differ between its parts.
static enum solver_reason why(Z3_context c, Z3_solver s, const struct solver_env *env)
{
	static const struct {
		const char *word;
		enum solver_reason reason;
	} words[] = {
		{"memout", SOLVER_MEMORY}, {"memory", SOLVER_MEMORY},    {"timeout", SOLVER_TIME},
		{"canceled", SOLVER_TIME}, {"interrupted", SOLVER_TIME}, {"conflicts", SOLVER_CONFLICTS},
	};
	if (Z3_get_error_code(c) == Z3_MEMOUT_FAIL)
		return SOLVER_MEMORY;
	const char *text = Z3_solver_get_reason_unknown(c, s);
	for (unsigned i = 0; text && i < sizeof words / sizeof *words; i++)
		if (strstr(text, words[i].word))
			return words[i].reason;
	// The solver for bit vectors says no more than this.
	return text && env->conflicts && strstr(text, "incomplete") ? SOLVER_CONFLICTS : SOLVER_BACKEND;
}

// Values of the variables under the model of the solver.
static bool read_model(struct z3_terms *t, Z3_solver s, const uint32_t *vars, uint32_t n, uint8_t *values)
{
	Z3_context c = t->context;
	Z3_model m = Z3_solver_get_model(c, s);
	if (!m)
		return false;
	Z3_model_inc_ref(c, m);
	bool good = true;
	for (uint32_t i = 0; i < n && good; i++) {
		Z3_ast value = NULL;
		uint64_t number = 0;
		good = Z3_model_eval(c, m, z3_variable(t, vars[i]), true, &value) && value &&
		       Z3_get_numeral_uint64(c, value, &number);
		values[i] = (uint8_t)number;
	}
	Z3_model_dec_ref(c, m);
	return good;
}

// --- in this process -----------------------------------------------------------------------------

// What was translated stays until the context is renewed: Z3 gives nothing back before.
enum { MOST_QUERIES = 5000, MOST_TERMS = 200000 };

struct here {
	struct solver base;
	struct z3_terms terms;
	struct tape vars; // of the current query
	uint8_t *values;
	uint32_t max_values, queries;
};

static void here_renew(struct here *h)
{
	if (h->terms.context && h->queries < MOST_QUERIES && h->terms.n < MOST_TERMS &&
	    Z3_get_error_code(h->terms.context) == Z3_OK)
		return;
	if (h->terms.context)
		Z3_del_context(h->terms.context);
	z3_terms_clear(&h->terms);
	h->queries = 0;
	h->terms.context = z3_context();
}

static void here_find_vars(struct here *h, const struct query *q)
{
	tape_clear(&h->vars);
	for (uint32_t i = 0; i < q->n; i++)
		tape_add(&h->vars, q->conditions[i]);
	if (h->vars.n_vars <= h->max_values)
		return;
	h->max_values = h->vars.max_vars;
	h->values = mem_resize(h->values, h->max_values);
}

static void here_limits(struct here *h, Z3_solver s)
{
	const struct solver_env *env = h->base.env;
	if (env->deadline)
		limit(h->terms.context, s, "timeout", (env->deadline - clock_nanoseconds()) / 1000000 + 1);
	if (env->conflicts)
		limit(h->terms.context, s, "max_conflicts", env->conflicts);
	if (env->bytes)
		limit(h->terms.context, s, "max_memory", (env->bytes >> 20) + 1);
}

static enum answer here_check(struct here *h, Z3_solver s, const struct query *q, struct model *ret)
{
	Z3_context c = h->terms.context;
	if (!assert_all(&h->terms, s, q))
		return solver_unknown(&h->base, why(c, s, h->base.env));
	if (solver_out_of_time(h->base.env))
		return ANSWER_UNKNOWN;
	here_limits(h, s);
	Z3_lbool r = Z3_solver_check(c, s);
	if (r == Z3_L_FALSE)
		return ANSWER_UNSAT;
	if (r == Z3_L_UNDEF)
		return solver_unknown(&h->base, why(c, s, h->base.env));
	if (!read_model(&h->terms, s, h->vars.vars, h->vars.n_vars, h->values))
		return solver_unknown(&h->base, SOLVER_BACKEND);
	model_clear(ret);
	for (uint32_t i = 0; i < h->vars.n_vars; i++)
		model_add(ret, h->vars.vars[i], h->values[i]);
	return ANSWER_SAT;
}

static enum answer here_solve(struct solver *s, const struct query *q, struct model *ret)
{
	struct here *h = (struct here *)s;
	if (solver_out_of_time(s->env))
		return ANSWER_UNKNOWN;
	here_renew(h);
	here_find_vars(h, q);
	h->queries++;
	Z3_solver solver = h->terms.context ? make_solver(h->terms.context, has_floats(s->env->pool, q)) : NULL;
	if (!solver)
		return solver_unknown(s, SOLVER_MEMORY);
	enum answer a = here_check(h, solver, q, ret);
	Z3_solver_dec_ref(h->terms.context, solver);
	return a;
}

static void here_release(struct solver *s)
{
	struct here *h = (struct here *)s;
	if (h->terms.context)
		Z3_del_context(h->terms.context);
	z3_terms_release(&h->terms);
	tape_release(&h->vars);
	mem_free(h->values);
}

struct solver *z3_here_new(struct solver_env *env)
{
	static const struct solver_type type = {"z3-here", here_solve, here_release};
	struct here *h = solver_new(&type, sizeof *h, env, NULL);
	z3_terms_init(&h->terms, env->pool);
	tape_init(&h->vars, env->pool);
	return &h->base;
}

bool z3_proves(struct solver *s, uint32_t condition)
{
	uint32_t negated = expr_not(s->env->pool, condition);
	struct query q = {.conditions = &negated, .n = 1};
	struct model m = {0};
	enum answer a = solver_solve(s, &q, &m);
	model_release(&m);
	return a == ANSWER_UNSAT;
}

char *z3_text(struct expr_pool *p, const struct query *q)
{
	struct z3_terms t;
	z3_terms_init(&t, p);
	t.context = z3_context();
	Z3_solver s = make_solver(t.context, true);
	const char *text = s && assert_all(&t, s, q) ? Z3_solver_to_string(t.context, s) : NULL;
	char *copy = mem_strdup(text ? text : "");
	if (s)
		Z3_solver_dec_ref(t.context, s);
	Z3_del_context(t.context);
	z3_terms_release(&t);
	return copy;
}

// --- in a child ----------------------------------------------------------------------------------

struct outside {
	struct solver base;
	struct z3_terms terms; // of one query; the context is made in the child
	uint8_t *values;
	uint32_t max_values;
};

struct job {
	struct outside *stage;
	const struct query *query;
};

static int child_fd;

static void on_child_error(Z3_context c, Z3_error_code e)
{
	(void)c;
	child_send(child_fd, ANSWER_UNKNOWN, e == Z3_MEMOUT_FAIL ? SOLVER_MEMORY : SOLVER_BACKEND, NULL, 0);
}

// Z3's own limit, below that of the address space: it gives up in an orderly way.
static void limit_own_memory(size_t bytes)
{
	char text[32];
	uint64_t most = Z3_get_estimated_alloc_size() + bytes / 4 * 3;
	snprintf(text, sizeof text, "%llu", (unsigned long long)(most >> 20) + 1);
	Z3_global_param_set("memory_max_size", text);
}

static void outside_work(void *opaque, int fd)
{
	struct job *job = opaque;
	struct outside *o = job->stage;
	const struct solver_env *env = o->base.env;
	child_fd = fd;
	Z3_context c = o->terms.context = z3_context();
	if (!c)
		child_send(fd, ANSWER_UNKNOWN, SOLVER_MEMORY, NULL, 0);
	Z3_set_error_handler(c, on_child_error);
	if (env->bytes)
		limit_own_memory(env->bytes);
	Z3_solver s = make_solver(c, has_floats(env->pool, job->query));
	assert_all(&o->terms, s, job->query);
	if (env->conflicts)
		limit(c, s, "max_conflicts", env->conflicts);
	Z3_lbool r = Z3_solver_check(c, s);
	const struct tape *tape = &o->terms.tape;
	if (r == Z3_L_FALSE)
		child_send(fd, ANSWER_UNSAT, SOLVER_NONE, NULL, 0);
	if (r == Z3_L_TRUE && read_model(&o->terms, s, tape->vars, tape->n_vars, o->values))
		child_send(fd, ANSWER_SAT, SOLVER_NONE, o->values, tape->n_vars);
	child_send(fd, ANSWER_UNKNOWN, r == Z3_L_UNDEF ? why(c, s, env) : SOLVER_BACKEND, NULL, 0);
}

// Everything that needs memory of ours is done before the child is made.
static enum answer outside_solve(struct solver *s, const struct query *q, struct model *ret)
{
	struct outside *o = (struct outside *)s;
	struct job job = {o, q};
	const struct tape *tape = &o->terms.tape;
	z3_terms_clear(&o->terms);
	for (uint32_t i = 0; i < q->n; i++)
		z3_terms_reserve(&o->terms, q->conditions[i]);
	if (!o->values || tape->n_vars > o->max_values) {
		o->max_values = tape->max_vars;
		o->values = mem_resize(o->values, o->max_values + 1);
	}
	return child_ask(s, outside_work, &job, tape->vars, tape->n_vars, ret);
}

static void outside_release(struct solver *s)
{
	struct outside *o = (struct outside *)s;
	z3_terms_release(&o->terms);
	mem_free(o->values);
}

struct solver *z3_new(struct solver_env *env)
{
	static const struct solver_type type = {"z3", outside_solve, outside_release};
	struct outside *o = solver_new(&type, sizeof *o, env, NULL);
	z3_terms_init(&o->terms, env->pool);
	return &o->base;
}
