// A traced program as fork server (abi/server.h). Nearly all that a short run costs is the
// kernel's work for it: forking, a fault and a copy for each page that the child writes to,
// giving it all back.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/server.h"
#include "runtime/trace/rt.h"

// fork(), but the child's parent is ours. What libc's own does besides: the thread's number
// is stored where libc keeps it, and the list of its robust mutexes is registered again.
static pid_t fork_sibling(void)
{
	static int *tid;
	static void *robust;
	static size_t robust_size;
	if (!tid && (prctl(PR_GET_TID_ADDRESS, &tid) < 0 || syscall(SYS_get_robust_list, 0, &robust, &robust_size) < 0))
		return -1;
	const long flags = CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
	pid_t pid = (pid_t)syscall(SYS_clone, flags, NULL, NULL, tid, NULL);
	if (pid == 0)
		syscall(SYS_set_robust_list, robust, robust_size);
	return pid;
}

static void forget_binding(void)
{
	char **e = environ;
	while (*e && strcmp(*e, SERVER_BIND_NAME "=" SERVER_BIND_VALUE) != 0)
		e++;
	for (; *e; e++)
		e[0] = e[1];
}

// Takes `folder` off the front of LD_LIBRARY_PATH, or the variable away when nothing else is in
// it. In place: main() has the array, too.
static void forget_libraries(const char *folder)
{
	static const char variable[] = "LD_LIBRARY_PATH=";
	size_t size = strlen(folder);
	for (char **e = environ; e && *e; e++) {
		char *value = *e + sizeof variable - 1;
		if (strncmp(*e, variable, sizeof variable - 1) != 0 || strncmp(value, folder, size) != 0)
			continue;
		if (value[size] == ':')
			memmove(value, value + size + 1, strlen(value + size));
		else
			for (; *e; e++)
				*e = e[1];
		return;
	}
}

int rt_server_open(const char *run)
{
	char path[PATH_MAX];
	if ((size_t)snprintf(path, sizeof path, "%s/" SERVER_ASK, run) >= sizeof path)
		return -1;
	int ask = open(path, O_RDONLY | O_CLOEXEC);
	if (ask < 0)
		return -1;
	forget_binding();
	snprintf(path, sizeof path, "%s/" SERVER_LIBRARIES, run);
	forget_libraries(path);
	return ask;
}

// Forks for every byte that is asked for. Returns in the children only. Who asks may keep the server on its own
// processor (run/server.c); the program is to see those it was started with.
void rt_serve(int ask)
{
	cpu_set_t processors;
	long size = syscall(SYS_sched_getaffinity, 0, sizeof processors, &processors);
	for (;;) {
		char byte;
		ssize_t n = read(ask, &byte, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != 1)
			_exit(0);
		pid_t pid = fork_sibling();
		if (pid < 0)
			_exit(1);
		if (pid == 0)
			break;
	}
	if (size > 0)
		syscall(SYS_sched_setaffinity, 0, size, &processors);
	close(ask);
}
