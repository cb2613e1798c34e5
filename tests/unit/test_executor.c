// The executor: a program started once as a fork server in each kind of sandbox, its runs and how they end, and what
// becomes of a server that is lost. The program is tests/programs/endings.c, compiled by this build's veer-cc.
#include "execute/executor.h"
#include "execute/server.h"
#include "execute/waiting.h"
#include "worker_dirs.h"

static struct cache cache;
// Of the build under test: when this program has sanitizers, tests/run names the one without.
static struct toolchain tools = {.clang = (char *)CLANG, .id = {1, 1}, .link_id = {1, 1}};
static struct builder builder = {.variant = "explored", .cache = &cache, .tools = &tools};
static char *program;

static struct run_result run_word(struct executor *e, const char *word, unsigned milliseconds)
{
	struct run_result r;
	struct input in = {0};
	struct err err;
	input_add(&in, INPUT_ARGUMENT, NULL, "endings", 7);
	input_add(&in, INPUT_ARGUMENT, NULL, word, strlen(word));
	CHECK_THAT(executor_run(e, &in, milliseconds, &r, &err) == 0, "%s: %s (%s, user %d)", word, err.text,
	           sandbox_names[here->mode], (int)geteuid());
	input_release(&in);
	return r;
}

enum { LONG = 20000, SHORT = 200 }; // milliseconds

static void check_end(struct executor *e, const char *word, enum run_end end, int code)
{
	struct run_result r = run_word(e, word, LONG);
	CHECK_THAT(r.end == end && r.code == code && !r.server_died, "%s: end %d, code %d, died %d", word, (int)r.end,
	           r.code, r.server_died);
}

static void begin(struct executor *e, struct setting *t, const struct builder *b)
{
	struct err err;
	const struct executor_setup setup = {.builder = b,
	                                     .target = {.program = program},
	                                     .sandbox = &t->s,
	                                     .want_trace = b == &builder,
	                                     .want_cover = b == &builder,
	                                     .trace_nodes = 1 << 16};
	CHECK_THAT(executor_start(e, &setup, &err) == 0, "%s", err.text);
}

// --- how runs end -------------------------------------------------------------------------------------

static void check_endings(struct executor *e)
{
	check_end(e, "z", RUN_EXITED, 3);
	check_end(e, "xA", RUN_EXITED, 65);
	check_end(e, "s", RUN_SIGNAL, SIGSEGV);
	check_end(e, "a", RUN_SIGNAL, SIGABRT);
	check_end(e, "i", RUN_SIGNAL, SIGTERM);
	CHECK_INT(RUN_TIMEOUT, run_word(e, "t", SHORT).end);
	CHECK_INT(RUN_OUTPUT, run_word(e, "f", LONG).end);
	check_end(e, "d", RUN_EXITED, 9); // the process that it leaves does not live on
	check_end(e, "z", RUN_EXITED, 3);
}

static void in_server(struct setting *t)
{
	struct executor e;
	begin(&e, t, &builder);
	pid_t server = e.server.pid;
	CHECK(server > 0 && wait_is_alive(server, e.server.ticket));
	check_endings(&e);
	CHECK_INT(server, e.server.pid); // one for all of them
	bool covered = false;
	for (uint64_t i = 0; i < e.cover_size && !covered; i++)
		covered = e.cover[i] != 0;
	CHECK(covered);
	executor_stop(&e);
	CHECK(e.server.pid == -1 && !e.launch);
}

static void natively(struct setting *t)
{
	const struct builder native = {.cache = &cache, .tools = &tools};
	struct executor e;
	begin(&e, t, &native);
	check_endings(&e);
	CHECK_INT(-1, e.server.pid);
	executor_stop(&e);
}

// --- a lost server --------------------------------------------------------------------------------------

static void lose_between(struct setting *t)
{
	struct executor e;
	begin(&e, t, &builder);
	for (int i = 0; i < 2; i++) { // also one that replaced another
		pid_t lost = e.server.pid;
		check_end(&e, "z", RUN_EXITED, 3);
		CHECK(kill(lost, SIGKILL) == 0);
		struct run_result r = run_word(&e, "xA", LONG);
		CHECK(r.server_died && r.end == RUN_EXITED && r.code == 65);
		CHECK(e.server.pid > 0 && e.server.pid != lost && t->s.n_keep == 1 && t->s.keep[0] == e.server.pid);
	}
	check_end(&e, "z", RUN_EXITED, 3); // said once
	executor_stop(&e);
	CHECK_INT(0, t->s.n_keep);
}

// A run that kills all it can see: its own server, where that is to be seen.
static void lose_within(struct setting *t)
{
	struct executor e;
	begin(&e, t, &builder);
	struct run_result r = run_word(&e, "k", LONG);
	CHECK(r.end == RUN_EXITED && r.code == 8);
	bool lost = r.server_died;
	r = run_word(&e, "z", LONG);
	CHECK(r.end == RUN_EXITED && r.code == 3);
	CHECK_INT(t->mode == SANDBOX_NAMESPACES, lost || r.server_died);
	check_end(&e, "s", RUN_SIGNAL, SIGSEGV);
	executor_stop(&e);
}

static void refuse(struct setting *t)
{
	struct executor e;
	struct err err;
	const struct builder sanitized = {.variant = "sanitized", .cache = &cache, .tools = &tools};
	const struct executor_setup entered = {
		.builder = &builder, .target = {.program = program, .entry = "main"}, .sandbox = &t->s};
	CHECK_INT(-1, executor_start(&e, &entered, &err));
	CHECK(strstr(err.text, "its explored variant begins with main"));
	const struct executor_setup unbuilt = {.builder = &sanitized, .target = {.program = program}, .sandbox = &t->s};
	CHECK_INT(-1, executor_start(&e, &unbuilt, &err)); // it is not in the cache, and nobody builds here
	CHECK(e.server.pid == -1 && e.output_fd == -1);
}

// --- the tests --------------------------------------------------------------------------------------------

// Compiles the program and builds its variant, which every user may read.
static void with_program(void (*scenario)(struct setting *))
{
	static const struct sandbox_limits limits = {.output = 1 << 16};
	struct err err;
	const char *build = getenv("VEER_BUILD");
	tools.folder = test_printf("%s", build ? build : BUILD_FOLDER);
	tools.worker = test_printf("%s/veer-instrument", tools.folder);
	program = test_path("endings");
	const char *const compile[] = {
		test_printf("%s/veer-cc", tools.folder), "-w", "-g", PROGRAM, "-o", program, NULL};
	struct bytes said;
	CHECK_THAT(test_run(compile, &said) == 0, "%s", (char *)said.data);
	CHECK(setenv("VEER_CACHE_DIR", test_path("cache"), 1) == 0);
	CHECK_THAT(cache_open(&cache, &err) == 0, "%s", err.text);
	const struct server_build how = {0};
	CHECK_THAT(server_build(&builder, program, &how, &err) == 0, "%s", err.text);
	const char *const share[] = {"/bin/chmod", "-R", "a+rX", test_path("cache"), NULL};
	CHECK_INT(0, test_run(share, NULL));
	everywhere(scenario, &limits);
	cache_close(&cache);
}

static void ends_in_server(void)
{
	with_program(in_server);
}

static void ends_natively(void)
{
	with_program(natively);
}

static void lost_between_runs(void)
{
	with_program(lose_between);
}

static void lost_in_a_run(void)
{
	with_program(lose_within);
}

static void refused(void)
{
	with_program(refuse);
}

static const struct test tests[] = {
	TEST(ends_in_server), TEST(ends_natively), TEST(lost_between_runs), TEST(lost_in_a_run), TEST(refused),
};
TEST_MAIN("executor")
