// What a run is given: the launch block (abi/launch.h), streams, files, objects, an empty trace and counters.
#include "execute/executor_internal.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "abi/cover.h"
#include "abi/launch.h"
#include "abi/layout.h"
#include "abi/objects.h"
#include "abi/pipe.h"
#include "base/file.h"
#include "base/mem.h"
#include "input/variables.h"
#include "sandbox/snapshot_put.h"

enum { CLOCK = 1700000000, LAST_PID = 340 }; // of all runs that are to be steady

// --- the launch block -----------------------------------------------------------------------------

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
	assert(g->strings <= e->launch_size - sizeof *g);
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
	return add_string(e, NULL, e->setup.target.program, strlen(e->setup.target.program));
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

static bool add_fragment(struct executor *e, const struct input *in)
{
	struct launch *g = e->launch;
	const struct input_part *part = input_find(in, INPUT_FRAGMENT, NULL);
	if (!part)
		return true;
	if (part->data.len > e->launch_size - sizeof *g - g->strings - g->windows)
		return false;
	memcpy((char *)(g + 1) + g->strings + g->windows, part->data.data, part->data.len);
	g->fragment = part->data.len;
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
	           (e->where ? LAUNCH_WHERE : 0u) | (e->left ? LAUNCH_LEFT : 0u) | (e->other ? LAUNCH_OTHER : 0u) |
	           (e->concrete ? LAUNCH_CONCRETE : 0u) | (e->labels ? LAUNCH_LABELS : 0u) |
	           (e->setup.floats ? LAUNCH_FLOATS : 0u);
	g->clock = e->snapshot ? e->snapshot->clock : CLOCK;
	g->umask = e->snapshot ? e->snapshot->umask : 0;
	g->since = g->since_nano = 0;
	g->strings = g->windows = g->window_limit = g->fragment = 0;
	g->arguments = g->variables = 0;
	if (snprintf(g->cwd, sizeof g->cwd, "%s", cwd ? cwd : "") >= LAUNCH_PATH)
		return err_set(err, "cannot run in %s: its path is too long", cwd);
	write_streams(e);
	write_names(e);
	if (add_arguments(e, in) && add_variables(e, in) && add_windows(e) && add_fragment(e, in))
		return 0;
	return err_set(err, "the arguments of a run are too large");
}

// --- files ----------------------------------------------------------------------------------------

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
	h->decisions_max = e->most_decisions;
	h->flags |= e->head ? TRACE_HEAD : 0;
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
		at += (size + EXECUTOR_PAGE - 1) / EXECUTOR_PAGE * EXECUTOR_PAGE;
	}
}

int executor_give(struct executor *e, const struct input *in, struct err *err)
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
