// Drives execute/executor.h for tests/e2e/executor.sh: inputs come as lines on standard input, what runs did goes to
// standard output. In texts, \n, \0, \\ and \xHH stand for bytes.
//
//   arg TEXT | env NAME TEXT | stdin TEXT | file PATH TEXT | objects TEXT    adds a part
//   clear                                                                   starts a new input
//   run                                                                     runs it
//   window NAME FROM TO | limit N | all                                     symbolic windows of the next runs; TO may
//   be end bench N                                                                 runs it N times; prints runs a
//   second
//
// A recorded test (input/snapshot.h), made by hand; runs are in it from `show` until `hide`:
//
//   snapshot CWD                                       starts a new one
//   entry KIND PATH MODE SECONDS TEXT               file (content), unknown (size), folder, listed, link, pipe, absent
//   variable TEXT | umask MODE | clock SECONDS | stream NUMBER KIND
//   ended STATUS SIZE TEXT                          how it ended: wait status, and output of that size
//   show | hide | matches                           matches: compares the last run
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "confined.h"
#include "execute/observation.h"
#include "expr/trace.h"

static struct executor_setup setup;
static struct sandbox_limits limits;
static enum sandbox_mode mode = SANDBOX_NONE;
static unsigned milliseconds = 5000;
static bool inputs; // are printed
static struct run_result last;

static void fail(const char *why)
{
	printf("error: %s\n", why);
	fflush(stdout);
	_exit(1);
}

// In place; returns the size.
static size_t unescape(char *s)
{
	char *to = s;
	for (char *p = s; *p;) {
		if (*p != '\\') {
			*to++ = *p++;
			continue;
		}
		char c = p[1];
		p += c ? 2 : 1;
		if (c == 'x') {
			char digits[3] = {p[0], p[0] ? p[1] : 0, 0};
			*to++ = (char)strtoul(digits, NULL, 16);
			p += strlen(digits);
		} else {
			*to++ = c == 'n' ? '\n' : c == '0' ? '\0' : c;
		}
	}
	return (size_t)(to - s);
}

static void print_bytes(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] >= 32 && p[i] < 127)
			putchar(p[i]);
		else
			printf("\\x%02x", p[i]);
}

static void print_trace(const struct executor *e)
{
	struct trace t;
	struct err err;
	if (trace_read(e->trace, e->trace_size, &t, &err) < 0) {
		printf("no trace: %s\n", err.text);
		return;
	}
	for (uint32_t i = 0; i < t.n_inputs; i++) {
		const struct trace_input *in = &t.header->input[i];
		printf("input %s: ", trace_input_label(&t, i));
		print_bytes((const uint8_t *)e->trace + t.header->text_at + 8 * (uint64_t)in->data, in->size);
		putchar('\n');
	}
	unsigned conditions = 0;
	for (uint32_t i = 0; i < t.n_events; i++)
		conditions += trace_is_condition(&t.events[i]);
	printf("%u conditions\n", conditions);
}

// The folder is the program's: what is no file may block, and there may be any number of them.
static void print_reports(const char *folder)
{
	enum { MOST = 16 };
	DIR *dir = opendir(folder);
	int n = 0;
	for (struct dirent *d; dir && n < MOST && (d = readdir(dir));) {
		struct buf text = {0};
		struct err err;
		struct stat st;
		char *path = mem_printf("%s/%s", folder, d->d_name), *summary;
		if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && file_read(path, &text, &err) == 0) {
			n++;
			summary = text.data ? strstr(text.data, "SUMMARY: ") : NULL;
			printf("report %.*s: %s\n", (int)strcspn(d->d_name, "."), d->d_name,
			       summary     ? strtok(summary, "\n")
			       : text.data ? strtok(text.data, "\n")
			                   : "");
		}
		buf_release(&text);
		mem_free(path);
	}
	if (dir)
		closedir(dir);
}

static void print_output(const char *path)
{
	enum { MOST = 4096 };
	struct buf text = {0};
	struct err err;
	if (file_read(path, &text, &err) == 0 && text.len) {
		char *rest = text.data;
		if (text.len > MOST)
			text.data[MOST] = 0;
		if (text.data[strlen(text.data) - 1] == '\n')
			text.data[strlen(text.data) - 1] = 0;
		for (char *line; (line = strsep(&rest, "\n"));)
			printf("| %s\n", line);
	}
	buf_release(&text);
}

static void run(struct executor *e, const struct input *in)
{
	static const char *const ends[] = {"exited", "signal", "timeout", "memory", "output"};
	struct run_result r;
	struct err err;
	if (executor_run(e, in, milliseconds, &r, &err) < 0)
		fail(err.text);
	last = r;
	printf("%s", ends[r.end]);
	if (r.end <= RUN_SIGNAL)
		printf(" %d", r.code);
	printf("%s\n", r.server_died ? ", server started again" : "");
	print_output(e->output);
	if (inputs && setup.want_trace)
		print_trace(e);
	print_reports(e->reports);
	fflush(stdout);
}

static void bench(struct executor *e, const struct input *in, int n)
{
	struct timespec from, to;
	struct run_result r;
	struct err err;
	uint64_t cpu = 0;
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < n; i++) {
		if (executor_run(e, in, milliseconds, &r, &err) < 0)
			fail(err.text);
		cpu += r.cpu_us;
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
	printf("%.0f runs a second; each %.0f us, %.0f us of its own processor time\n", n / seconds, 1e6 * seconds / n,
	       (double)cpu / n);
}

static void add(struct input *in, const char *word, char *rest)
{
	static const char *const kinds[] = {"arg", "env", "stdin", "file", "objects"};
	for (int kind = 0; kind < INPUT_KINDS; kind++) {
		if (strcmp(word, kinds[kind]) != 0)
			continue;
		char *name = kind == INPUT_VARIABLE || kind == INPUT_FILE ? strsep(&rest, " ") : NULL;
		size_t size = rest ? unescape(rest) : 0;
		input_add(in, (enum input_kind)kind, name, rest ? rest : "", size);
		return;
	}
	fail(word);
}

static struct snapshot_entry *add_entry(struct snapshot *s, const char *kind, const char *path)
{
	static const char *const kinds[] = {"file", "folder", "link", "pipe", "absent", "unknown", "listed"};
	static const enum snapshot_kind are[] = {SNAPSHOT_FILE,   SNAPSHOT_FOLDER, SNAPSHOT_LINK,  SNAPSHOT_PIPE,
	                                         SNAPSHOT_ABSENT, SNAPSHOT_FILE,   SNAPSHOT_FOLDER};
	for (size_t i = 0; i < sizeof are / sizeof *are; i++)
		if (strcmp(kind, kinds[i]) == 0) {
			struct snapshot_entry *e = snapshot_add(s, are[i], path);
			e->known = strcmp(kind, "file") == 0 || strcmp(kind, "listed") == 0;
			return e;
		}
	fail(kind);
	return NULL;
}

static void entry(struct snapshot *s, char *rest, const char *files)
{
	char *kind = strsep(&rest, " "), *path = strsep(&rest, " ");
	char *mode_text = strsep(&rest, " "), *seconds = strsep(&rest, " ");
	struct snapshot_entry *e = add_entry(s, kind, path);
	struct err err;
	e->mode = (uint32_t)strtoul(mode_text ? mode_text : "0", NULL, 8);
	e->seconds = seconds ? atoll(seconds) : 0;
	e->nanoseconds = 5;
	if (e->kind == SNAPSHOT_FILE && !e->known)
		e->size = strtoull(rest, NULL, 10);
	if (e->kind == SNAPSHOT_FILE && e->known) {
		e->size = rest ? unescape(rest) : 0;
		if (snapshot_keep(files, rest, (size_t)e->size, &e->content, &err) < 0)
			fail(err.text);
	}
	if (e->kind == SNAPSHOT_LINK)
		e->text = mem_strdup(rest);
}

static void variable(struct snapshot *s, const char *text)
{
	s->variables = mem_resize(s->variables, (s->n_variables + 1) * sizeof *s->variables);
	s->variables[s->n_variables++] = mem_strdup(text);
}

static void ended(struct snapshot *s, char *rest)
{
	s->status = atoi(strsep(&rest, " "));
	s->output_size = strtoull(strsep(&rest, " "), NULL, 10);
	s->output = hash_bytes(rest, unescape(rest));
	s->output_known = true;
}

// Whether the line is about a snapshot.
static bool set_snapshot(struct snapshot *s, const char *word, char *rest, const char *files)
{
	if (strcmp(word, "scene") == 0) {
		snapshot_release(s);
		s->program = mem_strdup("/p");
		s->cwd = mem_strdup(rest);
		s->umask = 022;
	} else if (strcmp(word, "entry") == 0) {
		entry(s, rest, files);
	} else if (strcmp(word, "variable") == 0) {
		variable(s, rest);
	} else if (strcmp(word, "umask") == 0) {
		s->umask = (uint32_t)strtoul(rest, NULL, 8);
	} else if (strcmp(word, "clock") == 0) {
		s->clock = atoll(rest);
	} else if (strcmp(word, "stream") == 0) {
		const char *kind = rest + 2;
		s->streams[atoi(rest)] = strcmp(kind, "closed") == 0 ? STREAM_CLOSED
		                         : strcmp(kind, "full") == 0 ? STREAM_FULL
		                                                     : STREAM_NULL;
	} else if (strcmp(word, "ended") == 0) {
		ended(s, rest);
	} else {
		return false;
	}
	return true;
}

static void matches(const struct executor *e)
{
	struct buf why = {0};
	struct observation o = {0};
	observation_take(&o, e, &last);
	bool same = observation_as_recorded(&o, e->snapshot, &why);
	printf("%s\n", same ? "matches" : why.data);
	observation_release(&o);
	buf_release(&why);
}

// "arg NUMBER", "file PATH" or "stdin".
static struct input_source named_source(char **rest)
{
	const char *kind = strsep(rest, " ");
	if (strcmp(kind, "arg") == 0)
		return input_source(INPUT_ARGUMENT, INPUT_BYTES, (uint32_t)atoi(strsep(rest, " ")), "");
	if (strcmp(kind, "file") == 0)
		return input_source(INPUT_FILE, INPUT_BYTES, 0, strsep(rest, " "));
	return input_source(INPUT_STDIN, INPUT_BYTES, 0, "");
}

// Whether the line is about symbolic windows.
static bool set_windows(struct windows *w, const char *word, char *rest)
{
	if (strcmp(word, "all") == 0) {
		windows_release(w);
	} else if (strcmp(word, "limit") == 0) {
		w->limit = strtoull(rest, NULL, 10);
	} else if (strcmp(word, "window") == 0) {
		struct input_source of = named_source(&rest);
		char *from = strsep(&rest, " ");
		windows_add(w, of, strtoull(from, NULL, 10),
		            strcmp(rest, "end") == 0 ? LAUNCH_OPEN : strtoull(rest, NULL, 10));
	} else {
		return false;
	}
	return true;
}

static int work(struct sandbox *sandbox, void *opaque)
{
	char *files = mem_printf("%s/files", sandbox->worker_dir);
	struct snapshot snapshot = {0};
	struct executor e;
	struct err err;
	struct input in = {0};
	struct windows windows = {0};
	static char line[1 << 16];
	setup.sandbox = sandbox;
	if (executor_start(&e, &setup, &err) < 0)
		fail(err.text);
	executor_set_windows(&e, &windows);
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = 0;
		char *rest = line, *word = strsep(&rest, " ");
		if (strcmp(word, "run") == 0)
			run(&e, &in);
		else if (strcmp(word, "bench") == 0)
			bench(&e, &in, atoi(rest));
		else if (strcmp(word, "clear") == 0)
			input_release(&in);
		else if (strcmp(word, "show") == 0)
			executor_set_snapshot(&e, &snapshot, files);
		else if (strcmp(word, "hide") == 0)
			executor_set_snapshot(&e, NULL, NULL);
		else if (strcmp(word, "matches") == 0)
			matches(&e);
		else if (set_snapshot(&snapshot, word, rest, files) || set_windows(&windows, word, rest))
			continue;
		else
			add(&in, word, rest);
	}
	input_release(&in);
	executor_stop(&e);
	windows_release(&windows);
	snapshot_release(&snapshot);
	mem_free(files);
	return 0;
}

static void set_mode(const char *name)
{
	for (int i = 0; i < SANDBOX_MODES; i++)
		if (strcmp(name, sandbox_names[i]) == 0)
			mode = (enum sandbox_mode)i;
}

static void read_options(int argc, char **argv, struct builder *b)
{
	for (int option; (option = getopt(argc, argv, "v:s:m:b:o:t:Sihc")) >= 0;) {
		if (option == 'v')
			b->variant = optarg;
		else if (option == 's')
			setup.sym = optarg;
		else if (option == 'm')
			limits.memory = strtoull(optarg, NULL, 10) << 20;
		else if (option == 'o')
			limits.output = strtoull(optarg, NULL, 10);
		else if (option == 't')
			milliseconds = (unsigned)atoi(optarg);
		else if (option == 'b')
			set_mode(optarg);
		setup.steady |= option == 'S';
		setup.on_heap |= option == 'h';
		setup.want_cover |= option == 'c';
		inputs |= option == 'i';
	}
	if (optind >= argc)
		fail("no program");
	setup.target.program = argv[optind];
}

int main(int argc, char **argv)
{
	struct err err;
	struct cache cache;
	struct toolchain tools;
	struct builder builder = {.variant = "traced", .cache = &cache, .tools = &tools};
	read_options(argc, argv, &builder);
	bool native = strcmp(builder.variant, "native") == 0;
	if (cache_open(&cache, &err) < 0 || toolchain_find(&tools, &err) < 0)
		fail(err.text);
	setup.builder = &builder;
	setup.complain = confined_complain;
	setup.want_trace = strcmp(builder.variant, "sanitized") != 0 && !native;
	const struct server_build how = {.complain = confined_complain};
	if (!native && server_build(&builder, setup.target.program, &how, &err) < 0)
		fail(err.text);
	int result = confined_run(mode, &limits, work, NULL, &err);
	if (result < 0)
		fail(err.text);
	toolchain_release(&tools);
	cache_close(&cache);
	return result;
}
