// Executions of recorded programs, from exec to end, and the processes that belong to them.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/record_internal.h"

void execution_cannot(struct execution *e, const char *format, ...)
{
	char text[PATH_MAX + 256];
	va_list args;
	if (e->snapshot.why)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	for (char *p = text; *p; p++) // a path may have anything in it
		if (*p == '\n')
			*p = '?';
	e->snapshot.why = mem_strdup(text);
}

// --- what a program is given ------------------------------------------------------------------

// All of a file below /proc, whose size nobody knows before.
static bool read_proc(pid_t pid, const char *name, struct buf *ret)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n;
	do {
		buf_reserve(ret, 1 << 14);
		n = read(fd, ret->data + ret->len, ret->cap - ret->len - 1);
		ret->len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	close(fd);
	ret->data[ret->len] = 0;
	return n == 0;
}

static char *read_proc_link(pid_t pid, const char *name)
{
	char path[64], text[PATH_MAX];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	ssize_t n = readlink(path, text, sizeof text - 1);
	return n > 0 ? mem_copy(text, (size_t)n) : NULL;
}

static void begin_arguments(struct execution *e, pid_t pid)
{
	struct buf all = {0};
	if (!read_proc(pid, "cmdline", &all))
		execution_cannot(e, "its arguments cannot be read");
	for (size_t at = 0; at < all.len; at += strlen(all.data + at) + 1)
		input_add(&e->input, INPUT_ARGUMENT, NULL, all.data + at, strlen(all.data + at));
	buf_release(&all);
}

static void begin_variables(struct recorder *r, struct execution *e, pid_t pid)
{
	struct buf all = {0};
	struct strv v = {0};
	if (!read_proc(pid, "environ", &all))
		execution_cannot(e, "its environment cannot be read");
	for (size_t at = 0; at < all.len; at += strlen(all.data + at) + 1) {
		const char *equals = strchr(all.data + at, '=');
		if (equals && equals != all.data + at)
			strv_push(&v, all.data + at);
	}
	names_begin(r, e, &v);
	buf_release(&all);
}

static long status_field(const char *status, const char *name, int base)
{
	const char *p = strstr(status, name);
	return p ? strtol(p + strlen(name), NULL, base) : -1;
}

static uint64_t ignored_signals(const char *status)
{
	static const char name[] = "\nSigIgn:";
	const char *p = strstr(status, name);
	return p ? strtoull(p + strlen(name), NULL, 16) : 0;
}

static void begin_status(struct execution *e, pid_t pid)
{
	struct buf all = {0};
	if (read_proc(pid, "status", &all)) {
		uint64_t ignored = ignored_signals(all.data);
		long mask = status_field(all.data, "\nUmask:", 8), user = status_field(all.data, "\nUid:", 10);
		e->snapshot.umask = mask < 0 ? 022 : (uint32_t)mask & 07777;
		e->deaf = ignored >> (SIGPIPE - 1) & 1;
		if (user != (long)getuid())
			execution_cannot(e, "it runs as another user");
	}
	buf_release(&all);
}

// Those that make a difference, when they are lower than ours.
static void begin_limits(struct execution *e, pid_t pid)
{
	static const struct {
		enum __rlimit_resource resource;
		const char *name;
	} limits[] = {{RLIMIT_AS, "memory"},       {RLIMIT_DATA, "memory"},       {RLIMIT_STACK, "stack"},
	              {RLIMIT_FSIZE, "file size"}, {RLIMIT_NOFILE, "open files"}, {RLIMIT_CPU, "CPU time"}};
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		struct rlimit its, ours;
		if (prlimit(pid, limits[i].resource, NULL, &its) == 0 && getrlimit(limits[i].resource, &ours) == 0 &&
		    its.rlim_cur < ours.rlim_cur)
			execution_cannot(e, "it runs under a limit of %s", limits[i].name);
	}
}

static void begin_root(const struct recorder *r, struct execution *e, pid_t pid)
{
	char proc[64];
	struct stat st;
	snprintf(proc, sizeof proc, "/proc/%d/root/.", (int)pid);
	if (stat(proc, &st) < 0 || st.st_dev != r->root_device || st.st_ino != r->root_inode)
		execution_cannot(e, "it has a root folder of its own");
}

static void begin_program(const struct recorder *r, struct execution *e, struct process *p, pid_t pid)
{
	static const char gone[] = " (deleted)";
	e->snapshot.program = read_proc_link(pid, "exe");
	e->snapshot.cwd = read_proc_link(pid, "cwd");
	if (!e->snapshot.program || !e->snapshot.cwd || e->snapshot.program[0] != '/' || e->snapshot.cwd[0] != '/') {
		mem_free(e->snapshot.cwd);
		e->snapshot.cwd = mem_strdup("/");
		execution_cannot(e, "its program or folder cannot be named");
	}
	size_t n = strlen(e->snapshot.cwd);
	if (n > strlen(gone) && strcmp(e->snapshot.cwd + n - strlen(gone), gone) == 0)
		execution_cannot(e, "its folder was deleted before it was started");
	if (!e->snapshot.program)
		e->snapshot.program = mem_strdup(p->next->path);
	if (!executables_id(p->next, &e->snapshot.id))
		execution_cannot(e, "its program cannot be read");
}

// A program that executes itself again and again has no end of programs around it: the outermost is no longer traced.
static void limit_nesting(struct recorder *r, struct execution *e)
{
	unsigned n = 0;
	struct execution *last = e;
	while (last->around && last->around->around) {
		last = last->around;
		n++;
	}
	struct execution *outermost = last->around;
	if (n < NESTED_MAX || !outermost)
		return;
	last->around = NULL;
	if (!outermost->over) {
		execution_cannot(outermost, "it executes more than %d programs, one by the other", NESTED_MAX);
		execution_end(r, outermost, 0);
	}
	execution_drop(outermost);
}

void execution_begin(struct recorder *r, struct process *p, pid_t pid)
{
	struct execution *e = mem_zero(sizeof *e);
	e->around = p->execution; // the reference of the process becomes ours
	e->references = 1;
	e->pid = pid;
	e->snapshot.clock = time(NULL);
	p->execution = e;
	r->counts->executions++;
	limit_nesting(r, e);
	begin_program(r, e, p, pid);
	begin_arguments(e, pid);
	begin_variables(r, e, pid);
	begin_status(e, pid);
	begin_limits(e, pid);
	begin_root(r, e, pid);
	streams_begin(r, e, pid);
	if (p->refused)
		execution_cannot(e, "the system calls of its process cannot be filtered");
	touch_path(r, p, pid, AT_FDCWD, e->snapshot.cwd, true, TOUCH_FOLLOW);
}

// --- the end ----------------------------------------------------------------------------------

static int write_file(struct recorder *r, const struct buf *seed)
{
	char name[32], temporary[40];
	snprintf(name, sizeof name, "%llu", (unsigned long long)r->number + 1);
	snprintf(temporary, sizeof temporary, ".%s", name);
	int fd = openat(r->recorded, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	int failed = file_write_all(fd, seed->data, seed->len) < 0;
	failed |= close(fd) < 0;
	failed = failed || renameat(r->recorded, temporary, r->recorded, name) < 0;
	if (failed)
		unlinkat(r->recorded, temporary, 0);
	else
		r->number++;
	return failed ? -1 : 0;
}

static void add_sized(struct buf *out, const struct buf *x)
{
	buf_u64(out, x->len);
	buf_add(out, x->data, x->len);
}

static int write_seed(struct recorder *r, const struct execution *e)
{
	struct buf snapshot = {0}, input = {0}, packed = {0}, all = {0};
	snapshot_encode(&e->snapshot, &snapshot);
	input_encode(&e->input, &input);
	bool is_packed = delta_pack(&r->written, snapshot.data, snapshot.len, &packed);
	add_sized(&all, is_packed ? &packed : &snapshot);
	add_sized(&all, &input);
	int result = write_file(r, &all);
	if (result == 0 && !is_packed)
		delta_add(&r->written, r->number, snapshot.data, snapshot.len);
	buf_release(&snapshot);
	buf_release(&input);
	buf_release(&packed);
	buf_release(&all);
	return result;
}

static void end_status(struct execution *e, int status)
{
	e->snapshot.status = status;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		execution_cannot(e, "it was killed");
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
		execution_cannot(e, WHY_CLOSED);
}

void execution_end(struct recorder *r, struct execution *e, int status)
{
	end_status(e, status);
	if (e->snapshot.streams[0] != STREAM_CLOSED)
		input_add(&e->input, INPUT_STDIN, NULL, e->typed.data, e->typed.len);
	names_end(r, e);
	output_end(e);
	e->snapshot.output = hash_bytes(e->output.data, e->output.len);
	if (!e->snapshot.output_known)
		e->snapshot.output = (struct hash){0};
	if (!e->lost && write_seed(r, e) == 0)
		r->counts->seeds++;
	else
		r->counts->lost++;
	e->over = true;
	snapshot_release(&e->snapshot);
	input_release(&e->input);
	known_paths_release(&e->paths);
	buf_release(&e->typed);
	buf_release(&e->output);
	strv_release(&e->libraries);
}

void execution_drop(struct execution *e)
{
	while (e && --e->references == 0) {
		struct execution *around = e->around;
		snapshot_release(&e->snapshot);
		input_release(&e->input);
		known_paths_release(&e->paths);
		buf_release(&e->typed);
		buf_release(&e->output);
		output_drop(e);
		strv_release(&e->libraries);
		mem_free(e);
		e = around;
	}
}

// --- processes --------------------------------------------------------------------------------

struct process *process_find(const struct recorder *r, pid_t thread)
{
	struct process *p = r->processes[(size_t)thread % PROCESS_BUCKETS];
	while (p && p->thread != thread)
		p = p->link;
	return p;
}

static void put(struct recorder *r, struct process *p)
{
	struct process **bucket = &r->processes[(size_t)p->thread % PROCESS_BUCKETS];
	p->link = *bucket;
	*bucket = p;
	r->n_processes++;
}

static struct process *take_out(struct recorder *r, pid_t thread)
{
	struct process **at = &r->processes[(size_t)thread % PROCESS_BUCKETS];
	while (*at && (*at)->thread != thread)
		at = &(*at)->link;
	struct process *p = *at;
	if (p) {
		*at = p->link;
		r->n_processes--;
	}
	return p;
}

struct process *process_add(struct recorder *r, pid_t thread, const struct process *parent)
{
	struct process *p = mem_zero(sizeof *p);
	p->thread = thread;
	if (parent) {
		p->execution = parent->execution;
		p->paths = parent->paths;
		p->watched = parent->watched;
		p->copies = parent->copies;
		p->refused = parent->refused;
	}
	if (p->execution)
		p->execution->references++;
	put(r, p);
	return p;
}

void process_remove(struct recorder *r, pid_t thread)
{
	struct process *p = take_out(r, thread);
	if (!p)
		return;
	execution_drop(p->execution);
	mem_free(p);
}

void process_rename(struct recorder *r, pid_t from, pid_t to)
{
	process_remove(r, to);
	struct process *p = take_out(r, from);
	if (!p)
		return;
	p->thread = to;
	put(r, p);
}
