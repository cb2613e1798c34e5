#include "run/interpose.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "config.h"
#include "run/recorder.h"
#include "run/targets.h"
#include "run/tracee.h"

// What the tracer tells its parent when the command has ended.
struct ended {
	int status;
	struct interpose_counts counts;
};

// A system call that was changed on its way in, and is put right on its way out.
struct changed {
	pid_t pid;
	bool exec;
	struct syscall_state before;
};

struct tracer {
	const struct interpose *options;
	char *run; // folder
	struct targets targets;
	struct changed *changed;
	size_t n_changed, cap_changed;
	pid_t *waiting; // stopped until a build is done
	size_t n_waiting, cap_waiting;
	pid_t *exempt; // their next execve is let through
	size_t n_exempt, cap_exempt;
	struct interpose_counts counts;
	struct strv told; // limits that were told, as "path: what"
	pid_t command;
	int channel; // to the parent; carries the command's wait status
};

static void push_pid(pid_t **list, size_t *n, size_t *cap, pid_t pid)
{
	if (*n == *cap) {
		*cap = *cap ? 2 * *cap : 8;
		*list = mem_resize(*list, *cap * sizeof **list);
	}
	(*list)[(*n)++] = pid;
}

static bool remove_pid(pid_t *list, size_t *n, pid_t pid)
{
	for (size_t i = 0; i < *n; i++)
		if (list[i] == pid) {
			list[i] = list[--*n];
			return true;
		}
	return false;
}

static struct changed *find_changed(struct tracer *t, pid_t pid)
{
	for (size_t i = 0; i < t->n_changed; i++)
		if (t->changed[i].pid == pid)
			return &t->changed[i];
	return NULL;
}

static void forget_changed(struct tracer *t, pid_t pid)
{
	struct changed *c = find_changed(t, pid);
	if (c)
		*c = t->changed[--t->n_changed];
}

static void go_on(pid_t pid, int sig)
{
	ptrace(PTRACE_CONT, pid, 0, sig);
}

// Lets the changed system call run and stops again when it returns.
static void go_changed(struct tracer *t, pid_t pid, const struct syscall_state *before, const struct syscall_state *now,
                       bool exec)
{
	forget_changed(t, pid);
	if (t->n_changed == t->cap_changed) {
		t->cap_changed = t->cap_changed ? 2 * t->cap_changed : 8;
		t->changed = mem_resize(t->changed, t->cap_changed * sizeof *t->changed);
	}
	t->changed[t->n_changed++] = (struct changed){pid, exec, *before};
	if (tracee_set(pid, now) < 0)
		forget_changed(t, pid);
	ptrace(PTRACE_SYSCALL, pid, 0, 0);
}

// Path under which the variant is started; false when it cannot be set up.
static bool make_entry(const struct tracer *t, const struct target *x, const char *name, char *out, size_t size)
{
	char hex[HASH_HEX], path[PATH_MAX];
	char *id = mem_printf("%s\n%s\n%s", x->path, x->variant, name);
	hash_hex(hash_bytes(id, strlen(id)), hex);
	mem_free(id);
	snprintf(out, size, "%s/x/%s/%s", t->run, hex, name);
	if (access(out, X_OK) == 0)
		return true;
	snprintf(path, sizeof path, "%s/x/%s", t->run, hex);
	mkdir(path, 0755);
	if (link(x->variant, out) < 0 && errno != EEXIST)
		return false;
	snprintf(path, sizeof path, "%s/o/%s", t->run, hex);
	return symlink(x->path, path) == 0 || errno == EEXIST;
}

// Leaves a link to a library's variant, for who wants to know what was loaded.
static void note_library(const struct tracer *t, const struct target *x)
{
	char hex[HASH_HEX], path[PATH_MAX];
	hash_hex(hash_bytes(x->variant, strlen(x->variant)), hex);
	snprintf(path, sizeof path, "%s/l", t->run);
	mkdir(path, 0755);
	snprintf(path, sizeof path, "%s/l/%s", t->run, hex);
	if (symlink(x->variant, path) < 0 && errno != EEXIST)
		return; // there is no room, say: the run goes on
}

// For a process that runs a variant, the link to the program it stands for.
static bool origin_of(const struct tracer *t, pid_t pid, char *out, size_t size)
{
	char proc[64], exe[PATH_MAX];
	snprintf(proc, sizeof proc, "/proc/%d/exe", (int)pid);
	ssize_t n = readlink(proc, exe, sizeof exe - 1);
	size_t prefix = strlen(t->run);
	if (n < 0 || (size_t)n < prefix + 3 + HASH_HEX - 1)
		return false;
	exe[n] = 0;
	if (strncmp(exe, t->run, prefix) != 0 || strncmp(exe + prefix, "/x/", 3) != 0)
		return false;
	snprintf(out, size, "%s/o/%.*s", t->run, HASH_HEX - 1, exe + prefix + 3);
	return true;
}

static bool has_own_root(pid_t pid)
{
	char proc[64], root[8];
	snprintf(proc, sizeof proc, "/proc/%d/root", (int)pid);
	return !(readlink(proc, root, sizeof root) == 1 && root[0] == '/');
}

// Replaces the path argument of a system call by another string.
static bool replace_path(pid_t pid, struct syscall_state *now, int index, const char *path)
{
	size_t size = strlen(path) + 1;
	uint64_t at = tracee_scratch(now, size);
	if (!tracee_write(pid, at, path, size))
		return false;
	tracee_set_arg(now, index, at);
	return true;
}

// argv of a script run by a variant: interpreter, its argument, the script, and
// what followed argv[0].
static bool replace_script_argv(pid_t pid, struct syscall_state *now, int path_index, int argv_index,
                                const struct target *script, const char *script_path, const char *program)
{
	enum { MAX_ARGS = 1 << 16 };
	uint64_t old = tracee_arg(now, argv_index), pointer;
	struct buf strings = {0}, pointers = {0};
	uint64_t offsets[3];
	int n = 0;
	const char *texts[] = {script->interpreter, script->argument, script_path};
	for (int i = 0; i < 3; i++)
		if (texts[i]) {
			offsets[n++] = strings.len;
			buf_add(&strings, texts[i], strlen(texts[i]) + 1);
		}
	size_t program_at = strings.len;
	buf_add(&strings, program, strlen(program) + 1);
	size_t rest = 0;
	for (bool more = old != 0; more && rest < MAX_ARGS; rest++) {
		more = tracee_read(pid, old + 8 * rest, &pointer, 8) && pointer;
		if (more && rest > 0)
			buf_u64(&pointers, pointer);
	}
	size_t total = 8 * (size_t)n + pointers.len + 8 + strings.len;
	uint64_t at = tracee_scratch(now, total), strings_at = at + 8 * (uint64_t)n + pointers.len + 8;
	struct buf all = {0};
	for (int i = 0; i < n; i++)
		buf_u64(&all, strings_at + offsets[i]);
	buf_add(&all, pointers.data, pointers.len);
	buf_u64(&all, 0);
	buf_add(&all, strings.data, strings.len);
	bool ok = tracee_write(pid, at, all.data, all.len);
	tracee_set_arg(now, path_index, strings_at + program_at);
	tracee_set_arg(now, argv_index, at);
	buf_release(&all);
	buf_release(&strings);
	buf_release(&pointers);
	return ok;
}

static void tell_limit(struct strv *told, const struct interpose *options, const char *path, const char *what)
{
	char *line = mem_printf("%s: %s", path, what);
	for (size_t i = 0; i < told->n; i++)
		if (strcmp(told->v[i], line) == 0) {
			mem_free(line);
			return;
		}
	strv_take(told, line);
	options->limit(path, what);
}

// A traced process cannot be traced by a second one, nor gain rights by exec
// when it promised not to.
void interpose_warn_ptrace(struct strv *told, const struct interpose *options, pid_t pid)
{
	char proc[64], exe[PATH_MAX];
	snprintf(proc, sizeof proc, "/proc/%d/exe", (int)pid);
	ssize_t n = readlink(proc, exe, sizeof exe - 1);
	exe[n > 0 ? n : 0] = 0;
	tell_limit(told, options, exe, "traces processes, which fails while veer traces them");
}

void interpose_check_setuid(struct strv *told, const struct interpose *options, pid_t pid, int folder, const char *path)
{
	struct stat st;
	char reach[PATH_MAX + 64];
	tracee_path(pid, folder, path, reach, sizeof reach);
	if (geteuid() != 0 && stat(reach, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & (S_ISUID | S_ISGID)))
		tell_limit(told, options, path,
		           "is setuid or setgid, and runs without these rights while veer traces it");
}

// Starts the build the process has to wait for. It stays stopped; when the build
// is done the same system call is looked at again.
static void wait_for_build(struct tracer *t, pid_t pid, struct target *x)
{
	struct err err;
	if (x->state == TARGET_MISSING && targets_start_build(x, t->options->builder, &err) < 0) {
		t->options->complain(x->path, err.text);
		x->state = TARGET_FOREIGN;
		go_on(pid, 0);
		return;
	}
	push_pid(&t->waiting, &t->n_waiting, &t->cap_waiting, pid);
}

static struct target *find_target(struct tracer *t, const char *path)
{
	return targets_find(&t->targets, t->options->builder, path, t->options->complain);
}

// A variant that executes itself again (/proc/self/exe) is started under its own name,
// by which its runtime finds RUN.
static bool is_entry(const struct tracer *t, const char *reach, char out[PATH_MAX])
{
	size_t n = strlen(t->run);
	return realpath(reach, out) && strncmp(out, t->run, n) == 0 && strncmp(out + n, "/x/", 3) == 0;
}

static void on_exec(struct tracer *t, pid_t pid, struct syscall_state *s, int path_index, int argv_index, int folder)
{
	char path[PATH_MAX], reach[PATH_MAX + 64], entry[PATH_MAX];
	if (remove_pid(t->exempt, &t->n_exempt, pid) ||
	    tracee_string(pid, tracee_arg(s, path_index), path, sizeof path) < 0)
		return go_on(pid, 0);
	tracee_path(pid, folder, path, reach, sizeof reach);
	interpose_check_setuid(&t->told, t->options, pid, folder, path);
	struct target *x = find_target(t, reach), *script = NULL;
	if (x && x->state == TARGET_SCRIPT) {
		script = x;
		tracee_path(pid, AT_FDCWD, x->interpreter, reach, sizeof reach);
		x = find_target(t, reach);
	}
	if (x && (x->state == TARGET_MISSING || x->state == TARGET_BUILDING))
		return wait_for_build(t, pid, x);
	struct syscall_state now = *s;
	if (x && x->state == TARGET_FOREIGN && is_entry(t, reach, entry) && replace_path(pid, &now, path_index, entry))
		return go_changed(t, pid, s, &now, true);
	if (!x || x->state != TARGET_READY || has_own_root(pid))
		return go_on(pid, 0);
	const char *name = path_basename(script ? script->interpreter : path[0] ? path : x->path);
	bool ok = make_entry(t, x, name, entry, sizeof entry);
	if (ok && script)
		ok = path[0] && replace_script_argv(pid, &now, path_index, argv_index, script, path, entry);
	else if (ok)
		ok = replace_path(pid, &now, path_index, entry);
	if (!ok) {
		t->options->complain(x->path,
		                     "there is no room for another path below the stack of the process that starts it");
		return go_on(pid, 0);
	}
	if (tracee_number(s) == SYS_execveat) {
		tracee_set_arg(&now, 0, (uint64_t)AT_FDCWD);
		tracee_set_arg(&now, 4, 0);
	}
	go_changed(t, pid, s, &now, true);
}

// The sanitizer runtime names libraries to its symbolizer by the path they were
// loaded under; there too the variant is meant.
static bool is_symbolizer(pid_t pid)
{
	char proc[64], exe[PATH_MAX], symbolizer[PATH_MAX];
	snprintf(proc, sizeof proc, "/proc/%d/exe", (int)pid);
	ssize_t n = readlink(proc, exe, sizeof exe - 1);
	if (n < 0 || !realpath(CONFIG_SYMBOLIZER, symbolizer))
		return false;
	exe[n] = 0;
	return strcmp(exe, symbolizer) == 0;
}

// The dynamic loader opens a library: a variant program gets the variant library.
static void on_open(struct tracer *t, pid_t pid, struct syscall_state *s, int path_index, int folder)
{
	char path[PATH_MAX], reach[PATH_MAX + 64], origin[PATH_MAX];
	if (tracee_string(pid, tracee_arg(s, path_index), path, sizeof path) < 0 ||
	    !strstr(path_basename(path), ".so") || (!origin_of(t, pid, origin, sizeof origin) && !is_symbolizer(pid)))
		return go_on(pid, 0);
	tracee_path(pid, folder, path, reach, sizeof reach);
	struct target *x = find_target(t, reach);
	if (x && (x->state == TARGET_MISSING || x->state == TARGET_BUILDING))
		return wait_for_build(t, pid, x);
	struct syscall_state now = *s;
	if (!x || x->state != TARGET_READY || has_own_root(pid) || !replace_path(pid, &now, path_index, x->variant))
		return go_on(pid, 0);
	t->counts.libraries++;
	note_library(t, x);
	go_changed(t, pid, s, &now, false);
}

// True when the instruction that made the system call belongs to the executable
// itself and not to libc or the loader: then it is the sanitizer runtime, which
// is linked in and looks for the file with the debug information.
static bool called_from_executable(pid_t pid, const struct syscall_state *s)
{
	char proc[64], line[PATH_MAX + 128], exe[PATH_MAX];
	snprintf(proc, sizeof proc, "/proc/%d/exe", (int)pid);
	ssize_t n = readlink(proc, exe, sizeof exe - 1);
	snprintf(proc, sizeof proc, "/proc/%d/maps", (int)pid);
	FILE *maps = n > 0 ? fopen(proc, "re") : NULL;
	if (!maps)
		return false;
	exe[n] = 0;
	bool found = false;
	unsigned long long from, to, at = tracee_instruction(s);
	while (!found && fgets(line, sizeof line, maps)) {
		line[strcspn(line, "\n")] = 0;
		const char *path = strchr(line, '/');
		found = sscanf(line, "%llx-%llx", &from, &to) == 2 && at >= from && at < to && path &&
		        strcmp(path, exe) == 0;
	}
	fclose(maps);
	return found;
}

// A variant that asks for its own executable is told the program it stands for;
// the dynamic loader asks this way too, for $ORIGIN.
static void on_readlink(struct tracer *t, pid_t pid, struct syscall_state *s, int path_index)
{
	char path[64], own[64], origin[PATH_MAX];
	if (tracee_string(pid, tracee_arg(s, path_index), path, sizeof path) < 0)
		return go_on(pid, 0);
	snprintf(own, sizeof own, "/proc/%d/exe", (int)pid);
	struct syscall_state now = *s;
	if ((strcmp(path, "/proc/self/exe") != 0 && strcmp(path, own) != 0) ||
	    !origin_of(t, pid, origin, sizeof origin) || called_from_executable(pid, s) ||
	    !replace_path(pid, &now, path_index, origin))
		return go_on(pid, 0);
	go_changed(t, pid, s, &now, false);
}

static void on_syscall(struct tracer *t, pid_t pid)
{
	struct syscall_state s;
	if (tracee_get(pid, &s) < 0)
		return;
	switch (tracee_number(&s)) {
	case SYS_execve: return on_exec(t, pid, &s, 0, 1, AT_FDCWD);
	case SYS_execveat: return on_exec(t, pid, &s, 1, 2, (int)tracee_arg(&s, 0));
	case SYS_open: return on_open(t, pid, &s, 0, AT_FDCWD);
	case SYS_openat: return on_open(t, pid, &s, 1, (int)tracee_arg(&s, 0));
	case SYS_readlink: return on_readlink(t, pid, &s, 0);
	case SYS_readlinkat: return on_readlink(t, pid, &s, 1);
	case SYS_ptrace: interpose_warn_ptrace(&t->told, t->options, pid); return go_on(pid, 0);
	default: return go_on(pid, 0);
	}
}

static void on_syscall_return(struct tracer *t, pid_t pid)
{
	struct changed *c = find_changed(t, pid);
	struct syscall_state now;
	if (!c || tracee_get(pid, &now) < 0)
		return go_on(pid, 0);
	long result = tracee_result(&now);
	if (c->exec && (result == -EACCES || result == -ENOENT || result == -EPERM)) {
		// Another user, or another view of the file system, cannot reach the cache.
		tell_limit(&t->told, t->options, t->run,
		           result == -EACCES ? "cannot be executed from by a program's user, or is on a file system "
		                               "mounted noexec; such programs run natively"
		                             : "cannot be reached by a program, which runs natively");
		tracee_restart(&now, &c->before);
		push_pid(&t->exempt, &t->n_exempt, &t->cap_exempt, pid);
	} else {
		tracee_restore_args(&now, &c->before);
	}
	forget_changed(t, pid);
	tracee_set(pid, &now);
	go_on(pid, 0);
}

static void on_stop(struct tracer *t, pid_t pid, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;
	switch (event) {
	case 0:
		if (sig == (SIGTRAP | 0x80))
			return on_syscall_return(t, pid);
		return go_on(pid, sig);
	case PTRACE_EVENT_SECCOMP: return on_syscall(t, pid);
	case PTRACE_EVENT_EXEC: {
		unsigned long former = 0;
		ptrace(PTRACE_GETEVENTMSG, pid, 0, &former);
		t->counts.variants += find_changed(t, pid) || find_changed(t, (pid_t)former);
		forget_changed(t, pid);
		forget_changed(t, (pid_t)former);
		return go_on(pid, 0);
	}
	case PTRACE_EVENT_STOP:
		if (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU) {
			ptrace(PTRACE_LISTEN, pid, 0, 0);
			return;
		}
		return go_on(pid, 0);
	default: return go_on(pid, 0); // fork, vfork, clone: the child is traced already
	}
}

static void on_end(struct tracer *t, pid_t pid, int status)
{
	if (targets_finish_build(&t->targets, t->options->builder, pid, t->options->complain)) {
		pid_t *list = t->waiting;
		size_t n = t->n_waiting;
		t->waiting = NULL;
		t->n_waiting = t->cap_waiting = 0;
		for (size_t i = 0; i < n; i++)
			on_syscall(t, list[i]); // those that wait for another build wait again
		mem_free(list);
		return;
	}
	if (t->options->recorder)
		recorder_end(t->options->recorder, pid, status);
	forget_changed(t, pid);
	remove_pid(t->waiting, &t->n_waiting, pid);
	remove_pid(t->exempt, &t->n_exempt, pid);
	if (pid == t->command) {
		struct ended ended = {status, t->counts};
		ssize_t ignored = write(t->channel, &ended, sizeof ended);
		(void)ignored;
		// From here on we are in the background and must not hold the caller's pipes open.
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);
		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
		close(null);
	}
}

static void trace(struct tracer *t)
{
	int status;
	for (;;) {
		pid_t pid = waitpid(-1, &status, __WALL);
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			return; // nobody left
		if (WIFSTOPPED(status) && t->options->recorder)
			recorder_stop(t->options->recorder, pid, status);
		else if (WIFSTOPPED(status))
			on_stop(t, pid, status);
		else
			on_end(t, pid, status);
	}
}

static const int keyboard_signals[] = {SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU};

// LeakSanitizer, of programs that the user builds with -fsanitize=address, traces its own process when that ends, which
// a traced one cannot do: it would end with an error where there is none.
static void look_for_no_leaks(void)
{
	const char *old = getenv("LSAN_OPTIONS");
	char *value = mem_printf("%s%sdetect_leaks=0", old ? old : "", old && *old ? ":" : "");
	setenv("LSAN_OPTIONS", value, 1);
	mem_free(value);
}

// The process that becomes the command. It waits until it is traced, then puts
// the filter on; exec failures are told through `problem`.
static _Noreturn void become_command(char **argv, bool recorded, int start, int problem)
{
	for (size_t i = 0; i < sizeof keyboard_signals / sizeof *keyboard_signals; i++)
		signal(keyboard_signals[i], SIG_DFL);
	char go;
	if (read(start, &go, 1) != 1)
		_exit(127);
	close(start);
	int why[2] = {0, 0};
	look_for_no_leaks();
	if ((recorded ? recorder_install_filter() : tracee_install_filter()) == 0) {
		execvp(argv[0], argv);
		why[0] = 1;
	}
	why[1] = errno;
	ssize_t ignored = write(problem, why, sizeof why);
	(void)ignored;
	_exit(127);
}

static pid_t start_command(char **argv, bool recorded, int problem, struct err *err)
{
	int start[2];
	if (pipe2(start, O_CLOEXEC) < 0)
		return err_errno(err, "cannot create a pipe");
	pid_t pid = fork();
	if (pid < 0)
		return err_errno(err, "cannot start a process");
	if (pid == 0) {
		close(start[1]);
		become_command(argv, recorded, start[0], problem);
	}
	long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
	               PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
	close(start[0]);
	if (ptrace(PTRACE_SEIZE, pid, 0, options) < 0) {
		err_errno(err, "this process may not trace its children (is it traced itself, or in a container "
		               "without ptrace?)");
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(start[1]);
		return -1;
	}
	ssize_t ignored = write(start[1], "g", 1);
	(void)ignored;
	close(start[1]);
	return pid;
}

// What the tracer tells its parent first.
struct started {
	pid_t command;
	struct err err;
};

static _Noreturn void be_tracer(struct tracer *t, char **argv, int problem)
{
	// The keyboard's signals are for the command; so is being stopped by them.
	for (size_t i = 0; i < sizeof keyboard_signals / sizeof *keyboard_signals; i++)
		signal(keyboard_signals[i], SIG_IGN);
	cache_lock_again(t->options->builder->cache);
	struct started started = {0};
	t->command = started.command = start_command(argv, t->options->recorder != NULL, problem, &started.err);
	close(problem);
	ssize_t ignored = write(t->channel, &started, sizeof started);
	(void)ignored;
	if (t->command > 0)
		trace(t);
	// The parent reads the reports; the folder goes when it is done.
	char last;
	while (read(t->channel, &last, 1) > 0)
		continue;
	file_remove_tree(t->run);
	cache_close(t->options->builder->cache);
	_exit(0);
}

// --- signals --------------------------------------------------------------------------------------

static const int passed_signals[] = {SIGINT, SIGTERM, SIGHUP};

static volatile sig_atomic_t interrupted, pass_on; // the first one that came; one to be passed on

static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)context;
	interrupted = interrupted ? interrupted : sig;
	if (info->si_code != SI_KERNEL) // the keyboard's go to all of the terminal's processes
		pass_on = sig;
}

int interpose_interrupted(void)
{
	return interrupted;
}

// From now on they come in wait_for_data only. SIGHUP that is ignored, by nohup, stays so.
static void catch_signals(sigset_t *ret_before)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO}, was;
	sigset_t ours;
	sigemptyset(&ours);
	for (size_t i = 0; i < sizeof passed_signals / sizeof *passed_signals; i++) {
		int sig = passed_signals[i];
		sigaddset(&ours, sig);
		if (sig != SIGHUP || (sigaction(sig, NULL, &was) == 0 && was.sa_handler != SIG_IGN))
			sigaction(sig, &action, NULL);
	}
	sigprocmask(SIG_BLOCK, &ours, ret_before);
}

static pid_t tracer_of(const char *pid)
{
	char path[64], text[4096];
	snprintf(path, sizeof path, "/proc/%.20s/status", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	const char *at = strstr(text, "\nTracerPid:");
	return at ? atoi(at + strlen("\nTracerPid:")) : 0;
}

// All that are traced: also those that have left the command's session, or have another parent by now.
static void signal_traced(pid_t tracer, pid_t command, int sig)
{
	DIR *d = opendir("/proc");
	if (!d)
		kill(command, sig);
	for (struct dirent *x = d ? readdir(d) : NULL; x; x = readdir(d))
		if (x->d_name[0] >= '1' && x->d_name[0] <= '9' && tracer_of(x->d_name) == tracer)
			kill(atoi(x->d_name), sig);
	if (d)
		closedir(d);
}

struct following {
	pid_t tracer, command;
	sigset_t signals; // as they were
};

// Until there is something to read.
static void wait_for_data(const struct following *f, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	while (ppoll(&p, 1, NULL, &f->signals) < 0 && errno == EINTR)
		if (pass_on && f->command > 0) {
			int sig = pass_on;
			pass_on = 0;
			signal_traced(f->tracer, f->command, sig);
		}
}

static int read_fully(const struct following *f, int fd, void *out, size_t size)
{
	size_t n = 0;
	while (n < size) {
		wait_for_data(f, fd);
		ssize_t r = read(fd, (char *)out + n, size - n);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return -1;
		n += (size_t)r;
	}
	return 0;
}

static char *make_run_folder(const struct interpose *options, struct err *err)
{
	char *run = cache_folder(options->builder->cache, "runs", 0755, err);
	static const struct {
		const char *name;
		unsigned mode;
	} parts[] = {{"x", 0755}, {"o", 0755}, {"reports", 01777}};
	for (size_t i = 0; run && i < sizeof parts / sizeof *parts; i++) {
		char path[PATH_MAX];
		snprintf(path, sizeof path, "%s/%s", run, parts[i].name);
		if (mkdir(path, 0755) < 0 || chmod(path, parts[i].mode) < 0) {
			err_errno(err, "cannot create folder %s", path);
			mem_free(run);
			run = NULL;
		}
	}
	return run;
}

static int wait_for_command(const struct interpose *options, struct following *f, int channel, int problem, char **argv,
                            struct err *err)
{
	struct started started;
	struct ended ended;
	int why[2];
	if (read_fully(f, channel, &started, sizeof started) < 0)
		return err_set(err, "the tracer could not be started");
	if (started.command < 0) {
		*err = started.err;
		return -1;
	}
	f->command = started.command;
	bool failed = read_fully(f, problem, why, sizeof why) == 0; // ends at the command's exec
	if (read_fully(f, channel, &ended, sizeof ended) < 0)
		return err_set(err, "the tracer was killed");
	if (options->counts)
		*options->counts = ended.counts;
	if (failed) {
		errno = why[1];
		return why[0] ? err_errno(err, "cannot run %s", argv[0])
		              : err_errno(err, "this system does not allow seccomp filters");
	}
	return ended.status;
}

int interpose_run(const struct interpose *options, char **argv, struct err *err)
{
	struct tracer t = {.options = options};
	int channel[2], problem[2];
	t.run = make_run_folder(options, err);
	if (!t.run)
		return -1;
	if (options->prepare && options->prepare(options->opaque, t.run, err) < 0) {
		file_remove_tree(t.run);
		mem_free(t.run);
		return -1;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) < 0 || pipe2(problem, O_CLOEXEC) < 0) {
		err_errno(err, "cannot start the tracer");
		file_remove_tree(t.run);
		mem_free(t.run);
		return -1;
	}
	t.channel = channel[1];
	struct sigaction term, hup;
	sigaction(SIGTERM, NULL, &term);
	sigaction(SIGHUP, NULL, &hup);
	struct following f = {0};
	catch_signals(&f.signals);
	pid_t tracer = f.tracer = fork();
	if (tracer == 0) {
		sigaction(SIGTERM, &term, NULL);
		sigaction(SIGHUP, &hup, NULL);
		sigprocmask(SIG_SETMASK, &f.signals, NULL);
		close(channel[0]);
		close(problem[0]);
		be_tracer(&t, argv, problem[1]);
	}
	close(channel[1]);
	close(problem[1]);
	signal(SIGQUIT, SIG_IGN); // the command gets it from the keyboard, and decides
	int status = tracer < 0 ? err_errno(err, "cannot start the tracer")
	                        : wait_for_command(options, &f, channel[0], problem[0], argv, err);
	sigprocmask(SIG_SETMASK, &f.signals, NULL);
	if (status >= 0 && options->finish)
		options->finish(options->opaque, t.run);
	close(channel[0]);
	close(problem[0]);
	mem_free(t.run);
	return status;
}

int interpose_possible(struct err *err)
{
	pid_t pid = fork();
	if (pid < 0)
		return err_errno(err, "cannot start a process");
	if (pid == 0) {
		pause();
		_exit(0);
	}
	int r = 0;
	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACESECCOMP) < 0)
		r = err_errno(err, "ptrace is not allowed here");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
	if (r < 0)
		return r;
	pid = fork();
	if (pid == 0)
		_exit(tracee_install_filter() < 0 ? 1 : 0);
	int status;
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
		return err_set(err, "seccomp filters are not allowed here");
	return 0;
}
