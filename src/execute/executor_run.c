// Runs: natively or in the server, under limits of time, memory and output.
#include "execute/executor_internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/launch.h"
#include "abi/pipe.h"
#include "base/file.h"
#include "base/mem.h"
#include "execute/folder_sizes.h"

enum { OUTPUT_MAX = 1 << 20, MEMORY_MAX = 1 << 30 };

// What the process has that is its own, in bytes.
static uint64_t own_memory(pid_t pid)
{
	char path[32], text[128];
	unsigned long long size, resident, shared;
	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return sscanf(text, "%llu %llu %llu", &size, &resident, &shared) == 3 && resident > shared
	               ? (resident - shared) * EXECUTOR_PAGE
	               : 0;
}

static int watch(void *opaque)
{
	const struct executor *e = opaque;
	const struct sandbox *s = e->setup.sandbox;
	uint64_t memory = s->limits.memory ? s->limits.memory : MEMORY_MAX;
	uint64_t output = s->limits.output ? s->limits.output : OUTPUT_MAX;
	struct stat st;
	pid_t pid = executor_is_native(e) ? e->run : e->server.state->run;
	if ((s->mode == SANDBOX_NONE ? own_memory(pid) : sandbox_memory(s)) > memory)
		return RUN_MEMORY;
	return fstat(e->output_fd, &st) == 0 && (uint64_t)st.st_size > output ? RUN_OUTPUT : 0;
}

static char **native_vector(char *strings, const char *end, uint32_t n, char **ret_rest)
{
	char **v = mem_alloc(((size_t)n + 1) * sizeof *v);
	for (uint32_t i = 0; i < n && strings < end; i++) {
		v[i] = strings;
		strings += launch_room(strlen(strings));
	}
	v[n] = NULL;
	*ret_rest = strings;
	return v;
}

static int take_stream(int number, const char *path, int ordinary)
{
	if (strcmp(path, LAUNCH_CLOSED) == 0)
		return close(number) < 0 && errno != EBADF ? errno : 0;
	bool other = strncmp(path, SERVER_DESCRIPTOR, sizeof SERVER_DESCRIPTOR - 1) != 0;
	int fd = other ? open(path, O_RDWR | O_NOCTTY | O_CLOEXEC) : ordinary;
	return fd < 0 || dup2(fd, number) < 0 ? errno : 0;
}

// In the new process of a native run.
static int become_native(struct executor *e, const char *program)
{
	struct launch *g = e->launch;
	char *strings = (char *)(g + 1), *end = strings + g->strings;
	char **argv = native_vector(strings, end, g->arguments, &strings);
	char **env = native_vector(strings, end, g->variables, &strings);
	const struct toolchain *tools = e->setup.builder->tools;
	char **sized = e->snapshot && tools ? folder_sizes_send(e->snapshot, env, tools->folder) : NULL;
	close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC);
	int r = take_stream(0, g->input, e->read_fd);
	if (!r && (g->flags & LAUNCH_PIPE))
		r = pipe_from_input();
	if (!r)
		r = take_stream(1, g->output, e->output_fd);
	if (!r)
		r = take_stream(2, g->error[0] ? g->error : g->output, e->output_fd);
	if (r || executor_confine(e) < 0 || (g->cwd[0] && chdir(g->cwd) < 0))
		return r ? r : errno;
	if (g->flags & LAUNCH_UMASK)
		umask(g->umask & 0777);
	execve(program, argv, sized ? sized : env);
	return errno;
}

static int run_native(struct executor *e, const struct waiting *w, struct ending *end, struct err *err)
{
	char *found = path_find_program(e->setup.target.program), *cwd = path_cwd();
	char *program = found ? path_absolute(cwd, found) : NULL;
	int problem[2], why = ENOENT;
	mem_free(found);
	mem_free(cwd);
	if (!program || pipe2(problem, O_CLOEXEC) < 0) {
		mem_free(program);
		return err_errno(err, "cannot run %s", e->setup.target.program);
	}
	e->run = fork();
	if (e->run == 0) {
		why = become_native(e, program);
		_exit(write(problem[1], &why, sizeof why) == 0);
	}
	close(problem[1]);
	ssize_t n = e->run > 0 ? read(problem[0], &why, sizeof why) : -1;
	close(problem[0]);
	mem_free(program);
	bool ended = e->run > 0 && wait_for_run(w, end) == 0;
	if (ended && n <= 0)
		return 0;
	errno = n > 0 ? why : errno;
	return err_errno(err, "cannot run %s", e->setup.target.program);
}

// A server that is gone is started again, once.
static int run_in_server(struct executor *e, const struct waiting *w, struct ending *end, bool *ret_died,
                         struct err *err)
{
	for (int i = 0; i < 2; i++) {
		bool fits = strcmp(e->served, executor_libraries(e)) == 0; // it loads them once
		if (!wait_is_alive(e->server.pid, e->server.ticket) || i || !fits) {
			executor_stop_server(e);
			*ret_died = fits;
			if (executor_start_server(e, err) < 0)
				return -1;
		}
		if (server_ask(&e->server, w, end, err) < 0)
			continue;
		if (!e->server.state->problem)
			return 0;
		errno = e->server.state->problem;
		return err_errno(err, "cannot run %s in the sandbox", e->setup.target.program);
	}
	return err_set(err, "cannot run %s: its %s variant ends before main is called", e->setup.target.program,
	               e->setup.builder->variant);
}

static uint64_t microseconds(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

struct run_result run_ended(int status)
{
	bool exited = WIFEXITED(status);
	return (struct run_result){.end = exited ? RUN_EXITED : RUN_SIGNAL,
	                           .code = exited ? WEXITSTATUS(status) : WTERMSIG(status)};
}

static void read_ending(const struct ending *end, struct run_result *ret)
{
	bool died = ret->server_died;
	*ret = run_ended(end->status);
	ret->server_died = died;
	ret->wall_us = end->wall_us;
	ret->cpu_us = microseconds(end->usage.ru_utime) + microseconds(end->usage.ru_stime);
	if (end->cause)
		ret->end = end->cause == WAIT_TIMEOUT ? RUN_TIMEOUT : (enum run_end)end->cause;
	else if (ret->end == RUN_SIGNAL && ret->code == SIGXFSZ)
		ret->end = RUN_OUTPUT;
}

// A process that has the pid of a server that the run killed, its own or another executor's, is one that the run left.
static void drop_ended_servers(struct sandbox *s)
{
	for (size_t i = 0; i < s->n_keep;)
		if (wait_is_server(s->keep[i]))
			i++;
		else
			sandbox_keep(s, s->keep[i], 0);
}

int executor_run(struct executor *e, const struct input *in, unsigned milliseconds, struct run_result *ret,
                 struct err *err)
{
	const struct waiting w = {.run = &e->run, .milliseconds = milliseconds, .watch = watch, .opaque = e};
	struct ending end;
	assert(e->launch && e->reports);
	*ret = (struct run_result){0};
	int r = executor_give(e, in, err);
	if (r == 0)
		r = executor_is_native(e) ? run_native(e, &w, &end, err)
		                          : run_in_server(e, &w, &end, &ret->server_died, err);
	if (r == 0)
		read_ending(&end, ret);
	if (r == 0 && e->written)
		written_read(e->written, e->setup.sandbox);
	struct err problem;
	drop_ended_servers(e->setup.sandbox);
	if (sandbox_reset(e->setup.sandbox, &problem) < 0 && r == 0)
		return err_set(err, "%s", problem.text);
	return r;
}
