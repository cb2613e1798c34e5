// execute/waiting.h: servers whose process ids are used again.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "execute/waiting.h"
#include "test.h"

static pid_t sleeper(void)
{
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	CHECK(pid > 0);
	return pid;
}

static void server_ends(void)
{
	pid_t pid = sleeper();
	uint64_t ticket = wait_register(pid);
	CHECK(wait_is_alive(pid, ticket) && wait_is_server(pid));
	wait_forget(pid, ticket);
	CHECK(!wait_is_alive(pid, ticket) && !wait_is_server(pid));
	CHECK(waitpid(pid, NULL, WNOHANG) < 0);
	wait_forget(pid, ticket); // the pid may be anybody's now
}

static void pid_is_used_again(void)
{
	pid_t pid = sleeper();
	uint64_t before = wait_register(pid), now = wait_register(pid);
	CHECK(!wait_is_alive(pid, before) && wait_is_alive(pid, now));
	wait_forget(pid, before);
	CHECK(kill(pid, 0) == 0 && wait_is_alive(pid, now));
	wait_forget(pid, now);
	CHECK(!wait_is_server(pid));
}

// A server that ends while something else is waited for is no longer one.
static void ends_beside_a_run(void)
{
	pid_t server = sleeper(), run = fork();
	uint64_t ticket = wait_register(server);
	if (run == 0) {
		kill(server, SIGKILL);
		usleep(50000);
		_exit(7);
	}
	CHECK(run > 0);
	int32_t number = run;
	struct ending end;
	CHECK(wait_for_run(&(struct waiting){.run = &number}, &end) == 0);
	CHECK(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 7);
	CHECK(!wait_is_alive(server, ticket));
}

static const struct test tests[] = {
	TEST(server_ends),
	TEST(pid_is_used_again),
	TEST(ends_beside_a_run),
};
TEST_MAIN("waiting")
