#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "expr/tape.h"
#include "query.h"
#include "solver/child.h"
#include "solver/z3.h"
#include "test.h"

struct setting {
	struct expr_pool pool;
	struct solver_env env;
	struct model model;
};

static void begin(struct setting *s)
{
	*s = (struct setting){0};
	expr_pool_init(&s->pool);
	s->env.pool = &s->pool;
}

static void end(struct setting *s)
{
	model_release(&s->model);
	expr_pool_release(&s->pool);
}

// --- answers are right ---------------------------------------------------------------------------

static bool holds(const struct expr_pool *p, const uint32_t *conditions, uint32_t n, const uint8_t *bytes)
{
	for (uint32_t i = 0; i < n; i++)
		if (!expr_eval(p, conditions[i], bytes))
			return false;
	return true;
}

static bool model_holds(const struct setting *s, const uint32_t *conditions, uint32_t n)
{
	uint8_t bytes[QUERY_BYTES] = {0};
	for (uint32_t i = 0; i < s->model.n; i++)
		bytes[s->model.vars[i]] = s->model.values[i];
	return holds(&s->pool, conditions, n, bytes);
}

// Tries all values of the (at most two) bytes.
static bool has_solution(const struct expr_pool *p, const uint32_t *conditions, uint32_t n, unsigned n_bytes)
{
	struct tape t;
	uint32_t steps[QUERY_CONDITIONS];
	bool found = false;
	tape_init(&t, p);
	for (uint32_t i = 0; i < n; i++)
		steps[i] = tape_add(&t, conditions[i]);
	for (unsigned v = 0; v < 1u << 8 * n_bytes && !found; v++) {
		const uint8_t bytes[QUERY_BYTES] = {(uint8_t)v, (uint8_t)(v >> 8)};
		tape_load(&t, bytes);
		tape_run(&t);
		found = true;
		for (uint32_t i = 0; i < n && found; i++)
			found = t.values[steps[i]] & 1;
	}
	tape_release(&t);
	return found;
}

// Random queries over few bytes: each answer is compared with a search through all values.
static void agrees_with_evaluation(struct solver *(*make)(struct solver_env *), unsigned rounds, unsigned queries,
                                   uint64_t seed)
{
	unsigned answers[3] = {0}, tried = 0;
	for (unsigned round = 0; round < rounds; round++) {
		struct setting s;
		struct generator g;
		uint32_t conditions[QUERY_CONDITIONS];
		begin(&s);
		s.env.nanoseconds = (uint64_t)20 * 1000000000;
		generator_init(&g, &s.pool, seed + round, 1 + round % 2);
		tried += queries / g.n_bytes;
		struct solver *solver = make(&s.env);
		for (unsigned i = 0; i < queries / g.n_bytes; i++) {
			struct query q = {.conditions = conditions, .n = generator_query(&g, conditions)};
			enum answer a = solver_solve(solver, &q, &s.model);
			CHECK_THAT(a != ANSWER_UNKNOWN, "round %u, %u: %s", round, i,
			           solver_reason_words(s.env.reason));
			answers[a]++;
			if (a == ANSWER_SAT)
				CHECK_THAT(model_holds(&s, conditions, q.n), "round %u, %u", round, i);
			else if (a == ANSWER_UNSAT)
				CHECK_THAT(!has_solution(&s.pool, conditions, q.n, g.n_bytes), "round %u, %u", round,
				           i);
		}
		solver_free(solver);
		end(&s);
	}
	CHECK(10 * answers[ANSWER_SAT] > 3 * tried && 10 * answers[ANSWER_UNSAT] > 3 * tried);
}

static void here_agrees_with_evaluation(void)
{
	agrees_with_evaluation(z3_here_new, 2, 60, 1);
}

static void child_agrees_with_evaluation(void)
{
	agrees_with_evaluation(z3_new, 2, 10, 1000);
}

// --- each operator -------------------------------------------------------------------------------

static uint32_t value_of_bytes(struct expr_pool *p, const char *name, unsigned width)
{
	uint32_t source = expr_source(p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, name)),
		 e = expr_input(p, source, 0);
	for (unsigned i = 1; 8 * i < width; i++)
		e = expr_make(p, OP_CONCAT, 8 * i + 8, expr_input(p, source, i), e, 0);
	return expr_width(p, e) > width ? expr_make(p, OP_EXTRACT, width, e, 0, 0) : e;
}

// x is a, y is b, and yet the operation gives something else than it should.
static uint32_t is_wrong(struct expr_pool *p, unsigned op, uint32_t e, uint32_t x, uint32_t y, eval_value a,
                         eval_value b)
{
	const struct trace_node n = {.op = (uint8_t)op, .width = (uint16_t)expr_width(p, e)};
	unsigned width = expr_width(p, x);
	uint32_t differs = expr_not(p, expr_eq(p, e, eval_node(&n, width, a, b, 0, width)));
	differs = expr_make(p, OP_AND, 1, differs, expr_eq(p, x, a), 0);
	return expr_make(p, OP_AND, 1, differs, expr_eq(p, y, b), 0);
}

static uint32_t apply(struct expr_pool *p, unsigned op, uint32_t x, uint32_t y)
{
	unsigned width = expr_width(p, x);
	bool bit = op_gives_bit(op);
	return expr_make(p, op, bit ? 1 : width, x, op_operands(op) > 1 ? y : 0, 0);
}

// Narrow operands: all values; others: some.
static uint32_t is_wrong_somewhere(struct generator *g, unsigned op, unsigned width)
{
	struct expr_pool *p = g->pool;
	uint32_t x = value_of_bytes(p, "x", width), y = value_of_bytes(p, "y", width), e = apply(p, op, x, y);
	uint32_t wrong = expr_const(p, 1, 0);
	for (unsigned i = 0; i < (width <= 3 ? 1u << 2 * width : 8); i++) {
		eval_value a = width <= 3 ? i >> width : generator_number(g, width);
		eval_value b = width <= 3 ? i & eval_mask(width) : generator_number(g, width);
		wrong = expr_make(p, OP_OR, 1, wrong, is_wrong(p, op, e, x, y, a, b), 0);
	}
	return wrong;
}

static void operators_mean_what_they_should(void)
{
	static const uint8_t widths[] = {1, 3, 13, 128};
	struct setting s;
	struct generator g;
	begin(&s);
	generator_init(&g, &s.pool, 5, 1);
	struct solver *solver = z3_here_new(&s.env);
	for (unsigned op = OP_ADD; op < OP_LOOKUP; op++) {
		if (op >= OP_ZEXT && op <= OP_ITE)
			continue; // in random queries, often
		bool heavy = op >= OP_MUL && op <= OP_SREM;
		for (unsigned i = 0; i < COUNT(widths) && !(heavy && widths[i] > 13); i++) {
			uint32_t wrong = is_wrong_somewhere(&g, op, widths[i]);
			struct query q = {.conditions = &wrong, .n = 1};
			CHECK_THAT(solver_solve(solver, &q, &s.model) == ANSWER_UNSAT, "%s of %u bits", op_name(op),
			           widths[i]);
		}
	}
	solver_free(solver);
	end(&s);
}

// --- floats --------------------------------------------------------------------------------------

// Of two NaN operands the processor keeps either one, as the compiler ordered them: no single meaning to test.
static bool two_nans(const struct expr_pool *p, uint32_t id, const uint8_t *bytes)
{
	struct tape t;
	bool found = false;
	tape_init(&t, p);
	tape_add(&t, id);
	tape_load(&t, bytes);
	tape_run(&t);
	for (uint32_t i = 0; i < t.n && !found; i++) {
		const struct tape_step *s = &t.steps[i];
		if (s->node.op < OP_FADD || s->node.op > OP_FDIV)
			continue;
		long double a = eval_float(t.values[s->a], s->width_a), b = eval_float(t.values[s->b], s->width_a);
		found = __builtin_isnan(a) && __builtin_isnan(b);
	}
	tape_release(&t);
	return found;
}

// With the inputs fixed, the expression has the value that it evaluates to, and no other.
static void check_value(struct setting *s, struct solver *solver, const struct generator *g, uint32_t e, unsigned round)
{
	uint32_t conditions[QUERY_BYTES + 1];
	struct query q = {.conditions = conditions, .n = g->n_bytes + 1};
	eval_value value = expr_eval(&s->pool, e, g->bytes);
	for (unsigned i = 0; i < g->n_bytes; i++)
		conditions[i] = expr_eq(&s->pool, g->inputs[i], g->bytes[i]);
	conditions[g->n_bytes] = expr_eq(&s->pool, e, value);
	CHECK_THAT(solver_solve(solver, &q, &s->model) == ANSWER_SAT, "%s, %u bits, round %u: %s",
	           op_name(s->pool.nodes[e].op), expr_width(&s->pool, e), round, z3_text(&s->pool, &q));
	CHECK(model_holds(s, conditions, q.n));
	conditions[g->n_bytes] = expr_not(&s->pool, conditions[g->n_bytes]);
	CHECK_THAT(solver_solve(solver, &q, &s->model) == ANSWER_UNSAT, "%s, round %u", op_name(s->pool.nodes[e].op),
	           round);
}

static uint32_t random_float(struct generator *g, unsigned round)
{
	static const uint8_t formats[] = {32, 64, 80};
	unsigned to = 1 + random_below(&g->random, 64);
	uint32_t x = generator_float(g, formats[round % 3], 1 + round % 2), y;
	switch (round / 3 % 4) {
	case 0: return expr_make(g->pool, OP_FTOSI, to, x, 0, 0);
	case 1: return expr_make(g->pool, OP_FTOUI, round % 5 ? to : 64, x, 0, 0);
	case 2:
		y = generator_float(g, formats[round % 3], 1);
		return expr_make(g->pool, OP_FEQ + round / 12 % 4, 1, x, y, 0);
	default: return x;
	}
}

static void floats_mean_what_they_should(void)
{
	enum { ROUNDS = 48 };
	struct setting s;
	struct generator g;
	unsigned tried = 0;
	begin(&s);
	generator_init(&g, &s.pool, 77, 8);
	struct solver *solver = z3_here_new(&s.env);
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint32_t e = random_float(&g, round);
		for (unsigned i = 0; i < 8; i++)
			g.bytes[i] = (uint8_t)(round % 2 ? random_next(&g.random) : generator_number(&g, 8));
		if (two_nans(&s.pool, e, g.bytes))
			continue;
		check_value(&s, solver, &g, e, round);
		tried++;
	}
	CHECK(tried > ROUNDS / 2);
	solver_free(solver);
	end(&s);
}

// --- limits --------------------------------------------------------------------------------------

// Factors of a number: more than any solver does in a moment.
static uint32_t hard_question(struct expr_pool *p, unsigned width)
{
	uint32_t x = expr_make(p, OP_ZEXT, 2 * width, value_of_bytes(p, "x", width), 0, 0);
	uint32_t y = expr_make(p, OP_ZEXT, 2 * width, value_of_bytes(p, "y", width), 0, 0);
	uint32_t one = expr_const(p, 2 * width, 1);
	uint32_t product = expr_eq(p, expr_make(p, OP_MUL, 2 * width, x, y, 0),
	                           width == 64 ? (eval_value)18446744073709551557u * 18446744073709551533u
	                                       : (eval_value)4294967291u * 4294967279u);
	uint32_t a = expr_make(p, OP_ULT, 1, one, x, 0), b = expr_make(p, OP_ULT, 1, one, y, 0);
	return expr_make(p, OP_AND, 1, product, expr_make(p, OP_AND, 1, a, b, 0), 0);
}

static void check_time_limit(struct solver *(*make)(struct solver_env *))
{
	struct setting s;
	begin(&s);
	uint32_t condition = hard_question(&s.pool, 64);
	struct query q = {.conditions = &condition, .n = 1};
	s.env.nanoseconds = 50 * 1000000;
	struct solver *solver = make(&s.env);
	uint64_t from = clock_nanoseconds();
	CHECK_INT(ANSWER_UNKNOWN, solver_solve(solver, &q, &s.model));
	CHECK_STR("out of time", solver_reason_words(s.env.reason));
	uint64_t took = clock_nanoseconds() - from;
	CHECK_THAT(took < 10 * s.env.nanoseconds, "%u ms", (unsigned)(took / 1000000));
	solver_free(solver);
	end(&s);
}

static void time_is_limited(void)
{
	check_time_limit(z3_here_new);
	check_time_limit(z3_new);
}

static struct solver_env *to_interrupt;

static void interrupt(int signal)
{
	(void)signal;
	to_interrupt->interrupted = 1;
}

static int send_signal(void *opaque)
{
	usleep(100000);
	kill(getppid(), SIGUSR1);
	return 0;
}

// Even when the flag is set a moment before it begins to wait, and the signal with it is gone.
static void can_be_interrupted(void)
{
	struct setting s;
	begin(&s);
	uint32_t condition = hard_question(&s.pool, 64);
	struct query q = {.conditions = &condition, .n = 1};
	struct solver *solver = z3_new(&s.env);
	struct sigaction action = {.sa_handler = interrupt}, before;
	to_interrupt = &s.env;
	sigaction(SIGUSR1, &action, &before);
	pid_t sender = test_start(send_signal, NULL);
	CHECK_INT(ANSWER_UNKNOWN, solver_solve(solver, &q, &s.model));
	CHECK_INT(SOLVER_INTERRUPTED, s.env.reason);
	CHECK_INT(sender, waitpid(sender, NULL, 0));
	sigaction(SIGUSR1, &before, NULL);
	CHECK_INT(ANSWER_UNKNOWN, solver_solve(solver, &q, &s.model));
	CHECK_INT(SOLVER_INTERRUPTED, s.env.reason);
	CHECK_INT(-1, waitpid(-1, NULL, 0));
	s.env.interrupted = 0;
	condition = expr_const(&s.pool, 1, 1);
	CHECK_INT(ANSWER_SAT, solver_solve(solver, &q, &s.model));
	CHECK_INT(0, s.model.n);
	solver_free(solver);
	end(&s);
}

// AddressSanitizer cannot do without address space: it ends a process that gets none, or hangs.
#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#ifndef WITH_ASAN
#define WITH_ASAN 0
#endif

static void memory_is_limited(void)
{
	struct setting s;
	begin(&s);
	uint32_t condition = hard_question(&s.pool, 64);
	struct query q = {.conditions = &condition, .n = 1};
	struct solver *solver = z3_new(&s.env);
	s.env.nanoseconds = (uint64_t)60 * 1000000000; // in case that the other limit does not hold
	for (unsigned megabytes = 2; megabytes <= 64 && !WITH_ASAN;
	     megabytes *= 2) { // too little even to begin, and more
		s.env.bytes = (size_t)megabytes << 20;
		CHECK_INT(ANSWER_UNKNOWN, solver_solve(solver, &q, &s.model));
		CHECK_THAT(s.env.reason == SOLVER_MEMORY || (WITH_ASAN && s.env.reason == SOLVER_BACKEND),
		           "%u megabytes: %s", megabytes, solver_reason_words(s.env.reason));
	}
	solver_free(solver);
	end(&s);
}

static void conflicts_are_limited(void)
{
	struct solver *(*const make[])(struct solver_env *) = {z3_here_new, z3_new};
	for (unsigned i = 0; i < COUNT(make); i++) {
		struct setting s;
		begin(&s);
		uint32_t condition = hard_question(&s.pool, 32);
		struct query q = {.conditions = &condition, .n = 1};
		s.env.nanoseconds = (uint64_t)60 * 1000000000;
		s.env.conflicts = 100;
		struct solver *solver = make[i](&s.env);
		CHECK_INT(ANSWER_UNKNOWN, solver_solve(solver, &q, &s.model));
		CHECK_STR("too many conflicts", solver_reason_words(s.env.reason));
		solver_free(solver);
		end(&s);
	}
}

// --- children ------------------------------------------------------------------------------------

static void crash(void *opaque, int fd)
{
	raise(SIGSEGV);
}

static void abort_itself(void *opaque, int fd)
{
	abort();
}

static void leave(void *opaque, int fd)
{
}

static void write_garbage(void *opaque, int fd)
{
	const uint32_t *words = opaque;
	if (write(fd, words, 4 * sizeof *words + 1) != 17)
		return;
	pause();
}

// Takes memory until there is none, then does what C++ does.
static void devour(void *opaque, int fd)
{
	while (mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		;
	abort();
}

static void tell_too_much(void *opaque, int fd)
{
	static const uint8_t values[9] = {1, 2, 3};
	child_send(fd, ANSWER_SAT, SOLVER_NONE, values, 9);
}

static void tell_three(void *opaque, int fd)
{
	static const uint8_t values[] = {7, 8, 9};
	child_send(fd, ANSWER_SAT, SOLVER_NONE, values, 3);
}

static enum answer ask(struct setting *s, void (*work)(void *, int), const void *opaque)
{
	static const struct solver_type type = {.name = "child"};
	static const uint32_t vars[] = {4, 5, 6};
	struct solver solver = {.type = &type, .env = &s->env};
	s->env.reason = SOLVER_CONFLICTS; // of an earlier stage
	return child_ask(&solver, work, (void *)(uintptr_t)opaque, vars, 3, &s->model);
}

static void child_may_do_anything(void)
{
	static const uint32_t garbage[][5] = {
		{0, 0, 0, 0, 0},
		{CHILD_MAGIC, 7, 0, 0, 0},
		{CHILD_MAGIC, ANSWER_UNKNOWN, SOLVER_REASONS, 0, 0},
		{CHILD_MAGIC, ANSWER_UNSAT, 0, 1, 0},
		{CHILD_MAGIC, ANSWER_SAT, 0, 0, 0},
		{CHILD_MAGIC, ANSWER_SAT, 0, 0xffffffff, 0},
	};
	static void (*const works[])(void *, int) = {crash, abort_itself, leave, tell_too_much};
	struct setting s;
	begin(&s);
	s.env.deadline = clock_nanoseconds() + 300000000;
	CHECK_INT(ANSWER_SAT, ask(&s, tell_three, NULL));
	CHECK_INT(3, s.model.n);
	CHECK_INT(6, s.model.vars[2]);
	CHECK_INT(9, s.model.values[2]);
	for (unsigned i = 0; i < COUNT(works); i++) {
		s.env.deadline = clock_nanoseconds() + (uint64_t)60 * 1000000000;
		CHECK_INT(ANSWER_UNKNOWN, ask(&s, works[i], NULL));
		CHECK_INT(SOLVER_BACKEND, s.env.reason);
	}
	for (unsigned i = 0; i < COUNT(garbage); i++) {
		s.env.deadline = clock_nanoseconds() + 300000000; // one of them waits for more
		CHECK_INT(ANSWER_UNKNOWN, ask(&s, write_garbage, garbage[i]));
		CHECK(s.env.reason == SOLVER_BACKEND || (s.env.reason == SOLVER_TIME && garbage[i][3] > 1));
	}
	s.env.deadline = 0;
	s.env.bytes = 64 << 20;
	CHECK_INT(ANSWER_UNKNOWN, ask(&s, devour, NULL));
	CHECK_INT(SOLVER_MEMORY, s.env.reason);
	CHECK_INT(-1, waitpid(-1, NULL, 0)); // no zombie
	end(&s);
}

static int ask_with_signals_off(void *opaque)
{
	struct setting s;
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	signal(SIGCHLD, SIG_IGN);
	begin(&s);
	CHECK_INT(ANSWER_SAT, ask(&s, tell_three, NULL));
	CHECK_INT(ANSWER_UNKNOWN, ask(&s, crash, NULL));
	CHECK_INT(ANSWER_UNKNOWN, ask(&s, abort_itself, NULL));
	s.env.deadline = clock_nanoseconds() + 50000000;
	uint32_t garbage[5] = {CHILD_MAGIC, ANSWER_SAT, 0, 3, 0};
	CHECK_INT(ANSWER_UNKNOWN, ask(&s, write_garbage, garbage));
	CHECK_INT(SOLVER_TIME, s.env.reason);
	CHECK_INT(-1, waitpid(-1, NULL, 0));
	end(&s);
	return 0;
}

static void signals_may_be_off(void)
{
	test_child(ask_with_signals_off, NULL, 0);
}

static void needs_descriptors(void)
{
	struct setting s;
	struct rlimit before, none = {0};
	begin(&s);
	getrlimit(RLIMIT_NOFILE, &before);
	none.rlim_max = before.rlim_max;
	setrlimit(RLIMIT_NOFILE, &none);
	enum answer a = ask(&s, tell_three, NULL);
	setrlimit(RLIMIT_NOFILE, &before);
	CHECK_INT(ANSWER_UNKNOWN, a);
	CHECK_INT(SOLVER_BACKEND, s.env.reason);
	end(&s);
}

// --- large expressions ---------------------------------------------------------------------------

// The stack does not grow with the depth of an expression, in the translation; what Z3 does is its business.
static void depth_is_no_problem(void)
{
	struct setting s;
	begin(&s);
	uint32_t x = value_of_bytes(&s.pool, "x", 8), e = x;
	for (unsigned i = 0; i < 200000; i++)
		e = expr_make(&s.pool, i % 2 ? OP_ADD : OP_XOR, 8, e, expr_const(&s.pool, 8, i), 0);
	struct z3_terms t;
	z3_terms_init(&t, &s.pool);
	t.context = z3_context();
	CHECK(z3_translate(&t, e) != NULL);
	CHECK_INT(Z3_OK, Z3_get_error_code(t.context));
	Z3_del_context(t.context);
	z3_terms_release(&t);
	end(&s);
}

static void proves(void)
{
	struct setting s;
	begin(&s);
	struct solver *solver = z3_here_new(&s.env);
	uint32_t x = value_of_bytes(&s.pool, "x", 8), y = value_of_bytes(&s.pool, "y", 8);
	uint32_t sum = expr_make(&s.pool, OP_ADD, 8, x, y, 0), other = expr_make(&s.pool, OP_ADD, 8, y, x, 0);
	CHECK(z3_proves(solver, expr_make(&s.pool, OP_EQ, 1, sum, other, 0)));
	CHECK(!z3_proves(solver, expr_make(&s.pool, OP_EQ, 1, sum, x, 0)));
	uint32_t equal = expr_make(&s.pool, OP_EQ, 1, sum, x, 0);
	struct query q = {.conditions = &equal, .n = 1};
	char *text = z3_text(&s.pool, &q);
	CHECK(strstr(text, "(declare-fun k!1 () (_ BitVec 8))") && strstr(text, "bvadd"));
	mem_free(text);
	solver_free(solver);
	end(&s);
}

static const struct test tests[] = {
	TEST(operators_mean_what_they_should),
	TEST(here_agrees_with_evaluation),
	TEST(child_agrees_with_evaluation),
	TEST(floats_mean_what_they_should),
	TEST(time_is_limited),
	TEST(can_be_interrupted),
	TEST(memory_is_limited),
	TEST(conflicts_are_limited),
	TEST(child_may_do_anything),
	TEST(signals_may_be_off),
	TEST(needs_descriptors),
	TEST(depth_is_no_problem),
	TEST(proves),
};

TEST_MAIN("z3")
