// What happens at the stops of traced processes: programs and libraries are exchanged for their variants.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "config.h"
#include "record/interpose_internal.h"
#include "record/recorder.h"

static void push_pid(pid_t **list, size_t *n, size_t *cap, pid_t pid)
{
	vec_room(*list, *n + 1, *cap);
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
	vec_room(t->changed, t->n_changed + 1, t->cap_changed);
	t->changed[t->n_changed++] = (struct changed){pid, exec, *before};
	if (tracee_set(pid, now) < 0)
		forget_changed(t, pid);
	ptrace(PTRACE_SYSCALL, pid, 0, 0);
}

// Path under which the variant is started; false when it cannot be set up.
static bool make_entry(const struct tracer *t, const struct executable *x, const char *name, char *out, size_t size)
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
static void note_library(const struct tracer *t, const struct executable *x)
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
                                const struct executable *script, const char *script_path, const char *program)
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

static void report_limit(struct strv *reported, const struct interpose *options, const char *path, const char *what)
{
	char *line = mem_printf("%s: %s", path, what);
	for (size_t i = 0; i < reported->n; i++)
		if (strcmp(reported->v[i], line) == 0) {
			mem_free(line);
			return;
		}
	strv_take(reported, line);
	options->limit(path, what);
}

// A traced process cannot be traced by a second one, nor gain rights by exec
// when it promised not to.
void interpose_warn_ptrace(struct strv *reported, const struct interpose *options, pid_t pid)
{
	char proc[64], exe[PATH_MAX];
	snprintf(proc, sizeof proc, "/proc/%d/exe", (int)pid);
	ssize_t n = readlink(proc, exe, sizeof exe - 1);
	exe[n > 0 ? n : 0] = 0;
	report_limit(reported, options, exe, "traces processes, which fails while veer traces them");
}

void interpose_check_setuid(struct strv *reported, const struct interpose *options, pid_t pid, int folder,
                            const char *path)
{
	struct stat st;
	char reach[PATH_MAX + 64];
	tracee_path(pid, folder, path, reach, sizeof reach);
	if (geteuid() != 0 && stat(reach, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & (S_ISUID | S_ISGID)))
		report_limit(reported, options, path,
		             "is setuid or setgid, and runs without these rights while veer traces it");
}

// Starts the build the process has to wait for. It stays stopped; when the build
// is done the same system call is looked at again.
static void wait_for_build(struct tracer *t, pid_t pid, struct executable *x)
{
	struct err err;
	if (x->state == EXECUTABLE_MISSING && executables_start_build(x, t->options->builder, &err) < 0) {
		t->options->complain(x->path, err.text);
		x->state = EXECUTABLE_FOREIGN;
		go_on(pid, 0);
		return;
	}
	push_pid(&t->waiting, &t->n_waiting, &t->cap_waiting, pid);
}

static struct executable *find_executable(struct tracer *t, const char *path)
{
	return executables_find(&t->executables, t->options->builder, path, t->options->complain);
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
	interpose_check_setuid(&t->reported, t->options, pid, folder, path);
	struct executable *x = find_executable(t, reach), *script = NULL;
	if (x && x->state == EXECUTABLE_SCRIPT) {
		script = x;
		tracee_path(pid, AT_FDCWD, x->interpreter, reach, sizeof reach);
		x = find_executable(t, reach);
	}
	if (x && (x->state == EXECUTABLE_MISSING || x->state == EXECUTABLE_BUILDING))
		return wait_for_build(t, pid, x);
	struct syscall_state now = *s;
	if (x && x->state == EXECUTABLE_FOREIGN && is_entry(t, reach, entry) &&
	    replace_path(pid, &now, path_index, entry))
		return go_changed(t, pid, s, &now, true);
	if (!x || x->state != EXECUTABLE_READY || has_own_root(pid))
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
	struct executable *x = find_executable(t, reach);
	if (x && (x->state == EXECUTABLE_MISSING || x->state == EXECUTABLE_BUILDING))
		return wait_for_build(t, pid, x);
	struct syscall_state now = *s;
	if (!x || x->state != EXECUTABLE_READY || has_own_root(pid) || !replace_path(pid, &now, path_index, x->variant))
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

// A variant that asks for its own executable gets the program it stands for;
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
	case SYS_ptrace: interpose_warn_ptrace(&t->reported, t->options, pid); return go_on(pid, 0);
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
		report_limit(&t->reported, t->options, t->run,
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
	if (executables_finish_build(&t->executables, t->options->builder, pid, t->options->complain)) {
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

void tracer_trace(struct tracer *t)
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
