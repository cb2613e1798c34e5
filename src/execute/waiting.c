#include "execute/waiting.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"

enum { SERVERS = 64, PATIENCE = 20, STEP = 10 }; // of watching, in milliseconds
enum { START = 10000 };                          // until a server has forked, likewise

static struct {
	pid_t pid; // 0: a free place
	uint64_t ticket;
} servers[SERVERS];
static uint64_t tickets;

// Its place, -1: none.
static int find(pid_t pid)
{
	for (int i = 0; i < SERVERS; i++)
		if (servers[i].pid == pid)
			return i;
	return -1;
}

static void note_end(pid_t pid)
{
	int i = find(pid);
	if (i >= 0)
		servers[i].pid = 0;
}

uint64_t wait_register(pid_t server)
{
	note_end(server);
	int i = find(0);
	if (i < 0)
		return 0;
	servers[i].pid = server;
	servers[i].ticket = ++tickets;
	return tickets;
}

bool wait_is_server(pid_t pid)
{
	return pid > 0 && find(pid) >= 0;
}

bool wait_is_alive(pid_t server, uint64_t ticket)
{
	return wait_is_server(server) && servers[find(server)].ticket == ticket;
}

void wait_forget(pid_t server, uint64_t ticket)
{
	if (!wait_is_alive(server, ticket))
		return;
	kill(server, SIGKILL);
	while (waitpid(server, NULL, 0) < 0 && errno == EINTR)
		;
	note_end(server);
}

static uint64_t now_us(void)
{
	return clock_nanoseconds() / 1000;
}

// A child that has ended: its pid. 0: all still run, -1: there are none. The signal that tells of a child is blocked.
static pid_t next_end(uint64_t until, int *ret_status, struct rusage *ret_usage)
{
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		pid_t pid = wait4(-1, ret_status, until ? WNOHANG : 0, ret_usage);
		if (pid < 0 && errno == EINTR)
			continue;
		uint64_t now = until && pid == 0 ? now_us() : 0;
		if (pid != 0 || now >= until)
			return pid;
		uint64_t left = until - now;
		sigtimedwait(&child, NULL, &(struct timespec){(time_t)(left / 1000000), (long)(left % 1000000) * 1000});
	}
}

// Until when to wait before something has to be looked at; 0: for ever.
static uint64_t next_look(const struct waiting *w, uint64_t from, uint64_t last)
{
	uint64_t limit = w->milliseconds ? from + 1000 * (uint64_t)w->milliseconds : 0;
	uint64_t look = w->watch ? last + 1000 * (uint64_t)(last == from ? PATIENCE : STEP) : 0;
	return look && (!limit || look < limit) ? look : limit;
}

// Why the run has to end now; 0: it may go on.
static int check_now(const struct waiting *w, uint64_t from, uint64_t now)
{
	int why = w->watch ? w->watch(w->opaque) : 0;
	return why || !w->milliseconds || now - from < 1000 * (uint64_t)w->milliseconds ? why : WAIT_TIMEOUT;
}

// Before the server has forked, it is the one that hangs.
static void end_run(const struct waiting *w)
{
	pid_t pid = *w->run;
	if (pid <= 0)
		pid = w->server;
	if (pid > 0)
		kill(pid, SIGKILL);
}

static int wait_blocked(const struct waiting *w, struct ending *ret)
{
	const uint64_t began = now_us();
	uint64_t from = began, last = from;
	*ret = (struct ending){0};
	for (;;) {
		pid_t pid = next_end(ret->cause ? 0 : next_look(w, from, last), &ret->status, &ret->usage);
		if (pid < 0)
			return -1;
		if (pid == 0) {
			last = now_us();
			if (*w->run <= 0 && last - began < 1000 * (uint64_t)START)
				from = last; // the run's time has not begun: a server starts, or waits for a processor
			ret->cause = check_now(w, from, last);
			if (ret->cause)
				end_run(w);
			continue;
		}
		note_end(pid);
		if (pid == *w->run)
			break;
		if (pid == w->server && !*w->run)
			return -1; // it had not forked yet; otherwise the run goes on without it
	}
	ret->wall_us = now_us() - from;
	return 0;
}

int wait_for_run(const struct waiting *w, struct ending *ret)
{
	sigset_t child, before;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before); // so that it waits for us, too
	int r = wait_blocked(w, ret);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}
