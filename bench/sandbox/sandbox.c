// A worker without veer: runs commands in the sandbox, and measures it.
//
//   sandbox run MODE COMMAND...   runs it there, in this folder; prints how it ended, resets, and says "reset"
//   sandbox times MODE            rows of a table: operation, microseconds
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "sandbox/sandbox.h"

enum { MILLISECONDS = 5000, TIMES = 500 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

// Waits for the run as an executor does.
static void wait_for(const struct sandbox *s, pid_t pid)
{
	int status;
	for (int i = 0; waitpid(pid, &status, WNOHANG) == 0; i++) {
		bool large = sandbox_memory(s) > s->limits.memory;
		if (large || i == MILLISECONDS / 10) {
			puts(large ? "too much memory" : "too long");
			return;
		}
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	}
	if (WIFEXITED(status))
		printf("exit %d\n", WEXITSTATUS(status));
	else
		printf("signal %d\n", WTERMSIG(status));
}

static int run_command(struct sandbox *s, char **argv)
{
	struct err err;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		if (sandbox_confine(s) < 0 || chdir(s->cwd) < 0)
			_exit(126);
		execvp(argv[0], argv);
		_exit(127);
	}
	wait_for(s, pid);
	if (sandbox_reset(s, &err) < 0) {
		puts(err.text);
		return 1;
	}
	puts("reset");
	return 0;
}

// --- times ----------------------------------------------------------------------------------

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static struct sandbox *box;

static void nothing(void)
{
}

// A run that writes a file and nothing else. It is in the view as children of a fork server are, which is confined
// once.
static void write_path(const char *path)
{
	pid_t pid = fork();
	if (pid == 0) {
		if ((box->root && chroot(box->root) < 0) || chdir(box->cwd) < 0)
			_exit(126);
		int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		_exit(fd < 0 || write(fd, "x", 1) != 1);
	}
	int status;
	if (waitpid(pid, &status, 0) < 0 || status != 0)
		printf("a run ended with status 0x%x\n", status);
}

static void write_new(void)
{
	write_path("written");
}

static void write_old(void)
{
	write_path("d1/f1");
}

static void reset(void)
{
	struct err err;
	if (sandbox_reset(box, &err) < 0)
		puts(err.text);
}

static void put_path(const char *path)
{
	struct err err;
	if (sandbox_put(box, path, "input", 5, &err) < 0)
		puts(err.text);
}

static void put_in_cwd(void)
{
	put_path("input");
}

static void put_in_open(void)
{
	char *path = mem_printf("%s/input", box->open);
	put_path(path);
	mem_free(path);
}

static void memory(void)
{
	sandbox_memory(box);
}

static void row(const char *mode, const char *what, void (*before)(void), void (*measured)(void), void (*after)(void))
{
	static double times[TIMES];
	for (int i = 0; i < TIMES; i++) {
		before();
		double start = now();
		measured();
		times[i] = now() - start;
		after();
	}
	qsort(times, TIMES, sizeof *times, by_size);
	double sum = 0;
	for (int i = 0; i < TIMES; i++)
		sum += times[i];
	printf("| %s | %s | %.0f | %.0f |\n", mode, what, times[TIMES / 2], sum / TIMES);
}

static void rows(struct sandbox *s)
{
	const char *mode = sandbox_names[s->mode];
	box = s;
	row(mode, "reset, nothing written", nothing, reset, nothing);
	row(mode, "reset, a new file written", write_new, reset, nothing);
	row(mode, "reset, a file changed", write_old, reset, nothing);
	row(mode, "put a file into the working folder", nothing, put_in_cwd, reset);
	row(mode, "put a file into `open`", nothing, put_in_open, nothing);
	row(mode, "memory of no processes", nothing, memory, nothing);
	fflush(stdout);
}

// --- main -----------------------------------------------------------------------------------

static int enter(enum sandbox_mode mode, char **argv)
{
	struct sandbox s;
	struct err err;
	char folder[] = "/tmp/veer-sandbox-XXXXXX";
	if (!mkdtemp(folder))
		return 2;
	int status = 2 << 8;
	double start = now();
	pid_t pid = sandbox_fork(&s, mode, NULL, folder, ".", &err);
	if (pid == 0) {
		int r = argv ? run_command(&s, argv) : (rows(&s), 0);
		fflush(stdout);
		sandbox_leave(&s);
		_exit(r);
	}
	if (pid < 0)
		fprintf(stderr, "%s\n", err.text);
	else if (!argv)
		printf("| %s | enter | %.0f | |\n", sandbox_names[mode], now() - start);
	fflush(stdout);
	if (pid > 0)
		waitpid(pid, &status, 0);
	file_remove_tree(folder);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

int main(int argc, char **argv)
{
	enum sandbox_mode mode = SANDBOX_NONE;
	while (argc > 2 && mode < SANDBOX_MODES && strcmp(argv[2], sandbox_names[mode]))
		mode++;
	bool run = argc > 3 && strcmp(argv[1], "run") == 0, times = argc == 3 && strcmp(argv[1], "times") == 0;
	if ((!run && !times) || mode == SANDBOX_NONE || mode == SANDBOX_MODES) {
		fputs("usage: sandbox run MODE COMMAND... | sandbox times MODE\n", stderr);
		return 2;
	}
	struct buf why = {0};
	if (!sandbox_works(mode, &why)) {
		fprintf(stderr, "%s does not work here: %s\n", sandbox_names[mode], why.data);
		return 77;
	}
	return enter(mode, run ? argv + 3 : NULL);
}
