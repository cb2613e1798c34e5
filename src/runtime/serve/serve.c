// A program as fork server (abi/server.h). Nearly all that a short run costs is the
// kernel's work for it: forking, a fault and a copy for each page that the child writes to,
// giving it all back.
#include "runtime/serve/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/server.h"

static struct server_state *state; // NULL: veer does not want it

bool serve_find_run(char ret[PATH_MAX])
{
	const char *started_as = (const char *)getauxval(AT_EXECFN);
	if (!started_as || started_as[0] != '/' || strlen(started_as) > PATH_MAX - 32)
		return false;
	strcpy(ret, started_as);
	for (int i = 0; i < 3; i++) {
		char *slash = strrchr(ret, '/');
		if (!slash || slash == ret)
			return false;
		*slash = 0;
	}
	return true;
}

// A descriptor of the file: the one that was handed down, if it is such a link.
static int open_shared(const char *path, bool shared)
{
	static const char handed_down[] = SERVER_DESCRIPTOR;
	char target[64];
	ssize_t n = readlink(path, target, sizeof target - 1);
	target[n > 0 ? n : 0] = 0;
	if (strncmp(target, handed_down, sizeof handed_down - 1) == 0)
		return atoi(target + sizeof handed_down - 1);
	return open(path, (shared ? O_RDWR : O_RDONLY) | O_CLOEXEC);
}

void *serve_map(const char *run, const char *name, size_t at_least, bool shared, size_t *ret_size)
{
	char path[PATH_MAX];
	struct stat st;
	if ((size_t)snprintf(path, sizeof path, "%s/%s", run, name) >= sizeof path)
		return NULL;
	int fd = open_shared(path, shared);
	if (fd < 0)
		return NULL;
	long p = -1;
	size_t size = fstat(fd, &st) == 0 ? (size_t)st.st_size : 0;
	if (size >= at_least) // not by mmap, which may be the program's
		p = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
		            (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_NORESERVE, fd, 0);
	close(fd);
	*ret_size = size;
	return p == -1 ? NULL : (void *)p;
}

// fork(), but the child's parent is ours. What libc's own does besides: the thread's number
// is stored where libc keeps it, and the list of its robust mutexes is registered again.
static pid_t fork_sibling(void)
{
	static int *tid;
	static void *robust;
	static size_t robust_size;
	if (!tid && (prctl(PR_GET_TID_ADDRESS, &tid) < 0 || syscall(SYS_get_robust_list, 0, &robust, &robust_size) < 0))
		return -1;
	int32_t ignored;
	const long flags = CLONE_PARENT | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
	pid_t pid = (pid_t)syscall(SYS_clone, flags, NULL, state ? &state->run : &ignored, tid, NULL);
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

int serve_open(const char *run)
{
	char path[PATH_MAX];
	if ((size_t)snprintf(path, sizeof path, "%s/" SERVER_ASK, run) >= sizeof path)
		return -1;
	int ask = open_shared(path, false);
	if (ask < 0 || fcntl(ask, F_SETFD, FD_CLOEXEC) < 0)
		return -1;
	forget_binding();
	snprintf(path, sizeof path, "%s/" SERVER_LIBRARIES, run);
	forget_libraries(path);
	state = serve_map(run, SERVER_STATE, sizeof *state, true, &(size_t){0});
	launch_find(run);
	return ask;
}

// The child's part.
static void begin(int ask)
{
	close(ask);
	prctl(PR_SET_DUMPABLE, 1); // if it could not be looked at, it would not see its own /proc
	int problem = launch_take();
	if (problem) {
		if (state)
			state->problem = problem;
		_exit(127);
	}
	if (state)
		syscall(SYS_munmap, state, 4096);
}

// Who asks may keep the server on its own processor (execute/server.c); the program is to see those it was started
// with.
//
// A run has the server's rights: so that it cannot write to the server's memory, nobody is let near that. The server
// leaves the folder it was started in, which is replaced after runs that change it.
void serve(int ask)
{
	cpu_set_t processors;
	prctl(PR_SET_DUMPABLE, 0);
	if (launch_is_there())
		chdir("/");
	long size = syscall(SYS_sched_getaffinity, 0, sizeof processors, &processors);
	if (state) {
		__atomic_store_n(&state->ready, 1, __ATOMIC_RELEASE);
		syscall(SYS_futex, &state->ready, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
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
	begin(ask);
}
