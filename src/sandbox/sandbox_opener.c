// Opens files for runs where namespaces are forbidden. Landlock has one right to read for files of every type, so it
// cannot keep a run from draining a FIFO or reading a device outside. Thus the filter of system calls hands every
// open() that only reads to this process (seccomp's user notifications), which opens the file itself, looks at what it
// has opened, and gives the run the descriptor. The run's path is read once, and nothing of it is looked at again by
// the kernel: there is no moment at which the run could exchange what was checked.
//
// What a run opens to write to, Landlock confines, and O_PATH and O_DIRECTORY do not read: those do not come here. This
// process is an ancestor of all runs, which is what reading their memory needs where Yama restricts that, and is in no
// Landlock domain. So hidden paths (sandbox/hidden.h) and other processes' folders in /proc are refused here.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "sandbox/hidden.h"
#include "sandbox/sandbox_internal.h"
#include "sandbox/sandbox_opener.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { PIPES = 0x50495045 }; // the file system of pipes without a name
enum { LOOK_MS = 20 };       // at opens that wait

// Of Linux 6.6, which not all systems' headers have yet: the woken process runs on the processor of the one that woke
// it.
#define SET_FLAGS SECCOMP_IOW(4, uint64_t)
enum { WAKE_HERE = 1 };

static const char *const harmless[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                       "/dev/random", "/dev/urandom", "/dev/tty"};
_Static_assert(COUNT(harmless) == OPENER_DEVICES, "one for each");

// What of another process a run may read: what needs no right to trace it.
static const char *const of_others[] = {"stat", "statm", "status", "cmdline", "comm", "cgroup", "oom_score"};

// --- where a descriptor leads ---------------------------------------------------------------

static bool is_own(const struct opener *o, int fd)
{
	char path[PATH_MAX];
	return walk_path(fd, path, sizeof path) && (path_below(path, o->cwd) || path_below(path, o->open));
}

static bool is_hidden(const struct opener *o, int fd)
{
	char path[PATH_MAX];
	if (!o->hidden.n)
		return false;
	if (!walk_path(fd, path, sizeof path))
		return true;
	bool hidden = false;
	for (size_t i = 0; i < o->hidden.n && !hidden; i++)
		hidden = path_below(path, o->hidden.v[i]);
	return hidden;
}

static bool is_harmless(const struct opener *o, const struct stat *st)
{
	for (size_t i = 0; i < COUNT(harmless); i++)
		if (S_ISCHR(o->devices[i].st_mode) && o->devices[i].st_ino == st->st_ino &&
		    o->devices[i].st_dev == st->st_dev)
			return true;
	return false;
}

static bool may_read_in_proc(const struct opener_request *r, int fd)
{
	char path[PATH_MAX];
	const char *leaf = "";
	pid_t owner = walk_owner(fd, &leaf, path, sizeof path);
	bool may = owner == 0 || owner == r->process || owner == (pid_t)r->call.pid;
	for (size_t i = 0; owner > 0 && i < COUNT(of_others); i++)
		may |= strcmp(leaf, of_others[i]) == 0;
	return may;
}

// --- opening --------------------------------------------------------------------------------

static int reopen(int fd, int flags)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, (flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW)) | O_CLOEXEC | O_NOCTTY);
}

// 0, or why the run may not read it.
static int refuse(const struct opener_request *r, int fd, const struct stat *st)
{
	struct statfs fs;
	const bool in_proc = walk_is_proc(r->o, fd, st);
	if (S_ISLNK(st->st_mode))
		return ELOOP;
	if (r->flags & O_CREAT && r->flags & O_EXCL)
		return EEXIST;
	if (r->flags & O_CREAT && S_ISDIR(st->st_mode))
		return EISDIR;
	if (r->flags & O_TRUNC && !is_own(r->o, fd))
		return EACCES;
	if (S_ISFIFO(st->st_mode) && fstatfs(fd, &fs) == 0 && fs.f_type == PIPES)
		return 0; // what it has already
	if (S_ISFIFO(st->st_mode))
		return is_own(r->o, fd) ? 0 : EACCES;
	if (S_ISCHR(st->st_mode))
		return is_harmless(r->o, st) ? 0 : EACCES;
	if (S_ISBLK(st->st_mode))
		return EACCES;
	if (S_ISREG(st->st_mode) && is_hidden(r->o, fd))
		return EACCES;
	return in_proc && !may_read_in_proc(r, fd) ? EACCES : 0;
}

// What the path leads to, or would be made at. -1 with errno.
static int find(struct opener_request *r, struct stat *ret)
{
	struct walk w;
	int fd = walk_at_once(r, ret);
	if (fd >= 0)
		return fd;
	int result = walk_to(&w, r), why = errno;
	if (result == 0 && fstat(w.at, ret) == 0)
		return w.at;
	if (result < 0 && why == ENOENT && r->flags & O_CREAT && w.at >= 0 && w.at_end && w.last[0]) {
		walk_know(r);
		if (is_own(r->o, w.at))
			fd = openat(w.at, w.last, O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			            r->mode & 07777 & ~r->umask);
		why = is_own(r->o, w.at) ? errno : EACCES;
		r->flags &= ~O_EXCL;
		if (fd >= 0 && fstat(fd, ret) < 0) {
			close(fd);
			fd = -1;
		}
	}
	if (w.at >= 0)
		close(w.at);
	errno = why;
	return fd;
}

// --- answers --------------------------------------------------------------------------------

static void answer_error(const struct opener_request *r, int error)
{
	struct seccomp_notif_resp answer = {.id = r->call.id, .error = -error};
	ioctl(r->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static void answer_descriptor(const struct opener_request *r, int fd)
{
	struct seccomp_notif_addfd answer = {.id = r->call.id,
	                                     .flags = SECCOMP_ADDFD_FLAG_SEND,
	                                     .srcfd = (uint32_t)fd,
	                                     .newfd_flags = (uint32_t)(r->flags & O_CLOEXEC)};
	if (ioctl(r->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &answer) < 0 && errno != ENOENT)
		answer_error(r, errno);
}

static void answer_opened(const struct opener_request *r, int opened, int why)
{
	if (opened < 0) {
		answer_error(r, why);
		return;
	}
	answer_descriptor(r, opened);
	close(opened);
}

static void open_and_answer(const struct opener_request *r, int fd)
{
	int opened = reopen(fd, r->flags);
	answer_opened(r, opened, errno);
}

static bool still_waits(int listener, uint64_t id)
{
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

// Ends those whose run is gone. A place that is free, -1: none.
static int look_at_waiters(struct opener *o)
{
	int free = -1;
	for (int i = 0; i < OPENER_WAITERS; i++) {
		pid_t pid = o->waiters[i].pid;
		bool gone = pid && !still_waits(o->waiters[i].listener, o->waiters[i].id);
		if (gone)
			kill(pid, SIGTERM);
		if (pid && waitpid(pid, NULL, gone ? 0 : WNOHANG) == pid)
			o->waiters[i].pid = 0;
		if (!o->waiters[i].pid)
			free = i;
	}
	return free;
}

// SIGTERM ends a waiter while it waits, not while it answers: the kernel calls a request invalid as soon as the
// answer to it has begun, and an answer that is interrupted then gives the run descriptor 0.
static _Noreturn void waiter(const struct opener_request *r, int fd)
{
	sigset_t signals;
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&signals);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	int opened = reopen(fd, r->flags), why = errno;
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	answer_opened(r, opened, why);
	_exit(0);
}

// Somebody has to open a FIFO's other end: a process of its own waits for that.
static void wait_and_answer(struct opener *o, const struct opener_request *r, int fd)
{
	int i = look_at_waiters(o);
	pid_t pid = i < 0 ? -1 : fork();
	if (pid == 0)
		waiter(r, fd);
	if (pid < 0) {
		answer_error(r, ENFILE);
		return;
	}
	o->waiters[i].pid = pid;
	o->waiters[i].id = r->call.id;
	o->waiters[i].listener = r->listener;
}

// --- calls ----------------------------------------------------------------------------------

// A string of the run's memory, which may end where a page does.
static int read_path(struct opener_request *r, uint64_t address)
{
	enum { PAGE = 4096 };
	for (size_t n = 0; n < sizeof r->path;) {
		size_t part = PAGE - (address + n) % PAGE;
		part = part < sizeof r->path - n ? part : sizeof r->path - n;
		struct iovec to = {r->path + n, part}, from = {(void *)(uintptr_t)(address + n), part};
		ssize_t got = process_vm_readv((pid_t)r->call.pid, &to, 1, &from, 1, 0);
		if (got <= 0)
			return got < 0 && errno != EFAULT ? EACCES : EFAULT;
		if (memchr(r->path + n, 0, (size_t)got))
			return r->path[0] ? 0 : ENOENT;
		n += (size_t)got;
	}
	return ENAMETOOLONG;
}

static void take_arguments(struct opener_request *r)
{
	const struct seccomp_data *d = &r->call.data;
	const int shift = d->nr == SYS_openat;
	r->folder = shift ? (int)d->args[0] : AT_FDCWD;
	r->flags = (int)d->args[1 + shift];
	r->mode = (mode_t)d->args[2 + shift];
}

// A run of root's may have become somebody else. Returns whether this process is that one now, for files.
static bool become_run(const struct opener_request *r)
{
	char path[64];
	struct stat st;
	snprintf(path, sizeof path, "/proc/%u", r->call.pid);
	if (geteuid() != 0 || stat(path, &st) < 0 || (st.st_uid == 0 && st.st_gid == getegid()))
		return false;
	setfsgid(st.st_gid);
	setfsuid(st.st_uid);
	return true;
}

static void serve_request(struct opener *o, struct opener_request *r)
{
	struct stat st;
	take_arguments(r);
	int error = read_path(r, r->call.data.args[r->call.data.nr == SYS_openat]);
	if (error) {
		answer_error(r, error);
		return;
	}
	bool other = become_run(r);
	int fd = find(r, &st);
	error = fd < 0 ? errno : 0;
	if (!error && st.st_dev == o->proc)
		walk_know(r);
	error = error ? error : refuse(r, fd, &st);
	// The number of the process may be another one's by now; then nobody waits for the answer.
	if (error)
		answer_error(r, error);
	else if (!still_waits(r->listener, r->call.id))
		;
	else if (S_ISFIFO(st.st_mode) && !(r->flags & O_NONBLOCK))
		wait_and_answer(o, r, fd);
	else
		open_and_answer(r, fd);
	if (fd >= 0)
		close(fd);
	if (other) {
		setfsuid(0);
		setfsgid(getegid());
	}
}

static void serve_listener(struct opener *o, int listener)
{
	static struct opener_request r; // a path is long
	memset(&r, 0, offsetof(struct opener_request, path));
	r.o = o;
	r.listener = listener;
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &r.call) == 0)
		serve_request(o, &r);
}

// --- listeners ------------------------------------------------------------------------------

union rights {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

int opener_send(int requests, int listener)
{
	char byte = 0;
	struct iovec data = {&byte, 1};
	union rights rights = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof rights};
	memcpy(CMSG_DATA(&rights.head), &listener, sizeof listener);
	return sendmsg(requests, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

static void take_listener(struct opener *o)
{
	char byte;
	int listener, i = 0;
	uint64_t flags = WAKE_HERE;
	struct iovec data = {&byte, 1};
	union rights rights;
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof rights};
	if (recvmsg(o->requests, &message, MSG_CMSG_CLOEXEC) != 1) {
		close(o->requests); // the worker is gone
		o->requests = -1;
		return;
	}
	if (message.msg_controllen < CMSG_LEN(sizeof(int)) || rights.head.cmsg_type != SCM_RIGHTS)
		return;
	memcpy(&listener, CMSG_DATA(&rights.head), sizeof listener);
	while (i < OPENER_LISTENERS && o->listeners[i] >= 0)
		i++;
	if (i == OPENER_LISTENERS) {
		close(listener); // its process opens nothing
		return;
	}
	ioctl(listener, SET_FLAGS, flags);
	o->listeners[i] = listener;
}

struct opener *opener_new(int requests, const char *worker_dir)
{
	struct opener *o = mem_zero(sizeof *o);
	struct stat st;
	char real[PATH_MAX];
	const char *at = realpath(worker_dir, real) ? real : worker_dir;
	o->requests = requests;
	o->cwd = mem_printf("%s/cwd", at);
	o->open = mem_printf("%s/open", at);
	for (int i = 0; i < OPENER_LISTENERS; i++)
		o->listeners[i] = -1;
	for (size_t i = 0; i < COUNT(harmless); i++)
		if (lstat(harmless[i], &o->devices[i]) < 0)
			o->devices[i] = (struct stat){0};
	o->proc = stat("/proc", &st) == 0 ? st.st_dev : 0;
	hidden_paths(&o->hidden);
	return o;
}

static bool any_waits(const struct opener *o)
{
	bool any = false;
	for (int i = 0; i < OPENER_WAITERS; i++)
		any |= o->waiters[i].pid != 0;
	return any;
}

void opener_serve(struct opener *o, int until)
{
	for (;;) {
		struct pollfd fds[2 + OPENER_LISTENERS] = {{.fd = until, .events = POLLIN},
		                                           {.fd = o->requests, .events = POLLIN}};
		for (int i = 0; i < OPENER_LISTENERS; i++)
			fds[2 + i] = (struct pollfd){.fd = o->listeners[i], .events = POLLIN};
		if (poll(fds, COUNT(fds), any_waits(o) ? LOOK_MS : -1) < 0 && errno != EINTR)
			return;
		for (int i = 0; i < OPENER_LISTENERS; i++) {
			if (fds[2 + i].revents & POLLIN)
				serve_listener(o, o->listeners[i]);
			if (fds[2 + i].revents & (POLLHUP | POLLERR)) {
				close(o->listeners[i]);
				o->listeners[i] = -1;
			}
		}
		if (fds[1].revents)
			take_listener(o);
		look_at_waiters(o);
		if (fds[0].revents)
			return;
	}
}
