#include "solver/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

// --- in the child --------------------------------------------------------------------------------

static void write_all(int fd, const void *data, size_t size)
{
	const char *p = data;
	while (size) {
		ssize_t n = write(fd, p, size);
		if (n < 0 && errno != EINTR)
			return;
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		}
	}
}

_Noreturn void child_send(int fd, enum answer answer, enum solver_reason reason, const uint8_t *values, uint32_t n)
{
	struct child_answer a = {.magic = CHILD_MAGIC, .answer = answer, .reason = reason, .n = values ? n : 0};
	write_all(fd, &a, sizeof a);
	write_all(fd, values, a.n);
	_exit(0);
}

static int abort_fd;
static size_t memory_limit;

// C++ aborts when it gets no memory. If there is none left, that was it.
static void on_abort(int signal)
{
	(void)signal;
	size_t some = memory_limit / 4;
	void *p = some ? mmap(NULL, some, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : NULL;
	child_send(abort_fd, ANSWER_UNKNOWN, p == MAP_FAILED ? SOLVER_MEMORY : SOLVER_BACKEND, NULL, 0);
}

// Address space that the process has, in bytes.
static size_t address_space(void)
{
	char text[32] = "";
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	return n > 0 ? strtoul(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

// What the parent uses does not count: the child has it, too, but shares it.
static void limit_memory(size_t bytes)
{
	size_t has = address_space();
	struct rlimit limit;
	if (!has || getrlimit(RLIMIT_AS, &limit) != 0 ||
	    (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= has + bytes))
		return;
	limit.rlim_cur = has + bytes;
	memory_limit = bytes;
	setrlimit(RLIMIT_AS, &limit);
}

static void be_silent(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

_Noreturn static void run_child(struct solver_env *env, pid_t parent, void (*work)(void *opaque, int fd), void *opaque,
                                int fd)
{
	struct rlimit no_core = {0};
	struct sigaction action = {.sa_handler = on_abort};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	be_silent();
	setrlimit(RLIMIT_CORE, &no_core);
	abort_fd = fd;
	sigaction(SIGABRT, &action, NULL);
	if (env->bytes)
		limit_memory(env->bytes);
	work(opaque, fd);
	_exit(1);
}

// --- in the parent -------------------------------------------------------------------------------

// A signal that arrives just before poll() does not end it, so it never waits for long.
enum { GLANCE_MS = 20 };

static int glance(const struct solver_env *env)
{
	if (!env->deadline)
		return GLANCE_MS;
	uint64_t now = clock_nanoseconds();
	uint64_t left = now < env->deadline ? (env->deadline - now) / 1000000 + 1 : 0;
	return left < GLANCE_MS ? (int)left : GLANCE_MS;
}

enum end { COMPLETE, ENDED, STOPPED };

// Reads an answer, up to `size` bytes. ENDED: the child has closed its end; STOPPED: a limit, env->reason says which.
static enum end read_answer(struct solver_env *env, int fd, char *to, size_t size, size_t *ret_got)
{
	struct child_answer a = {0};
	size_t got = 0, wants = sizeof a;
	enum end end = COMPLETE;
	while (got < wants && end == COMPLETE) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int ready = poll(&p, 1, glance(env));
		ssize_t n = ready > 0 ? read(fd, to + got, size - got) : 0;
		if (n > 0)
			got += (size_t)n;
		else if (ready > 0 && (n == 0 || errno != EINTR))
			end = ENDED;
		else if (solver_out_of_time(env))
			end = STOPPED;
		if (got >= sizeof a) {
			memcpy(&a, to, sizeof a);
			wants = sizeof a + a.n < size ? sizeof a + a.n : size;
		}
	}
	*ret_got = got;
	return end;
}

// Whoever ignores SIGCHLD gets no status, but waits.
static void reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static enum answer understand(struct solver *s, const char *data, size_t size, const uint32_t *vars, uint32_t n_vars,
                              struct model *ret)
{
	struct child_answer a;
	if (size < sizeof a)
		return solver_unknown(s, SOLVER_BACKEND);
	memcpy(&a, data, sizeof a);
	bool sat = a.answer == ANSWER_SAT;
	if (a.magic != CHILD_MAGIC || a.answer > ANSWER_UNKNOWN || a.reason >= SOLVER_REASONS ||
	    a.n != (sat ? n_vars : 0) || size != sizeof a + a.n)
		return solver_unknown(s, SOLVER_BACKEND);
	if (a.answer == ANSWER_UNKNOWN)
		return solver_unknown(s, (enum solver_reason)a.reason);
	if (sat)
		model_clear(ret);
	for (uint32_t i = 0; i < a.n; i++)
		model_add(ret, vars[i], (uint8_t)data[sizeof a + i]);
	return (enum answer)a.answer;
}

static enum answer wait_for_child(struct solver *s, pid_t pid, int fd, const uint32_t *vars, uint32_t n_vars,
                                  struct model *ret)
{
	size_t size = sizeof(struct child_answer) + n_vars + 1, got; // one more, to see when there is too much
	char *data = mem_alloc(size);
	enum end end = read_answer(s->env, fd, data, size, &got);
	if (end != ENDED)
		kill(pid, SIGKILL);
	reap(pid);
	enum answer answer = end == STOPPED ? ANSWER_UNKNOWN : understand(s, data, got, vars, n_vars, ret);
	mem_free(data);
	return answer;
}

enum answer child_ask(struct solver *s, void (*work)(void *opaque, int fd), void *opaque, const uint32_t *vars,
                      uint32_t n_vars, struct model *ret)
{
	int ends[2];
	if (solver_out_of_time(s->env))
		return ANSWER_UNKNOWN;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return solver_unknown(s, SOLVER_BACKEND);
	pid_t parent = getpid(), pid = fork();
	if (pid == 0) {
		close(ends[0]);
		run_child(s->env, parent, work, opaque, ends[1]);
	}
	enum solver_reason reason = pid < 0 && errno == ENOMEM ? SOLVER_MEMORY : SOLVER_BACKEND;
	close(ends[1]);
	enum answer answer = pid < 0 ? solver_unknown(s, reason) : wait_for_child(s, pid, ends[0], vars, n_vars, ret);
	close(ends[0]);
	return answer;
}
