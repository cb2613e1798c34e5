#include "run/executor.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "abi/cover.h"
#include "abi/launch.h"
#include "abi/layout.h"
#include "abi/objects.h"
#include "abi/pipe.h"
#include "base/file.h"
#include "base/mem.h"
#include "run/folder_sizes.h"
#include "run/snapshot_put.h"
#include "run/sym.h"
#include "run/variables.h"

enum { LAUNCH, TRACE, COVER };
enum { LAUNCH_ROOM = 4 << 20, COVER_ROOM = 16 << 20, PAGE = 4096 };
enum { CLOCK = 1700000000, LAST_PID = 340 }; // of all runs that are to be steady
#define REPORTS "reports"                    // in the sandbox's `open`
enum { OUTPUT_MAX = 1 << 20, MEMORY_MAX = 1 << 30 };

static bool is_native(const struct executor *e)
{
	const char *variant = e->setup.builder->variant;
	return !variant || strcmp(variant, "native") == 0;
}

// --- start -----------------------------------------------------------------------------------

static int share_trace(struct executor *e, struct err *err)
{
	uint32_t nodes = e->setup.trace_nodes ? (uint32_t)e->setup.trace_nodes : 1u << 22;
	const struct trace_sizes sizes = {.nodes = nodes,
	                                  .events = nodes / 4,
	                                  .calls = nodes / 32 + 1024,
	                                  .text = 16 * (uint64_t)nodes + (1 << 24)};
	struct trace_header *header = mem_alloc(sizeof *header);
	e->trace_size = trace_layout(sizes, 0, header);
	e->fds[TRACE] = server_share("veer-trace", e->trace_size, false, &e->trace, err);
	e->clean = mem_copy(header, offsetof(struct trace_header, input));
	if (e->fds[TRACE] >= 0) // before the server looks
		memcpy(e->trace, header, sizeof *header);
	mem_free(header);
	return e->fds[TRACE] < 0 ? -1 : 0;
}

static int share_cover(struct executor *e, struct err *err)
{
	void *p;
	e->cover_size = COVER_ROOM;
	e->fds[COVER] = server_share("veer-cover", e->cover_size, false, &p, err);
	if (e->fds[COVER] < 0)
		return -1;
	e->cover = p;
	return 0;
}

static int share(struct executor *e, struct err *err)
{
	e->launch_size = sizeof(struct launch) + LAUNCH_ROOM;
	e->fds[LAUNCH] = server_share("veer-given", e->launch_size, true, &e->launch, err);
	if (e->fds[LAUNCH] < 0 || (e->setup.want_trace && share_trace(e, err) < 0) ||
	    (e->setup.want_cover && share_cover(e, err) < 0))
		return -1;
	return 0;
}

// Standard input and output of runs. In memory, handed down: files on a disk cost more than a short run, and where
// Landlock confines it, a run cannot open what lies outside of its folders to write there.
static int make_streams(struct executor *e, struct err *err)
{
	char path[64];
	e->input_fd = memfd_create("stdin", MFD_CLOEXEC);
	e->output_fd = memfd_create("output", MFD_CLOEXEC);
	e->mark_fd = memfd_create("mark", MFD_CLOEXEC);
	snprintf(path, sizeof path, "%s%d", SERVER_DESCRIPTOR, e->input_fd);
	e->read_fd = e->input_fd < 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	if (e->read_fd < 0 || e->output_fd < 0 || e->mark_fd < 0)
		return err_errno(err, "cannot make standard input and output of runs");
	e->output = mem_printf("%s%d", SERVER_DESCRIPTOR, e->output_fd);
	return 0;
}

static int make_files(struct executor *e, struct err *err)
{
	const struct sandbox *s = e->setup.sandbox;
	if (make_streams(e, err) < 0)
		return -1;
	e->reports = mem_printf("%s/%s", s->open, REPORTS);
	if (mkdir(e->reports, 0777) < 0 && errno != EEXIST)
		return err_errno(err, "cannot create folder %s", e->reports);
	return 0;
}

// The words after --sym, with files by the names that runs find them under.
static char *sources_inside(const struct sandbox *s, const char *list)
{
	struct buf out = {0};
	char *words = mem_strdup(list), *rest = words;
	for (char *word; (word = strsep(&rest, ","));) {
		bool is_file = strncmp(word, "file:/", 6) == 0;
		char *path = is_file ? sandbox_path(s, word + 5) : NULL;
		buf_printf(&out, "%s%s,", is_file ? "file:" : word, is_file ? path : "");
		mem_free(path);
	}
	mem_free(words);
	return buf_steal(&out);
}

// What a server finds in its folder.
static int prepare(void *opaque, const char *run, struct err *err)
{
	static const char *const names[] = {LAUNCH_FILE, "trace", COVER_FILE};
	struct executor *e = opaque;
	char *reports = mem_printf("%s/reports", run);
	int r = symlink(e->reports, reports) < 0 ? err_errno(err, "cannot create %s", reports) : 0;
	mem_free(reports);
	for (int i = 0; i < 3 && r == 0; i++)
		if (e->fds[i] >= 0)
			r = server_link(run, names[i], e->fds[i], err);
	if (r == 0 && e->setup.sym) {
		char *list = sources_inside(e->setup.sandbox, e->setup.sym);
		r = sym_write_for(run, list, e->setup.sandbox->cwd, false, err);
		mem_free(list);
	}
	return r;
}

// In a new process: the same addresses every time, where the machine allows it.
static int confine(void *opaque)
{
	const struct executor *e = opaque;
	personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
	return sandbox_confine(e->setup.sandbox);
}

static const char *wanted_libraries(const struct executor *e)
{
	const char *ours = getenv("LD_LIBRARY_PATH");
	return e->libraries ? e->libraries : ours ? ours : "";
}

static int start_server(struct executor *e, struct err *err)
{
	char *run = mem_printf("%s/%s-%u", e->setup.sandbox->runs, e->setup.builder->variant, e->number++);
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC), hand_down[5] = {e->read_fd, e->output_fd}, n = 2;
	for (int i = 0; i < 3; i++)
		if (e->fds[i] >= 0)
			hand_down[n++] = e->fds[i];
	const int streams[] = {nowhere, nowhere, nowhere};
	const struct server_place place = {.run = run,
	                                   .confine = confine,
	                                   .prepare = prepare,
	                                   .opaque = e,
	                                   .hand_down = hand_down,
	                                   .n_hand_down = (size_t)n,
	                                   .streams = streams,
	                                   .libraries = e->libraries};
	char *argv[] = {(char *)e->setup.program, NULL};
	int r = nowhere < 0 || mkdir(run, 0755) < 0
	                ? err_errno(err, "cannot create folder %s", run)
	                : server_start_at(&e->server, e->setup.builder, argv, &place, e->setup.complain, err);
	if (r == 0)
		sandbox_keep(e->setup.sandbox, 0, e->server.pid);
	if (nowhere >= 0)
		close(nowhere);
	mem_free(run);
	mem_free(e->served);
	e->served = mem_strdup(wanted_libraries(e));
	return r;
}

static void stop_server(struct executor *e)
{
	if (wait_is_alive(e->server.pid, e->server.ticket))
		sandbox_keep(e->setup.sandbox, e->server.pid, 0);
	server_stop(&e->server);
}

static int show_variants(const struct executor *e, struct err *err)
{
	char *programs = mem_printf("%s/programs", e->setup.builder->cache->root);
	int r = sandbox_show(e->setup.sandbox, programs, err);
	mem_free(programs);
	return r;
}

int executor_start(struct executor *ret, const struct executor_setup *setup, struct err *err)
{
	*ret = (struct executor){.setup = *setup,
	                         .server = {.pid = -1, .ask = -1, .processor = -1},
	                         .launch = MAP_FAILED,
	                         .trace = MAP_FAILED,
	                         .fds = {-1, -1, -1},
	                         .input_fd = -1,
	                         .read_fd = -1,
	                         .output_fd = -1,
	                         .mark_fd = -1};
	if (share(ret, err) == 0 && make_files(ret, err) == 0 &&
	    (is_native(ret) || (show_variants(ret, err) == 0 && start_server(ret, err) == 0)))
		return 0;
	executor_stop(ret);
	return -1;
}

static void unmap(void *p, uint64_t size)
{
	if (p && p != MAP_FAILED)
		munmap(p, size);
}

void executor_stop(struct executor *e)
{
	stop_server(e);
	unmap(e->launch, e->launch_size);
	unmap(e->trace, e->trace_size);
	unmap(e->cover, e->cover_size);
	const int fds[] = {e->fds[0], e->fds[1], e->fds[2], e->input_fd, e->read_fd, e->output_fd, e->mark_fd};
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	mem_free(e->reports);
	mem_free(e->output);
	mem_free(e->clean);
	mem_free(e->libraries);
	mem_free(e->served);
	*e = (struct executor){.server = {.pid = -1, .ask = -1, .processor = -1},
	                       .fds = {-1, -1, -1},
	                       .input_fd = -1,
	                       .read_fd = -1,
	                       .output_fd = -1,
	                       .mark_fd = -1};
}

void executor_set_snapshot(struct executor *e, const struct snapshot *snapshot, const char *files)
{
	assert(!files || files[0] == '/'); // the worker's folder is another one
	mem_free(e->libraries);
	e->libraries = snapshot ? snapshot_libraries(snapshot) : NULL;
	e->snapshot = snapshot;
	e->files = files;
	e->snapshot_name = snapshot ? snapshot_name(snapshot) : (struct hash){0};
}

void executor_set_windows(struct executor *e, const struct windows *windows)
{
	e->windows = windows;
}

// --- what a run is given --------------------------------------------------------------------------

// Strings end at their first NUL, wherever they come from.
static bool add_string(struct executor *e, const char *name, const char *data, size_t size)
{
	struct launch *g = e->launch;
	size_t n = name ? strlen(name) + 1 : 0, length = size ? strnlen(data, size) : 0;
	char *to = (char *)(g + 1) + g->strings;
	if (launch_room(n + length) > e->launch_size - sizeof *g - g->strings)
		return false;
	if (name) {
		memcpy(to, name, n - 1);
		to[n - 1] = '=';
	}
	if (length)
		memcpy(to + n, data, length);
	to[n + length] = 0;
	g->strings += launch_room(n + length);
	return true;
}

static bool is_file(const struct input *in, const struct buf *name)
{
	for (size_t i = 0; i < in->n; i++) {
		const struct input_part *p = &in->v[i];
		if (p->kind == INPUT_FILE && p->name[0] == '/' && strlen(p->name) == name->len &&
		    memcmp(p->name, name->data, name->len) == 0)
			return true;
	}
	return false;
}

// A file that is put is found under its name in the sandbox.
static bool add_argument(struct executor *e, const struct input *in, const struct buf *argument)
{
	if (!is_file(in, argument))
		return add_string(e, NULL, argument->data, argument->len);
	char *name = mem_copy(argument->data, argument->len), *path = sandbox_path(e->setup.sandbox, name);
	bool fits = add_string(e, NULL, path, strlen(path));
	mem_free(name);
	mem_free(path);
	return fits;
}

static bool add_arguments(struct executor *e, const struct input *in)
{
	struct launch *g = e->launch;
	bool fits = true;
	for (size_t i = 0; i < in->n && fits; i++)
		if (in->v[i].kind == INPUT_ARGUMENT) {
			fits = add_argument(e, in, &in->v[i].data);
			g->arguments++;
		}
	if (g->arguments)
		return fits;
	g->arguments = 1;
	return add_string(e, NULL, e->setup.program, strlen(e->setup.program));
}

static bool is_launch(const struct input *in, const char *variable)
{
	size_t n = strcspn(variable, "=");
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_VARIABLE && strncmp(in->v[i].name, variable, n) == 0 && !in->v[i].name[n])
			return true;
	return false;
}

// Our own or the snapshot's, with the input's in their place.
static bool add_variables(struct executor *e, const struct input *in)
{
	struct launch *g = e->launch;
	char **v = e->snapshot ? e->snapshot->variables : environ;
	size_t n = e->snapshot ? e->snapshot->n_variables : 0;
	bool fits = true;
	while (!e->snapshot && v && v[n])
		n++;
	for (size_t i = 0; i < n && fits; i++)
		if (!is_launch(in, v[i])) {
			fits = add_string(e, NULL, v[i], strlen(v[i]));
			g->variables++;
		}
	for (size_t i = 0; i < in->n && fits; i++)
		if (in->v[i].kind == INPUT_VARIABLE) {
			fits = add_string(e, in->v[i].name, in->v[i].data.data, in->v[i].data.len);
			g->variables++;
		}
	return fits;
}

// Variables that the test set itself, and can have asked for. What there is no room for is none of them.
static void write_names(struct executor *e)
{
	struct launch *g = e->launch;
	const struct snapshot *s = e->snapshot;
	size_t used = 0;
	for (size_t i = 0; s && i < s->n_variables; i++) {
		const unsigned wanted = VARIABLE_READ | VARIABLE_SET;
		size_t n = strcspn(s->variables[i], "=");
		if ((snapshot_mark(s, i) & wanted) != wanted || variable_is_machinery(s->variables[i]) ||
		    used + n + 2 > sizeof g->set)
			continue;
		memcpy(g->set + used, s->variables[i], n);
		g->set[used + n] = ',';
		used += n + 1;
	}
	g->set[used] = 0;
}

// What a stream is, as in abi/launch.h: `ordinary`, or what the snapshot has instead.
static const char *stream(const struct executor *e, int number, const char *ordinary)
{
	static const char *const instead[] = {NULL, LAUNCH_CLOSED, "/dev/full", "/dev/null"};
	const char *other = e->snapshot ? instead[e->snapshot->streams[number]] : NULL;
	return other ? other : ordinary;
}

static void write_streams(struct executor *e)
{
	struct launch *g = e->launch;
	char input[64];
	snprintf(input, sizeof input, "%s%d", SERVER_DESCRIPTOR, e->read_fd);
	const char *in = stream(e, 0, input), *out = stream(e, 1, e->output), *error = stream(e, 2, e->output);
	strcpy(g->input, in);
	strcpy(g->output, out);
	strcpy(g->error, strcmp(out, error) == 0 ? "" : error);
	g->unused[0] = in == input ? 0 : e->read_fd;
	g->unused[1] = out == e->output || error == e->output ? 0 : e->output_fd;
}

static bool add_windows(struct executor *e)
{
	struct launch *g = e->launch;
	size_t room = e->launch_size - sizeof *g - g->strings;
	size_t n = e->windows ? windows_give(e->windows, (char *)(g + 1) + g->strings, room) : 0;
	if (n == SIZE_MAX)
		return false;
	g->windows = n;
	g->window_limit = e->windows ? e->windows->limit : 0;
	return true;
}

static bool has_pipe(const struct executor *e, const struct input *in)
{
	const struct input_part *input = input_find(in, INPUT_STDIN, NULL);
	return e->snapshot && e->snapshot->pipe && (!input || input->data.len <= PIPE_MOST);
}

static int write_launch(struct executor *e, const struct input *in, struct err *err)
{
	struct launch *g = e->launch;
	const char *cwd = e->snapshot ? e->snapshot->cwd : e->setup.sandbox->cwd;
	g->magic = LAUNCH_MAGIC;
	g->size = e->launch_size;
	g->flags = (e->setup.on_heap ? LAUNCH_ON_HEAP : 0u) | (e->setup.steady ? LAUNCH_STEADY : 0u) |
	           (e->snapshot ? LAUNCH_UMASK : 0u) | (has_pipe(e, in) ? LAUNCH_PIPE : 0u) |
	           (e->where ? LAUNCH_WHERE : 0u);
	g->clock = e->snapshot ? e->snapshot->clock : CLOCK;
	g->umask = e->snapshot ? e->snapshot->umask : 0;
	g->since = g->since_nano = 0;
	g->strings = g->windows = g->window_limit = 0;
	g->arguments = g->variables = 0;
	if (snprintf(g->cwd, sizeof g->cwd, "%s", cwd ? cwd : "") >= LAUNCH_PATH)
		return err_set(err, "cannot run in %s: its path is too long", cwd);
	write_streams(e);
	write_names(e);
	if (add_arguments(e, in) && add_variables(e, in) && add_windows(e))
		return 0;
	return err_set(err, "the arguments of a run are too large");
}

// A file of ours that earlier runs had open, also under this very descriptor.
static int refill(int fd, const void *data, size_t size)
{
	struct stat st;
	if (fcntl(fd, F_SETFL, O_APPEND) < 0 || fstat(fd, &st) < 0 || (st.st_size && ftruncate(fd, 0) < 0))
		return -1;
	return size && file_write_all(fd, data, size) < 0 ? -1 : 0;
}

static int write_files(struct executor *e, const struct input *in, struct err *err)
{
	const struct input_part *input = input_find(in, INPUT_STDIN, NULL);
	if (refill(e->input_fd, input ? input->data.data : NULL, input ? input->data.len : 0) < 0 ||
	    refill(e->output_fd, NULL, 0) < 0 || lseek(e->read_fd, 0, SEEK_SET) < 0 ||
	    fcntl(e->read_fd, F_SETFL, 0) < 0)
		return err_errno(err, "cannot write standard input of a run");
	if (e->snapshot && (e->snapshot->input_seconds || e->snapshot->input_nanoseconds)) {
		const struct timespec t = {e->snapshot->input_seconds, e->snapshot->input_nanoseconds};
		futimens(e->input_fd, (struct timespec[]){t, t});
	}
	if (snapshot_show(e->snapshot, e->snapshot_name, e->files, e->setup.sandbox, err) < 0)
		return -1;
	if (e->snapshot)
		return snapshot_put_input(e->snapshot, in, e->setup.sandbox, err);
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_FILE &&
		    sandbox_put(e->setup.sandbox, in->v[i].name, in->v[i].data.data, in->v[i].data.len, err) < 0)
			return -1;
	return 0;
}

// The time that files get when they are changed now.
static struct timespec stamp(int fd)
{
	struct stat st;
	if (fchmod(fd, 0600) < 0 || fstat(fd, &st) < 0)
		return (struct timespec){0};
	return st.st_ctim;
}

// Files are put just before a run that may write others; the trace has to tell them apart, and has only their times.
// Since Linux 6.13 a file that was looked at gets another time than it had, and others none before that. Elsewhere the
// next tick has to be waited for.
static void part_times(struct executor *e)
{
	struct launch *g = e->launch;
	struct timespec before = stamp(e->mark_fd), now = stamp(e->mark_fd);
	for (int i = 0; i < 100 && now.tv_sec == before.tv_sec && now.tv_nsec == before.tv_nsec; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
		now = stamp(e->mark_fd);
	}
	g->since = now.tv_sec;
	g->since_nano = now.tv_nsec;
}

// Objects that the program makes symbolic itself; where there is a trace they are in that.
static int put_objects(struct executor *e, const struct input *in, struct err *err)
{
	struct buf objects = {0};
	input_objects(in, &objects);
	if (!objects.len || e->setup.want_trace) {
		buf_release(&objects);
		return 0;
	}
	char *path = mem_printf("%s/%s", e->setup.sandbox->open, OBJECTS_FILE);
	int r = sandbox_put(e->setup.sandbox, path, objects.data, objects.len, err);
	mem_free(path);
	buf_release(&objects);
	return r;
}

// The program may have written anywhere in there.
static int reset_trace(struct executor *e, const struct input *in, struct err *err)
{
	struct trace_header *h = e->trace;
	struct buf objects = {0};
	input_objects(in, &objects);
	memcpy(h, e->clean, offsetof(struct trace_header, input));
	if (e->most_events && e->most_events < h->events_max)
		h->events_max = e->most_events;
	int r = objects.len > h->text_max / 2 ? err_set(err, "an input is too large") : 0;
	h->input_bytes = r == 0 ? objects.len : 0;
	assert(h->text_max % 8 == 0 && h->input_bytes % 8 == 0);
	if (h->input_bytes)
		memcpy((char *)h + h->text_at + h->text_max - h->input_bytes, objects.data, h->input_bytes);
	buf_release(&objects);
	return r;
}

// What follows the headers; those the runtime wrote when the server started. Whoever else has the memory may change
// them meanwhile.
static void reset_cover(struct executor *e)
{
	for (uint64_t at = 0; at + sizeof(struct cover_unit) <= e->cover_size;) {
		struct cover_unit u;
		memcpy(&u, e->cover + at, sizeof u);
		uint64_t size = sizeof u + (uint64_t)u.count;
		if (u.magic != COVER_MAGIC || size > e->cover_size - at)
			break;
		memset(e->cover + at + sizeof u, 0, u.count);
		at += (size + PAGE - 1) / PAGE * PAGE;
	}
}

static int give(struct executor *e, const struct input *in, struct err *err)
{
	if (write_launch(e, in, err) < 0 || sandbox_empty_open(e->setup.sandbox, REPORTS, err) < 0 ||
	    write_files(e, in, err) < 0 || put_objects(e, in, err) < 0 ||
	    (e->setup.want_trace && reset_trace(e, in, err) < 0))
		return -1;
	if (e->cover)
		reset_cover(e);
	if (e->snapshot && e->setup.want_trace)
		part_times(e);
	if (e->setup.steady && e->setup.sandbox->last_pid >= 0) {
		char text[16];
		int n = snprintf(text, sizeof text, "%d", LAST_PID);
		ssize_t ignored = pwrite(e->setup.sandbox->last_pid, text, (size_t)n, 0);
		(void)ignored;
	}
	return 0;
}

// --- the run ----------------------------------------------------------------------------------------

// What the process has that is its own, in bytes.
static uint64_t own_memory(pid_t pid)
{
	char path[32], text[128];
	unsigned long long size, resident, shared;
	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return sscanf(text, "%llu %llu %llu", &size, &resident, &shared) == 3 && resident > shared
	               ? (resident - shared) * PAGE
	               : 0;
}

static int watch(void *opaque)
{
	const struct executor *e = opaque;
	const struct sandbox *s = e->setup.sandbox;
	uint64_t memory = s->limits.memory ? s->limits.memory : MEMORY_MAX;
	uint64_t output = s->limits.output ? s->limits.output : OUTPUT_MAX;
	struct stat st;
	pid_t pid = is_native(e) ? e->run : e->server.state->run;
	if ((s->mode == SANDBOX_NONE ? own_memory(pid) : sandbox_memory(s)) > memory)
		return RUN_MEMORY;
	return fstat(e->output_fd, &st) == 0 && (uint64_t)st.st_size > output ? RUN_OUTPUT : 0;
}

static char **native_vector(char *strings, const char *end, uint32_t n, char **ret_rest)
{
	char **v = mem_alloc(((size_t)n + 1) * sizeof *v);
	for (uint32_t i = 0; i < n && strings < end; i++) {
		v[i] = strings;
		strings += launch_room(strlen(strings));
	}
	v[n] = NULL;
	*ret_rest = strings;
	return v;
}

static int take_stream(int number, const char *path, int ordinary)
{
	if (strcmp(path, LAUNCH_CLOSED) == 0)
		return close(number) < 0 && errno != EBADF ? errno : 0;
	bool other = strncmp(path, SERVER_DESCRIPTOR, sizeof SERVER_DESCRIPTOR - 1) != 0;
	int fd = other ? open(path, O_RDWR | O_NOCTTY | O_CLOEXEC) : ordinary;
	return fd < 0 || dup2(fd, number) < 0 ? errno : 0;
}

// In the new process of a native run.
static int become_native(struct executor *e, const char *program)
{
	struct launch *g = e->launch;
	char *strings = (char *)(g + 1), *end = strings + g->strings;
	char **argv = native_vector(strings, end, g->arguments, &strings);
	char **env = native_vector(strings, end, g->variables, &strings);
	const struct toolchain *tools = e->setup.builder->tools;
	char **told = e->snapshot && tools ? folder_sizes_send(e->snapshot, env, tools->folder) : NULL;
	close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC);
	int r = take_stream(0, g->input, e->read_fd);
	if (!r && (g->flags & LAUNCH_PIPE))
		r = pipe_from_input();
	if (!r)
		r = take_stream(1, g->output, e->output_fd);
	if (!r)
		r = take_stream(2, g->error[0] ? g->error : g->output, e->output_fd);
	if (r || confine(e) < 0 || (g->cwd[0] && chdir(g->cwd) < 0))
		return r ? r : errno;
	if (g->flags & LAUNCH_UMASK)
		umask(g->umask & 0777);
	execve(program, argv, told ? told : env);
	return errno;
}

static int run_native(struct executor *e, const struct waiting *w, struct ending *end, struct err *err)
{
	char *found = path_find_program(e->setup.program), *cwd = path_cwd();
	char *program = found ? path_absolute(cwd, found) : NULL;
	int problem[2], why = ENOENT;
	mem_free(found);
	mem_free(cwd);
	if (!program || pipe2(problem, O_CLOEXEC) < 0) {
		mem_free(program);
		return err_errno(err, "cannot run %s", e->setup.program);
	}
	e->run = fork();
	if (e->run == 0) {
		why = become_native(e, program);
		_exit(write(problem[1], &why, sizeof why) == 0);
	}
	close(problem[1]);
	ssize_t n = e->run > 0 ? read(problem[0], &why, sizeof why) : -1;
	close(problem[0]);
	mem_free(program);
	bool ended = e->run > 0 && wait_for_run(w, end) == 0;
	if (ended && n <= 0)
		return 0;
	errno = n > 0 ? why : errno;
	return err_errno(err, "cannot run %s", e->setup.program);
}

// A server that is gone is started again, once.
static int run_in_server(struct executor *e, const struct waiting *w, struct ending *end, bool *ret_died,
                         struct err *err)
{
	for (int i = 0; i < 2; i++) {
		bool fits = strcmp(e->served, wanted_libraries(e)) == 0; // it loads them once
		if (!wait_is_alive(e->server.pid, e->server.ticket) || i || !fits) {
			stop_server(e);
			*ret_died = fits;
			if (start_server(e, err) < 0)
				return -1;
		}
		if (server_ask(&e->server, w, end, err) < 0)
			continue;
		if (!e->server.state->problem)
			return 0;
		errno = e->server.state->problem;
		return err_errno(err, "cannot run %s in the sandbox", e->setup.program);
	}
	return err_set(err, "cannot run %s: its %s variant ends before main is called", e->setup.program,
	               e->setup.builder->variant);
}

static uint64_t microseconds(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

static void read_ending(const struct ending *end, struct run_result *ret)
{
	ret->wall_us = end->wall_us;
	ret->cpu_us = microseconds(end->usage.ru_utime) + microseconds(end->usage.ru_stime);
	ret->end = WIFEXITED(end->status) ? RUN_EXITED : RUN_SIGNAL;
	ret->code = WIFEXITED(end->status) ? WEXITSTATUS(end->status) : WTERMSIG(end->status);
	if (end->cause)
		ret->end = end->cause == WAIT_TIMEOUT ? RUN_TIMEOUT : (enum run_end)end->cause;
	else if (ret->end == RUN_SIGNAL && ret->code == SIGXFSZ)
		ret->end = RUN_OUTPUT;
}

// A process that has the pid of a server that the run killed, its own or another executor's, is one that the run left.
static void drop_ended_servers(struct sandbox *s)
{
	for (size_t i = 0; i < s->n_keep;)
		if (wait_is_server(s->keep[i]))
			i++;
		else
			sandbox_keep(s, s->keep[i], 0);
}

int executor_run(struct executor *e, const struct input *in, unsigned milliseconds, struct run_result *ret,
                 struct err *err)
{
	const struct waiting w = {.run = &e->run, .milliseconds = milliseconds, .watch = watch, .opaque = e};
	struct ending end;
	*ret = (struct run_result){0};
	int r = give(e, in, err);
	if (r == 0)
		r = is_native(e) ? run_native(e, &w, &end, err) : run_in_server(e, &w, &end, &ret->server_died, err);
	if (r == 0)
		read_ending(&end, ret);
	if (r == 0 && e->written)
		written_read(e->written, e->setup.sandbox);
	struct err problem;
	drop_ended_servers(e->setup.sandbox);
	if (sandbox_reset(e->setup.sandbox, &problem) < 0 && r == 0)
		return err_set(err, "%s", problem.text);
	return r;
}

// --- as it was recorded? ------------------------------------------------------------------------------

static void say_status(struct buf *out, int status)
{
	if (WIFSIGNALED(status))
		buf_printf(out, "signal %d", WTERMSIG(status));
	else
		buf_printf(out, "exit status %d", WEXITSTATUS(status));
}

static bool same_status(const struct run_result *r, int status)
{
	return WIFEXITED(status) ? r->end == RUN_EXITED && r->code == WEXITSTATUS(status)
	                         : r->end == RUN_SIGNAL && r->code == WTERMSIG(status);
}

static void say_end(struct buf *out, const struct run_result *r, int status)
{
	static const char *const ends[RUN_ENDS] = {[RUN_TIMEOUT] = "it did not end",
	                                           [RUN_MEMORY] = "it took too much memory",
	                                           [RUN_OUTPUT] = "it wrote too much"};
	if (ends[r->end])
		buf_addstr(out, ends[r->end]);
	else
		say_status(out, r->end == RUN_EXITED ? r->code << 8 : r->code);
	buf_addstr(out, ", recorded was ");
	say_status(out, status);
}

// A difference may come of a value that is not stored.
static void say_masked(const struct snapshot *s, struct buf *out)
{
	for (size_t i = 0; i < s->n_variables; i++)
		if ((snapshot_mark(s, i) & VARIABLE_MASKED) && (s->whole || (snapshot_mark(s, i) & VARIABLE_READ))) {
			buf_printf(out, " (the value of %.*s is not stored)", (int)strcspn(s->variables[i], "="),
			           s->variables[i]);
			return;
		}
}

static bool matches(const struct executor *e, const struct run_result *r, struct buf *ret_why)
{
	const struct snapshot *s = e->snapshot;
	struct buf output = {0};
	if (!same_status(r, s->status)) {
		say_end(ret_why, r, s->status);
		return false;
	}
	if (!s->output_known)
		return true;
	bool same = file_read(e->output, &output, NULL) == 0 && output.len == s->output_size;
	if (!same) {
		buf_printf(ret_why, "%zu bytes of output, recorded were %llu", output.len,
		           (unsigned long long)s->output_size);
	} else {
		struct hash h = hash_bytes(output.data, output.len);
		same = h.low == s->output.low && h.high == s->output.high;
		if (!same)
			buf_printf(ret_why, "another output of the same size (%zu bytes)", output.len);
	}
	buf_release(&output);
	return same;
}

bool executor_matches_snapshot(const struct executor *e, const struct run_result *r, struct buf *ret_why)
{
	bool same = matches(e, r, ret_why);
	if (!same)
		say_masked(e->snapshot, ret_why);
	return same;
}
