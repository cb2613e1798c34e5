// Forking into namespaces of our own. The parent gives the child its user ids, since only somebody outside may give
// more than one; the child then makes everything read-only, and the view.
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "sandbox/sandbox_internal.h"

enum { FLAGS = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS };

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = write(fd, text, strlen(text));
	int why = errno;
	close(fd);
	errno = why;
	return n == (ssize_t)strlen(text) ? 0 : -1;
}

// --- the parent's part ----------------------------------------------------------------------

// All ids that we have ourselves, each as itself.
static char *own_ids(const char *map)
{
	struct buf lines = {0}, text = {0};
	struct err ignored;
	char *rest, *path = mem_printf("/proc/self/%s", map);
	if (file_read(path, &lines, &ignored) == 0) {
		rest = lines.data;
		for (char *line; rest && (line = strsep(&rest, "\n"));) {
			unsigned long inside, outside, count;
			if (sscanf(line, "%lu %lu %lu", &inside, &outside, &count) == 3)
				buf_printf(&text, "%lu %lu %lu\n", inside, inside, count);
		}
	}
	mem_free(path);
	buf_release(&lines);
	return buf_steal(&text);
}

static int map_ids(pid_t pid, const char *map, unsigned own)
{
	char *path = mem_printf("/proc/%d/%s", (int)pid, map), *all = own_ids(map);
	char *one = mem_printf("%u %u 1\n", own, own);
	int r = geteuid() == 0 && all ? write_text(path, all) : -1;
	if (r < 0) {
		char *groups = mem_printf("/proc/%d/setgroups", (int)pid);
		write_text(groups, "deny");
		mem_free(groups);
		r = write_text(path, one);
	}
	mem_free(path);
	mem_free(all);
	mem_free(one);
	return r;
}

static int map_user(pid_t pid, struct err *err)
{
	if (map_ids(pid, "gid_map", getegid()) < 0 || map_ids(pid, "uid_map", geteuid()) < 0)
		return err_errno(err,
		                 "cannot give the sandbox its user id (kernel.apparmor_restrict_unprivileged_userns, "
		                 "or a container without CAP_SETFCAP?)");
	return 0;
}

// --- the child's part -----------------------------------------------------------------------

static int make_private(struct err *err)
{
	struct mount_attr attr = {.propagation = MS_PRIVATE};
	if (mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &attr, sizeof attr) < 0)
		return err_errno(err, "cannot make mounts private (needs Linux 5.12)");
	return 0;
}

static int make_read_only(struct err *err)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};
	if (mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &attr, sizeof attr) < 0)
		return err_errno(err, "cannot make the file system read-only");
	return 0;
}

// The largest process id of our pid namespace bounds how many processes there are, which RLIMIT_NPROC does not do for
// root. Before Linux 6.14 it was the whole machine's: to be left alone. After the first round of ids, those from 300 up
// are used; the round is started there.
static bool limit_ids(unsigned processes)
{
	enum { RESERVED = 300, OURS = 32 };
	struct utsname u;
	unsigned major, minor;
	if (uname(&u) < 0 || sscanf(u.release, "%u.%u", &major, &minor) != 2 || major < 6 || (major == 6 && minor < 14))
		return false;
	char text[32];
	snprintf(text, sizeof text, "%u", RESERVED + 1 + OURS + processes);
	if (write_text("/proc/sys/kernel/pid_max", text) < 0)
		return false;
	snprintf(text, sizeof text, "%u", RESERVED);
	write_text("/proc/sys/kernel/ns_last_pid", text); // not in every kernel: 300 more, then
	return true;
}

// By way of a mount that stays writable, and that nobody else has.
static int open_last_pid(int proc)
{
	int copy = open_tree(proc, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
	int fd = copy < 0 ? -1 : openat(copy, "sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
	if (copy >= 0)
		close(copy);
	return fd;
}

static int mount_proc(struct sandbox *s, bool *ret_limited, struct err *err)
{
	int fs = fsopen("proc", FSOPEN_CLOEXEC), mount = -1;
	if (fs >= 0 && fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mount = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	int r = mount < 0 ? -1 : view_attach(mount, "/proc");
	if (r < 0)
		err_errno(err,
		          "cannot mount /proc in the sandbox (in a container whose /proc is partly hidden: docker run "
		          "--security-opt systempaths=unconfined)");
	else
		*ret_limited = limit_ids(s->limits.processes);
	s->last_pid = r < 0 ? -1 : open_last_pid(mount);
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};
	if (r == 0 && mount_setattr(mount, "", AT_EMPTY_PATH, &attr, sizeof attr) < 0)
		r = err_errno(err, "cannot make /proc read-only");
	if (fs >= 0)
		close(fs);
	if (mount >= 0)
		close(mount);
	return r;
}

static int mount_worker_dir(struct sandbox *s, struct err *err)
{
	enum { FILES = 1 << 16, OPEN_FILES = 1 << 12, ROOM = 64 << 20 };
	int worker_dir = view_tmpfs(ROOM, FILES, "755"), open = view_tmpfs(view_room(s, true), OPEN_FILES, "1777");
	if (worker_dir < 0 || view_attach(worker_dir, s->worker_dir) < 0)
		return err_errno(err, "cannot mount a tmpfs at %s", s->worker_dir);
	if (mkdir(s->open, 01777) < 0 || open < 0 || view_attach(open, s->open) < 0)
		return err_errno(err, "cannot mount a tmpfs at %s", s->open);
	if (mkdir(s->runs, 0755) < 0)
		return err_errno(err, "cannot make %s", s->runs);
	close(worker_dir);
	close(open);
	return 0;
}

static int build(struct sandbox *s, struct err *err)
{
	struct sandbox_more *m = sandbox_more(s);
	bool limited = false;
	if (make_private(err) < 0 || mount_proc(s, &limited, err) < 0 || make_read_only(err) < 0)
		return -1;
	if (mount_worker_dir(s, err) < 0 || view_make(s, err) < 0)
		return -1;
	char *path = mem_printf("/proc/self/task/%d/children", (int)syscall(SYS_gettid));
	m->children = open(path, O_RDONLY | O_CLOEXEC);
	mem_free(path);
	if (m->children < 0)
		return err_errno(
			err, "cannot list processes (is /proc mounted? does the kernel have CONFIG_PROC_CHILDREN?)");
	m->open = open(s->open, O_PATH | O_DIRECTORY | O_CLOEXEC);
	// Counted for this user namespace alone, and not for root.
	m->processes = limited ? 0 : s->limits.processes + 16;
	m->self = getpid();
	// The working folder, as we see it now, is on a mount that is read-only.
	if (chdir(s->cwd) < 0)
		return err_errno(err, "cannot go to %s", s->cwd);
	return 0;
}

// What the child tells when it is done: an empty text, or why not.
static void child_start(struct sandbox *s, const int go[2], const int told[2])
{
	struct err err = {0};
	char byte;
	close(go[1]);
	close(told[0]);
	// Asked for first: a parent that is gone already does not write.
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(go[0], &byte, 1) != 1)
		_exit(1);
	close(go[0]);
	setsid(); // no terminal: not the user's to type on
	int r = build(s, &err);
	prctl(PR_SET_DUMPABLE, 0);
	ssize_t n = write(told[1], err.text, r < 0 ? strlen(err.text) + 1 : 1);
	close(told[1]);
	if (r < 0 || n < 1)
		_exit(1);
}

// Like fork(), into namespaces. libc keeps the thread's number; the kernel knows where.
static pid_t fork_into(unsigned long flags)
{
#ifdef PR_GET_TID_ADDRESS
	int *tid = NULL;
	if (prctl(PR_GET_TID_ADDRESS, &tid) == 0 && tid)
		return (pid_t)syscall(SYS_clone, flags | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD, 0, NULL,
		                      tid, 0);
#endif
	return (pid_t)syscall(SYS_clone, flags | SIGCHLD, 0, NULL, NULL, 0);
}

pid_t namespaces_fork(struct sandbox *s, struct err *err)
{
	int go[2], told[2];
	if (pipe2(go, O_CLOEXEC) < 0)
		return err_errno(err, "cannot start a process");
	if (pipe2(told, O_CLOEXEC) < 0) {
		close(go[0]);
		close(go[1]);
		return err_errno(err, "cannot start a process");
	}
	pid_t pid = fork_into(FLAGS);
	if (pid == 0) {
		child_start(s, go, told);
		return 0;
	}
	close(go[0]);
	close(told[1]);
	struct err problem = {0};
	if (pid < 0)
		err_errno(err, "cannot make namespaces");
	else if (map_user(pid, err) == 0 && write(go[1], "", 1) == 1) {
		ssize_t n;
		do // the user may interrupt us meanwhile
			n = read(told[0], problem.text, sizeof problem.text - 1);
		while (n < 0 && errno == EINTR);
		if (n == 1 && !problem.text[0]) {
			close(go[1]);
			close(told[0]);
			return pid;
		}
		err_set(err, "%s", n > 0 ? problem.text : "the sandbox ended before it was ready");
	}
	close(go[1]);
	close(told[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return -1;
}
