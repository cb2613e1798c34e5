#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/privileges.h"
#include "sandbox/hidden.h"
#include "sandbox/sandbox_internal.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

const char *const sandbox_names[SANDBOX_MODES] = {"none", "namespaces", "landlock"};

static void fill(struct sandbox *s, enum sandbox_mode mode, const struct sandbox_limits *limits, const char *worker_dir,
                 const char *cwd)
{
	char *here = path_cwd();
	*s = (struct sandbox){.mode = mode, .last_pid = -1, .limits = limits ? *limits : (struct sandbox_limits){0}};
	s->limits.processes = s->limits.processes ? s->limits.processes : 64;
	s->limits.disk = s->limits.disk ? s->limits.disk : 64 << 20;
	s->limits.memory = s->limits.memory ? s->limits.memory : 1 << 30;
	s->limits.output = s->limits.output ? s->limits.output : 1 << 20;
	s->worker_dir = path_absolute(here, worker_dir);
	s->open = mem_printf("%s/open", s->worker_dir);
	s->runs = mem_printf("%s/runs", s->worker_dir);
	s->cwd = path_absolute(here, cwd);
	struct sandbox_more *m = mem_zero(sizeof *m);
	m->children = m->open = -1;
	s->more = m;
	mem_free(here);
}

static void release(struct sandbox *s)
{
	struct sandbox_more *m = s->more;
	if (m) {
		view_free(m->view);
		landlock_free(m->scratch);
		if (m->children >= 0)
			close(m->children);
		if (m->open >= 0)
			close(m->open);
	}
	if (s->last_pid >= 0)
		close(s->last_pid);
	mem_free(m);
	mem_free(s->worker_dir);
	mem_free(s->open);
	mem_free(s->runs);
	mem_free(s->root);
	mem_free(s->cwd);
	mem_free(s->less);
	*s = (struct sandbox){0};
}

// A process that nothing holds back. It has the folders that the others have, and no view.
static pid_t none_fork(struct sandbox *s, struct err *err)
{
	mem_free(s->more);
	s->more = NULL;
	if ((mkdir(s->open, 0700) < 0 && errno != EEXIST) || (mkdir(s->runs, 0700) < 0 && errno != EEXIST))
		return err_errno(err, "cannot make %s and %s", s->open, s->runs);
	pid_t parent = getpid(), pid = fork();
	if (pid < 0)
		return err_errno(err, "cannot start a process");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
	}
	return pid;
}

pid_t sandbox_fork(struct sandbox *ret, enum sandbox_mode mode, const struct sandbox_limits *limits,
                   const char *worker_dir, const char *cwd, struct err *err)
{
	struct sandbox s;
	pid_t pid;
	fill(&s, mode, limits, worker_dir, cwd);
	if (mode == SANDBOX_NAMESPACES)
		pid = namespaces_fork(&s, err);
	else if (mode == SANDBOX_LANDLOCK)
		pid = landlock_fork(&s, err);
	else
		pid = none_fork(&s, err);
	if (pid == 0) {
		hidden_variables();
		*ret = s;
	} else {
		release(&s);
	}
	return pid;
}

// A pid namespace ends with its first process, which takes no other signal from here. Without one, the process is the
// guard of the one that the caller means, and has to be left to end what that one started.
void sandbox_end(enum sandbox_mode mode, pid_t pid)
{
	kill(pid, mode == SANDBOX_LANDLOCK ? SIGTERM : SIGKILL);
}

void sandbox_leave(struct sandbox *s)
{
	if (s->more)
		processes_kill(s);
	release(s);
}

// --- what works -----------------------------------------------------------------------------

// Settings that forbid it, as far as the machine tells.
static const struct {
	const char *path, *wrong, *remedy;
} settings[] = {
	{"/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"},
	{"/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"},
	{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
         "sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
};

static void say_remedy(struct buf *why)
{
	bool any = false;
	for (size_t i = 0; i < COUNT(settings); i++) {
		struct buf text = {0};
		struct err ignored;
		if (file_exists(settings[i].path) && file_read(settings[i].path, &text, &ignored) == 0 && text.len &&
		    text.data[0] == settings[i].wrong[0] && strlen(text.data) <= 2) {
			buf_printf(why, "%s as root: %s", any ? "," : "; enable them,", settings[i].remedy);
			any = true;
		}
		buf_release(&text);
	}
	if (!any)
		buf_addstr(why, "; in a container: docker run --security-opt seccomp=unconfined --security-opt "
		                "apparmor=unconfined --security-opt systempaths=unconfined; in a chroot: "
		                "not possible");
}

static bool try_fork(enum sandbox_mode mode, const char *folder, struct err *err)
{
	struct sandbox s;
	char *worker_dir = mem_printf("%s/box", folder), *cwd = mem_printf("%s/cwd", folder);
	int status = -1;
	bool made = mkdir(worker_dir, 0700) == 0 && mkdir(cwd, 0700) == 0;
	pid_t pid = made ? sandbox_fork(&s, mode, NULL, worker_dir, cwd, err)
	                 : err_errno(err, "cannot write to %s", folder);
	if (pid == 0)
		_exit(sandbox_confine(&s) < 0);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && status != 0)
		err_set(err, "a process in the sandbox ended with status 0x%x", status);
	mem_free(worker_dir);
	mem_free(cwd);
	return pid > 0 && status == 0;
}

bool sandbox_works(enum sandbox_mode mode, struct buf *why)
{
	struct err err = {0};
	if (mode == SANDBOX_NONE)
		return true;
	bool has_proc = file_exists("/proc/self/stat"); // without it, nothing else works, either
	if (!has_proc)
		err_set(&err, "/proc is missing; as root: mount -t proc proc /proc");
	char *folder = has_proc ? file_temporary("veer-sandbox", &err) : NULL;
	bool works = folder && try_fork(mode, folder, &err);
	if (!works && why)
		buf_addstr(why, err.text);
	if (!works && why && folder && mode == SANDBOX_NAMESPACES)
		say_remedy(why);
	if (folder)
		file_remove_tree(folder);
	mem_free(folder);
	return works;
}

enum sandbox_mode sandbox_best(void)
{
	static const enum sandbox_mode order[] = {SANDBOX_NAMESPACES, SANDBOX_LANDLOCK};
	for (size_t i = 0; i < COUNT(order); i++)
		if (sandbox_works(order[i], NULL))
			return order[i];
	return SANDBOX_NONE;
}

// --- what runs may do -----------------------------------------------------------------------

static int limit(int what, uint64_t value)
{
	struct rlimit r;
	if (getrlimit((__rlimit_resource_t)what, &r) < 0)
		return -1;
	if (value < r.rlim_max)
		r.rlim_max = value;
	r.rlim_cur = r.rlim_max;
	return setrlimit((__rlimit_resource_t)what, &r);
}

// Those of a process, and those that are on their way in a socket. What programs ask for by default stays.
static int limit_descriptors(void)
{
	struct rlimit r;
	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return -1;
	if (r.rlim_max > SANDBOX_DESCRIPTORS)
		r.rlim_max = SANDBOX_DESCRIPTORS;
	if (r.rlim_cur > r.rlim_max)
		r.rlim_cur = r.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &r);
}

// There is no way back from there: the right to change the root goes next, and nobody has a folder outside. A snapshot
// may lack the working folder.
static int enter_view(const struct sandbox *s)
{
	return chroot(s->root) < 0 || (chdir(s->cwd) < 0 && chdir("/") < 0) ? -1 : 0;
}

int sandbox_confine(const struct sandbox *s)
{
	const struct sandbox_more *m = s->more;
	if (!m)
		return 0;
	if (s->root && enter_view(s) < 0)
		return -1;
	signal(SIGXFSZ, SIG_DFL); // who starts veer may ignore it
	if (limit(RLIMIT_CORE, 0) < 0 || limit(RLIMIT_FSIZE, s->limits.output) < 0 || limit_descriptors() < 0 ||
	    (m->processes && limit(RLIMIT_NPROC, m->processes) < 0))
		return -1;
	// A server must not outlive the worker where no pid namespace ends it.
	if (privileges_drop(0) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return s->mode == SANDBOX_LANDLOCK ? landlock_confine(s) : filter_install(NULL);
}

int sandbox_confine_reader(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -1 : filter_install_reader();
}

int sandbox_show(struct sandbox *s, const char *folder, struct err *err)
{
	return s->mode == SANDBOX_NAMESPACES ? view_show(s, folder, err) : 0;
}

// --- between runs ---------------------------------------------------------------------------

int sandbox_put(struct sandbox *s, const char *path, const void *data, size_t size, struct err *err)
{
	char *whole = path_absolute(s->cwd, path);
	int r = s->mode == SANDBOX_NAMESPACES ? view_put(s, whole, data, size, NULL, err)
	        : s->mode == SANDBOX_LANDLOCK ? landlock_put(s, whole, data, size, err)
	                                      : file_replace(whole, data, size, 0644, err);
	mem_free(whole);
	return r;
}

char *sandbox_path(const struct sandbox *s, const char *path)
{
	return s->mode == SANDBOX_LANDLOCK ? landlock_path(s, path) : mem_strdup(path);
}

void sandbox_keep(struct sandbox *s, pid_t old, pid_t new)
{
	size_t i = 0;
	while (i < s->n_keep && s->keep[i] != old)
		i++;
	if (i == s->n_keep && new > 0 && s->n_keep < sizeof s->keep / sizeof *s->keep)
		s->keep[s->n_keep++] = new;
	else if (i < s->n_keep && new > 0)
		s->keep[i] = new;
	else if (i < s->n_keep)
		s->keep[i] = s->keep[--s->n_keep];
}

void sandbox_kill(struct sandbox *s)
{
	if (s->more)
		processes_kill(s);
}

// A run may have stopped what is to live on. Who is not stopped takes no notice.
static void resume_kept(const struct sandbox *s)
{
	for (size_t i = 0; i < s->n_keep; i++)
		kill(s->keep[i], SIGCONT);
}

int sandbox_reset(struct sandbox *s, struct err *err)
{
	if (!s->more)
		return 0;
	sandbox_more(s)->shared = 0;
	if (processes_kill(s) < 0)
		return err_set(err, "a run left processes that cannot be killed; the worker is to be started again");
	resume_kept(s);
	return s->mode == SANDBOX_NAMESPACES ? view_reset(s, err) : landlock_reset(s, err);
}
