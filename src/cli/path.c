// veer path: the path condition of one run.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/cover.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/native_run.h"
#include "cli/options.h"
#include "cli/path_print.h"
#include "coverage/cover.h"
#include "execute/ahead.h"
#include "execute/server.h"
#include "expr/trace.h"
#include "findings/symbolize.h"
#include "input/input.h"
#include "input/sym.h"
#include "record/interpose.h"
#include "session/tools.h"
#include "variants/build.h"

struct path_options {
	bool smt, events, self_check, stats, stacks, coverage, segments, no_compare;
	int negate, repeat;
	const char *input, *sym, *save;
};

static const struct option_spec options[] = {
	{"sym", 0, OPTION_TEXT, offsetof(struct path_options, sym), "SOURCE,...",
         "input: argv, stdin, file:PATH, files, env, env:NAME, sock"},
	{"events", 0, OPTION_FLAG, offsetof(struct path_options, events), NULL, "print the event log"},
	{"stacks", 0, OPTION_FLAG, offsetof(struct path_options, stacks), NULL,
         "print the calls that led to each event"},
	{"smt2", 0, OPTION_FLAG, offsetof(struct path_options, smt), NULL, "print SMT-LIB 2"},
	{"negate", 0, OPTION_NUMBER, offsetof(struct path_options, negate), "N",
         "with --smt2: the path up to event N, and the negation of that event"},
	{"save", 0, OPTION_TEXT, offsetof(struct path_options, save), "FILE",
         "write the trace to FILE, for `veer solve`; prints nothing unless asked for"},
	{"input", 0, OPTION_TEXT, offsetof(struct path_options, input), "FILE",
         "bytes for the symbolic objects, in the order in which they are made"},
	{"repeat", 0, OPTION_NUMBER, offsetof(struct path_options, repeat), "N",
         "start the program once, run it N times (fork server); print the last path"},
	{"coverage", 0, OPTION_FLAG, offsetof(struct path_options, coverage), NULL,
         "print which lines ran (with --repeat: in any of the runs) instead of the path"},
	{"segments", 0, OPTION_FLAG, offsetof(struct path_options, segments), NULL,
         "print which lines ran, and which segments (paths from marker to marker) of functions"},
	{"self-check", 0, OPTION_FLAG, offsetof(struct path_options, self_check), NULL,
         "check every node against the real value"},
	{"stats", 0, OPTION_FLAG, offsetof(struct path_options, stats), NULL, "print counts on standard error"},
	{"no-compare", 0, OPTION_FLAG, offsetof(struct path_options, no_compare), NULL,
         "do not run the command natively, in the sandbox, to see whether the traced run does the same"},
};

struct session {
	struct path_options options;
	const struct builder *builder;
	struct strv calls; // with --stacks: the place of each call
	struct buf input;
	int fd;
	uint64_t size;
	void *data;
	struct ahead ahead;
	struct cover *cover; // with --coverage
	int cover_fd;
	void *cover_data;
	uint64_t length;          // of the run, in segments
	struct native_run native; // what the traced run should do
	struct buf output;        // what it wrote, up to OUTPUT_MAX
	bool complained;          // and we did, at the same place
	int from, to;             // between the program's output and ours
};

enum { COVER_SIZE = 1 << 28 }; // as much as is used is there
enum { OUTPUT_MAX = 1 << 20 };

// What a program finds by a link in RUN lives in memory.
static int make_shared(const char *run, const char *name, uint64_t size, int *ret_fd, void **ret_data, struct err *err)
{
	*ret_fd = memfd_create("veer", MFD_CLOEXEC);
	if (*ret_fd < 0 || ftruncate(*ret_fd, (off_t)size) < 0)
		return err_errno(err, "cannot make room for the %s", name);
	*ret_data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, *ret_fd, 0);
	if (*ret_data == MAP_FAILED)
		return err_errno(err, "cannot map the %s", name);
	char *target = mem_printf("/proc/%d/fd/%d", (int)getpid(), *ret_fd);
	char *link = mem_printf("%s/%s", run, name);
	int r = symlink(target, link) < 0 ? err_errno(err, "cannot create %s", link) : 0;
	mem_free(target);
	mem_free(link);
	return r;
}

// What the program takes of the objects it marks there: anew for each run.
static void put_objects(struct session *s)
{
	const struct trace_header *h = s->data;
	if (s->input.len)
		memcpy((char *)s->data + h->text_at + h->text_max - s->input.len, s->input.data, s->input.len);
}

static int prepare(void *opaque, const char *run, struct err *err)
{
	struct session *s = opaque;
	if (s->options.sym && sym_write(run, s->options.sym, false, err) < 0)
		return -1;
	const struct trace_sizes sizes = {.nodes = 1 << 25, .events = 1 << 23, .calls = 1 << 20, .text = 1 << 28};
	struct trace_header header;
	s->size = trace_layout(sizes, s->options.self_check ? TRACE_SELF_CHECK : 0, &header);
	header.input_bytes = s->input.len;
	if (make_shared(run, "trace", s->size, &s->fd, &s->data, err) < 0)
		return -1;
	if (s->options.coverage && make_shared(run, COVER_FILE, COVER_SIZE, &s->cover_fd, &s->cover_data, err) < 0)
		return -1;
	memcpy(s->data, &header, sizeof header);
	if (s->input.len > header.text_max / 2)
		return err_set(err, "%s is too large", s->options.input);
	// What is given stands at the end of the text area.
	put_objects(s);
	ahead_start(&s->ahead, s->data);
	return 0;
}

// While RUN is there: what ran, and what that means.
static void take_coverage(void *opaque, const char *run)
{
	struct session *s = opaque;
	struct err err;
	if (!s->options.coverage || !s->cover_data)
		return;
	if (!s->cover)
		s->cover = cover_new();
	if (cover_add_run(s->cover, run, &err) < 0)
		cli_line(stderr, "veer: %s", err.text);
	s->length = cover_length(s->cover_data, COVER_SIZE);
	cover_merge(s->cover, s->cover_data, COVER_SIZE);
}

static void print_line(void *opaque, const char *file, uint32_t line, bool covered)
{
	(void)opaque;
	cli_line(stdout, "%s:%u %s", file, line, covered ? "covered" : "not");
}

static void print_segment(void *opaque, const struct cover_segment *segment)
{
	struct buf line = {0};
	cover_print_segment(opaque, segment, &line);
	cli_line(stdout, "%s", line.data);
	buf_release(&line);
}

static void print_coverage(const struct session *s)
{
	struct buf table = {0};
	cover_each_line(s->cover, print_line, NULL);
	if (s->options.segments)
		cover_each_segment(s->cover, print_segment, s->cover);
	cover_print_files(s->cover, &table);
	if (s->options.stats)
		fputs(table.data, stderr);
	if (s->options.stats && s->options.segments)
		fprintf(stderr, "%llu segments were passed through\n", (unsigned long long)s->length);
	buf_release(&table);
}

// The variant of the file at `path`, which is what the addresses are in; else itself.
static char *object_at(const struct session *s, const char *path)
{
	char *variant = NULL;
	struct err err;
	if (build_lookup(s->builder, path, &variant, &err) != BUILD_OK)
		variant = NULL;
	return variant ? variant : mem_strdup(path);
}

// Fills in s->calls: "FILE:LINE FUNCTION" for each call of the trace.
static void name_calls(struct session *s, const struct trace *t)
{
	uint64_t *addresses = mem_zero(t->n_calls * sizeof *addresses);
	uint32_t *which = mem_zero(t->n_calls * sizeof *which);
	char **names = mem_zero(t->n_calls * sizeof *names);
	unsigned n_modules = 0;
	for (uint32_t i = 1; i < t->n_calls && n_modules < TRACE_MODULES; i++) {
		const struct trace_module *m = trace_module(t, t->calls[i].module);
		if (names[i] || !m)
			continue;
		n_modules++;
		size_t n = 0; // all of this module at once
		for (uint32_t k = i; k < t->n_calls; k++)
			if (t->calls[k].module == t->calls[i].module) {
				which[n] = k;
				addresses[n++] = t->calls[k].address - 1 - m->base;
			}
		struct strv places = {0};
		struct err err;
		char *object = object_at(s, trace_text(t, m->name));
		if (symbolize(object, addresses, n, &places, &err) < 0)
			cli_line(stderr, "veer: %s", err.text);
		for (size_t k = 0; k < n; k++)
			names[which[k]] = k < places.n ? mem_strdup(places.v[k])
			                               : mem_printf("%s+0x%llx ?", trace_text(t, m->name),
			                                            (unsigned long long)addresses[k]);
		strv_release(&places);
		mem_free(object);
	}
	for (uint32_t i = 0; i < t->n_calls; i++)
		strv_take(&s->calls, names[i] ? names[i] : mem_strdup("?"));
	mem_free(names);
	mem_free(which);
	mem_free(addresses);
}

static void print_stack(const struct session *s, const struct trace *t, uint32_t stack)
{
	for (const struct trace_call *c; (c = trace_call(t, stack)); stack = c->parent)
		cli_line(stdout, "    called from %s", s->calls.v[stack]);
}

// Whether event `index` may be negated.
static int check_negated(const struct trace *t, int index)
{
	if (index < 0)
		return 0;
	if ((uint32_t)index >= t->n_events)
		return cli_fail("there is no such event; see --events");
	const struct trace_event *e = &t->events[index];
	if (e->kind == EVENT_ASSUME && e->value)
		return cli_fail("this event is an assumption that holds: the program requires it; see --events");
	return 0;
}

static int print_trace(struct session *s)
{
	struct trace t;
	struct err err;
	if (trace_read(s->data, s->size, &t, &err) < 0)
		return cli_fail(err.text);
	int result = 0;
	if (s->options.save && trace_save(&t, s->options.save, &err) < 0)
		return cli_fail(err.text);
	if (s->options.stacks)
		name_calls(s, &t);
	if (s->options.smt) {
		struct buf out = {0};
		bool negate = s->options.negate >= 0;
		result = check_negated(&t, s->options.negate);
		if (result == 0)
			trace_print_smt(&t, negate ? (uint32_t)s->options.negate : t.n_events, negate, &out);
		fwrite(out.data, 1, out.len, stdout);
		buf_release(&out);
	} else if ((!s->options.save && !s->options.coverage) || s->options.events) {
		for (uint32_t i = 0; i < t.n_events; i++)
			if (s->options.events || trace_is_condition(&t.events[i])) {
				path_print_event(&t, i, s->options.events);
				if (s->options.stacks)
					print_stack(s, &t, t.events[i].stack);
			}
	}
	if (s->cover)
		print_coverage(s);
	if (!t.n_inputs && !t.header->full && !s->options.coverage)
		fprintf(stderr,
		        "veer: the program had no symbolic input; say what is with --sym argv,stdin,files or the "
		        "like; or the program may call veer_make_symbolic (veer.h), klee_make_symbolic "
		        "(klee/klee.h), __VERIFIER_nondet_int()\n");
	path_print_unmodelled(&t);
	if (s->options.stats)
		fprintf(stderr, "veer: %u nodes, %u events, %llu comparisons of the self-check, %u mismatches\n",
		        t.n_nodes - 1, t.n_events, (unsigned long long)t.header->checked, t.header->mismatches);
	if (t.header->full)
		fprintf(stderr, "veer: a table was full; from there on the run was concrete\n");
	if (t.damaged)
		fprintf(stderr, "veer: the program damaged its trace; the rest is cut off\n");
	return result;
}

static double processor_seconds(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
	       1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

// What runs took, all together: `since` is the usage of our children before them.
static void print_runs(int runs, double seconds, const struct rusage *since)
{
	struct rusage now;
	getrusage(RUSAGE_CHILDREN, &now);
	fprintf(stderr, "veer: %d runs, %.0f a second; each %.0f us of processor time, %.0f page faults\n", runs,
	        runs / seconds, 1e6 * (processor_seconds(&now) - processor_seconds(since)) / runs,
	        (double)(now.ru_minflt - since->ru_minflt) / runs);
}

// Runs the program again and again; returns the last wait status, or -1.
static int run_repeatedly(struct session *s, const struct builder *builder, char **argv, struct err *err)
{
	struct server server;
	if (server_start(&server, builder, argv, prepare, s, cli_runs_natively, err) < 0)
		return -1;
	int status = 0;
	struct rusage before;
	getrusage(RUSAGE_CHILDREN, &before);
	double from = clock_seconds();
	for (int i = 0; i < s->options.repeat && status >= 0; i++) {
		trace_reset(s->data, s->input.len);
		put_objects(s);
		status = server_run(&server, 0, err);
	}
	double seconds = clock_seconds() - from;
	if (status >= 0 && s->options.stats)
		print_runs(s->options.repeat, seconds, &before);
	take_coverage(s, server.run);
	server_stop(&server);
	return status;
}

// --- beside a native run --------------------------------------------------------------------------

static struct session *complaining; // there is one run

static void complain(const char *path, const char *why)
{
	complaining->complained = true;
	cli_runs_natively(path, why);
}

static void *forward(void *opaque)
{
	struct session *s = opaque;
	char data[1 << 14];
	for (ssize_t n; (n = read(s->from, data, sizeof data)) > 0;) {
		if (s->output.len <= OUTPUT_MAX)
			buf_add(&s->output, data, (size_t)n);
		if (file_write_all(s->to, data, (size_t)n) < 0)
			break;
	}
	return NULL;
}

// A terminal stays one for the program; its output is not compared then.
static int run_compared(struct session *s, const struct interpose *interpose, char **argv, struct err *err)
{
	int pipes[2], terminal = isatty(2);
	pthread_t thread;
	if (terminal || !s->native.has_output || pipe2(pipes, O_CLOEXEC) < 0)
		return interpose_run(interpose, argv, err);
	s->from = pipes[0];
	s->to = fcntl(2, F_DUPFD_CLOEXEC, 3);
	if (s->to < 0 || pthread_create(&thread, NULL, forward, s) != 0) {
		close(pipes[0]);
		close(pipes[1]);
		return interpose_run(interpose, argv, err);
	}
	dup2(pipes[1], 1);
	dup2(pipes[1], 2);
	close(pipes[1]);
	int status = interpose_run(interpose, argv, err);
	dup2(s->to, 1);
	dup2(s->to, 2);
	pthread_join(thread, NULL);
	close(pipes[0]);
	close(s->to);
	return status;
}

// Objects that the program makes symbolic itself have content of their own in a traced run.
static bool has_objects(const struct session *s)
{
	struct trace t;
	struct err err;
	bool any = false;
	if (trace_read(s->data, s->size, &t, &err) < 0)
		return false;
	for (uint32_t i = 0; i < t.n_inputs; i++)
		any |= input_is_object(trace_input_type(&t, i));
	return any;
}

static bool differs(struct session *s, int status, struct buf *why)
{
	bool has_output = s->to && s->output.len <= OUTPUT_MAX;
	buf_clear(why);
	return !native_run_same(&s->native, status, has_output ? &s->output : NULL, why);
}

static void print_difference(struct session *s, int status)
{
	struct buf why = {0};
	bool differing = !s->complained && !has_objects(s) && differs(s, status, &why);
	if (differing)
		native_run_again(&s->native);
	if (differing && differs(s, status, &why))
		cli_line(stderr, "veer: the traced run is not what the program does: %s", why.data);
	buf_release(&why);
}

static bool wants_native(const struct path_options *o)
{
	return !o->no_compare && !o->repeat && !o->input && !(o->sym && strstr(o->sym, "sock"));
}

// The file is a stream: each object that the program makes symbolic takes the next bytes of it.
static int read_objects(struct session *s, struct err *err)
{
	struct buf content = {0};
	struct input in = {0};
	int r = file_read(s->options.input, &content, err);
	if (r == 0 && content.len) {
		input_add(&in, INPUT_OBJECT, NULL, content.data, content.len);
		input_objects(&in, &s->input);
		input_release(&in);
	}
	buf_release(&content);
	return r;
}

static int run(int argc, char **argv)
{
	struct session s = {.options = {.negate = -1}, .fd = -1, .cover_fd = -1};
	struct err err;
	int first = options_parse(&command_path, argc, argv, &s.options, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_path, err.text);
	if (first >= argc)
		return cli_usage_error(&command_path, "no program to run");
	s.options.coverage |= s.options.segments;
	if (s.options.sym && sym_check(s.options.sym, &err) < 0)
		return cli_usage_error(&command_path, err.text);
	if (s.options.input && read_objects(&s, &err) < 0)
		return cli_fail(err.text);
	struct session_tools tools = {0};
	if (session_tools_find(&tools, &err) < 0) {
		session_tools_release(&tools);
		return cli_fail(err.text);
	}
	struct builder builder = tools.explored;
	if (!s.options.coverage)
		builder.variant = "traced";
	else if (s.options.segments)
		builder.variant = "fragment";
	s.builder = &builder;
	struct interpose interpose = {.builder = &builder,
	                              .complain = complain,
	                              .limit = cli_limit,
	                              .prepare = prepare,
	                              .finish = take_coverage,
	                              .opaque = &s};
	// Runs repeat: the same input, the same addresses, where the machine allows it.
	personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
	complaining = &s;
	if (wants_native(&s.options))
		native_run(argv + first, &builder, &s.native);
	int out = dup(1);
	dup2(2, 1); // the program's output must not mix with ours
	int status = s.options.repeat > 0 ? run_repeatedly(&s, &builder, argv + first, &err)
	                                  : run_compared(&s, &interpose, argv + first, &err);
	ahead_stop(&s.ahead);
	dup2(out, 1);
	close(out);
	int result = status < 0 ? cli_fail(err.text) : print_trace(&s);
	if (status >= 0)
		print_difference(&s, status);
	if (status > 0 && WIFSIGNALED(status))
		fprintf(stderr, "veer: the program was ended by signal %d\n", WTERMSIG(status));
	buf_release(&s.input);
	buf_release(&s.output);
	native_run_release(&s.native);
	strv_release(&s.calls);
	cover_free(s.cover);
	session_tools_release(&tools);
	return result;
}

const struct command command_path = {
	.name = "path",
	.usage = "[OPTION...] -- PROGRAM [ARGUMENT...]",
	.summary = "run a program traced and print the conditions of its path",
	.details = "The first program that runs and was built by veer-cc is traced. Its conditions on symbolic\n"
		   "input are printed in the order in which they came up, in terms of the input's bytes. What\n"
		   "the program prints goes to standard error.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
