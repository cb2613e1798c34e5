#include "run/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "abi/server.h"
#include "base/file.h"
#include "base/mem.h"

enum { START_LIMIT = 20000 }; // milliseconds until the server must be ready

// The variant under RUN/x/1/NAME, where its runtime finds RUN.
static char *make_entry(const struct server *s, const char *program, const char *variant, struct err *err)
{
	static const char *const folders[] = {"x", "x/1", "o", "reports"};
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char *path = mem_printf("%s/%s", s->run, folders[i]);
		int r = mkdir(path, 0755);
		if (r < 0)
			err_errno(err, "cannot create folder %s", path);
		mem_free(path);
		if (r < 0)
			return NULL;
	}
	char *entry = mem_printf("%s/x/1/%s", s->run, path_basename(program));
	char *origin = mem_printf("%s/o/1", s->run);
	if (link(variant, entry) < 0 || symlink(program, origin) < 0) {
		err_errno(err, "cannot create %s", entry);
		mem_free(entry);
		entry = NULL;
	}
	mem_free(origin);
	return entry;
}

static int make_pipe(const struct server *s, const char *name, int flags, struct err *err)
{
	char *path = mem_printf("%s/%s", s->run, name);
	int fd = mkfifo(path, 0600) < 0 ? -1 : open(path, flags | O_CLOEXEC);
	if (fd < 0)
		err_errno(err, "cannot create %s", path);
	mem_free(path);
	return fd;
}

static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// 1: got it. 0: time is up. -1: the server is gone. The descriptor is also open for
// writing here, so that it never says "end of file"; a dead server shows in waitpid.
static int get_answer(struct server *s, struct server_answer *a, long until)
{
	for (;;) {
		struct pollfd p = {.fd = s->answer, .events = POLLIN};
		long left = until ? until - now() : 1000;
		if (until && left <= 0)
			return 0;
		int n = poll(&p, 1, left < 1000 ? (int)left : 1000);
		if (n > 0)
			return read(s->answer, a, sizeof *a) == (ssize_t)sizeof *a ? 1 : -1;
		if (n < 0 && errno != EINTR)
			return -1;
		if (n == 0 && waitpid(s->pid, NULL, WNOHANG) != 0) {
			s->pid = -1;
			return -1;
		}
	}
}

static int launch(struct server *s, const char *entry, char **argv, struct err *err)
{
	int problem[2], why;
	if (pipe2(problem, O_CLOEXEC) < 0)
		return err_errno(err, "cannot start a process");
	s->pid = fork();
	if (s->pid == 0) {
		execv(entry, argv);
		why = errno;
		_exit(write(problem[1], &why, sizeof why) == 0);
	}
	close(problem[1]);
	ssize_t n = read(problem[0], &why, sizeof why);
	close(problem[0]);
	if (s->pid < 0)
		return err_errno(err, "cannot start a process");
	if (n == (ssize_t)sizeof why) {
		errno = why;
		return err_errno(err, "cannot run %s", entry);
	}
	return 0;
}

int server_start(struct server *ret, const struct builder *b, char **argv,
                 int (*prepare)(void *opaque, const char *run, struct err *err), void *opaque, struct err *err)
{
	struct server s = {.pid = -1, .ask = -1, .answer = -1};
	struct server_answer a;
	char *found = path_find_program(argv[0]), *variant = NULL, *entry = NULL, *cwd = path_cwd(), *program = NULL;
	if (!found) {
		err_set(err, "cannot run %s: there is no such program", argv[0]);
		goto out;
	}
	program = path_absolute(cwd, found);
	if (build_program(b, program, &variant, err) != BUILD_OK)
		goto out;
	s.run = cache_folder(b->cache, "runs", 0755, err);
	if (!s.run || (prepare && prepare(opaque, s.run, err) < 0))
		goto out;
	entry = make_entry(&s, program, variant, err);
	// Both ways open: neither side waits for the other, or is told of its end by a signal.
	s.ask = entry ? make_pipe(&s, SERVER_ASK, O_RDWR, err) : -1;
	s.answer = s.ask >= 0 ? make_pipe(&s, SERVER_ANSWER, O_RDWR, err) : -1;
	if (s.answer < 0 || launch(&s, entry, argv, err) < 0)
		goto out;
	if (get_answer(&s, &a, now() + START_LIMIT) != 1 || a.word != SERVER_READY) {
		err_set(err, "%s ended before it was ready to serve", argv[0]);
		goto out;
	}
	*ret = s;
	s.run = NULL;
out:
	if (s.run)
		server_stop(&s);
	mem_free(found);
	mem_free(program);
	mem_free(variant);
	mem_free(entry);
	mem_free(cwd);
	return s.run || s.pid < 0 ? -1 : 0;
}

int server_run(struct server *s, unsigned milliseconds, struct err *err)
{
	struct server_answer a;
	long until = milliseconds ? now() + milliseconds : 0;
	if (s->pid < 0 || write(s->ask, "", 1) != 1 || get_answer(s, &a, 0) != 1 || a.word != SERVER_STARTED)
		return err_set(err, "the fork server is gone");
	pid_t child = a.value;
	if (child < 0) {
		errno = -child;
		return err_errno(err, "the fork server cannot fork");
	}
	int r = get_answer(s, &a, until);
	if (r == 0) {
		kill(child, SIGKILL);
		r = get_answer(s, &a, 0);
	}
	if (r != 1 || a.word != SERVER_ENDED)
		return err_set(err, "the fork server is gone");
	return a.value;
}

void server_stop(struct server *s)
{
	if (s->ask >= 0)
		close(s->ask);
	if (s->answer >= 0)
		close(s->answer);
	if (s->pid > 0) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	if (s->run)
		file_remove_tree(s->run);
	mem_free(s->run);
	*s = (struct server){.pid = -1, .ask = -1, .answer = -1};
}
