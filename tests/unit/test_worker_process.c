// The process of a worker, over its real socket, in each kind of sandbox: jobs in, results out, until the coordinator
// is gone, a message is none, or a job is more than the worker can do. What it runs is a script, natively; its oracle,
// which runs inside the worker, is this test's own.
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "test.h"
#include "worker/client.h"

// Standard input says what becomes of the worker: "die", "cannot", "wait", or what the script finds in it.
static bool is(const struct input *in, const char *word)
{
	const struct input_part *p = input_find(in, INPUT_STDIN, NULL);
	return p && p->data.len == strlen(word) && memcmp(p->data.data, word, p->data.len) == 0;
}

static char *daemons_number; // a file; where the worker can write it

// A process that is nobody's child any more.
static void leave_daemon(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		setsid();
		pid = fork();
		if (pid > 0)
			test_write_text(daemons_number, test_printf("%d", (int)pid));
		if (pid == 0)
			pause();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static int ask(const struct oracle_case *c, const struct input *in, struct verdicts *ret, struct err *err)
{
	struct run_result run;
	*ret = (struct verdicts){0};
	if (is(in, "die"))
		_exit(9); // process 1 of a namespace does not die of its own signal
	if (is(in, "cannot"))
		return err_set(err, "the oracle cannot");
	if (is(in, "wait"))
		usleep(300000);
	if (is(in, "daemon")) {
		leave_daemon();
		usleep(5000000); // it does not end by itself
	}
	struct executor *native = executors_get(c->executors, c->target, "native", err);
	if (!native || executor_run(native, in, c->milliseconds, &run, err) < 0)
		return -1;
	if (run.end == RUN_EXITED && run.code)
		verdicts_add(ret, LEVEL_ERROR, "found", mem_printf("f script:%d\n", run.code), NULL);
	return 0;
}

static const struct oracle oracle = {.name = "script", .run = ask};

// --- a worker ---------------------------------------------------------------------------------------

static const struct builder builder;
static struct worker_program programs[1];
static struct worker_setup setup;
static unsigned folders;

static struct worker begin(void)
{
	struct worker w;
	struct err err;
	char *folder = test_path(test_printf("worker%u", folders++));
	CHECK(mkdir(folder, 0755) == 0);
	CHECK_THAT(worker_start(&w, &setup, folder, &err) == 0, "%s", err.text);
	return w;
}

static struct job job_of(uint64_t id, const char *text)
{
	struct job j = {.id = id, .flags = JOB_ORACLE};
	input_add(&j.input, INPUT_ARGUMENT, NULL, "script", 6);
	input_add(&j.input, INPUT_STDIN, NULL, text, strlen(text));
	return j;
}

static void give(const struct worker *w, uint64_t id, const char *text)
{
	struct job j = job_of(id, text);
	struct err err;
	CHECK_THAT(job_send(w->fd, &j, &err) == 0, "%s", err.text);
	job_release(&j);
}

// The next result is of that job, and its verdict has that line of the script; 0: there is none.
static void take(const struct worker *w, uint64_t id, unsigned line)
{
	struct result r;
	struct err err;
	CHECK_THAT(result_receive(w->fd, &r, &err) == 0, "%s", err.text);
	CHECK_THAT(!r.failed, "%s", r.failed);
	CHECK_INT(id, r.id);
	CHECK_INT(line ? 1 : 0, r.n_verdicts);
	if (line) {
		const struct result_verdict *v = &r.verdicts[0];
		CHECK(strcmp(v->verdict.kind, "found") == 0 && v->verdict.line == line && v->changed == -1);
		CHECK(input_find(&v->input, INPUT_STDIN, NULL));
	}
	CHECK(r.us_oracle > 0 && r.n_answers == 0 && r.n_reported == 0);
	result_release(&r);
}

// The worker tells why it cannot go on, and ends.
static void take_failure(const struct worker *w, const char *why)
{
	struct result r;
	struct err err;
	CHECK_THAT(result_receive(w->fd, &r, &err) == 0, "%s", err.text);
	CHECK_STR(why, r.failed);
	result_release(&r);
	CHECK(result_receive(w->fd, &r, &err) < 0);
	CHECK(strncmp(err.text, "a worker is gone", 16) == 0);
}

// Waits until it has ended by itself; its exit status, or 128 + signal.
static int end_of(struct worker *w)
{
	int status = -1;
	alarm(20); // one that does not end ends this test
	CHECK(waitpid(w->pid, &status, 0) == w->pid);
	alarm(0);
	w->pid = -1;
	worker_stop(w);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// --- jobs in, results out ---------------------------------------------------------------------------

static void jobs(void)
{
	struct worker w = begin();
	for (uint64_t id = 1; id <= 6; id++) // all of them before the first result is read
		give(&w, id, id % 3 == 0 ? "an x here" : id % 3 == 1 ? "nothing" : "a y here");
	for (uint64_t id = 1; id <= 6; id++)
		take(&w, id, id % 3 == 0 ? 3 : id % 3 == 1 ? 0 : 4);
	struct job nothing = {.id = 7};
	struct result r;
	struct err err;
	CHECK(job_send(w.fd, &nothing, &err) == 0 && result_receive(w.fd, &r, &err) == 0);
	CHECK(r.id == 7 && !r.failed && !r.n_verdicts && r.care == -1 && r.care_of == -1);
	result_release(&r);
	give(&w, 8, "x again");
	take(&w, 8, 3);
	CHECK(waitpid(w.pid, NULL, WNOHANG) == 0);
	worker_stop(&w);
	CHECK(w.pid == -1 && w.fd == -1 && access(test_path("worker0"), F_OK) < 0);
}

// --- the coordinator is gone ------------------------------------------------------------------------

static void close_end(struct worker *w)
{
	close(w->fd);
	w->fd = -1;
}

static void lost_coordinator(void)
{
	struct worker idle = begin();
	give(&idle, 1, "nothing");
	take(&idle, 1, 0);
	close_end(&idle);
	CHECK_INT(0, end_of(&idle));
	struct worker busy = begin();
	give(&busy, 1, "wait"); // it finds out when it sends its result
	close_end(&busy);
	CHECK_INT(0, end_of(&busy));
	struct worker unread = begin();
	for (uint64_t id = 1; id <= 3; id++)
		give(&unread, id, "x");
	struct pollfd answered = {.fd = unread.fd, .events = POLLIN};
	CHECK(poll(&answered, 1, 20000) == 1);
	close_end(&unread);
	CHECK_INT(0, end_of(&unread));
}

// Without a pid namespace, what is left is for the guard to end, which may not get to it for a while: it is not killed
// as a worker is that does not end.
static void late_guard(void)
{
	if (setup.mode != SANDBOX_LANDLOCK)
		return;
	daemons_number = test_path("daemon");
	struct worker w = begin();
	give(&w, 1, "daemon");
	for (int i = 0; i < 400 && access(daemons_number, F_OK) < 0; i++)
		usleep(10000);
	usleep(20000);
	pid_t daemon = atoi((char *)test_read(daemons_number).data);
	CHECK(daemon > 1 && kill(daemon, 0) == 0);
	pid_t helper = fork();
	if (helper == 0) {
		kill(w.pid, SIGSTOP);
		usleep(800000);
		kill(w.pid, SIGCONT);
		_exit(0);
	}
	usleep(50000);
	worker_stop(&w);
	bool left = kill(daemon, 0) == 0;
	if (left)
		kill(daemon, SIGKILL);
	CHECK(!left);
	CHECK(waitpid(helper, NULL, 0) == helper);
}

// --- messages that are none -------------------------------------------------------------------------

static void send_bytes(const struct worker *w, const void *data, size_t size)
{
	CHECK(send(w->fd, data, size, MSG_NOSIGNAL) == (ssize_t)size);
}

// A job as it goes over the socket: its size, then its bytes.
static struct bytes encoded(const char *text)
{
	struct job j = job_of(1, text);
	struct buf b = {0}, whole = {0};
	message_encode(&job_table, &j, &b);
	buf_u32(&whole, (uint32_t)b.len);
	buf_add(&whole, b.data, b.len);
	struct bytes r = test_bytes(whole.data, whole.len);
	buf_release(&b);
	buf_release(&whole);
	job_release(&j);
	return r;
}

static void nonsense(void)
{
	static const unsigned char huge[] = {255, 255, 255, 255, 1, 2, 3}, empty[] = {0, 0, 0, 0},
				   few[] = {3, 0, 0, 0, 1, 2, 3};
	struct bytes whole = encoded("x"), longer = encoded("x");
	longer.data[0]++; // the size that it has, and a byte behind its end
	struct {
		const void *data;
		size_t size;
	} cases[] = {{huge, sizeof huge}, {empty, sizeof empty}, {few, sizeof few}, {longer.data, longer.size + 1}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct worker w = begin();
		send_bytes(&w, cases[i].data, cases[i].size);
		take_failure(&w, i ? "the coordinator sent a malformed job" : "a worker sent a malformed message");
		CHECK_INT(1, end_of(&w));
	}
	struct worker w = begin(); // the coordinator dies in the middle of a job
	send_bytes(&w, whole.data, whole.size);
	take(&w, 1, 3);
	send_bytes(&w, whole.data, whole.size - 1);
	close_end(&w);
	CHECK_INT(1, end_of(&w));
}

// Whatever is changed in a job: the worker does what the job says then, says that it cannot, or ends; it never hangs,
// and no signal ends it.
static void changed(void)
{
	struct worker w = begin();
	for (unsigned i = 0; i < test_times(40); i++) {
		struct bytes b = encoded("an x here");
		struct result r;
		struct err err;
		test_mutate(b.data, 4, b.size);
		send_bytes(&w, b.data, b.size);
		bool answered = result_receive(w.fd, &r, &err) == 0, failed = !answered || r.failed;
		if (answered)
			result_release(&r);
		if (!failed)
			continue;
		int status = end_of(&w);
		CHECK_THAT(status <= 1, "%d", status);
		w = begin();
	}
	worker_stop(&w);
}

// --- jobs that it cannot do -------------------------------------------------------------------------

static void cannot(void)
{
	struct job bad[] = {{.id = 1, .program = 1}, {.id = 1, .snapshot = 5}, {.id = 1}};
	static const char *const why[] = {"the coordinator sent a malformed job", "a recorded test is damaged", NULL};
	buf_addstr(&bad[1].around, "no snapshot");
	buf_addstr(&bad[2].windows, "no windows");
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct worker w = begin();
		struct result r;
		struct err err;
		CHECK(job_send(w.fd, &bad[i], &err) == 0 && result_receive(w.fd, &r, &err) == 0);
		CHECK(r.failed && *r.failed);
		if (why[i])
			CHECK_STR(why[i], r.failed);
		result_release(&r);
		CHECK_INT(1, end_of(&w));
		job_release(&bad[i]);
	}
	struct worker w = begin();
	give(&w, 1, "cannot");
	take_failure(&w, "the oracle cannot");
	CHECK_INT(1, end_of(&w));
}

// --- a worker that a job was too much for -----------------------------------------------------------

static void replaced(void)
{
	struct client c;
	struct result r;
	struct err err;
	char *folder = test_path(test_printf("workers of %s", sandbox_names[setup.mode]));
	CHECK(mkdir(folder, 0755) == 0);
	client_init(&c, &setup, folder);
	static const char *const texts[] = {"x", "die", "x", "cannot", "y"};
	static const int expected[] = {1, -1, 1, -1, 1};
	static const char *const why[] = {NULL, "a worker is gone", NULL, "the oracle cannot", NULL};
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct job j = job_of(99, texts[i]);
		int answered = client_call(&c, &j, &r, &err);
		CHECK_THAT((answered == 0) == (expected[i] > 0), "%s", texts[i]);
		if (answered < 0)
			CHECK(strncmp(err.text, why[i], strlen(why[i])) == 0);
		else
			CHECK(r.id == i + 1 && r.n_verdicts == 1);
		if (answered == 0)
			result_release(&r);
		job_release(&j);
	}
	CHECK_INT(3, c.n_workers);
	client_stop(&c);
}

// --- in each kind of sandbox ------------------------------------------------------------------------

static int play(void *opaque)
{
	((void (*)(void))opaque)();
	return 0;
}

static void everywhere(void (*scenario)(void))
{
	static const char script[] = "#!/bin/sh\ntext=$(cat)\n"
				     "case $text in *x*) exit 3;; *y*) exit 4;; esac\n";
	char *program = test_path("script");
	test_write_text(program, script);
	CHECK(chmod(program, 0755) == 0 && mkdir(test_path("cwd"), 0755) == 0);
	programs[0] = (struct worker_program){.target = {.program = program}};
	for (enum sandbox_mode mode = SANDBOX_NAMESPACES; mode < SANDBOX_MODES; mode++) {
		if (!sandbox_works(mode, NULL)) {
			printf("skip worker_process %s\n", sandbox_names[mode]);
			continue;
		}
		setup = (struct worker_setup){.builder = &builder,
		                              .traced = "native",
		                              .oracle = &oracle,
		                              .programs = programs,
		                              .n_programs = 1,
		                              .mode = mode,
		                              .cwd = test_path("cwd"),
		                              .milliseconds = 20000,
		                              .decisions = 100};
		folders = 0;
		test_child(play, scenario, 0);
	}
}

static void test_late_guard(void)
{
	everywhere(late_guard);
}

static void test_jobs(void)
{
	everywhere(jobs);
}

static void test_lost_coordinator(void)
{
	everywhere(lost_coordinator);
}

static void test_nonsense(void)
{
	everywhere(nonsense);
}

static void test_changed(void)
{
	everywhere(changed);
}

static void test_cannot(void)
{
	everywhere(cannot);
}

static void test_replaced(void)
{
	everywhere(replaced);
}

static const struct test tests[] = {TEST(test_jobs),      TEST(test_lost_coordinator), TEST(test_nonsense),
                                    TEST(test_changed),   TEST(test_cannot),           TEST(test_replaced),
                                    TEST(test_late_guard)};
TEST_MAIN("worker_process")
