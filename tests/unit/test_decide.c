#include "path/decide.h"

#include "made.h"
#include "solver/chain.h"
#include "test.h"
#include "worker/reads.h"

// A run with one byte, and events on it.
struct run {
	struct made made;
	struct trace trace;
	struct decisions d;
	uint32_t byte;
};

static void run_init(struct run *r, uint8_t value)
{
	*r = (struct run){0};
	made_init(&r->made);
	made_input(&r->made, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "in"), &value, 1);
	r->byte = made_byte(&r->made, 0, 0);
}

static uint32_t is(struct run *r, uint8_t value)
{
	return made_node(&r->made, OP_EQ, 1, r->byte, made_const(&r->made, 8, value), 0);
}

static void read_all(struct run *r, uint32_t most)
{
	r->trace = made_trace(&r->made);
	decisions_read(&r->d, &r->trace, 0, most);
}

// A way that was not taken has the key of a run that takes it.
static void keys(void)
{
	struct run a, b;
	run_init(&a, 1);
	made_event(&a.made, EVENT_BRANCH, is(&a, 5), 0);
	made_event(&a.made, EVENT_BRANCH, is(&a, 6), 0);
	read_all(&a, 100);
	run_init(&b, 6);
	made_event(&b.made, EVENT_BRANCH, is(&b, 5), 0);
	made_event(&b.made, EVENT_BRANCH, is(&b, 6), 1);
	read_all(&b, 100);
	CHECK_INT(2, a.d.n);
	CHECK_INT(2, b.d.n);
	CHECK(a.d.v[0].key == b.d.v[0].key && a.d.v[1].key != b.d.v[1].key);
	CHECK(a.d.v[1].place == b.d.v[1].place && a.d.v[0].place != a.d.v[1].place);
	CHECK_INT(1, a.d.v[1].alternatives);
	CHECK_INT(ALTERNATIVE_NEGATE, a.d.alternatives[a.d.v[1].first].op);
	CHECK(a.d.alternatives[a.d.v[1].first].key == b.d.v[1].key);
	CHECK(b.d.alternatives[b.d.v[1].first].key == a.d.v[1].key);
	CHECK(a.d.alternatives[a.d.v[1].first].edge == b.d.v[1].edge);
	CHECK(a.d.path == a.d.v[1].key && b.d.path == b.d.v[1].key);
	decisions_release(&a.d);
	decisions_release(&b.d);
}

static void at_switch(struct run *r, const struct trace_case *cases, uint32_t n, uint8_t value)
{
	run_init(r, value);
	uint32_t site = made_switch(&r->made, cases, n);
	uint32_t e = made_event(&r->made, EVENT_SWITCH, r->byte, value);
	made_events(&r->made)[e].site = site;
	read_all(r, 100);
}

static void switches(void)
{
	static const struct trace_case cases[] = {{3, 1}, {5, 2}, {9, 3}};
	struct run a, b, none;
	at_switch(&a, cases, 3, 5);
	at_switch(&b, cases, 3, 9);
	at_switch(&none, cases, 3, 77);
	CHECK_INT(3, a.d.n_alternatives); // to 1, 3, and where no case goes
	CHECK_INT(3, none.d.n_alternatives);
	CHECK(!a.d.cut);
	CHECK(a.d.alternatives[1].op == ALTERNATIVE_CASE && a.d.alternatives[1].value == 3 &&
	      a.d.alternatives[1].key == b.d.path);
	CHECK(a.d.alternatives[2].op == ALTERNATIVE_DEFAULT && a.d.alternatives[2].key == none.d.path);
	CHECK(none.d.alternatives[1].value == 2 && none.d.alternatives[1].key == a.d.path);
	decisions_release(&a.d);
	decisions_release(&b.d);
	decisions_release(&none.d);
}

// What is not told is said.
static void too_many_cases(void)
{
	struct trace_case cases[300];
	struct run r;
	for (uint32_t i = 0; i < 300; i++)
		cases[i] = (struct trace_case){1000 + i, i + 1};
	at_switch(&r, cases, 300, 1);
	CHECK(r.d.cut);
	CHECK_INT(256, r.d.n_alternatives);
	decisions_release(&r.d);
}

// A check is no decision: what comes after it has the same key whether it holds or not.
static void checks(void)
{
	struct run a, b;
	run_init(&a, 1);
	made_event(&a.made, EVENT_CHECK, is(&a, 1), 1);
	made_event(&a.made, EVENT_CHECK, is(&a, 1), 1);
	made_event(&a.made, EVENT_BRANCH, is(&a, 6), 0);
	read_all(&a, 100);
	run_init(&b, 2);
	made_event(&b.made, EVENT_CHECK, is(&b, 1), 0);
	made_event(&b.made, EVENT_CHECK, is(&b, 1), 0);
	made_event(&b.made, EVENT_BRANCH, is(&b, 6), 0);
	read_all(&b, 100);
	CHECK(a.d.path == b.d.path);
	CHECK_INT(3, a.d.n_alternatives); // one of each check, one of the branch
	CHECK_INT(1, b.d.n_alternatives); // it is violated already
	CHECK(a.d.alternatives[0].op == ALTERNATIVE_VIOLATE && a.d.alternatives[0].key != a.d.alternatives[1].key);
	decisions_release(&a.d);
	decisions_release(&b.d);
}

static bool is_not_in(void *opaque, const struct trace *t, const struct trace_event *e, uint64_t place)
{
	(void)place;
	return !(*(unsigned *)opaque >> (e - t->events) & 1);
}

// What is not wanted is left out, as if it were not there; all else stays as it is.
static void unwanted(void)
{
	struct run r;
	unsigned events = 0;
	run_init(&r, 1);
	made_event(&r.made, EVENT_BRANCH, is(&r, 5), 0); // 0
	uint32_t same = is(&r, 1);
	made_event(&r.made, EVENT_CHECK, same, 1);       // 1
	made_event(&r.made, EVENT_CHECK, same, 1);       // 2: the same again
	made_event(&r.made, EVENT_CHECK, is(&r, 1), 1);  // 3
	made_event(&r.made, EVENT_BRANCH, is(&r, 6), 0); // 4
	made_event(&r.made, EVENT_ACCESS, 0, 0);         // 5
	made_event(&r.made, EVENT_BRANCH, is(&r, 7), 0); // 6
	read_all(&r, 100);
	CHECK_INT(5, r.d.n); // the second check asks nothing new
	CHECK(r.d.v[0].sensitive && r.d.v[3].sensitive && r.d.v[4].sensitive);
	uint64_t path = r.d.path, last = r.d.alternatives[r.d.v[2].first].key;
	CHECK_INT(ALTERNATIVE_VIOLATE, r.d.alternatives[r.d.v[2].first].op);
	r.d.wants = is_not_in;
	r.d.opaque = &events;
	events = 1u << 1;
	read_all(&r, 100);
	CHECK_INT(5, r.d.n); // now the second one does
	CHECK_INT(2, r.d.v[1].event);
	CHECK(r.d.path == path && r.d.alternatives[r.d.v[2].first].key == last);
	events = 1u << 1 | 1u << 2 | 1u << 5;
	read_all(&r, 100);
	CHECK_INT(4, r.d.n);
	CHECK(r.d.v[0].sensitive && !r.d.v[2].sensitive && r.d.v[3].sensitive); // the last: the program's end
	CHECK(r.d.path == path && r.d.alternatives[r.d.v[1].first].key == last);
	events = ~0u;
	read_all(&r, 100);
	CHECK(r.d.n == 3 && r.d.path == path && !r.d.v[0].sensitive);
	decisions_release(&r.d);
}

static void assumptions(void)
{
	struct run kept, broken;
	run_init(&kept, 1);
	made_event(&kept.made, EVENT_ASSUME, is(&kept, 1), 1);
	read_all(&kept, 100);
	run_init(&broken, 2);
	made_event(&broken.made, EVENT_ASSUME, is(&broken, 1), 0);
	read_all(&broken, 100);
	CHECK_INT(0, kept.d.n_alternatives); // nobody wants it broken
	CHECK(kept.d.path != 0);
	CHECK_INT(1, broken.d.n_alternatives);
	CHECK(broken.d.alternatives[0].key == kept.d.path);
	CHECK(broken.d.path == 0); // it is no path of the program
	decisions_release(&kept.d);
	decisions_release(&broken.d);
}

static void cut(void)
{
	struct run r;
	run_init(&r, 1);
	for (uint8_t i = 10; i < 20; i++)
		made_event(&r.made, EVENT_BRANCH, is(&r, i), 0);
	read_all(&r, 4);
	CHECK(r.d.cut && r.d.n == 4 && r.d.path == 0);
	read_all(&r, 10);
	CHECK(!r.d.cut && r.d.n == 10 && r.d.path != 0);
	decisions_release(&r.d);
}

// --- questions ------------------------------------------------------------------------------------

static enum answer ask(struct run *r, const struct alternative *alternative, const uint64_t *known, uint32_t n_known,
                       uint8_t *ret)
{
	struct expr_pool pool;
	struct path path;
	struct model m = {0};
	expr_pool_init(&pool);
	struct solver_env env = {.pool = &pool};
	struct solver *solver = chain_new(&env, "chain");
	path_init(&path, &pool, &r->trace);
	struct query q = alternative_query(&path, 0, alternative, known, n_known);
	enum answer a = solver_solve(solver, &q, &m);
	if (a == ANSWER_SAT && m.n)
		*ret = m.values[0];
	model_release(&m);
	path_release(&path);
	solver_free(solver);
	expr_pool_release(&pool);
	return a;
}

// Values that go to the same place are one way; so are those that go where no case goes.
static void shared_cases(void)
{
	static const struct trace_case cases[] = {{3, 1}, {5, 2}, {4, 1}, {9, 0}, {7, 2}, {6, 2}};
	struct run a, b, c, none;
	uint8_t byte = 0;
	at_switch(&a, cases, 6, 3);
	at_switch(&b, cases, 6, 4);
	at_switch(&c, cases, 6, 9);
	at_switch(&none, cases, 6, 77);
	CHECK(a.d.path == b.d.path && c.d.path == none.d.path && a.d.path != c.d.path);
	CHECK(a.d.n_alternatives == 2 && none.d.n_alternatives == 2);
	CHECK(ask(&a, &a.d.alternatives[0], NULL, 0, &byte) == ANSWER_SAT && byte >= 5 && byte <= 7);
	CHECK(ask(&a, &a.d.alternatives[1], NULL, 0, &byte) == ANSWER_SAT && (byte < 3 || byte > 7));
	decisions_release(&a.d);
	decisions_release(&b.d);
	decisions_release(&c.d);
	decisions_release(&none.d);
}

// What a place compares with names the side: another letter of a table is another question. The path is the same.
static void letters(void)
{
	struct run a, b;
	run_init(&a, 1);
	run_init(&b, 1);
	made_event(&a.made, EVENT_BRANCH, is(&a, 'x'), 0);
	made_event(&b.made, EVENT_BRANCH, is(&b, 'y'), 0);
	read_all(&a, 100);
	read_all(&b, 100);
	CHECK(a.d.alternatives[0].edge != b.d.alternatives[0].edge && a.d.v[0].edge != b.d.v[0].edge);
	CHECK(a.d.alternatives[0].site == b.d.alternatives[0].site);
	CHECK(a.d.alternatives[0].key == b.d.alternatives[0].key && a.d.path == b.d.path);
	decisions_release(&a.d);
	decisions_release(&b.d);
}

// Of the sides on the way to a turn, the one that the fewest runs were on counts.
static void rarest(void)
{
	struct run common, r;
	run_init(&common, 1);
	made_event(&common.made, EVENT_BRANCH, is(&common, 'x'), 0);
	made_event(&common.made, EVENT_BRANCH, is(&common, 'z'), 0);
	read_all(&common, 100);
	read_all(&common, 100);
	uint64_t after_x = common.d.alternatives[1].pair;
	run_init(&r, 1);
	r.d = common.d; // what it knows of earlier runs
	made_event(&r.made, EVENT_BRANCH, is(&r, 'x'), 0);
	made_event(&r.made, EVENT_BRANCH, is(&r, 'y'), 0);
	made_event(&r.made, EVENT_BRANCH, is(&r, 'z'), 0);
	made_event(&r.made, EVENT_BRANCH, is(&r, 'x'), 0);
	made_event(&r.made, EVENT_BRANCH, is(&r, 'z'), 0);
	read_all(&r, 100);
	CHECK(r.d.alternatives[2].pair == r.d.alternatives[4].pair); // 'z' after 'y', also when 'x' is nearer
	CHECK(r.d.alternatives[2].pair != after_x && r.d.alternatives[2].context != r.d.alternatives[4].context);
	decisions_release(&r.d);
}

static void questions(void)
{
	static const struct trace_case cases[] = {{3, 1}, {5, 2}, {9, 3}};
	struct run r;
	uint8_t byte = 0;
	at_switch(&r, cases, 3, 5);
	CHECK(ask(&r, &r.d.alternatives[1], NULL, 0, &byte) == ANSWER_SAT && byte == 9);
	CHECK(ask(&r, &r.d.alternatives[2], NULL, 0, &byte) == ANSWER_SAT && byte != 3 && byte != 5 && byte != 9);
	decisions_release(&r.d);
}

// Another value, until there is none.
static void other_values(void)
{
	struct run r;
	uint64_t known[256];
	uint8_t byte = 7;
	bool seen[256] = {0};
	run_init(&r, byte);
	made_event(&r.made, EVENT_CONCRETE, r.byte, byte);
	read_all(&r, 100);
	CHECK_INT(1, r.d.n_alternatives);
	CHECK_INT(ALTERNATIVE_OTHER, r.d.alternatives[0].op);
	for (uint32_t n = 0; n < 256; n++) {
		CHECK(!seen[byte]);
		seen[byte] = true;
		known[n] = byte;
		CHECK(ask(&r, &r.d.alternatives[0], known, n + 1, &byte) == (n < 255 ? ANSWER_SAT : ANSWER_UNSAT));
	}
	decisions_release(&r.d);
}

// Two tests take one path, with other offsets in its check: each is a query of its own.
static void checks_differ(void)
{
	struct run a, b, c;
	struct run *const runs[] = {&a, &b, &c};
	static const uint8_t constants[] = {5, 6, 5};
	for (int i = 0; i < 3; i++) {
		run_init(runs[i], 1);
		uint32_t limit = made_const(&runs[i]->made, 8, constants[i]);
		made_event(&runs[i]->made, EVENT_CHECK, made_node(&runs[i]->made, OP_ULE, 1, runs[i]->byte, limit, 0),
		           1);
		read_all(runs[i], 100);
	}
	CHECK(a.d.path == b.d.path && a.d.alternatives[0].site == b.d.alternatives[0].site);
	CHECK(a.d.alternatives[0].key != b.d.alternatives[0].key && a.d.v[0].place != b.d.v[0].place);
	CHECK(a.d.alternatives[0].key == c.d.alternatives[0].key && a.d.v[0].place == c.d.v[0].place);
	decisions_release(&a.d);
	decisions_release(&b.d);
	decisions_release(&c.d);
}

// A check that can fail by any number of bytes.
static void near(void)
{
	struct run r;
	struct query q;
	struct model model = {0};
	run_init(&r, 3);
	uint32_t limit = made_const(&r.made, 8, 100), fine = made_node(&r.made, OP_ULE, 1, r.byte, limit, 0);
	uint32_t e = made_event(&r.made, EVENT_CHECK, fine, 1), plain = made_event(&r.made, EVENT_CHECK, fine, 1);
	made_events(&r.made)[e].check.object = 1;
	read_all(&r, 100);
	struct expr_pool pool;
	struct path path;
	expr_pool_init(&pool);
	struct solver_env env = {.pool = &pool};
	struct solver *solver = chain_new(&env, "chain");
	path_init(&path, &pool, &r.trace);
	CHECK(alternative_near(&path, e, 1, &q));
	CHECK(solver_solve(solver, &q, &model) == ANSWER_SAT && (model.values[0] == 101 || model.values[0] == 255));
	CHECK(alternative_near(&path, e, 3, &q));
	CHECK(solver_solve(solver, &q, &model) == ANSWER_SAT);
	CHECK((model.values[0] > 100 && model.values[0] <= 103) || model.values[0] >= 253);
	CHECK(!alternative_near(&path, plain, 1, &q)); // it is about no object
	model_release(&model);
	path_release(&path);
	solver_free(solver);
	expr_pool_release(&pool);
	decisions_release(&r.d);
}

// Which bytes of an input the first events of a run are about.
// An access that a cell is too small for: the alternative is a larger cell, where the index lies behind the old end; of
// an access that ended the run, the larger cell alone.
static void growth(void)
{
	struct run r;
	struct path p;
	struct expr_pool pool;
	struct model model = {0};
	run_init(&r, 1);
	uint32_t cell = made_input(&r.made, input_source(INPUT_CELL, INPUT_BYTES, 0, "*p"), "abcd", 4);
	const struct trace_event grown = {.cell = {cell, 8}}, full = {.cell = {cell, 0}};
	uint32_t within = made_node(&r.made, OP_ULE, 1, r.byte, made_const(&r.made, 8, 3), 0);
	made_event(&r.made, EVENT_WITHIN, within, grown.value);
	made_event(&r.made, EVENT_WITHIN, within, full.value);
	made_event(&r.made, EVENT_BEYOND, 0, grown.value);
	read_all(&r, 100);
	CHECK_INT(3, r.d.n);
	CHECK_INT(2, r.d.n_alternatives);
	CHECK(r.d.path == r.d.v[2].key && r.d.v[2].key != r.d.v[1].key);
	expr_pool_init(&pool);
	path_init(&p, &pool, &r.trace);
	struct solver_env env = {.pool = &pool, .strict = true};
	struct solver *solver = chain_new(&env, "chain");
	for (int i = 0; i < 2; i++) {
		const struct alternative *a = &r.d.alternatives[i];
		CHECK(a->op == ALTERNATIVE_GROW && a->value == 8);
		CHECK(path_can_negate(&p, i ? 2 : 0));
		struct query q = alternative_query(&p, i ? 2 : 0, a, NULL, 0);
		CHECK_INT(ANSWER_SAT, solver_solve(solver, &q, &model));
		CHECK(i || (model.n == 1 && model.values[0] >= 4 && model.values[0] <= 7));
	}
	CHECK(!path_can_negate(&p, 1));
	solver_free(solver);
	model_release(&model);
	path_release(&p);
	expr_pool_release(&pool);
	decisions_release(&r.d);
}

static void reach(void)
{
	struct made m;
	uint32_t reach[2];
	made_init(&m);
	made_input(&m, input_source(INPUT_FILE, INPUT_BYTES, 0, "/a"), "0123456789", 10);
	made_input(&m, input_source(INPUT_FILE, INPUT_BYTES, 0, "/b"), "0123456789", 10);
	uint32_t sum = made_node(&m, OP_ADD, 8, made_byte(&m, 0, 6), made_byte(&m, 0, 2), 0);
	made_byte(&m, 0, 9); // read, and nothing depends on it
	made_event(&m, EVENT_BRANCH, made_node(&m, OP_EQ, 1, sum, made_const(&m, 8, 1), 0), 0);
	made_event(&m, EVENT_CHECK, made_node(&m, OP_ULT, 1, made_byte(&m, 1, 0), sum, 0), 1);
	made_event(&m, EVENT_BRANCH, made_node(&m, OP_EQ, 1, made_byte(&m, 1, 5), sum, 0), 0);
	struct trace t = made_trace(&m);
	reads_reach(&t, 1, reach);
	CHECK(reach[0] == 7 && reach[1] == 0);
	reads_reach(&t, 2, reach);
	CHECK(reach[0] == 7 && reach[1] == 1);
	reads_reach(&t, 100, reach);
	CHECK(reach[0] == 7 && reach[1] == 6);
}

static const struct test tests[] = {
	TEST(growth),       TEST(reach),          TEST(keys),          TEST(switches),
	TEST(shared_cases), TEST(too_many_cases), TEST(letters),       TEST(rarest),
	TEST(checks),       TEST(unwanted),       TEST(assumptions),   TEST(cut),
	TEST(questions),    TEST(other_values),   TEST(checks_differ), TEST(near),
};

TEST_MAIN("decide")
