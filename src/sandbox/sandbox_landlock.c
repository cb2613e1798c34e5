// The sandbox where namespaces are forbidden. The worker itself stays as it is; what it starts can write to a copy of
// the working folder and to `open`, and nowhere else. Landlock does not look at changes of permissions, owners, times
// and attributes, nor at sockets: the filter of system calls refuses those.
//
//   BOX/cwd    copy of the working folder, for runs
//   BOX/kept   another one, which they can only read: what BOX/cwd is restored from
//   BOX/runs   for us to write
//   BOX/open   as everywhere; open/files holds what is put outside of the working folder
//
// The room that a run takes on the disk is bounded for each file, not for all together.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/privileges.h"
#include "sandbox/hidden.h"
#include "sandbox/sandbox_internal.h"
#include "sandbox/sandbox_scratch.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

// --- rules ----------------------------------------------------------------------------------

// As of version 6, which not all systems' headers have yet.
struct rules {
	uint64_t files, network, scope;
};

enum { VERSION = 6 };
enum { SCOPE_ABSTRACT_SOCKETS = 1, SCOPE_SIGNALS = 2 };
enum { CONNECT_OR_BIND = 3 };
enum { REFER = 1 << 13, TRUNCATE = 1 << 14, DEVICE_CONTROL = 1 << 15 };

#define MAKE                                                                                                           \
	(LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |                    \
	 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM)
#define CHANGE                                                                                                         \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | REFER |      \
	 TRUNCATE)
#define DEVICES (LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK | DEVICE_CONTROL)

static int version(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static int make_rules(struct rules r)
{
	return (int)syscall(SYS_landlock_create_ruleset, &r, sizeof r, 0);
}

static int allow(int rules, int where, uint64_t what)
{
	struct landlock_path_beneath_attr rule = {.allowed_access = what, .parent_fd = where};
	return (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

static int allow_devices(int rules)
{
	static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full"};
	for (size_t i = 0; i < COUNT(devices); i++) {
		int fd = open(devices[i], O_PATH | O_CLOEXEC);
		if (fd < 0)
			continue;
		int r = allow(rules, fd, LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE);
		close(fd);
		if (r < 0)
			return -1;
	}
	return 0;
}

// Files can be read everywhere but in what is hidden. Rules only allow: so each entry of a folder on the way there is
// allowed by itself, and what somebody puts into such a folder later cannot be read.
static void allow_reading(int rules, const char *path, const struct strv *hidden)
{
	bool around = false;
	for (size_t i = 0; i < hidden->n; i++) {
		if (path_below(path, hidden->v[i]))
			return;
		around |= strcmp(path, "/") == 0 || path_below(hidden->v[i], path);
	}
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = around ? opendir(path) : NULL;
	if (fd >= 0 && !around)
		allow(rules, fd, LANDLOCK_ACCESS_FS_READ_FILE); // what takes no rule, like a link, needs none
	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		char *entry = mem_printf("%s/%s", strcmp(path, "/") ? path : "", e->d_name);
		allow_reading(rules, entry, hidden);
		mem_free(entry);
	}
	if (dir)
		closedir(dir);
	if (fd >= 0)
		close(fd);
}

static int make_rules_of_runs(struct scratch *s)
{
	struct strv hidden = {0};
	hidden_paths(&hidden);
	const uint64_t reading = hidden.n ? LANDLOCK_ACCESS_FS_READ_FILE : 0;
	s->rules = make_rules((struct rules){MAKE | CHANGE | DEVICES | reading, CONNECT_OR_BIND,
	                                     SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS});
	int r = s->rules < 0 || fcntl(s->rules, F_SETFD, FD_CLOEXEC) < 0 ||
	                        allow(s->rules, s->cwd, MAKE | CHANGE | reading) < 0 ||
	                        allow(s->rules, s->open, MAKE | CHANGE | reading) < 0
	                ? -1
	                : 0;
	if (r == 0 && reading)
		allow_reading(s->rules, "/", &hidden);
	strv_release(&hidden);
	return r == 0 ? allow_devices(s->rules) : -1;
}

static int restrict_self(int rules)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_landlock_restrict_self, rules, 0);
}

// The worker's signals reach only what it has started, since process ids that it kills may be somebody else's by then.
static int keep_signals_inside(void)
{
	int rules = make_rules((struct rules){REFER, 0, SCOPE_SIGNALS}),
	    all = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	// To move files from one folder to another is forbidden by any rules that do not allow it.
	int r = rules < 0 || all < 0 || allow(rules, all, REFER) < 0 ? -1 : restrict_self(rules);
	if (rules >= 0)
		close(rules);
	if (all >= 0)
		close(all);
	return r;
}

int landlock_confine(const struct sandbox *s)
{
	const struct scratch *c = sandbox_more(s)->scratch;
	int listener = -1;
	if (restrict_self(c->rules) < 0 || filter_install(&listener) < 0)
		return -1;
	int r = opener_send(c->opener, listener);
	close(listener);
	return r;
}

bool landlock_works(struct err *err)
{
	int v = version();
	if (v >= VERSION)
		return true;
	if (v < 0)
		err_errno(err, "Landlock is not there; start the kernel with lsm=landlock,... (needs Linux 6.12)");
	else
		err_set(err, "Landlock is of version %d, which lets signals through; version %d comes with Linux 6.12",
		        v, VERSION);
	return false;
}

// --- paths ----------------------------------------------------------------------------------

char *landlock_path(const struct sandbox *s, const char *path)
{
	const struct scratch *c = sandbox_more(s)->scratch;
	const char *rest;
	if (path[0] != '/' || path_below(path, s->cwd) || path_below(path, s->open))
		return mem_strdup(path);
	if ((rest = path_below(path, c->real)))
		return mem_printf("%s/%s", s->cwd, rest);
	return mem_printf("%s/files%s", s->open, path);
}

int landlock_put(struct sandbox *s, const char *path, const void *data, size_t size, struct err *err)
{
	struct scratch *c = sandbox_more(s)->scratch;
	char *mapped = landlock_path(s, path);
	const char *rest = mapped[0] == '/' ? path_below(mapped, s->cwd) : mapped;
	int r = rest ? put_file(c->cwd, rest, data, size, NULL, err)
	             : put_file(c->open, path_below(mapped, s->open), data, size, NULL, err);
	if (!rest && strncmp(path_below(mapped, s->open), "files/", 6) == 0) {
		mem_free(c->put);
		c->put = mem_strdup(path_below(mapped, s->open));
	}
	mem_free(mapped);
	return r;
}

// --- forking --------------------------------------------------------------------------------

static int build(struct sandbox *s, int opener, struct err *err)
{
	struct sandbox_more *m = sandbox_more(s);
	struct scratch *c = m->scratch = mem_zero(sizeof *c);
	c->cwd = c->kept = c->open = c->rules = -1;
	c->opener = opener;
	c->real = mem_strdup(s->cwd);
	c->twins = mem_zero(TWINS * sizeof *c->twins);
	int real = open(s->cwd, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (real < 0)
		return err_errno(err, "cannot open %s", s->cwd);
	int r = scratch_copy(s, real, "kept", NULL, &c->kept, err);
	close(real);
	if (r < 0 || scratch_copy(s, c->kept, "cwd", c, &c->cwd, err) < 0)
		return -1;
	mem_free(s->cwd);
	s->cwd = mem_printf("%s/cwd", s->worker_dir);
	c->open = mkdir(s->open, 0700) < 0 ? -1 : open(s->open, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->open < 0 || mkdir(s->runs, 0700) < 0)
		return err_errno(err, "cannot make %s and %s", s->open, s->runs);
	c->watch = watch_new(s->cwd);
	if (make_rules_of_runs(c) < 0 || keep_signals_inside() < 0)
		return err_errno(err, "cannot use Landlock");
	s->less = mem_printf("runs cannot write outside of their working folder (a copy) and %s, change permissions, "
	                     "owners or times, use sockets, or signal other processes",
	                     s->open);
	char *path = mem_printf("/proc/self/task/%d/children", (int)gettid());
	m->children = open(path, O_RDONLY | O_CLOEXEC);
	mem_free(path);
	if (m->children < 0)
		return err_errno(
			err, "cannot list processes (is /proc mounted? does the kernel have CONFIG_PROC_CHILDREN?)");
	m->self = getpid();
	m->processes = processes_of_user() + s->limits.processes; // of all that the user has
	return 0;
}

// Children of this process, also those that were left to it.
static bool kill_children(void)
{
	char path[64], text[4096];
	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)gettid());
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	char *end, *at = text;
	for (long pid; (pid = strtol(at, &end, 10)) > 0 && end != at; at = end)
		kill((pid_t)pid, SIGKILL);
	return at != text;
}

// Stands between veer and a worker, and survives both: without a pid namespace, processes that a run has put out of the
// worker's view are left to this one when the worker dies, and are ended here. It learns of its parent's death by
// SIGTERM, which is also how it is asked to end. It opens files for runs (sandbox_opener.c), with no more rights than
// they have but to end them.
static _Noreturn void guard(pid_t worker, pid_t parent, int requests, const char *worker_dir, const sigset_t *set)
{
	enum { ATTEMPTS = 10000 };
	int status = 0, signals = dup3(requests, 0, O_CLOEXEC) < 0 ? -1 : signalfd(-1, set, SFD_CLOEXEC);
	struct signalfd_siginfo signal = {0};
	if (signals < 0 || dup3(signals, 1, O_CLOEXEC) < 0 || privileges_drop(UINT64_C(1) << CAP_KILL) < 0)
		_exit(1);
	close_range(2, ~0u, 0); // the other ends are to see when the worker is gone
	struct opener *opener = opener_new(0, worker_dir);
	while (getppid() == parent && waitpid(worker, &status, WNOHANG) == 0) {
		opener_serve(opener, 1);
		if (read(1, &signal, sizeof signal) == (ssize_t)sizeof signal && signal.ssi_signo == SIGTERM)
			break;
	}
	kill(worker, SIGKILL);
	for (int i = 0; i < ATTEMPTS; i++) {
		bool any = kill_children();
		pid_t ended;
		for (int how; (ended = waitpid(-1, &how, WNOHANG)) > 0;)
			status = ended == worker ? how : status;
		if (ended < 0 && !any)
			break;
		usleep(100);
	}
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

// In the process that landlock_fork made: becomes the guard, and returns in the worker where it is asked to open files.
static int keep_guard(pid_t parent, const char *worker_dir)
{
	sigset_t set, before;
	int ends[2];
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &before);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		_exit(1);
	pid_t self = getpid(), worker = getppid() == parent ? fork() : -1;
	if (worker < 0)
		_exit(1);
	if (worker)
		guard(worker, parent, ends[0], worker_dir, &set);
	close(ends[0]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != self)
		_exit(1);
	return ends[1];
}

pid_t landlock_fork(struct sandbox *s, struct err *err)
{
	int told[2];
	struct err problem = {0};
	if (!landlock_works(err))
		return -1;
	if (pipe2(told, O_CLOEXEC) < 0)
		return err_errno(err, "cannot start a process");
	pid_t parent = getpid(), pid = fork();
	if (pid == 0) {
		close(told[0]);
		setsid();
		int opener = keep_guard(parent, s->worker_dir);
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		int r = build(s, opener, &problem);
		ssize_t n = write(told[1], problem.text, r < 0 ? strlen(problem.text) + 1 : 1);
		close(told[1]);
		if (r < 0 || n < 1)
			_exit(1);
		return 0;
	}
	close(told[1]);
	ssize_t n = -1;
	do // the user may interrupt us meanwhile
		n = pid < 0 ? 0 : read(told[0], problem.text, sizeof problem.text - 1);
	while (n < 0 && errno == EINTR);
	close(told[0]);
	if (pid < 0)
		return err_errno(err, "cannot start a process");
	if (n == 1 && !problem.text[0])
		return pid;
	waitpid(pid, NULL, 0);
	return err_set(err, "%s", n > 0 ? problem.text : "the sandbox ended before it was ready");
}

void landlock_free(struct scratch *s)
{
	if (!s)
		return;
	int fds[] = {s->cwd, s->kept, s->open, s->rules, s->opener};
	for (size_t i = 0; i < COUNT(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	watch_free(s->watch);
	mem_free(s->put);
	mem_free(s->twins);
	mem_free(s->real);
	mem_free(s);
}
