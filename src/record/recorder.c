#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/record_internal.h"

struct recorder *recorder_new(const char *folder, const struct interpose *options, struct record_counts *counts,
                              struct err *err)
{
	struct stat st;
	char *recorded = mem_printf("%s/recorded", folder), *files = mem_printf("%s/files", folder);
	struct recorder *r = NULL;
	int fd = open(recorded, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || stat("/", &st) < 0) {
		err_errno(err, "cannot open %s", recorded);
	} else {
		r = mem_zero(sizeof *r);
		r->options = options;
		r->suite = path_cwd();
		r->recorded = fd;
		r->counts = counts;
		r->root_device = st.st_dev;
		r->root_inode = st.st_ino;
		contents_init(&r->contents, files, &counts->bytes);
	}
	mem_free(recorded);
	mem_free(files);
	return r;
}

void recorder_free(struct recorder *r)
{
	for (size_t i = 0; i < PROCESS_BUCKETS; i++)
		while (r->processes[i])
			process_remove(r, r->processes[i]->thread);
	close(r->recorded);
	delta_release(&r->written);
	executables_release(&r->executables);
	contents_release(&r->contents);
	names_release(&r->names);
	strv_release(&r->reported);
	mem_free(r->suite);
	mem_free(r);
}

int recorder_install_filter(void)
{
	struct sock_filter code[FILTER_MAX];
	struct sock_fprog program = {(unsigned short)filter_base(code), code};
	return tracee_install(&program);
}

// To its next stop; while it has copies of its streams, that is its next system call.
static void go_on_as(const struct process *p, pid_t pid, int sig)
{
	ptrace(p && p->copies ? PTRACE_SYSCALL : PTRACE_CONT, pid, 0, sig);
}

static void go_on(const struct recorder *r, pid_t pid, int sig)
{
	go_on_as(process_find(r, pid), pid, sig);
}

static void go_to_return(struct process *p, pid_t pid, enum awaiting what, const struct syscall_state *before)
{
	p->awaiting = what;
	p->before = *before;
	ptrace(PTRACE_SYSCALL, pid, 0, 0);
}

// --- exec -------------------------------------------------------------------------------------

static struct executable *find_executable(struct recorder *r, const char *path)
{
	return executables_find(&r->executables, r->options->builder, path, r->options->complain);
}

static bool is_recorded(const struct executable *x)
{
	return x && (x->state == EXECUTABLE_READY || x->state == EXECUTABLE_MISSING);
}

// What the execve will run, if it is to be recorded: the program, or the interpreter of a script.
static struct executable *executable_of(struct recorder *r, pid_t pid, int folder, const char *path)
{
	char reach[PATH_MAX + 64];
	tracee_path(pid, folder, path, reach, sizeof reach);
	struct executable *x = find_executable(r, reach);
	if (x && x->state == EXECUTABLE_SCRIPT) {
		tracee_path(pid, AT_FDCWD, x->interpreter, reach, sizeof reach);
		x = find_executable(r, reach);
	}
	return is_recorded(x) ? x : NULL;
}

// Has the process put another filter on itself, instead of its execve, which it calls again afterwards.
static bool put_filter(struct process *p, pid_t pid, const struct syscall_state *s, uint64_t watch)
{
	struct sock_filter code[FILTER_MAX];
	struct sock_fprog program = {0};
	size_t n = filter_make(code, !p->paths, watch & ~p->watched), size = n * sizeof *code;
	struct syscall_state now = *s;
	uint64_t at = tracee_scratch(s, sizeof program + size);
	program.len = (unsigned short)n;
	program.filter = (struct sock_filter *)(at + sizeof program);
	if (!tracee_write(pid, at + sizeof program, code, size) || !tracee_write(pid, at, &program, sizeof program))
		return false;
	tracee_set_number(&now, SYS_seccomp);
	tracee_set_arg(&now, 0, SECCOMP_SET_MODE_FILTER);
	tracee_set_arg(&now, 1, 0);
	tracee_set_arg(&now, 2, at);
	if (tracee_set(pid, &now) < 0)
		return false;
	p->paths = true;
	p->watched |= watch;
	go_to_return(p, pid, AWAIT_FILTER, s);
	return true;
}

static void on_filter(struct recorder *r, struct process *p, pid_t pid, struct syscall_state *now)
{
	if (tracee_result(now) < 0) {
		p->refused = true;
		p->paths = false;
		p->watched = 0;
	}
	tracee_restart(now, &p->before);
	tracee_set(pid, now);
	go_on(r, pid, 0);
}

static void on_exec_call(struct recorder *r, pid_t pid, const struct syscall_state *s, int path_index, int folder)
{
	char path[PATH_MAX];
	struct process *p = process_find(r, pid);
	if (tracee_string(pid, tracee_arg(s, path_index), path, sizeof path) < 0)
		return go_on(r, pid, 0);
	interpose_check_setuid(&r->reported, r->options, pid, folder, path);
	if (p && p->execution) {
		touch_path(r, p, pid, folder, path, true, TOUCH_EXECUTE);
		EACH_EXECUTION(e, p)
		e->snapshot.whole = true; // what it executes may ask for anything
	}
	struct executable *x = executable_of(r, pid, folder, path);
	if (!x) {
		if (p)
			p->next = NULL;
		return go_on(r, pid, 0);
	}
	if (!p)
		p = process_add(r, pid, NULL);
	p->next = x;
	uint64_t watch = p->refused ? 0 : streams_to_watch(pid);
	if (!p->refused && (!p->paths || (watch & ~p->watched))) {
		if (put_filter(p, pid, s, watch))
			return;
		p->refused = true;
	}
	go_on(r, pid, 0);
}

// The thread that executes goes on under its process's number; the others are gone.
static void take_over(struct recorder *r, pid_t pid)
{
	unsigned long former = 0;
	ptrace(PTRACE_GETEVENTMSG, pid, 0, &former);
	if (former && (pid_t)former != pid)
		process_rename(r, (pid_t)former, pid);
}

static void on_exec(struct recorder *r, pid_t pid)
{
	take_over(r, pid);
	struct process *p = process_find(r, pid);
	if (p && p->next)
		execution_begin(r, p, pid);
	if (p) {
		p->next = NULL;
		streams_executed(p, pid);
	}
	go_on(r, pid, 0);
}

// --- system calls -----------------------------------------------------------------------------

static void on_connect(struct process *p, pid_t pid, const struct syscall_state *s)
{
	struct sockaddr_storage address = {0};
	size_t size = (size_t)tracee_arg(s, 2);
	if (size < sizeof address.ss_family || size > sizeof address ||
	    !tracee_read(pid, tracee_arg(s, 1), &address, size))
		return;
	const char *path = (const char *)&address + sizeof address.ss_family;
	if (address.ss_family == AF_UNIX && path[0] && access(path, F_OK) < 0)
		return; // nobody there, today as well as then
	EACH_EXECUTION(e, p)
	execution_cannot(e, "it connects to a socket");
}

static bool belongs_to(const struct recorder *r, pid_t pid, const struct execution *e)
{
	const struct process *p = process_find(r, pid);
	const struct execution *x = p ? p->execution : NULL;
	while (x && x != e)
		x = x->around;
	return x != NULL;
}

// To a process that the execution has not started, and that is another one each time.
static void on_kill(struct recorder *r, struct process *p, pid_t to)
{
	EACH_EXECUTION(e, p)
	{
		if (to > 0 && !belongs_to(r, to, e))
			execution_cannot(e, "it sends signals to other processes");
	}
}

static void cannot(struct process *p, const char *why)
{
	EACH_EXECUTION(e, p)
	execution_cannot(e, "%s", why);
}

// Calls that neither name files nor move bytes. False: it is none.
static bool on_other(struct recorder *r, struct process *p, pid_t pid, const struct syscall_state *s)
{
	switch (tracee_number(s)) {
	case SYS_getdents:
	case SYS_getdents64: touch_folder(r, p, pid, (int)tracee_arg(s, 0)); return true;
	case SYS_connect: on_connect(p, pid, s); return true;
	case SYS_kill:
	case SYS_tkill:
	case SYS_tgkill: on_kill(r, p, (pid_t)tracee_arg(s, 0)); return true;
	case SYS_chroot: cannot(p, "it has a root folder of its own"); return true;
	case SYS_unshare:
	case SYS_setns: cannot(p, "it has namespaces of its own"); return true;
	case SYS_mount:
	case SYS_umount2:
	case SYS_pivot_root: cannot(p, "it mounts file systems"); return true;
	default: return false;
	}
}

static void on_ptrace(struct recorder *r, struct process *p, pid_t pid)
{
	if (p)
		EACH_EXECUTION(e, p)
	execution_cannot(e, "it traces processes");
	interpose_warn_ptrace(&r->reported, r->options, pid);
	go_on(r, pid, 0);
}

static void on_syscall(struct recorder *r, pid_t pid)
{
	struct syscall_state s;
	if (tracee_get(pid, &s) < 0)
		return;
	struct process *p = process_find(r, pid);
	switch (tracee_number(&s)) {
	case SYS_execve: return on_exec_call(r, pid, &s, 0, AT_FDCWD);
	case SYS_execveat: return on_exec_call(r, pid, &s, 1, (int)tracee_arg(&s, 0));
	case SYS_ptrace: return on_ptrace(r, p, pid);
	}
	if (!p || !p->execution)
		return go_on(r, pid, 0);
	if (on_other(r, p, pid, &s))
		return go_on(r, pid, 0);
	bool stream;
	enum awaiting what = touch_call(r, p, pid, &s, &stream) ? stream ? AWAIT_COPY : AWAIT_NOTHING
	                                                        : streams_call(r, p, pid, &s, false);
	if (what)
		return go_to_return(p, pid, what, &s);
	go_on(r, pid, 0);
}

static void on_return(struct recorder *r, struct process *p, pid_t pid, struct syscall_state *now)
{
	if (p->awaiting == AWAIT_FILTER) {
		p->awaiting = AWAIT_NOTHING;
		return on_filter(r, p, pid, now);
	}
	if (p->awaiting)
		streams_return(r, p, pid, now);
	p->awaiting = AWAIT_NOTHING;
	go_on(r, pid, 0);
}

// A system call begins or ends, of a process that is waited for at its return, or has copies of its streams.
static void on_boundary(struct recorder *r, pid_t pid)
{
	struct process *p = process_find(r, pid);
	struct syscall_state s;
	if (!p || tracee_get(pid, &s) < 0)
		return go_on(r, pid, 0);
	if (!tracee_is_entry(pid))
		return on_return(r, p, pid, &s);
	enum awaiting what = p->execution ? streams_call(r, p, pid, &s, true) : AWAIT_NOTHING;
	if (what)
		return go_to_return(p, pid, what, &s);
	go_on(r, pid, 0);
}

// --- processes --------------------------------------------------------------------------------

static void on_fork(struct recorder *r, pid_t pid)
{
	unsigned long child = 0;
	struct process *p = process_find(r, pid);
	if (p && ptrace(PTRACE_GETEVENTMSG, pid, 0, &child) == 0 && !process_find(r, (pid_t)child))
		process_add(r, (pid_t)child, p);
	go_on(r, pid, 0);
}

static pid_t status_number(const char *status, const char *name)
{
	const char *p = strstr(status, name);
	return p ? (pid_t)strtol(p + strlen(name), NULL, 10) : 0;
}

// A child may be seen before its parent's fork is reported.
static void on_first_stop(struct recorder *r, pid_t pid)
{
	char path[64], text[2048];
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return;
	text[n] = 0;
	pid_t group = status_number(text, "\nTgid:"), parent = status_number(text, "\nPPid:");
	struct process *p = process_find(r, group != pid ? group : parent);
	if (p)
		process_add(r, pid, p);
}

static bool is_sent(const siginfo_t *info)
{
	return info->si_code == SI_USER || info->si_code == SI_TKILL || info->si_code == SI_QUEUE ||
	       (info->si_code == SI_KERNEL &&
	        (info->si_signo == SIGINT || info->si_signo == SIGHUP || info->si_signo == SIGQUIT));
}

// Signals from elsewhere come when they come; those that a program sends itself come again.
static void on_signal(struct recorder *r, pid_t pid, int sig)
{
	siginfo_t info;
	struct process *p = process_find(r, pid);
	if (p && p->execution && sig != SIGCHLD && sig != SIGCONT && sig != SIGWINCH &&
	    ptrace(PTRACE_GETSIGINFO, pid, 0, &info) == 0 && is_sent(&info) && info.si_pid != pid)
		EACH_EXECUTION(e, p)
	if (!belongs_to(r, info.si_pid, e))
		execution_cannot(e, "another process sends it signal %d", sig);
	if (p && sig == SIGPIPE)
		streams_closed(p, pid);
	go_on(r, pid, sig);
}

void recorder_stop(struct recorder *r, pid_t pid, int status)
{
	int sig = WSTOPSIG(status);
	switch (status >> 16) {
	case 0: return sig == (SIGTRAP | 0x80) ? on_boundary(r, pid) : on_signal(r, pid, sig);
	case PTRACE_EVENT_SECCOMP: return on_syscall(r, pid);
	case PTRACE_EVENT_EXEC: return on_exec(r, pid);
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE: return on_fork(r, pid);
	case PTRACE_EVENT_STOP:
		if (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU) {
			ptrace(PTRACE_LISTEN, pid, 0, 0);
			return;
		}
		if (r->n_processes && !process_find(r, pid))
			on_first_stop(r, pid);
		return go_on(r, pid, 0);
	default: return go_on(r, pid, 0);
	}
}

void recorder_end(struct recorder *r, pid_t pid, int status)
{
	struct process *p = process_find(r, pid);
	if (!p)
		return;
	EACH_EXECUTION(e, p)
	{
		if (e->pid == pid)
			execution_end(r, e, status);
	}
	process_remove(r, pid);
}
