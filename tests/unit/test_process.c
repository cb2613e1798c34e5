#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "test.h"

static pid_t start_shell(const char *script, const char *cwd, int in, int out, int errors)
{
	struct err err;
	char *const argv[] = {"sh", "-c", (char *)script, NULL};
	pid_t pid = process_start(argv, cwd, in, out, errors, &err);
	CHECK_THAT(pid > 0, "%s", err.text);
	return pid;
}

static void exit_status(void)
{
	for (int status = 0; status < 256; status += 15) {
		int signal = 1;
		pid_t pid = start_shell(test_printf("exit %d", status), NULL, -1, -1, -1);
		CHECK_INT(status, process_wait(pid, &signal));
		CHECK_INT(0, signal);
	}
	CHECK_INT(7, process_wait(start_shell("exit 7", NULL, -1, -1, -1), NULL));
}

static void signal_status(void)
{
	static const int signals[] = {SIGTERM, SIGKILL, SIGSEGV, SIGABRT};
	for (size_t i = 0; i < COUNT(signals); i++) {
		int signal = 0;
		pid_t pid = start_shell(test_printf("ulimit -c 0; kill -%d $$", signals[i]), NULL, -1, -1, -1);
		CHECK_INT(128 + signals[i], process_wait(pid, &signal));
		CHECK_INT(signals[i], signal);
	}
	// An exit status that looks like a signal's is none.
	int signal = 1;
	CHECK_INT(139, process_wait(start_shell("exit 139", NULL, -1, -1, -1), &signal));
	CHECK_INT(0, signal);
}

static void descriptors(void)
{
	test_write_text(test_path("in"), "what is read\n");
	int in = open(test_path("in"), O_RDONLY | O_CLOEXEC);
	int out = open(test_path("out"), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	int errors = open(test_path("errors"), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	CHECK(in > 2 && out > 2 && errors > 2);
	char *script = test_printf(
		"cat; echo complaint >&2; cd /proc/self/fd; for n in %d %d %d; do [ ! -e $n ] || echo $n; done", in,
		out, errors); // they are closed again behind the copies
	CHECK_INT(0, process_wait(start_shell(script, NULL, in, out, errors), NULL));
	CHECK_STR("what is read\n", (char *)test_read(test_path("out")).data);
	CHECK_STR("complaint\n", (char *)test_read(test_path("errors")).data);
	// The same descriptor for both.
	CHECK_INT(0, process_wait(start_shell("echo a; echo b >&2", NULL, -1, out, out), NULL));
	CHECK_STR("what is read\na\nb\n", (char *)test_read(test_path("out")).data);
	close(in);
	close(out);
	close(errors);
}

static void folder(void)
{
	int out = open(test_path("out"), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	CHECK_INT(0, process_wait(start_shell("pwd -P", test_folder(), -1, out, -1), NULL));
	CHECK_STR(test_printf("%s\n", test_folder()), (char *)test_read(test_path("out")).data);
	// A folder that is gone is no reason not to start.
	CHECK_INT(3, process_wait(start_shell("exit 3", test_path("gone"), -1, -1, -1), NULL));
	close(out);
}

static int no_children_left(void)
{
	return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

static void cannot_execute(void)
{
	struct err err = {""};
	char *const missing[] = {"/no/such/program", "x", NULL};
	CHECK_INT(-1, process_start(missing, NULL, -1, -1, -1, &err));
	CHECK_STR("cannot run /no/such/program: No such file or directory", err.text);
	char *const not_in_path[] = {"no-such-program-of-veer", NULL};
	CHECK_INT(-1, process_start(not_in_path, NULL, -1, -1, -1, &err));
	CHECK(strstr(err.text, "cannot run no-such-program-of-veer: "));
	test_write_text(test_path("text"), "not a program");
	char *const plain[] = {test_path("text"), NULL};
	CHECK_INT(-1, process_start(plain, NULL, -1, -1, -1, &err));
	CHECK(strstr(err.text, "Permission denied"));
	CHECK_INT(-1, process_start(plain, NULL, -1, -1, -1, NULL)); // *err is optional
	CHECK(no_children_left());
}

static void failures_leak_no_descriptors(void)
{
	int before = dup(0);
	close(before);
	char *const missing[] = {"/no/such/program", NULL};
	for (int i = 0; i < 20; i++)
		process_start(missing, NULL, -1, -1, -1, NULL);
	process_wait(start_shell(":", NULL, -1, -1, -1), NULL);
	int after = dup(0);
	close(after);
	CHECK_INT(before, after);
}

// A daemon may start us with nothing on 0, 1 and 2.
static int run_without_standard_descriptors(void *opaque)
{
	int out = open(test_path("out"), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	CHECK(out > 2);
	int said = dup(1);
	close(0);
	close(1);
	struct err err;
	char *const missing[] = {"/no/such/program", NULL};
	pid_t failed = process_start(missing, NULL, -1, out, -1, &err);
	char *const shell[] = {"sh", "-c", "echo here", NULL};
	pid_t pid = process_start(shell, NULL, -1, out, -1, &err);
	int status = pid > 0 ? process_wait(pid, NULL) : -1;
	dup2(said, 1);
	CHECK_INT(-1, failed);
	CHECK_INT(0, status);
	CHECK_STR("here\n", (char *)test_read(test_path("out")).data);
	return 0;
}

static void without_standard_descriptors(void)
{
	test_child(run_without_standard_descriptors, NULL, 0);
}

static void ignore(int signal)
{
	(void)signal;
}

static void waits_on_when_interrupted(void)
{
	struct sigaction action = {.sa_handler = ignore}, old; // no SA_RESTART
	sigaction(SIGUSR1, &action, &old);
	pid_t pid = start_shell(
		test_printf("for i in 1 2 3 4 5; do kill -USR1 %d; sleep 0.01; done; exit 9", (int)getpid()), NULL, -1,
		-1, -1);
	CHECK_INT(9, process_wait(pid, NULL));
	sigaction(SIGUSR1, &old, NULL);
}

static void wait_for_a_stranger(void)
{
	int signal = 5;
	CHECK_INT(127, process_wait(1, &signal));
	CHECK_INT(0, signal);
}

static double seconds_of_children(void)
{
	struct rusage r;
	getrusage(RUSAGE_CHILDREN, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

// All there are below it count, whether they still run or were waited for.
static void cpu_of_all(void)
{
	static const char busy[] = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
	CHECK(process_cpu(0x3fffffff) == 0);
	int in[2], out[2];
	char done;
	CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
	double before = seconds_of_children();
	pid_t pid = start_shell(test_printf("(%s); (%s; echo; read x)", busy, busy), NULL, in[0], out[1], -1);
	CHECK_INT(1, read(out[0], &done, 1)); // the first has ended, the second waits
	double all = process_cpu(pid), with_us = process_cpu(getpid());
	close(in[1]);
	close(in[0]);
	process_wait(pid, NULL);
	double used = seconds_of_children() - before; // to the tick, of which each process may lose one
	CHECK_THAT(all > 0.75 * used - 0.04 && all < used + 0.04, "%f of %f", all, used);
	CHECK(with_us >= all);
	close(out[0]);
	close(out[1]);
}

static const struct test tests[] = {
	TEST(cpu_of_all),
	TEST(exit_status),
	TEST(signal_status),
	TEST(descriptors),
	TEST(folder),
	TEST(cannot_execute),
	TEST(failures_leak_no_descriptors),
	TEST(without_standard_descriptors),
	TEST(waits_on_when_interrupted),
	TEST(wait_for_a_stranger),
};
TEST_MAIN("process")
