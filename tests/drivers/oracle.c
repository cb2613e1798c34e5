// Drives findings/oracle.h for tests/e2e/oracle.sh: what the oracle says about one run of a program.
//
//   test-judge [OPTION...] PROGRAM ARGUMENT...
//     -b MODE   sandbox       -t MS    limit of time       -m MB   of memory
//     -i FILE   standard input    -o TEXT  objects          -k      keys, too
//     -s RUNS   shrink, and print what is left             -w DIR  write the finding there as F1, as a campaign does
//     -r        what was reported           -c FILE  write it as a recorded test in this folder, with that file
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "confined.h"
#include "findings/folder.h"
#include "findings/oracle.h"
#include "store/store.h"

static struct sandbox_limits limits;
static enum sandbox_mode mode = SANDBOX_NONE;
static unsigned milliseconds = 1000, shrink_runs;
static bool keys, reports;
static const char *folder, *snapshot_file;
static char *program, *cwd;
static struct input input;

static void fail(const char *why)
{
	printf("failed: %s\n", why);
	fflush(stdout);
	_exit(1);
}

static void print_verdicts(const struct verdicts *v)
{
	for (size_t i = 0; i < v->n; i++) {
		printf("%s %s %s %s:%u\n", level_name(v->v[i].level), v->v[i].kind, v->v[i].function,
		       path_basename(v->v[i].file), v->v[i].line);
		if (keys)
			printf("key %016llx\n", (unsigned long long)v->v[i].key);
		if (reports)
			printf("stack\n%sreport\n%s", v->v[i].stack, v->v[i].report);
	}
	if (!v->n)
		puts("nothing");
}

static void print_input(void)
{
	for (size_t i = 0; i < input.n; i++) {
		printf("part %d: ", input.v[i].kind);
		for (size_t k = 0; k < input.v[i].data.len; k++) {
			unsigned char c = (unsigned char)input.v[i].data.data[k];
			printf(c >= ' ' && c <= '~' ? "%c" : "\\x%02x", c);
		}
		putchar('\n');
	}
}

static void look_at(struct snapshot_entry *e)
{
	struct stat st;
	if (lstat(e->path, &st) < 0)
		fail(e->path);
	e->mode = st.st_mode & 07777;
	e->seconds = st.st_mtim.tv_sec;
	e->nanoseconds = (uint32_t)st.st_mtim.tv_nsec;
}

// What a recorder would have kept.
static void record(struct snapshot *s, const char *files)
{
	struct buf data = {0};
	struct err err;
	s->program = mem_strdup(program);
	s->cwd = mem_strdup(cwd);
	s->umask = 022;
	while (environ[s->n_variables])
		s->n_variables++;
	s->variables = mem_alloc(s->n_variables * sizeof *s->variables);
	for (size_t i = 0; i < s->n_variables; i++)
		s->variables[i] = mem_strdup(environ[i]);
	unsetenv("SUITE_MODE"); // as if the suite had set it, not who called veer
	look_at(snapshot_add(s, SNAPSHOT_FOLDER, cwd));
	struct snapshot_entry *e = snapshot_add(s, SNAPSHOT_FILE, snapshot_file);
	look_at(e);
	e->known = true;
	if (file_read(snapshot_file, &data, &err) < 0 ||
	    snapshot_keep(files, data.data, data.len, &e->content, &err) < 0)
		fail(err.text);
	e->size = data.len;
	buf_release(&data);
}

static int64_t save_snapshot(struct store *store, const struct snapshot *s)
{
	struct hash h = snapshot_hash(s, &input, NULL);
	struct stored_snapshot c = {.hash = {h.low, h.high}, .level = -1, .times = 1, .present = true};
	struct err err;
	snapshot_encode(s, &c.data);
	if (store_add_snapshot(store, &c, NULL, &err) < 0)
		fail(err.text);
	int64_t id = c.id;
	stored_snapshot_release(&c);
	return id;
}

static void save(const struct verdict *v)
{
	struct err err;
	struct finding_text text = {.id = "F1", .program = program, .cwd = cwd, .verdict = v, .input = &input};
	struct store *store = store_open(folder, true, &err);
	struct stored_input in = {.state = INPUT_DONE, .changed = -1, .care = -1, .hash = input_hash(&input)};
	struct snapshot snapshot = {0};
	char *files = mem_printf("%s/files", folder);
	bool known;
	if (snapshot_file) {
		record(&snapshot, files);
		in.snapshot = save_snapshot(store, &snapshot);
		text.snapshot = &snapshot;
		text.files = files;
	}
	input_encode(&input, &in.data);
	if (!store || store_begin(store, &err) < 0 || store_add_input(store, &in, &known, &err) < 0)
		fail(err.text);
	struct stored_finding f = {.kind = v->kind,
	                           .level = v->level,
	                           .program = program,
	                           .file = v->file,
	                           .function = v->function,
	                           .stack = v->stack,
	                           .report = v->report,
	                           .line = v->line,
	                           .key = v->key,
	                           .input = in.id,
	                           .seed = in.id};
	if (store_set(store, "cwd", cwd, strlen(cwd), &err) < 0 || store_add_finding(store, &f, &known, &err) < 0 ||
	    store_commit(store, &err) < 0 || finding_write(folder, &text, &err) < 0)
		fail(err.text);
	store_close(store);
	buf_release(&in.data);
	snapshot_release(&snapshot);
	mem_free(files);
}

static int work(struct sandbox *sandbox, void *builder)
{
	const struct target target = {.program = program};
	struct executors executors;
	struct err err;
	struct verdicts v;
	executors_init(&executors, &(struct executors_setup){
					   .builder = builder, .sandbox = sandbox, .complain = confined_complain});
	const struct oracle_case c = {.executors = &executors, .target = &target, .milliseconds = milliseconds};
	if (oracle_sanitizers.run(&c, &input, &v, &err) < 0)
		fail(err.text);
	print_verdicts(&v);
	if (v.n && shrink_runs) {
		if (oracle_minimise(&oracle_sanitizers, &c, &input, NULL, false, v.v[0].key, shrink_runs, &err) < 0)
			fail(err.text);
		print_input();
	}
	if (v.n && folder)
		save(v.v);
	verdicts_release(&v);
	executors_stop(&executors);
	oracle_sanitizers.forget();
	return 0;
}

static void read_input(const char *path)
{
	struct buf data = {0};
	struct err err;
	if (file_read(path, &data, &err) < 0)
		fail(err.text);
	input_add(&input, INPUT_STDIN, NULL, data.data, data.len);
	buf_release(&data);
}

static void read_options(int argc, char **argv)
{
	for (int option; (option = getopt(argc, argv, "+b:t:m:i:o:s:w:c:kr")) >= 0;) {
		if (option == 't')
			milliseconds = (unsigned)atoi(optarg);
		else if (option == 'm')
			limits.memory = strtoull(optarg, NULL, 10) << 20;
		else if (option == 's')
			shrink_runs = (unsigned)atoi(optarg);
		else if (option == 'w')
			folder = optarg;
		else if (option == 'c')
			snapshot_file = optarg;
		else if (option == 'o')
			input_add(&input, INPUT_OBJECT, NULL, optarg, strlen(optarg));
		else if (option == 'i')
			read_input(optarg);
		for (int i = 0; option == 'b' && i < SANDBOX_MODES; i++)
			if (strcmp(optarg, sandbox_names[i]) == 0)
				mode = (enum sandbox_mode)i;
		keys |= option == 'k';
		reports |= option == 'r';
	}
	if (optind >= argc)
		fail("no program");
	for (int i = optind; i < argc; i++)
		input_add(&input, INPUT_ARGUMENT, NULL, argv[i], strlen(argv[i]));
	cwd = path_cwd();
	program = path_absolute(cwd, argv[optind]);
}

int main(int argc, char **argv)
{
	struct err err;
	struct cache cache;
	struct toolchain tools;
	struct builder sanitized = {.variant = "sanitized", .cache = &cache, .tools = &tools};
	read_options(argc, argv);
	if (cache_open(&cache, &err) < 0 || toolchain_find(&tools, &err) < 0 ||
	    server_build(&sanitized, program, &(struct server_build){.complain = confined_complain}, &err) < 0)
		fail(err.text);
	int result = confined_run(mode, &limits, work, &sanitized, &err);
	if (result < 0)
		fail(err.text);
	input_release(&input);
	mem_free(program);
	mem_free(cwd);
	toolchain_release(&tools);
	cache_close(&cache);
	return result;
}
