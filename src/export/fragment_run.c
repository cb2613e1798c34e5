// Compilers, and tests in the sandbox: they run the program's code on state that nobody made by hand.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "export/fragment_internal.h"

enum { OUTPUT_MAX = 64 << 20 };

static void read_all(int fd, struct buf *out)
{
	char chunk[65536];
	ssize_t n;
	off_t at = 0;
	while (out->len < OUTPUT_MAX && (n = pread(fd, chunk, sizeof chunk, at)) > 0) {
		buf_add(out, chunk, (size_t)n);
		at += n;
	}
	buf_addstr(out, "");
}

int fragment_command(const struct strv *argv, const char *folder, const char *compiler, struct buf *errors,
                     struct err *err)
{
	int fd = memfd_create("veer-compiler", MFD_CLOEXEC);
	char *cwd = path_cwd(), *whole = path_absolute(cwd, folder), *home = confine_home(compiler);
	const struct confine how = {.writes = {whole}, .runs = {home}};
	pid_t pid = process_start_confined(argv->v, whole, -1, fd, fd, &how, err);
	int status = pid < 0 ? -1 : process_wait(pid, NULL);
	mem_free(cwd);
	mem_free(whole);
	mem_free(home);
	read_all(fd, errors);
	close(fd);
	return status;
}

int fragment_make(const struct strv *argv, const char *folder, const char *compiler, struct buf *output,
                  struct err *err)
{
	return fragment_command(argv, folder, compiler, output, err);
}

// In the sandbox: starts the program, and ends it when it takes too long.
static int run_inside(struct sandbox *s, const struct strv *argv, unsigned seconds, int out)
{
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);
		dup2(null, 0);
		dup2(out, 1);
		dup2(null, 2);
		if (sandbox_confine(s) == 0)
			execv(argv->v[0], argv->v);
		_exit(126);
	}
	int status = 0;
	time_t end = time(NULL) + seconds;
	bool ended = false;
	while (pid > 0 && !(ended = waitpid(pid, &status, WNOHANG) != 0) && time(NULL) < end &&
	       sandbox_memory(s) <= s->limits.memory)
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	sandbox_kill(s);
	return ended && WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}

int fragment_run_tests(const struct fragment_suite *s, const struct strv *argv, unsigned seconds, struct buf *output,
                       struct err *err)
{
	const char *program = argv->v[0];
	char *folder = mem_printf("%s/tests", s->worker_dirs), *cwd = path_dirname(program);
	int out = memfd_create("veer-tests", 0), status = -1;
	struct sandbox inside;
	file_remove_tree(folder);
	int r = file_mkdirs(folder, 0700, err);
	pid_t pid = r < 0 ? -1 : sandbox_fork(&inside, s->mode, &(struct sandbox_limits){0}, folder, cwd, err);
	if (pid == 0) {
		status = run_inside(&inside, argv, seconds, out);
		sandbox_leave(&inside);
		_exit(status);
	}
	if (pid > 0) {
		int how;
		while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
			;
		status = WIFEXITED(how) ? WEXITSTATUS(how) : 125;
		if (status == 126)
			status = err_set(err, "%s cannot be run in the sandbox", program);
	}
	read_all(out, output);
	close(out);
	file_remove_tree(folder);
	mem_free(folder);
	mem_free(cwd);
	return status;
}
