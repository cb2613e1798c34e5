// Attacks on other processes: a victim of the warden, veer's own, all there are.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hostile.h"

// In namespaces the number is nobody's, or that of a process in there.
static pid_t victim(const char *at)
{
	return (pid_t)number(at, "victim");
}

static bool is_seen(pid_t pid)
{
	char path[64], comm[32] = "";
	snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, comm, sizeof comm - 1);
	close(fd);
	return pid > 0 && n > 0 && strcmp(comm, "victim\n") == 0;
}

ATTACK(processes_seen)
{
	if (namespaces())
		through(is_seen(victim(at)), "saw a process outside");
}

ATTACK(processes_kill)
{
	pid_t pid = victim(at);
	static const int signals[] = {SIGSTOP, SIGTERM, SIGUSR1, SIGKILL, 0};
	if (pid <= 0)
		return;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		kill(pid, signals[i]);
		kill(-pid, signals[i]);
		syscall(SYS_tgkill, pid, pid, signals[i]);
		syscall(SYS_tkill, pid, signals[i]);
		sigqueue(pid, signals[i], (union sigval){0});
	}
	through(is_seen(pid) && kill(pid, 0) == 0, "may signal a process outside");
}

ATTACK(processes_pidfd)
{
	pid_t pid = victim(at);
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0)
		return;
	through(is_seen(pid) && syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0, "pidfd_send_signal");
	through(syscall(SYS_pidfd_getfd, fd, 3, 0) >= 0 || errno != EPERM, "pidfd_getfd");
	through(syscall(SYS_process_mrelease, fd, 0) == 0, "process_mrelease");
	close(fd);
}

// The victim is out of reach, so everything outside is: nobody is signalled before that was seen.
static bool may_signal_all(const char *at)
{
	pid_t pid = victim(at);
	return namespaces() ? !is_seen(pid) : kill(pid, 0) < 0 && errno == EPERM;
}

ATTACK(processes_kill_all)
{
	if (through(!may_signal_all(at), "may signal a process outside"))
		return;
	kill(-1, SIGTERM);
	kill(-1, SIGKILL);
}

ATTACK(processes_stop_all)
{
	if (!through(!may_signal_all(at), "may signal a process outside"))
		kill(-1, SIGSTOP);
}

// Its parent is the worker, as is the server's.
ATTACK(processes_parent)
{
	if (through(!may_signal_all(at), "may signal a process outside"))
		return;
	static const int signals[] = {SIGSTOP, SIGTERM, SIGKILL, SIGALRM, SIGCHLD};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		kill(getppid(), signals[i]);
}

// All that it sees below /proc that can be killed, in a group of its own so as to survive a kill of its group.
ATTACK(processes_server)
{
	if (through(!may_signal_all(at), "may signal a process outside"))
		return;
	DIR *dir = opendir("/proc");
	for (struct dirent *e; dir && (e = readdir(dir));) {
		pid_t pid = (pid_t)atoi(e->d_name);
		if (pid > 0 && pid != getpid())
			kill(pid, SIGKILL);
	}
	if (dir)
		closedir(dir);
}

ATTACK(processes_groups)
{
	if (through(!may_signal_all(at), "may signal a process outside"))
		return;
	setpgid(0, getppid());
	pid_t mine = getpgrp();
	if (fork() == 0) {
		signal(SIGTERM, SIG_IGN);
		setpgid(0, 0);
		kill(-mine, SIGTERM);
		_exit(0);
	}
	tcsetpgrp(0, getpgrp());
	wait(NULL);
}

ATTACK(processes_ptrace)
{
	pid_t pids[] = {victim(at), getppid()};
	for (int i = 0; i < 2; i++) {
		through(ptrace(PTRACE_ATTACH, pids[i], 0, 0) == 0, "ptrace attach");
		through(ptrace(PTRACE_SEIZE, pids[i], 0, 0) == 0, "ptrace seize");
	}
	through(ptrace(PTRACE_TRACEME, 0, 0, 0) == 0, "ptrace");
}

ATTACK(processes_memory)
{
	pid_t pids[] = {victim(at), getppid()};
	uint64_t word = 0xbad, address = number(at, "word");
	for (int i = 0; i < 2; i++) {
		struct iovec ours = {&word, sizeof word}, theirs = {(void *)(uintptr_t)address, sizeof word};
		through(process_vm_writev(pids[i], &ours, 1, &theirs, 1, 0) > 0, "process_vm_writev");
		through(process_vm_readv(pids[i], &ours, 1, &theirs, 1, 0) > 0, "process_vm_readv");
		char path[64];
		snprintf(path, sizeof path, "/proc/%d/mem", (int)pids[i]);
		int fd = open(path, O_RDWR);
		through(fd >= 0, path);
		if (fd >= 0 && i == 0)
			through(pwrite(fd, &word, sizeof word, (off_t)address) > 0, "wrote another process's memory");
		close(fd);
		fd = open(path, O_RDONLY);
		through(fd >= 0, path);
		close(fd);
	}
	through(syscall(SYS_kcmp, getpid(), pids[0], 0, 0, 0) >= 0, "kcmp");
}

// setpriority() of a process, of its group, and of users that have none.
ATTACK(processes_priority)
{
	pid_t pid = victim(at);
	if (pid <= 0)
		return;
	if (is_seen(pid)) {
		through(setpriority(PRIO_PROCESS, (id_t)pid, 5) == 0, "setpriority of a process");
		through(setpriority(PRIO_PGRP, (id_t)pid, 6) == 0, "setpriority of a group");
		through(setpriority(PRIO_USER, 54321, 7) == 0 || errno == ESRCH, "setpriority of a user");
	}
}

ATTACK(processes_scheduling)
{
	pid_t pid = victim(at);
	struct sched_param none = {0};
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (!is_seen(pid))
		return;
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} how = {.size = 48, .policy = SCHED_BATCH, .nice = 3};
	through(sched_setscheduler(pid, SCHED_IDLE, &none) == 0, "sched_setscheduler");
	through(sched_setparam(pid, &none) == 0, "sched_setparam");
	through(syscall(SYS_sched_setattr, pid, &how, 0) == 0, "sched_setattr");
	through(sched_setaffinity(pid, sizeof one, &one) == 0, "sched_setaffinity");
	through(syscall(SYS_ioprio_set, 1, pid, (3 << 13) | 7) == 0, "ioprio_set of a process");
	through(syscall(SYS_ioprio_set, 2, pid, (3 << 13) | 7) == 0, "ioprio_set of a group");
	struct rlimit few = {64, 64};
	through(prlimit(pid, RLIMIT_NOFILE, &few, NULL) == 0, "prlimit");
	through(syscall(SYS_prlimit64, (1ul << 32) + (unsigned)pid, RLIMIT_FSIZE, &few, NULL) == 0,
	        "prlimit, high bits");
	unsigned long nodes = 1;
	through(syscall(SYS_migrate_pages, pid, 8, &nodes, &nodes) >= 0, "migrate_pages");
	through(setpgid(pid, getpgrp()) == 0, "setpgid");
}

// What can be written below /proc/PID.
ATTACK(processes_settings)
{
	static const char *const leaves[] = {"oom_score_adj",   "comm",          "clear_refs",
	                                     "coredump_filter", "timerslack_ns", "autogroup",
	                                     "uid_map",         "attr/current",  "sched"};
	pid_t pid = victim(at);
	for (size_t i = 0; i < sizeof leaves / sizeof *leaves && is_seen(pid); i++) {
		char path[64];
		snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, leaves[i]);
		int fd = open(path, O_WRONLY);
		through(fd >= 0 && write(fd, "1", 1) == 1, path);
		close(fd);
	}
}

// More of the processor than others have.
ATTACK(processes_realtime)
{
	(void)at;
	struct sched_param most = {.sched_priority = 1};
	if (through(sched_setscheduler(0, SCHED_FIFO, &most) == 0, "real-time priority"))
		sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
	if (through(setpriority(PRIO_PROCESS, 0, -10) == 0, "a priority above others"))
		setpriority(PRIO_PROCESS, 0, 0);
	if (through(setrlimit(RLIMIT_RTPRIO, &(struct rlimit){5, 5}) == 0, "RLIMIT_RTPRIO"))
		setrlimit(RLIMIT_RTPRIO, &(struct rlimit){0, 0});
	through(prctl(PR_SET_TIMERSLACK, 1) < 0, "prctl(PR_SET_TIMERSLACK)");
}

static void run_on(const char *name, int seconds)
{
	prctl(PR_SET_NAME, name);
	for (int i = 1; i < 64; i++)
		signal(i, SIG_IGN);
	signal(SIGALRM, SIG_DFL);
	sigset_t alarms;
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarms, NULL);
	alarm((unsigned)seconds); // if nobody else ends it
	for (;;)
		pause();
}

ATTACK(processes_daemon)
{
	(void)at;
	if (fork() == 0) {
		setsid();
		prctl(PR_SET_PDEATHSIG, 0);
		if (fork() == 0) {
			for (int fd = 0; fd < 64; fd++)
				close(fd);
			run_on("daemon", 20);
		}
		_exit(0);
	}
	wait(NULL);
}

// Daemons in groups and sessions of their own, each started by one that has ended.
ATTACK(processes_daemons)
{
	(void)at;
	for (int i = 0; i < 20; i++)
		if (fork() == 0) {
			setsid();
			setpgid(0, 0);
			if (fork() == 0) {
				prctl(PR_SET_CHILD_SUBREAPER, 1);
				if (fork() == 0)
					run_on("daemons", 20);
				run_on("daemons", 20);
			}
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
}

// Runs away from who looks for it: each process lives for a moment and has a successor. Bounded by count and by time.
ATTACK(processes_runaway)
{
	(void)at;
	time_t end = time(NULL) + 20;
	if (fork() == 0) {
		setsid();
		for (int i = 0; i < 3000 && time(NULL) < end; i++) {
			if (fork() != 0)
				_exit(0);
			usleep(500);
		}
		_exit(0);
	}
}

ATTACK(processes_stopped)
{
	(void)at;
	if (fork() == 0) {
		prctl(PR_SET_NAME, "stopped");
		alarm(20);
		raise(SIGSTOP);
		_exit(0);
	}
}

// Forks without end, but for its own bounds.
ATTACK(processes_bomb)
{
	(void)at;
	prctl(PR_SET_NAME, "bomb");
	alarm(4);
	struct timespec from, now;
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < 8; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - from.tv_sec < 2 && fork() == 0)
			alarm(4);
	}
	usleep(300000);
}

static void *sleep_on(void *nothing)
{
	usleep(100000);
	return nothing;
}

ATTACK(processes_threads)
{
	(void)at;
	enum { MANY = 400 };
	pthread_t all[MANY];
	int n = 0;
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	while (n < MANY && pthread_create(&all[n], &small, sleep_on, NULL) == 0)
		n++;
	for (int i = 0; i < n; i++)
		pthread_join(all[i], NULL);
	if (namespaces() || getuid())
		through(n == MANY, "400 threads");
}

ATTACK(processes_prctl)
{
	(void)at;
	prctl(PR_SET_PDEATHSIG, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_DUMPABLE, 0);
	prctl(53, -1); // a tracer: anybody
	prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
	through(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1, "new privileges");
	through(prctl(PR_SET_SECUREBITS, 0, 0, 0, 0) == 0, "secure bits");
	through(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 18, 0, 0) == 0, "CAP_SYS_CHROOT");
	through(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0) == 0, "CAP_SYS_ADMIN");
}

ATTACK(processes_handled)
{
	(void)at;
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (int i = 1; i < 65; i++)
		signal(i, SIG_IGN);
	for (;;)
		;
}

ATTACK(processes_stops_itself)
{
	(void)at;
	raise(SIGSTOP);
}

// The kernel signals for who owns a descriptor, which may be anybody's number.
ATTACK(processes_owner)
{
	pid_t pid = victim(at);
	int pair[2];
	if (pid <= 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) < 0)
		return;
	for (int i = 0; i < 4; i++) {
		struct {
			int type;
			pid_t pid;
		} owner = {i, pid}; // a thread, a process, a group
		fcntl(pair[0], F_SETOWN, i == 3 ? -pid : pid);
		if (i < 3)
			fcntl(pair[0], F_SETOWN_EX, &owner);
		fcntl(pair[0], F_SETSIG, i % 2 ? SIGKILL : SIGUSR1);
		fcntl(pair[0], F_SETFL, O_ASYNC | O_NONBLOCK);
		(void)!write(pair[1], "x", 1);
		usleep(1000);
	}
	close(pair[0]);
	close(pair[1]);
}

// Children of the server, which it did not start.
ATTACK(processes_siblings)
{
	(void)at;
	for (int i = 0; i < 20; i++)
		if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL) == 0) {
			if (i % 4 == 3)
				run_on("siblings", 20);
			if (i % 4 == 2)
				raise(SIGSTOP);
			if (i % 4 == 1)
				kill(getpid(), SIGKILL);
			_exit(i);
		}
	usleep(20000);
}

// A child's end is told by another signal than usual, to whoever is its parent by then.
ATTACK(processes_last_signal)
{
	(void)at;
	static const int signals[] = {SIGKILL, SIGSTOP, SIGTERM, 0, 64};
	for (int i = 0; i < 5; i++) {
		signal(SIGTERM, SIG_IGN);
		if (fork() == 0) { // the child of this one ends when that one is the parent of nobody
			if (syscall(SYS_clone, signals[i], NULL, NULL, NULL, NULL) == 0) {
				usleep(20000);
				_exit(0);
			}
			_exit(0);
		}
	}
	usleep(60000);
}
