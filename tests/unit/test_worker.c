// Inside of a worker, without its process: queries that are issued in another order than the path's (prepare.h).
#include "base/mem.h"
#include "made.h"
#include "solver/chain.h"
#include "test.h"
#include "worker/prepare.h"

enum { BYTES = 4, EVENTS = 6 };

// A run on four bytes that compares them, none twice with the same value, all the comparisons false but the last.
struct run {
	struct made made;
	struct trace trace;
	struct decisions d;
	struct expr_pool pool;
	struct path path;
};

static void run_init(struct run *r)
{
	*r = (struct run){0};
	made_init(&r->made);
	made_input(&r->made, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "in"), "abcd", BYTES);
	for (uint32_t i = 0; i < EVENTS; i++) {
		uint32_t byte = made_byte(&r->made, 0, i % BYTES), value = made_const(&r->made, 8, 'A' + i);
		made_event(&r->made, EVENT_BRANCH, made_node(&r->made, OP_EQ, 1, byte, value, 0), 0);
	}
	r->trace = made_trace(&r->made);
	decisions_read(&r->d, &r->trace, 0, 100);
	expr_pool_init(&r->pool);
	path_init(&r->path, &r->pool, &r->trace);
}

static void run_release(struct run *r)
{
	path_release(&r->path);
	expr_pool_release(&r->pool);
	decisions_release(&r->d);
}

static struct job_alternative alternative_of(const struct run *r, uint32_t decision)
{
	const struct decision *d = &r->d.v[decision];
	return (struct job_alternative){.event = d->event, .alternative = r->d.alternatives[d->first]};
}

// Each is the query that the path gives when it is asked for that event alone.
static void any_order(void)
{
	static const uint32_t order[EVENTS] = {4, 0, 5, 2, 3, 1};
	struct job_alternative jobs[EVENTS];
	struct prepared prepared = {0};
	struct run r;
	run_init(&r);
	CHECK_INT(EVENTS, r.d.n);
	for (uint32_t i = 0; i < EVENTS; i++)
		jobs[i] = alternative_of(&r, order[i]);
	prepare_queries(&prepared, &r.path, jobs, EVENTS);
	for (uint32_t i = 0; i < EVENTS; i++) {
		struct query q, alone;
		struct run other;
		run_init(&other);
		CHECK(prepare_query(&prepared, &r.path, i, &q));
		alone = path_negate(&other.path, jobs[i].event);
		CHECK_INT(alone.n, q.n);
		CHECK_INT(alone.n_originals, q.n_originals);
		// The conditions on this byte before, and its own, negated: other bytes have nothing to do with it.
		CHECK_INT(order[i] < BYTES ? 1 : 2, q.n_originals);
		run_release(&other);
	}
	prepare_release(&prepared);
	run_release(&r);
}

// They are solved as they stand: the solution has the value that the branch compares with.
static void solved(void)
{
	struct prepared prepared = {0};
	struct model model = {0};
	struct query q;
	struct run r;
	run_init(&r);
	struct job_alternative jobs[] = {alternative_of(&r, 5), alternative_of(&r, 1)};
	struct solver_env env = {.pool = &r.pool};
	struct solver *solver = chain_new(&env, "chain");
	prepare_queries(&prepared, &r.path, jobs, 2);
	for (uint32_t i = 0; i < 2; i++) {
		CHECK(prepare_query(&prepared, &r.path, i, &q));
		CHECK(solver_solve(solver, &q, &model) == ANSWER_SAT);
		CHECK_INT(1, model.n);
		CHECK_INT(i == 0 ? 'F' : 'B', model.values[0]);
	}
	model_release(&model);
	solver_free(solver);
	prepare_release(&prepared);
	run_release(&r);
}

// A run that was shorter this time does not have the event; a prepared query that was there before is none then.
static void not_there(void)
{
	struct prepared prepared = {0};
	struct query q;
	struct run r;
	run_init(&r);
	struct job_alternative there = alternative_of(&r, 2), gone = there;
	gone.event = r.trace.n_events;
	prepare_queries(&prepared, &r.path, &there, 1);
	CHECK(prepare_query(&prepared, &r.path, 0, &q));
	prepare_queries(&prepared, &r.path, &gone, 1);
	CHECK(!prepare_query(&prepared, &r.path, 0, &q));
	prepare_release(&prepared);
	run_release(&r);
}

static const struct test tests[] = {TEST(any_order), TEST(solved), TEST(not_there)};
TEST_MAIN("worker")
