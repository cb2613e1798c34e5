// "Where to add things" (docs/ARCHITECTURE.md) names every place: this program is built with tables that have one row
// more (dummy/), and with what the added rows name: a strategy, a report, a kind of input. Who reads the tables is
// built again with them; nothing else knows of the dummies.
#include "cli/words.h"
#include "input/sym.h"
#include "made.h"
#include "path/apply.h"
#include "report/report.h"
#include "search/strategy.h"
#include "solver/chain.h"
#include "test.h"

static struct err err;

// --- a search strategy ----------------------------------------------------------------------------

// A stack of eight candidates: the one that was added last comes first.
struct stack {
	struct candidate v[8];
	size_t n;
};

static void *new(const struct strategy_setup *setup, struct paths *paths)
{
	(void)setup;
	(void)paths;
	struct stack *s = test_alloc(sizeof *s);
	s->n = 0;
	return s;
}

static void release(void *own)
{
	(void)own;
}

static void add(void *own, const struct candidate *c)
{
	struct stack *s = own;
	if (s->n < COUNT(s->v))
		s->v[s->n++] = *c;
}

static uint32_t choose(void *own, unsigned slot, struct candidate *ret, uint32_t most, bool *ret_first)
{
	struct stack *s = own;
	(void)slot;
	*ret_first = false;
	if (!s->n || !most)
		return 0;
	*ret = s->v[--s->n];
	return 1;
}

static size_t waiting(const void *own)
{
	return ((const struct stack *)own)->n;
}

extern const struct strategy_class strategy_dummy;
const struct strategy_class strategy_dummy = {
	.new = new, .release = release, .add = add, .choose = choose, .waiting = waiting};

static void a_strategy(void)
{
	enum strategy_kind kind;
	struct candidate c = {0};
	bool first;
	CHECK(strategy_find("dummy", &kind) && kind == STRATEGY_dummy);
	CHECK(strstr(strategy_words(), "chameleon, dummy"));
	struct strategy *s = strategy_new(kind, &(struct strategy_setup){0});
	for (int64_t i = 1; i <= 3; i++) {
		c.input = i;
		strategy_add(s, &c);
	}
	CHECK_INT(3, strategy_waiting(s));
	for (int64_t i = 3; i >= 1; i--) {
		CHECK_INT(1, strategy_choose(s, 0, false, &c, 1, &first));
		CHECK_INT(i, c.input);
	}
	CHECK_INT(0, strategy_choose(s, 0, false, &c, 1, &first));
	strategy_free(s);
}

// --- a report format ------------------------------------------------------------------------------

int report_dummy(const struct report *r, struct buf *out, struct err *e)
{
	(void)e;
	buf_printf(out, "%zu findings", r->n);
	return 0;
}

static void a_report(void)
{
	const struct report_format *f = report_format("dummy");
	struct buf text = {0};
	CHECK(f && f->write == report_dummy && f->needs == NEEDS_FINDINGS);
	CHECK_STR("report.dummy", f->file);
	CHECK(f->write(&(struct report){.n = 7}, &text, &err) == 0);
	CHECK_STR("7 findings", text.data);
	buf_clear(&text);
	report_format_names(&text);
	CHECK(strstr(text.data, "lcov-before, dummy"));
	buf_release(&text);
}

// --- a kind of input ------------------------------------------------------------------------------

static void an_input_is_stored(void)
{
	struct input in = {0}, back = {0};
	struct buf bytes = {0};
	char label[64];
	input_add(&in, INPUT_ARGUMENT, NULL, "prog", 4);
	input_add(&in, INPUT_DUMMY, "one", "first", 5);
	input_add(&in, INPUT_DUMMY, "one", "second", 6);
	input_encode(&in, &bytes);
	CHECK_THAT(input_decode(&back, bytes.data, bytes.len, &err) == 0, "%s", err.text);
	CHECK(input_equal(&in, &back));
	const struct input_source second = input_source(INPUT_DUMMY, INPUT_BYTES, 1, "one");
	CHECK(input_part_of(&back, second) == &back.v[2]);
	input_label(second, label, sizeof label);
	CHECK_STR("one_1", label);
	CHECK_STR("dummy", input_words(INPUT_DUMMY));
	CHECK(sym_check("argv,dummies", &err) == 0);
	CHECK(sym_check("argv,dummy", &err) < 0);
	CHECK_THAT(strstr(err.text, ", dummies, "), "%s", err.text);
	bytes.data[bytes.len / 2] = (char)0xff; // what is damaged is refused or another input, and no fault
	struct input damaged = {0};
	if (input_decode(&damaged, bytes.data, bytes.len, &err) == 0)
		CHECK(!input_equal(&in, &damaged));
	input_release(&damaged);
	input_release(&in);
	input_release(&back);
	buf_release(&bytes);
}

// A run read two of them; a solution for the branch edge that it did not take changes the second and makes it longer.
static void an_input_is_symbolic(void)
{
	struct made made;
	struct input base = {0}, in = {0};
	struct expr_pool pool;
	struct path path;
	struct model model = {0};
	made_init(&made);
	input_add(&base, INPUT_DUMMY, "a", "ab", 2);
	input_add(&base, INPUT_DUMMY, "b", "cd", 2);
	made_input(&made, input_source(INPUT_DUMMY, INPUT_BYTES, 0, "a"), "ab", 2);
	uint32_t b = made_input(&made, input_source(INPUT_DUMMY, INPUT_BYTES, 0, "b"), "cd", 3);
	uint32_t is = made_node(&made, OP_EQ, 1, made_byte(&made, b, 1), made_const(&made, 8, 'X'), 0);
	uint32_t event = made_event(&made, EVENT_BRANCH, is, 0);
	struct trace trace = made_trace(&made);
	expr_pool_init(&pool);
	path_init(&path, &pool, &trace);
	struct solver_env env = {.pool = &pool};
	struct solver *solver = chain_new(&env, "chain");
	struct query q = path_negate(&path, event);
	CHECK(solver_solve(solver, &q, &model) == ANSWER_SAT);
	apply_model(&in, &base, &path, &model);
	const struct input_part *part = input_find(&in, INPUT_DUMMY, "b");
	CHECK(part && part->data.len >= 2 && memcmp(part->data.data, "cX", 2) == 0);
	part = input_find(&in, INPUT_DUMMY, "a");
	CHECK(part && part->data.len == 2 && memcmp(part->data.data, "ab", 2) == 0);
	model_release(&model);
	solver_free(solver);
	path_release(&path);
	expr_pool_release(&pool);
	input_release(&base);
	input_release(&in);
}

// --- help -----------------------------------------------------------------------------------------

static void check_help(const char *option, const char *names)
{
	const struct option_spec o = {.name = option, .help = "one of {} (default none)"};
	char *text = words_help(&o), *words = NULL;
	bool list = true;
	CHECK_THAT(strstr(text, names), "%s", text);
	CHECK_THAT(strncmp(text, "one of ", 7) == 0 && strstr(text, " (default none)"), "%s", text);
	CHECK(words_of_option(option, &words, &list) && strstr(words, "dummy"));
	CHECK(!list);
	mem_free(words);
	mem_free(text);
}

static void help_names_them(void)
{
	check_help("search", "round-robin, chameleon, dummy (");
	check_help("format", "lcov-before, dummy, ");
	char *words, *plain = words_help(&(struct option_spec){.name = "search", .help = "no gap"});
	bool list;
	CHECK_STR("no gap", plain);
	CHECK(!words_of_option("output", &words, &list));
	mem_free(plain);
	words = words_listed("as");
	CHECK_THAT(strstr(words, "sh, c, test-comp"), "%s", words);
	mem_free(words);
}

static const struct test tests[] = {
	TEST(a_strategy), TEST(a_report), TEST(an_input_is_stored), TEST(an_input_is_symbolic), TEST(help_names_them),
};
TEST_MAIN("places")
