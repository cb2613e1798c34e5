#include "path/path.h"

#include "base/mem.h"
#include "expr/tape.h"
#include "made.h"
#include "small.h"
#include "solver/chain.h"
#include "test.h"
#include "worker/prepare.h"

enum { VARS = 4, EVENTS = 24 };

// A run over a few small bytes. Its expressions and those that are imported from its trace are in one pool, and
// the same.
struct run {
	struct small small;
	struct made made;
	struct trace trace;
	struct path path;
	struct solver *solver;
	struct model model;
};

// `first`: the value of its first byte; -1: any.
static void run_init(struct run *r, uint64_t seed, int first)
{
	*r = (struct run){0};
	small_init(&r->small, VARS, seed);
	if (first >= 0)
		r->small.seed[0] = (uint8_t)first;
	made_init(&r->made);
	made_input(&r->made, input_source(INPUT_STDIN, INPUT_BYTES, 0, ""), r->small.seed, VARS);
}

// No more events: what follows is about the path.
static void run_end(struct run *r)
{
	r->trace = made_trace(&r->made);
	path_init(&r->path, &r->small.pool, &r->trace);
	r->solver = chain_new(&r->small.env, "chain");
}

static void run_release(struct run *r)
{
	solver_free(r->solver);
	model_release(&r->model);
	path_release(&r->path);
	small_release(&r->small);
}

static uint32_t event(struct run *r, unsigned kind, uint32_t expr, uint64_t value)
{
	return made_event(&r->made, kind, made_expr(&r->made, &r->small.pool, expr), value);
}

static bool is_true(struct run *r, uint32_t expr)
{
	return expr_eval(&r->small.pool, expr, r->small.seed);
}

// A branch as it went.
static uint32_t branch(struct run *r, uint32_t expr)
{
	return event(r, EVENT_BRANCH, expr, is_true(r, expr));
}

// Any event, as it would be in a run.
static void random_event(struct run *r)
{
	uint64_t *random = &r->small.random;
	uint32_t v = random_below(random, VARS), bits = r->small.bits[v];
	uint32_t c = small_condition(&r->small, 0, VARS, 1 + random_below(random, 2));
	struct trace_case cases[3];
	switch (random_below(random, 12)) {
	case 0: event(r, EVENT_CONCRETE, bits, r->small.seed[v]); break;
	case 1: // perhaps a case, perhaps none
		for (unsigned i = 0, first = random_below(random, SMALL_VALUES); i < 3; i++)
			cases[i] = (struct trace_case){(first + 3 * i) % SMALL_VALUES, random_below(random, 3)};
		made_events(&r->made)[event(r, EVENT_SWITCH, bits, r->small.seed[v])].site =
			made_switch(&r->made, cases, 3);
		break;
	case 2: event(r, EVENT_CHECK, c, is_true(r, c)); break;
	case 3: event(r, EVENT_ASSUME, is_true(r, c) ? c : expr_not(&r->small.pool, c), 1); break;
	case 4: event(r, EVENT_SELECT, c, is_true(r, c)); break;
	case 5: made_event(&r->made, EVENT_INPUT, 0, VARS); break;
	default: branch(r, c);
	}
}

static void random_run(struct run *r, uint64_t seed)
{
	run_init(r, seed, -1);
	for (int i = 0; i < EVENTS; i++)
		random_event(r);
	run_end(r);
}

// Asks for the other way, and checks the answer against all that there is.
static enum answer ask(struct run *r, struct path *path, uint32_t e, uint64_t seed)
{
	struct query q = path_negate(path, e);
	CHECK(q.n > 0 && q.n == q.n_originals);
	enum answer a = solver_solve(r->solver, &q, &r->model);
	struct query whole = path_whole(path, e, true);
	CHECK_THAT(a != ANSWER_UNKNOWN, "run %d, event %u", (int)seed, e);
	CHECK_THAT(a == small_answer(&r->small, &whole, NULL), "run %d, event %u: %d", (int)seed, e, a);
	CHECK_THAT(a == ANSWER_UNSAT || small_holds(&r->small, &whole, &r->model), "run %d, event %u", (int)seed, e);
	return a;
}

static void in_order(void)
{
	unsigned answers[3] = {0};
	for (uint64_t seed = 0; seed < 25; seed++) {
		struct run r;
		random_run(&r, seed);
		for (uint32_t e = 0; e < EVENTS; e++)
			if (path_can_negate(&r.path, e))
				answers[ask(&r, &r.path, e, seed)]++;
		run_release(&r);
	}
	CHECK_THAT(answers[ANSWER_SAT] > 50 && answers[ANSWER_UNSAT] > 50, "%u sat, %u unsat", answers[ANSWER_SAT],
	           answers[ANSWER_UNSAT]);
}

// Forward, backward, across, the same one twice: the answers are those of a path that is asked for nothing else.
static void in_any_order(void)
{
	for (uint64_t seed = 100; seed < 104; seed++) {
		struct run r;
		struct path other;
		random_run(&r, seed);
		for (unsigned k = 0; k < 2 * EVENTS; k++) {
			uint32_t e = k < EVENTS ? random_below(&r.small.random, EVENTS) : 2 * EVENTS - 1 - k;
			if (!path_can_negate(&r.path, e))
				continue;
			path_init(&other, &r.small.pool, &r.trace);
			enum answer fresh = ask(&r, &other, e, seed);
			path_release(&other);
			CHECK_THAT(fresh == ask(&r, &r.path, e, seed), "run %d, event %u", (int)seed, e);
		}
		run_release(&r);
	}
}

static void check_same(const struct query *a, const struct query *b)
{
	CHECK(a->n == b->n && memcmp(a->conditions, b->conditions, a->n * sizeof(uint32_t)) == 0);
	CHECK(a->n_originals == b->n_originals &&
	      memcmp(a->originals, b->originals, a->n_originals * sizeof(uint32_t)) == 0);
}

// A path that was at other traces asks the same as one that was at none.
static void entered_again(void)
{
	struct run first;
	random_run(&first, 170);
	for (uint64_t seed = 171; seed < 180; seed++) {
		struct run r;
		struct path fresh;
		random_run(&r, seed);
		path_leave(&first.path);
		path_enter(&first.path, &r.trace);
		path_init(&fresh, &first.small.pool, &r.trace);
		for (uint32_t e = 0; e < EVENTS; e++)
			if (path_can_negate(&fresh, e)) {
				struct query a = path_negate(&first.path, e), b = path_negate(&fresh, e);
				check_same(&a, &b);
			}
		path_release(&fresh);
		path_leave(&first.path);
		path_enter(&first.path, &first.trace);
		run_release(&r);
	}
	run_release(&first);
}

// Prepared together, in any order: they are the questions of a path that is asked for nothing else.
static void prepared(void)
{
	for (uint64_t seed = 150; seed < 160; seed++) {
		struct run r;
		struct prepared all = {0};
		struct job_alternative alternatives[PREPARE_MOST + 1] = {0};
		random_run(&r, seed);
		for (unsigned i = 0; i <= PREPARE_MOST; i++)
			alternatives[i].event = random_below(&r.small.random, EVENTS + 1);
		prepare_queries(&all, &r.path, alternatives, PREPARE_MOST + 1);
		for (unsigned i = 0; i < PREPARE_MOST; i++) {
			struct path other;
			struct query q;
			bool is_one = alternatives[i].event < EVENTS && path_can_negate(&r.path, alternatives[i].event);
			CHECK(is_one == prepare_query(&all, &r.path, i, &q));
			if (!is_one)
				continue;
			path_init(&other, &r.small.pool, &r.trace);
			struct query fresh =
				alternative_query(&other, alternatives[i].event, &alternatives[i].alternative, NULL, 0);
			check_same(&q, &fresh);
			path_release(&other);
		}
		prepare_release(&all);
		run_release(&r);
	}
}

// The run itself goes its way.
static void whole(void)
{
	for (uint64_t seed = 200; seed < 210; seed++) {
		struct run r;
		random_run(&r, seed);
		r.model.n = 0;
		for (uint32_t e = 0; e <= EVENTS; e++) {
			struct query q = path_whole(&r.path, e, false);
			CHECK_THAT(small_holds(&r.small, &q, &r.model), "run %d, event %u", (int)seed, e);
			if (e < EVENTS && path_can_negate(&r.path, e)) {
				q = path_whole(&r.path, e, true);
				CHECK_THAT(!small_holds(&r.small, &q, &r.model), "run %d, event %u", (int)seed, e);
			}
		}
		run_release(&r);
	}
}

// --- kinds of events -----------------------------------------------------------------------

static void checks(void)
{
	struct run r;
	run_init(&r, 1, 3);
	struct expr_pool *p = &r.small.pool;
	uint32_t x = r.small.bits[0], below = expr_make(p, OP_ULT, 1, x, expr_const(p, 3, 5), 0);
	uint32_t check = event(&r, EVENT_CHECK, below, 1), violated = event(&r, EVENT_CHECK, expr_eq(p, x, 4), 0);
	uint32_t seven = branch(&r, expr_eq(p, x, 7)), four = branch(&r, expr_eq(p, x, 4));
	uint32_t large = branch(&r, expr_not(p, below)), again = branch(&r, expr_eq(p, x, 7));
	run_end(&r);
	CHECK_INT(ANSWER_SAT, ask(&r, &r.path, check, 1)); // it can be violated
	CHECK(r.model.n == 1 && r.model.values[0] % 8 >= 5);
	CHECK_INT(ANSWER_SAT, ask(&r, &r.path, violated, 1)); // and kept
	CHECK_INT(ANSWER_SAT, ask(&r, &r.path, seven, 1));    // neither rules out what comes after
	CHECK_INT(ANSWER_SAT, ask(&r, &r.path, four, 1));
	CHECK_INT(ANSWER_SAT, ask(&r, &r.path, large, 1));
	CHECK_INT(ANSWER_UNSAT, ask(&r, &r.path, again, 1)); // a branch does
	run_release(&r);
}

static void assumptions(void)
{
	struct run r;
	run_init(&r, 1, 3);
	struct expr_pool *p = &r.small.pool;
	uint32_t x = r.small.bits[0], below = expr_make(p, OP_ULT, 1, x, expr_const(p, 3, 5), 0);
	uint32_t input = made_event(&r.made, EVENT_INPUT, 0, VARS), holds = event(&r, EVENT_ASSUME, below, 1);
	uint32_t wish = event(&r, EVENT_PREFER, below, 1), seven = branch(&r, expr_eq(p, x, 7));
	uint32_t two = branch(&r, expr_eq(p, x, 2)), constant = made_event(&r.made, EVENT_BRANCH, 0, 1);
	uint32_t broken = event(&r, EVENT_ASSUME, expr_eq(p, x, 1), 0);
	run_end(&r);
	CHECK(!path_can_negate(&r.path, holds) && !path_can_negate(&r.path, wish));
	CHECK(!path_can_negate(&r.path, input) && !path_can_negate(&r.path, constant));
	CHECK(path_can_negate(&r.path, seven) && path_can_negate(&r.path, broken));
	CHECK_INT(ANSWER_UNSAT, ask(&r, &r.path, seven, 2));
	CHECK_INT(ANSWER_SAT, ask(&r, &r.path, two, 2));
	CHECK_INT(ANSWER_SAT, ask(&r, &r.path, broken, 2)); // to keep it
	CHECK_INT(1, r.model.values[0] % 8);
	run_release(&r);
}

// What went into a call that labels are lost in is no condition of the path; when it is asked what matters, it
// stays what it is in the solution, whatever it was in the run.
static void launch(void)
{
	struct run r;
	run_init(&r, 1, 3);
	struct expr_pool *p = &r.small.pool;
	uint32_t x = r.small.bits[0], y = r.small.bits[1];
	uint32_t before = branch(&r, expr_eq(p, y, 5)), call = event(&r, EVENT_PASSED, x, 3);
	uint32_t seven = branch(&r, expr_eq(p, x, 7));
	uint32_t more = made_event(&r.made, EVENT_PASSED, 0, 4096), last = branch(&r, expr_eq(p, x, 7));
	run_end(&r);
	CHECK(!path_can_negate(&r.path, call) && !path_can_negate(&r.path, more));
	CHECK_INT(ANSWER_SAT, ask(&r, &r.path, seven, 2)); // it does not hold it back
	struct query q = path_whole(&r.path, seven, true);
	CHECK_INT(2, q.n);
	CHECK(small_holds(&r.small, &q, &r.model));
	uint8_t *bytes = (uint8_t *)mem_copy(r.path.import.seed, p->n_vars);
	for (uint32_t i = 0; i < r.model.n; i++)
		bytes[r.model.vars[i]] = r.model.values[i];
	q = path_kept(&r.path, seven, true, bytes);
	CHECK_INT(3, q.n);
	CHECK(small_holds(&r.small, &q, &r.model));
	CHECK(q.conditions[2] == expr_eq(p, x, 7));
	CHECK_INT(1, path_kept(&r.path, before, true, bytes).n); // it comes later
	CHECK(!path_gives_more(&r.path, more) && path_gives_more(&r.path, last));
	mem_free(bytes);
	run_release(&r);
}

// Only what has to do with the event is asked, and each condition once.
static void related(void)
{
	struct run r;
	run_init(&r, 1, -1);
	struct expr_pool *p = &r.small.pool;
	const uint32_t *bits = r.small.bits;
	uint32_t first = expr_make(p, OP_ULT, 1, bits[0], bits[1], 0);
	uint32_t second = expr_make(p, OP_ULT, 1, bits[2], bits[3], 0),
		 last = expr_make(p, OP_ULE, 1, bits[1], bits[0], 0);
	branch(&r, first);
	branch(&r, second);
	branch(&r, first);
	branch(&r, second);
	uint32_t e = branch(&r, expr_make(p, OP_SLT, 1, bits[1], bits[0], 0)), f = branch(&r, last);
	run_end(&r);
	CHECK_INT(2, path_negate(&r.path, e).n);
	CHECK_INT(5, path_whole(&r.path, e, true).n);
	CHECK_INT(ANSWER_UNSAT, ask(&r, &r.path, f, 3)); // what the first one says in other words
	CHECK_INT(1, path_negate(&r.path, f).n);
	run_release(&r);
}

// Lengths stay possible ones.
static void lengths(void)
{
	struct expr_pool p;
	struct made m;
	struct path path;
	struct model model = {0};
	made_init(&m);
	made_input(&m, input_source(INPUT_STDIN, INPUT_BYTES, 0, ""), "abc", 3);
	made_input(&m, input_source(INPUT_STDIN, INPUT_LENGTH, 0, ""), "\3\0\0\0", 4);
	uint32_t length = made_byte(&m, 1, 0);
	for (uint32_t i = 1; i < 4; i++)
		length = made_node(&m, OP_CONCAT, 8 * (i + 1), made_byte(&m, 1, i), length, 0);
	static const struct {
		uint32_t value;
		enum answer answer;
	} cases[] = {{0, ANSWER_SAT}, {4099, ANSWER_SAT}, {4100, ANSWER_UNSAT}, {1 << 20, ANSWER_UNSAT}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t value = made_const(&m, 32, cases[i].value);
		made_event(&m, EVENT_BRANCH, made_node(&m, OP_EQ, 1, length, value, 0), 0);
	}
	struct trace t = made_trace(&m);
	expr_pool_init(&p);
	path_init(&path, &p, &t);
	struct solver_env env = {.pool = &p, .strict = true};
	struct solver *solver = chain_new(&env, "chain");
	for (uint32_t i = 0; i < COUNT(cases); i++) {
		struct query q = path_negate(&path, i);
		CHECK_THAT(solver_solve(solver, &q, &model) == cases[i].answer, "case %u", i);
	}
	solver_free(solver);
	model_release(&model);
	path_release(&path);
	expr_pool_release(&p);
}

// The number of arguments stays, even if no condition is about it.
static void counts(void)
{
	struct expr_pool p;
	struct made m;
	struct path path;
	made_init(&m);
	made_input(&m, input_source(INPUT_ARGUMENT, INPUT_COUNT, 0, ""), "\3\0\0\0", 4);
	uint32_t count = made_byte(&m, 0, 0), zero = made_const(&m, 8, 0);
	made_event(&m, EVENT_BRANCH, made_node(&m, OP_EQ, 1, count, zero, 0), 0);
	made_event(&m, EVENT_BRANCH, made_node(&m, OP_ULT, 1, count, zero, 0), 0);
	struct trace t = made_trace(&m);
	expr_pool_init(&p);
	path_init(&path, &p, &t);
	uint32_t whole = path_whole(&path, 1, false).n;
	struct query q = path_kept(&path, 1, false, path.import.seed);
	CHECK_INT(whole + p.n_vars, q.n);
	CHECK(q.conditions[whole] == expr_eq(&p, p.vars[0].expr, 3));
	path_release(&path);
	expr_pool_release(&p);
}

static const struct test tests[] = {
	TEST(in_order),    TEST(in_any_order), TEST(prepared), TEST(entered_again), TEST(whole),  TEST(checks),
	TEST(assumptions), TEST(launch),       TEST(related),  TEST(lengths),       TEST(counts),
};

TEST_MAIN("path")
