// A session of a command that the test makes up, with workers that are made up, too: opened, run, killed, continued,
// and what it leaves for others.
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "explore/driver.h"
#include "explore/search_driver.h"
#include "fake_worker.h"
#include "session/settings.h"
#include "test.h"

static const char folder[] = "campaign"; // test_path of it

// What a test sets up; closed by finish.
static struct {
	struct err err;
	struct session session;
	struct session_setup setup;
	struct choice choice;
	struct input seed;
	struct search_setup search;
	struct campaign c;
	unsigned bugs, known, progressed, stored;
	volatile sig_atomic_t stop;
} s;

static const struct choice_options no_options = {0};

static void complain(const char *path, const char *why)
{
	CHECK_THAT(false, "%s: %s", path, why);
}

static void bug(struct session *session, const struct bug *b)
{
	CHECK(session == &s.session && session->setup->opaque == &s);
	CHECK_STR("segv", b->finding->kind);
	s.bugs += b->event == BUG_NEW;
	s.known += b->event == BUG_AGAIN;
}

static void progress(struct session *session, const struct campaign *c)
{
	(void)session, (void)c;
	s.progressed++;
}

// Something that only this command has.
static int store(struct session *session, const struct campaign *c, struct err *err)
{
	(void)c;
	s.stored++;
	return setting_set_number(session->store, SETTING_distance, 7, err);
}

static void set_up(const char *seed, char *const *argv)
{
	memset(&s, 0, sizeof s);
	CHECK_INT(0, setenv("VEER_CACHE_DIR", test_path("cache"), 1));
	fake_program = (struct fake_program){.branches = (unsigned)strlen(seed), .log = fake_log_new()};
	CHECK(fake_program.log);
	CHECK_INT(0, choice_init(&s.choice, &no_options, &s.err));
	input_add(&s.seed, INPUT_STDIN, NULL, seed, strlen(seed));
	s.search = (struct search_setup){
		.strategy = {.kind = STRATEGY_generational, .random = 1}, .seeds = &s.seed, .n_seeds = 1};
	s.setup = (struct session_setup){.command = "dummy",
	                                 .output = test_path(folder),
	                                 .argv = argv,
	                                 .sym = "stdin",
	                                 .profile = PROFILE_search,
	                                 .jobs = 1,
	                                 .timeout = 150,
	                                 .memory = 64,
	                                 .deterministic = true,
	                                 .stop = &s.stop,
	                                 .choice = &s.choice,
	                                 .complain = complain,
	                                 .progress = progress,
	                                 .bug = bug,
	                                 .store = store,
	                                 .opaque = &s,
	                                 .worker_start = fake_worker_start};
}

static char *const argv_of_p[] = {"p", "@@", NULL};

static int open_session(bool create)
{
	CHECK_INT(0, session_begin(&s.session, &s.setup, &s.err));
	programs_add(&s.session.programs, "/p", 0);
	return session_open(&s.session, create, &s.err);
}

// One from the beginning to the end.
static int run_session(void)
{
	int r = open_session(true);
	if (r == 0)
		r = session_run(&s.session, &driver_search, &s.search, &s.c, &s.err);
	buf_release(&s.c.search);
	session_close(&s.session);
	return r;
}

#define RUN() CHECK_THAT(run_session() == 0, "%s", s.err.text)

static void finish(void)
{
	input_release(&s.seed);
	choice_release(&s.choice);
	fake_log_free(fake_program.log);
}

static const char *results(void)
{
	return (const char *)test_read(test_path("campaign/results.json")).data;
}

#define CHECK_RESULTS(text) CHECK_THAT(strstr(results(), text), "%s", results())

// --- tests ----------------------------------------------------------------------------------------

static void runs_and_writes_results(void)
{
	set_up("0000", argv_of_p);
	fake_program.crash = "0110";
	RUN();
	CHECK(s.c.complete);
	CHECK_INT(16, s.c.counts.runs);
	CHECK_INT(1, s.bugs);
	CHECK_INT(1, s.stored);
	CHECK_RESULTS("\"command\": \"dummy\", \"programs\": 1, \"seeds\": 1, \"runs\": 16,");
	CHECK_RESULTS("\"findings\": [\n  {\"id\": \"F1\", \"kind\": \"segv\"");
	struct stat st;
	CHECK_INT(0, stat(test_path("campaign/findings/F1/reproduce.sh"), &st));
	finish();
}

// What of the command line is stored with the campaign, for whoever runs its inputs again.
static void settings_are_stored(void)
{
	set_up("00", argv_of_p);
	RUN();
	struct store *reader = store_open_read(test_path(folder), &s.err);
	struct buf words = {0};
	CHECK(reader && setting_get(reader, SETTING_argv, &words));
	CHECK(words.len == 5 && memcmp(words.data, "p\0@@", 5) == 0);
	buf_release(&words);
	static const struct {
		enum setting which;
		const char *text;
	} expected[] = {{SETTING_program, "/p"}, {SETTING_sym, "stdin"}, {SETTING_command, "dummy"}};
	for (size_t i = 0; i < COUNT(expected); i++) {
		char *text = setting_text(reader, expected[i].which);
		CHECK_STR(expected[i].text, text);
		mem_free(text);
	}
	CHECK_INT(300, setting_number(reader, SETTING_hang_ms));
	CHECK_INT(7, setting_number(reader, SETTING_distance));
	CHECK_INT(-1, setting_number(reader, SETTING_search_seconds)); // is not set
	char *cwd = settings_folder(reader), *here = getcwd(NULL, 0);
	CHECK_STR(here, cwd);
	free(here);
	mem_free(cwd);
	store_close(reader);
	finish();
}

static void ends_at_its_budget_and_resumes(void)
{
	set_up("00000", argv_of_p);
	fake_program.crash = "00110";
	s.setup.runs = 20;
	RUN();
	CHECK(!s.c.complete);
	CHECK_INT(20, s.c.counts.runs);
	CHECK_RESULTS("\"runs\": 20,");
	s.setup.runs = 0;
	RUN();
	CHECK(s.c.complete && !s.c.first_session);
	CHECK_INT(12, s.c.counts.runs);
	CHECK_INT(1, s.bugs); // of both sessions together
	CHECK_RESULTS("\"runs\": 32,");
	finish();
}

static void die_late(struct session *session, const struct campaign *c)
{
	(void)session;
	if (c->elapsed > 1.6) // a commit comes every second
		raise(SIGKILL);
}

// Nothing that was committed is done again, nothing else is lost.
static void killed_and_resumed(void)
{
	set_up("00000000", argv_of_p);
	fake_program.job_us = 20000;
	s.setup.progress = die_late;
	pid_t pid = fork();
	if (pid == 0) {
		int r = run_session();
		_exit(r == 0 ? 0 : 1);
	}
	int status;
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	struct store *reader = store_open_read(test_path(folder), &s.err);
	CHECK(reader);
	int64_t committed = store_counter(reader, "runs");
	char *sym = setting_text(reader, SETTING_sym); // is there from the beginning
	CHECK_STR("stdin", sym);
	mem_free(sym);
	store_close(reader);
	CHECK_THAT(committed > 0 && committed < 256, "%lld runs", (long long)committed);
	fake_program.job_us = 0;
	s.setup.progress = progress;
	RUN();
	CHECK(s.c.complete && !s.c.first_session);
	CHECK_INT(256 - committed, s.c.counts.runs);
	CHECK_RESULTS("\"runs\": 256,");
	finish();
}

// A finding of an earlier session whose folder is missing gets one; one that is reproduced is reported as known.
static void earlier_findings(void)
{
	set_up("000", argv_of_p);
	fake_program.crash = "010";
	RUN();
	const char *remove[] = {"rm", "-r", test_path("campaign/findings/F1"), NULL};
	CHECK_INT(0, test_run(remove, NULL));
	RUN();
	struct stat st;
	CHECK_INT(0, stat(test_path("campaign/findings/F1/report.txt"), &st));
	CHECK_INT(1, s.bugs);
	CHECK_INT(0, open_session(false));
	CHECK_INT(0, bugs_count_before(&s.session.bugs, &s.err));
	CHECK_INT(1, s.session.bugs.errors);
	CHECK_INT(0, session_report_known(&s.session, 0, true, &s.err)); // no such key
	CHECK_INT(0, s.known);
	session_close(&s.session);
	finish();
}

// --- what does not work ---------------------------------------------------------------------------

static void another_command_line(void)
{
	static char *const other[] = {"p", "x", NULL};
	set_up("00", argv_of_p);
	RUN();
	s.setup.argv = other;
	CHECK_INT(-1, run_session());
	CHECK(strstr(s.err.text, "has a campaign of another command"));
	finish();
}

static void there_is_no_campaign(void)
{
	set_up("00", NULL);
	CHECK_INT(-1, open_session(false));
	session_close(&s.session);
	finish();
}

// Another process has the lock.
static void two_sessions_at_once(void)
{
	int pipes[2];
	char byte;
	set_up("00", argv_of_p);
	CHECK_INT(0, pipe(pipes));
	pid_t pid = fork();
	if (pid == 0) {
		int r = open_session(true);
		ssize_t n = write(pipes[1], r == 0 ? "+" : "-", 1);
		(void)n;
		for (;;)
			pause();
	}
	CHECK_INT(1, read(pipes[0], &byte, 1));
	int r = open_session(true);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(pipes[0]);
	close(pipes[1]);
	session_close(&s.session);
	CHECK(byte == '+');
	CHECK_INT(-1, r);
	CHECK_THAT(strstr(s.err.text, test_path(folder)), "%s", s.err.text);
	finish();
}

// The workers cannot work: the results of what was there are written nevertheless.
static void results_of_a_failed_session(void)
{
	set_up("00", argv_of_p);
	fake_program.failed = "no sandbox today";
	CHECK_INT(-1, run_session());
	CHECK_STR("no sandbox today", s.err.text);
	CHECK_RESULTS("\"command\": \"dummy\"");
	finish();
}

static const struct test tests[] = {
	TEST(runs_and_writes_results), TEST(settings_are_stored),  TEST(ends_at_its_budget_and_resumes),
	TEST(killed_and_resumed),      TEST(earlier_findings),     TEST(another_command_line),
	TEST(there_is_no_campaign),    TEST(two_sessions_at_once), TEST(results_of_a_failed_session),
};

TEST_MAIN("session")
