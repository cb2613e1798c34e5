#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/confine.h"

pid_t process_start(char *const argv[], const char *cwd, int in, int out, int errors, struct err *err)
{
	return process_start_confined(argv, cwd, in, out, errors, NULL, err);
}

pid_t process_start_confined(char *const argv[], const char *cwd, int in, int out, int errors,
                             const struct confine *how, struct err *err)
{
	int report[2]; // the child writes its errno here when exec fails
	if (pipe2(report, O_CLOEXEC) < 0)
		return err_errno(err, "cannot create a pipe");
	pid_t pid = fork();
	if (pid < 0) {
		err_errno(err, "cannot start %s", argv[0]);
		close(report[0]);
		close(report[1]);
		return -1;
	}
	if (pid == 0) {
		// The pipe may have got a number that is about to be replaced.
		int told = fcntl(report[1], F_DUPFD_CLOEXEC, 3);
		if (in >= 0)
			dup2(in, 0);
		if (out >= 0)
			dup2(out, 1);
		if (errors >= 0)
			dup2(errors, 2);
		int ignored_too = cwd ? chdir(cwd) : 0;
		(void)ignored_too;
		if (!how || confine_self(how) == 0)
			execvp(argv[0], argv);
		int why = errno;
		ssize_t ignored = write(told, &why, sizeof why);
		(void)ignored;
		_exit(127);
	}
	close(report[1]);
	int why = 0;
	ssize_t n;
	do
		n = read(report[0], &why, sizeof why);
	while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n == sizeof why) {
		waitpid(pid, NULL, 0);
		errno = why;
		return err_errno(err, "cannot run %s", argv[0]);
	}
	return pid;
}

int process_wait(pid_t pid, int *ret_signal)
{
	int status;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR) {
			if (ret_signal)
				*ret_signal = 0;
			return 127;
		}
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (ret_signal)
		*ret_signal = sig;
	return sig ? 128 + sig : WEXITSTATUS(status);
}

// --- processor time -------------------------------------------------------------------------------

// What a file of /proc has, as text; "" when it is gone.
static void read_text(const char *path, char *ret, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, ret, size - 1);
	ret[n > 0 ? n : 0] = 0;
	if (fd >= 0)
		close(fd);
}

// Its own, and that of its children that were waited for: fields 14 to 17.
static double cpu_of_one(pid_t pid)
{
	char path[64], text[1024];
	unsigned long user, system;
	long children_user, children_system;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	read_text(path, text, sizeof text);
	const char *rest = strrchr(text, ')'); // its name may have anything in it
	if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", &user, &system,
	                    &children_user, &children_system) != 4)
		return 0;
	return ((double)user + (double)system + (double)children_user + (double)children_system) /
	       (double)sysconf(_SC_CLK_TCK);
}

static double cpu_below(pid_t pid, int deep)
{
	char path[64], text[4096];
	double sum = cpu_of_one(pid);
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	read_text(path, text, sizeof text);
	char *end = text;
	for (long child; deep && (child = strtol(end, &end, 10)) > 0;)
		sum += cpu_below((pid_t)child, deep - 1);
	return sum;
}

double process_cpu(pid_t pid)
{
	enum { DEEP = 32 };
	return cpu_below(pid, DEEP);
}
