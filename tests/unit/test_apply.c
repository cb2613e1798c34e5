#include "path/apply.h"

#include "made.h"
#include "solver/chain.h"
#include "test.h"

// A run that was given `base`, and the trace of it.
struct run {
	struct made made;
	struct trace trace;
	struct input base, largest;
	struct expr_pool pool;
	struct path path;
};

static void run_init(struct run *r)
{
	*r = (struct run){0};
	made_init(&r->made);
	input_add(&r->base, INPUT_ARGUMENT, NULL, "prog", 4);
}

static void run_end(struct run *r)
{
	r->trace = made_trace(&r->made);
	expr_pool_init(&r->pool);
	path_init(&r->path, &r->pool, &r->trace);
}

static void run_release(struct run *r)
{
	path_release(&r->path);
	expr_pool_release(&r->pool);
	input_release(&r->base);
	input_release(&r->largest);
}

static uint32_t is(struct run *r, uint32_t input, uint32_t offset, uint8_t value)
{
	return made_node(&r->made, OP_EQ, 1, made_byte(&r->made, input, offset), made_const(&r->made, 8, value), 0);
}

// Asks for the other way of the event; the input that leads there, or unsat.
static enum answer alternative(struct run *r, uint32_t event, struct input *ret)
{
	struct model m = {0};
	struct solver_env env = {.pool = &r->pool};
	struct solver *solver = chain_new(&env, "chain");
	struct query q = path_negate(&r->path, event);
	enum answer a = solver_solve(solver, &q, &m);
	if (a == ANSWER_SAT)
		apply_model(ret, &r->base, &r->path, &m);
	model_release(&m);
	solver_free(solver);
	return a;
}

static void check_part(const struct input_part *p, const char *bytes, size_t size)
{
	CHECK(p && p->data.len == size && memcmp(p->data.data, bytes, size) == 0);
}

static void objects(void)
{
	struct run r;
	struct input in = {0};
	run_init(&r);
	input_add(&r.base, INPUT_OBJECT, NULL, "abcdrest", 8);
	made_input(&r.made, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "a"), "ab", 2);
	made_input(&r.made, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "b"), "cd", 2);
	uint32_t e = made_event(&r.made, EVENT_BRANCH, is(&r, 1, 0, 'X'), 0);
	run_end(&r);
	CHECK(alternative(&r, e, &in) == ANSWER_SAT);
	check_part(input_find(&in, INPUT_OBJECT, "a"), "ab", 2); // they have names from now on
	check_part(input_find(&in, INPUT_OBJECT, "b"), "Xd", 2);
	check_part(input_find(&in, INPUT_OBJECT, NULL), "rest", 4); // what the run did not come to stays
	input_release(&in);
	run_release(&r);
}

// Another path comes to the same objects in another order, and to a second one of the same name.
static void objects_by_name(void)
{
	struct run r;
	struct input in = {0};
	run_init(&r);
	input_add(&r.base, INPUT_OBJECT, "a", "ab", 2);
	input_add(&r.base, INPUT_OBJECT, "b", "cd", 2);
	size_t before = r.base.n;
	made_input(&r.made, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "b"), "cd", 2);
	made_input(&r.made, input_source(INPUT_OBJECT, INPUT_BYTES, 1, "b"), "ef", 2);
	made_input(&r.made, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "a"), "ab", 2);
	uint32_t e = made_event(&r.made, EVENT_BRANCH, is(&r, 1, 0, 'X'), 0);
	run_end(&r);
	CHECK(alternative(&r, e, &in) == ANSWER_SAT);
	check_part(input_find(&in, INPUT_OBJECT, "a"), "ab", 2);
	check_part(input_find(&in, INPUT_OBJECT, "b"), "cd", 2);
	check_part(input_nth(&in, INPUT_OBJECT, "b", 1), "Xf", 2);
	CHECK_INT(before + 1, in.n);
	input_release(&in);
	// As the program makes them, for tools that go by the order.
	apply_objects(&r.base, &r.path);
	size_t n = r.base.n;
	check_part(&r.base.v[n - 3], "cd", 2);
	check_part(&r.base.v[n - 2], "ef", 2);
	check_part(&r.base.v[n - 1], "ab", 2);
	run_release(&r);
}

// An argument that ends earlier, and one that goes on behind its end.
static void strings(void)
{
	for (int longer = 0; longer < 2; longer++) {
		struct run r;
		struct input in = {0};
		run_init(&r);
		input_add(&r.base, INPUT_ARGUMENT, NULL, "ab", 2);
		made_input(&r.made, input_source(INPUT_ARGUMENT, INPUT_BYTES, 1, ""), "ab", 3);
		uint32_t e = made_event(&r.made, EVENT_BRANCH, longer ? is(&r, 0, 2, 'c') : is(&r, 0, 1, 0), 0);
		run_end(&r);
		CHECK(alternative(&r, e, &in) == ANSWER_SAT);
		check_part(input_argument(&in, 1), longer ? "abc" : "a", longer ? 3 : 1);
		input_release(&in);
		run_release(&r);
	}
}

// An argument of two bytes at most: a third one is none of its, whatever the second is.
static void strings_with_limits(void)
{
	struct run r;
	struct input in = {0};
	run_init(&r);
	input_add(&r.base, INPUT_ARGUMENT, NULL, "a", 1);
	input_add(&r.largest, INPUT_ARGUMENT, NULL, "prog", 4);
	input_add(&r.largest, INPUT_ARGUMENT, NULL, "xx", 2);
	made_input(&r.made, input_source(INPUT_ARGUMENT, INPUT_BYTES, 1, ""), "a", 2);
	uint32_t second = made_event(&r.made, EVENT_BRANCH, is(&r, 0, 1, 'b'), 0);
	uint32_t third = made_event(&r.made, EVENT_BRANCH, is(&r, 0, 2, 'c'), 0);
	run_end(&r);
	apply_limits(&r.path, &r.largest);
	CHECK(alternative(&r, third, &in) == ANSWER_UNSAT);
	CHECK(alternative(&r, second, &in) == ANSWER_SAT);
	check_part(input_argument(&in, 1), "ab", 2);
	input_release(&in);
	run_release(&r);
}

static uint32_t at_least(struct run *r, uint32_t input, uint8_t value)
{
	return made_node(&r->made, OP_ULE, 1, made_const(&r->made, 8, value), made_byte(&r->made, input, 0), 0);
}

// Standard input of up to five bytes, which may not be six; any length when nothing is said of it.
static void lengths(void)
{
	for (int limited = 0; limited < 2; limited++) {
		struct run r;
		struct input in = {0};
		run_init(&r);
		input_add(&r.base, INPUT_STDIN, NULL, "ab", 2);
		input_add(&r.largest, limited ? INPUT_STDIN : INPUT_FILE, limited ? NULL : "/other", "xxxxx", 5);
		made_input(&r.made, input_source(INPUT_STDIN, INPUT_BYTES, 0, ""), "ab", 2);
		made_input(&r.made, input_source(INPUT_STDIN, INPUT_LENGTH, 0, ""), "\2\0\0\0", 4);
		uint32_t five = made_event(&r.made, EVENT_BRANCH, at_least(&r, 1, 5), 0);
		uint32_t six = made_event(&r.made, EVENT_BRANCH, at_least(&r, 1, 6), 0);
		(void)six;
		run_end(&r);
		apply_limits(&r.path, &r.largest);
		CHECK(alternative(&r, five, &in) == ANSWER_SAT);
		const struct input_part *p = input_find(&in, INPUT_STDIN, NULL);
		CHECK(p && p->data.len >= 5 && (!limited || p->data.len == 5) &&
		      memcmp(p->data.data, "ab\0\0\0", 5) == 0);
		input_release(&in);
		run_release(&r);
	}
}

static void arguments(void)
{
	struct run r;
	struct input in = {0};
	run_init(&r);
	input_add(&r.base, INPUT_ARGUMENT, NULL, "x", 1);
	for (int i = 0; i < 3; i++)
		input_add(&r.largest, INPUT_ARGUMENT, NULL, "xxxx", 4);
	made_input(&r.made, input_source(INPUT_ARGUMENT, INPUT_COUNT, 0, ""), "\2\0\0\0", 4);
	uint32_t three = made_event(&r.made, EVENT_BRANCH, at_least(&r, 0, 3), 0);
	run_end(&r);
	apply_limits(&r.path, &r.largest);
	CHECK(alternative(&r, three, &in) == ANSWER_SAT);
	CHECK_INT(3, in.n);
	check_part(input_argument(&in, 1), "x", 1);
	check_part(input_argument(&in, 2), "", 0);
	input_release(&in);
	run_release(&r);

	run_init(&r);
	for (int i = 0; i < 3; i++)
		input_add(&r.largest, INPUT_ARGUMENT, NULL, "xxxx", 4);
	made_input(&r.made, input_source(INPUT_ARGUMENT, INPUT_COUNT, 0, ""), "\1\0\0\0", 4);
	uint32_t four = made_event(&r.made, EVENT_BRANCH, at_least(&r, 0, 4), 0);
	run_end(&r);
	apply_limits(&r.path, &r.largest);
	CHECK(alternative(&r, four, &in) == ANSWER_UNSAT);
	run_release(&r);
}

// Which bytes matter: what is not symbolic does; of a content that was not read, nothing; objects are completed.
static void masks(void)
{
	struct run r;
	struct input in = {0};
	run_init(&r);
	input_add(&r.base, INPUT_ARGUMENT, NULL, "fixed", 5);
	input_add(&r.base, INPUT_STDIN, NULL, "never", 5);
	input_add(&r.base, INPUT_FILE, "/f", "content", 7);
	input_add(&r.base, INPUT_FILE, "/g", "gg", 2);
	input_add(&r.base, INPUT_OBJECT, NULL, "abc", 3);
	made_input(&r.made, input_source(INPUT_FILE, INPUT_BYTES, 0, "/f"), "content", 7);
	made_input(&r.made, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "a"), "ab", 2);
	made_input(&r.made, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "b"), "cd", 2);
	made_event(&r.made, EVENT_BRANCH, is(&r, 0, 2, 'n'), 1);
	made_event(&r.made, EVENT_BRANCH, is(&r, 2, 1, 'X'), 0);
	run_end(&r);
	path_whole(&r.path, r.trace.n_events, false); // makes the variables
	uint8_t *bits = test_alloc(r.pool.n_vars);
	for (uint32_t v = 0; v < r.pool.n_vars; v++)
		bits[v] = 0x40;
	apply_objects(&r.base, &r.path);
	check_part(input_find(&r.base, INPUT_OBJECT, "a"), "ab", 2);
	check_part(input_find(&r.base, INPUT_OBJECT, "b"), "cd", 2);
	CHECK(!input_find(&r.base, INPUT_OBJECT, NULL));
	apply_masks(&in, &r.base, &r.path, bits, r.pool.n_vars, "argv,stdin,file:/f");
	check_part(input_argument(&in, 1), "\xff\xff\xff\xff\xff", 5);
	check_part(input_find(&in, INPUT_STDIN, NULL), "\0\0\0\0\0", 5);
	check_part(input_find(&in, INPUT_FILE, "/f"), "\0\0@\0\0\0\0", 7);
	check_part(input_find(&in, INPUT_FILE, "/g"), "\xff\xff", 2);
	check_part(input_find(&in, INPUT_OBJECT, "a"), "\0\0", 2);
	check_part(input_find(&in, INPUT_OBJECT, "b"), "\0@", 2);
	input_release(&in);
	apply_masks(&in, &r.base, &r.path, bits, r.pool.n_vars, "files");
	check_part(input_find(&in, INPUT_STDIN, NULL), "\xff\xff\xff\xff\xff", 5);
	check_part(input_find(&in, INPUT_FILE, "/f"), "\0\0@\0\0\0\0", 7);
	check_part(input_find(&in, INPUT_FILE, "/g"), "\0\0", 2);
	input_release(&in);
	run_release(&r);
}

static const struct test tests[] = {
	TEST(masks),   TEST(objects),   TEST(objects_by_name), TEST(strings), TEST(strings_with_limits),
	TEST(lengths), TEST(arguments),
};

TEST_MAIN("apply")
