// Processes inside the sandbox: limits, what is left of them, and what must not lead out.
#include "sandbox/sandbox.h"

#include <dirent.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>

#include "base/mem.h"
#include "worker_dirs.h"

// --- processes ------------------------------------------------------------------------------

static int leave_processes(struct setting *t)
{
	for (int i = 0; i < 5; i++)
		if (fork() == 0) {
			setsid();
			signal(SIGTERM, SIG_IGN);
			prctl(PR_SET_CHILD_SUBREAPER, i & 1);
			if (fork() == 0)
				setsid();
			alarm(20);
			_exit(pause());
		}
	return 0;
}

static int children(void)
{
	int n = 0;
	while (waitpid(-1, NULL, WNOHANG) >= 0 && n < 1)
		n++;
	return n;
}

static void leftovers(struct setting *t)
{
	for (int i = 0; i < 3; i++) {
		check_run(t, leave_processes);
		reset(t);
		CHECK_INT(0, children());
	}
}

static void test_leftovers(void)
{
	everywhere(leftovers, NULL);
}

static void keeping(struct setting *t)
{
	pid_t server = fork();
	CHECK(server >= 0);
	if (server == 0)
		for (;;)
			pause();
	t->s.keep[t->s.n_keep++] = server;
	check_run(t, leave_processes);
	reset(t);
	CHECK(kill(server, 0) == 0 && waitpid(server, NULL, WNOHANG) == 0);
	char *stat = (char *)test_read(test_printf("/proc/%d/stat", (int)server)).data;
	CHECK(!strstr(stat, ") T ")); // it is not left stopped
	t->s.n_keep = 0;
	reset(t);
	CHECK(kill(server, 0) < 0 && errno == ESRCH);
}

static void test_keep(void)
{
	everywhere(keeping, NULL);
}

enum { BOMB = 2000 }; // whatever the limit does, no more than these

static int bomb(struct setting *t)
{
	int *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (time_t end = time(NULL) + 3; time(NULL) < end;)
		if (__atomic_add_fetch(count, 1, __ATOMIC_RELAXED) < BOMB)
			fork();
	alarm(5); // each for itself: it is not inherited
	return pause();
}

static void bombs(struct setting *t)
{
	pid_t pid = start(t, bomb);
	(void)pid;
	nanosleep(&(struct timespec){0, 100000000}, NULL);
	reset(t);
	CHECK_INT(0, children());
}

static void test_fork_bomb(void)
{
	everywhere(bombs, NULL);
}

static int count_forks(struct setting *t)
{
	int n = 0;
	while (n < BOMB) {
		pid_t pid = fork();
		if (pid < 0)
			break;
		if (pid == 0) {
			alarm(20); // should nobody kill it
			_exit(pause());
		}
		n++;
	}
	return n > 200 ? 1 : 0;
}

static void limited(struct setting *t)
{
	// Root has no such limit in Landlock mode; sandbox_memory() tells then.
	bool free = t->mode == SANDBOX_LANDLOCK && geteuid() == 0;
	CHECK_INT(free ? 1 << 8 : 0, run(t, count_forks));
	CHECK(!free || sandbox_memory(&t->s) > t->s.limits.memory);
	reset(t);
}

static void test_process_limit(void)
{
	everywhere(limited, NULL);
}

static int kill_others(struct setting *t)
{
	pid_t parent = getppid();
	kill(parent, SIGKILL);
	kill(parent, SIGSTOP);
	if (t->mode == SANDBOX_NAMESPACES) { // there are none outside to be seen from here
		kill(1, SIGKILL);
		kill(-1, SIGKILL);
	}
	return ptrace(PTRACE_ATTACH, parent, 0, 0) == 0;
}

static void killers(struct setting *t)
{
	check_run(t, kill_others);
	reset(t);
	check_run(t, see_tree);
}

static void test_killing(void)
{
	everywhere(killers, NULL);
}

static int die_soon(void *opaque)
{
	const struct scenario *c = opaque;
	struct setting t = {0};
	int alive[2];
	CHECK(pipe(alive) == 0);
	pid_t pid = fork(); // stands for the coordinator
	if (pid == 0) {
		close(alive[0]);
		enter_with(&t, c->mode, NULL, c->function);
		nanosleep(&(struct timespec){0, 100000000}, NULL);
		_exit(0);
	}
	close(alive[1]);
	CHECK(waitpid(pid, NULL, 0) == pid);
	char byte;
	alarm(10);
	CHECK(read(alive[0], &byte, 1) == 0); // nobody has it open any more
	return 0;
}

static void stay(struct setting *t)
{
	for (;;)
		pause();
}

// A process that is nobody's child any more, and has the pipe open.
static int leave_daemon(struct setting *t)
{
	pid_t pid = fork();
	if (pid == 0) {
		setsid();
		pid = fork();
		if (pid == 0)
			for (;;)
				pause();
		_exit(0);
	}
	return waitpid(pid, NULL, 0) == pid ? 0 : 1;
}

static void stay_with_daemon(struct setting *t)
{
	check_run(t, leave_daemon);
	stay(t);
}

static void test_parents_death(void)
{
	static void (*const functions[])(struct setting *) = {stay, stay_with_daemon};
	static const enum sandbox_mode modes[] = {SANDBOX_NAMESPACES, SANDBOX_LANDLOCK};
	for (size_t i = 0; i < COUNT(modes); i++)
		for (size_t k = 0; k < COUNT(functions) && works(modes[i]); k++) {
			struct scenario c = {modes[i], NULL, functions[k], false};
			test_child(die_soon, &c, 0);
			const char *argv[] = {"/bin/rm", "-rf", test_path("box"), test_path("cwd"), NULL};
			CHECK_INT(0, test_run(argv, NULL));
		}
}

// --- ways out -------------------------------------------------------------------------------

static int refused(long result)
{
	return result >= 0 ? 1 : errno != EPERM && errno != EACCES && errno != ENOSYS && errno != EROFS;
}

static int escape(struct setting *t)
{
	int up = open("/", O_RDONLY | O_DIRECTORY);
	if (refused(mount("none", ".", "tmpfs", 0, NULL)) || refused(umount2("/tmp", MNT_DETACH)))
		return 1;
	if (refused(chroot("sub")) || refused(unshare(CLONE_NEWUSER)) || refused(unshare(CLONE_NEWNS)))
		return 2;
	if (refused(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)) || refused(syscall(SYS_clone3, NULL, 0)))
		return 3;
	if (refused(syscall(SYS_bpf, 0, NULL, 0)) || refused(syscall(SYS_keyctl, 0, 0)) ||
	    refused(syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0)) || refused(syscall(SYS_io_uring_setup, 1, NULL)))
		return 4;
	if (t->s.root && (fchdir(up) < 0 || chdir("../../../..") < 0 || access(t->s.root, F_OK) == 0))
		return 5;
	close(up);
	return 0;
}

static int look_into_worker(struct setting *t)
{
	static const char *const names[] = {"fd/0", "root", "cwd", "exe"};
	pid_t parent = getppid();
	char target[256];
	for (size_t i = 0; i < COUNT(names); i++)
		if (readlink(test_printf("/proc/%d/%s", (int)parent, names[i]), target, sizeof target) >= 0)
			return 1;
	return open(test_printf("/proc/%d/mem", (int)parent), O_RDWR) >= 0;
}

static struct sockaddr_un listener(const struct setting *t)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof address.sun_path, "%s/s", t->s.open);
	return address;
}

// However a socket comes to be, nothing is sent to one that has a path.
static int send_to_listener(struct setting *t)
{
	const struct sockaddr_un address = listener(t);
	for (int type = 0; type < 16; type++)
		for (int family = AF_UNIX; family < AF_MAX; family++) {
			int pair[2];
			if (socketpair(family, type, 0, pair) < 0 &&
			    socketpair(family, type | SOCK_CLOEXEC, 0, pair) < 0)
				continue;
			sendto(pair[0], "x", 1, MSG_DONTWAIT, (const struct sockaddr *)&address, sizeof address);
			struct iovec io = {"y", 1};
			struct msghdr m = {.msg_name = (void *)&address,
			                   .msg_namelen = sizeof address,
			                   .msg_iov = &io,
			                   .msg_iovlen = 1};
			sendmsg(pair[0], &m, MSG_DONTWAIT);
			if (connect(pair[0], (const struct sockaddr *)&address, sizeof address) == 0)
				send(pair[0], "z", 1, MSG_DONTWAIT);
			close(pair[0]);
			close(pair[1]);
		}
	return 0;
}

static void check_listener(struct setting *t)
{
	const struct sockaddr_un address = listener(t);
	char byte;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	CHECK(fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0);
	CHECK(chmod(address.sun_path, 0777) == 0);
	check_run(t, send_to_listener);
	CHECK(recv(fd, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
	close(fd);
	CHECK(unlink(address.sun_path) == 0);
}

// What can be done to files and processes outside without writing to them.
static int touch_outside(struct setting *t)
{
	int flags = 0, fd = open(test_printf("%s/two", t->cwd), O_RDONLY), pair[2];
	if (fd < 0 || fcntl(fd, F_SETLEASE, F_RDLCK) == 0)
		return 1;
	if (t->mode == SANDBOX_NAMESPACES)
		return 0; // it is a copy
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0 && errno != ENOTTY && errno != EOPNOTSUPP)
		return 2;
	static const unsigned long changes[] = {FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_SETVERSION,
	                                        FS_IOC32_SETVERSION, FS_IOC_FSSETXATTR};
	flags |= FS_NODUMP_FL;
	for (size_t i = 0; i < COUNT(changes); i++)
		if (ioctl(fd, changes[i], &flags) == 0 || errno != ENOTTY)
			return 3;
	pid_t parent = getppid();
	if (setpriority(PRIO_PROCESS, (id_t)parent, 19) == 0 || setpriority(PRIO_USER, 0, 19) == 0 ||
	    setpriority(PRIO_PGRP, (id_t)getpgid(parent), 19) == 0)
		return 4;
	return setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0)) < 0 ||
	       socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0;
}

static int use_sockets(struct setting *t)
{
	int pair[2], local = socket(AF_UNIX, SOCK_STREAM, 0);
	if (local >= 0 || errno == 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return 1;
	int internet = socket(AF_INET, SOCK_STREAM, 0);
	return t->mode == SANDBOX_LANDLOCK && internet >= 0;
}

static int change_system(struct setting *t)
{
	static const char *const paths[] = {"/proc/self/oom_score_adj", "/proc/sys/kernel/core_pattern"};
	for (size_t i = 0; i < COUNT(paths); i++)
		if (open(paths[i], O_WRONLY) >= 0)
			return 1;
	int null = open("/dev/null", O_WRONLY);
	return null < 0 || write(null, "x", 1) != 1;
}

static int gain(struct setting *t) // root's privileges do not come back by executing something
{
	execl("/bin/sh", "sh", "-c", "! grep -qi '^CapEff:.*[0-9a-f]*[4-7c-f]....$' /proc/self/status", NULL);
	return 9;
}

static void ways_out(struct setting *t)
{
	check_run(t, escape);
	check_run(t, look_into_worker);
	check_run(t, use_sockets);
	check_listener(t);
	check_run(t, touch_outside);
	check_run(t, change_system);
	if (t->s.root)
		check_run(t, gain);
	reset(t);
	check_run(t, see_tree);
}

// A process that lives on, as fork servers do, has a folder of an overlay that is replaced meanwhile.
static int stay_in_folder(struct setting *t)
{
	char byte;
	int folder = open("sub", O_RDONLY | O_DIRECTORY);
	if (write(t->up[1], "", 1) != 1 || read(t->down[0], &byte, 1) != 1 || fchdir(folder) < 0)
		return 1;
	for (int i = 0; i < 64; i++) // no further than to its own root
		if (chdir("..") < 0)
			return 0;
	return access(t->s.root + 1, F_OK) == 0 || access(t->s.root, F_OK) == 0 ? 2 : 0;
}

static int change_folder_itself(struct setting *t)
{
	return chmod(".", 0700) < 0 || rename("sub/three", "sub/four") < 0 || mkdir("sub/five", 0700) < 0;
}

static void replaced(struct setting *t)
{
	char byte;
	int status;
	if (!t->s.root)
		return;
	CHECK(pipe(t->up) == 0 && pipe(t->down) == 0);
	pid_t pid = start(t, stay_in_folder);
	CHECK(read(t->up[0], &byte, 1) == 1);
	sandbox_keep(&t->s, 0, pid);
	for (int i = 0; i < 40; i++) { // some are unmounted by now, others wait for that
		check_run(t, change_folder_itself);
		reset(t);
	}
	CHECK(write(t->down[1], "", 1) == 1 && waitpid(pid, &status, 0) == pid);
	CHECK_INT(0, status);
	sandbox_keep(&t->s, pid, 0);
}

static void test_replaced(void)
{
	everywhere(replaced, NULL);
}

static int answer_twice(struct setting *t)
{
	char byte;
	for (int i = 0; i < 2; i++)
		if (write(t->up[1], "", 1) != 1 || read(t->down[0], &byte, 1) != 1)
			return 1;
	return 0;
}

static int stop_everybody(struct setting *t)
{
	for (int i = 2; i < 400; i++) // no limits of others
		if (i != getpid() && prlimit(i, RLIMIT_NOFILE, &(struct rlimit){1, 1}, NULL) == 0)
			return 1;
	kill(-1, SIGSTOP);
	return 0;
}

static void stopped(struct setting *t)
{
	char byte;
	int status;
	if (!t->s.root)
		return; // where a run cannot reach it
	CHECK(pipe(t->up) == 0 && pipe(t->down) == 0);
	pid_t pid = start(t, answer_twice);
	CHECK(read(t->up[0], &byte, 1) == 1);
	sandbox_keep(&t->s, 0, pid);
	check_run(t, stop_everybody);
	reset(t);
	CHECK(write(t->down[1], "..", 2) == 2);
	CHECK(waitpid(pid, &status, WUNTRACED) == pid);
	while (WIFSTOPPED(status))
		CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(0, status);
	sandbox_keep(&t->s, pid, 0);
}

static void test_stopped(void)
{
	everywhere(stopped, NULL);
}

static void test_ways_out(void)
{
	everywhere(ways_out, NULL);
}
static const struct test tests[] = {
	TEST(test_leftovers),     TEST(test_keep),     TEST(test_fork_bomb),
	TEST(test_process_limit), TEST(test_killing),  TEST(test_parents_death),
	TEST(test_ways_out),      TEST(test_replaced), TEST(test_stopped),
};

TEST_MAIN("sandbox_processes")
