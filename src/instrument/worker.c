// veer-instrument: turns bitcode into instrumented objects. A separate program,
// so that `veer` itself starts without loading LLVM, and so that damaged bitcode
// on which LLVM crashes costs one unit and not the run.
//
//   veer-instrument VARIANT WORKERS < jobs      "INPUT.bc\tOUTPUT.o" a line
//   veer-instrument facts|reduced WORKERS       likewise; OUTPUT has facts of the unit (facts.h)
//   veer-instrument --link OUTPUT.bc < inputs   one INPUT.bc a line
//   veer-instrument --types OUTPUT < input      of symbolic objects (types.h)
//   veer-instrument --shapes OUTPUT < input     of the unit (shapes.h)
//
// Answers one line a job on standard output, as soon as it is done:
//   ok INDEX | fail INDEX REASON
#include <errno.h>
#include <fcntl.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "config.h"
#include "instrument/facts.h"
#include "instrument/markers.h"
#include "instrument/module.h"
#include "instrument/sanitize.h"
#include "instrument/shapes.h"
#include "instrument/trace.h"
#include "instrument/types.h"

// What is made of a unit: an instrumented object, or, without `instrument`, its facts.
static const struct variant {
	const char *name;
	int (*instrument)(struct module *, struct err *);
	bool reduced;
} variants[] = {
#define VARIANT(name, function, runtime, flag, object, text) {name, function, false},
#include "abi/variants.def"
#undef VARIANT
	{"facts", NULL, false},
	{"reduced", NULL, true},
};

static const struct variant *find_variant(const char *name)
{
	for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
		if (strcmp(variants[i].name, name) == 0)
			return &variants[i];
	return NULL;
}

// Programs that are built at the same time share units: who comes second waits, and finds it done. Without a lock it
// would be done twice, and nothing worse.
static int lock_unit(const char *output, char **ret_path, bool *ret_done)
{
	*ret_path = mem_printf("%s.lock", output);
	int fd = open(*ret_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	bool waits = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	*ret_done = waits && flock(fd, LOCK_EX) == 0 && file_exists(output);
	return fd;
}

static int write_facts(struct module *m, bool reduced, const char *output, struct err *err)
{
	struct buf facts = {0};
	int r = facts_list(m, reduced, &facts, err);
	if (r == 0)
		r = file_replace(output, buf_str(&facts), facts.len, 0666, err);
	buf_release(&facts);
	return r;
}

static int run_job(const struct variant *variant, const char *input, const char *output, struct err *err)
{
	struct module m;
	if (module_load(&m, input, err) < 0)
		return -1;
	if (!variant->instrument) {
		int written = write_facts(&m, variant->reduced, output, err);
		module_release(&m);
		return written;
	}
	int r = variant->instrument(&m, err);
	if (r == 0)
		r = module_emit_object(&m, output, err);
	module_release(&m);
	return r;
}

static void answer(size_t index, const char *problem)
{
	char line[1200];
	int n = problem ? snprintf(line, sizeof line, "fail %zu %s", index, problem)
	                : snprintf(line, sizeof line, "ok %zu", index);
	if (n > (int)sizeof line - 2)
		n = (int)sizeof line - 2;
	for (int i = 0; i < n; i++)
		if (line[i] == '\n')
			line[i] = ' ';
	line[n] = '\n';
	file_write_all(1, line, (size_t)n + 1); // one write: lines of several workers do not mix
}

// Shared between the workers: who takes what next, and what each is at.
struct board {
	size_t next;
	size_t current[]; // per worker: index + 1 of the job in hand, 0 for none
};

static void work(const struct variant *variant, const struct strv *jobs, struct board *board, size_t self)
{
	for (;;) {
		size_t i = __atomic_fetch_add(&board->next, 1, __ATOMIC_SEQ_CST);
		if (i >= jobs->n)
			return;
		board->current[self] = i + 1;
		char *job = mem_strdup(jobs->v[i]), *tab = strchr(job, '\t');
		struct err err;
		if (!tab) {
			answer(i, "malformed job");
		} else {
			*tab = 0;
			char *lock;
			bool done;
			int fd = lock_unit(tab + 1, &lock, &done);
			bool fails = !done && run_job(variant, job, tab + 1, &err) < 0;
			answer(i, fails ? err.text : NULL);
			unlink(lock);
			close(fd);
			mem_free(lock);
		}
		mem_free(job);
		board->current[self] = 0;
	}
}

struct worker {
	pid_t pid;
	int said; // its standard error: LLVM prints pages when it crashes
};

static struct worker start_worker(const struct variant *variant, const struct strv *jobs, struct board *board,
                                  size_t self)
{
	struct worker w = {.said = memfd_create("llvm-crash-report", MFD_CLOEXEC)};
	w.pid = fork();
	if (w.pid == 0) {
		dup2(w.said, 2);
		work(variant, jobs, board, self);
		_exit(0);
	}
	return w;
}

// Of the pages the line that says what is wrong: an assertion of LLVM or of veer that failed. NULL: there is none.
static char *telling_line(char *pages)
{
	static const char *const marks[] = {"Assertion `", "LLVM ERROR: ", "UNREACHABLE executed", "BUG: "};
	for (char *line; (line = strsep(&pages, "\n"));)
		for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
			if (strstr(line, marks[i]))
				return line;
	return NULL;
}

static void answer_crash(size_t job, int said)
{
	enum { PAGES = 1 << 16 };
	char *pages = mem_zero(PAGES + 1), why[900];
	const char *line = pread(said, pages, PAGES, 0) > 0 ? telling_line(pages) : NULL;
	snprintf(why, sizeof why, "LLVM crashed on this unit%s%s", line ? ": " : "", line ? line : "");
	answer(job, why);
	mem_free(pages);
}

static int instrument_all(const struct variant *variant, const struct strv *jobs, size_t workers)
{
	if (workers > jobs->n)
		workers = jobs->n;
	if (workers < 1)
		return 0;
	size_t size = sizeof(struct board) + workers * sizeof(size_t);
	struct board *board = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (board == MAP_FAILED)
		return 1;
	struct worker *all = mem_zero(workers * sizeof *all);
	size_t running = 0;
	for (size_t i = 0; i < workers; i++, running++)
		all[i] = start_worker(variant, jobs, board, i);
	while (running) {
		int status;
		pid_t pid = wait(&status);
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			break;
		for (size_t i = 0; i < workers; i++) {
			if (all[i].pid != pid)
				continue;
			running--;
			if (board->current[i]) { // it died over that job; another worker goes on
				answer_crash(board->current[i] - 1, all[i].said);
				board->current[i] = 0;
				close(all[i].said);
				all[i] = start_worker(variant, jobs, board, i);
				running++;
			}
		}
	}
	mem_free(all);
	munmap(board, size);
	return 0;
}

// Whole modules: `make` answers, and keeps in *at which input it is at.
typedef int make_whole(const struct strv *inputs, const char *output, size_t *at);

// In a process of its own, so that a crash of LLVM is one line, too.
static int make_apart(make_whole *make, const struct strv *inputs, const char *output)
{
	size_t *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int said = memfd_create("llvm-crash-report", MFD_CLOEXEC), status = 0;
	pid_t pid = at == MAP_FAILED ? -1 : fork();
	if (pid == 0) {
		dup2(said, 2);
		_exit(make(inputs, output, at));
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0)
		answer(0, "no memory for a process");
	else if (WIFSIGNALED(status))
		answer_crash(*at, said);
	return pid < 0 || status;
}

static int link_all(const struct strv *inputs, const char *output, size_t *at)
{
	struct err err = {"no input"};
	struct module whole = {0};
	LLVMContextRef context = NULL;
	for (size_t i = 0; i < inputs->n; i++) {
		struct module m;
		*at = i;
		if (module_load(&m, inputs->v[i], &err) < 0) {
			answer(i, err.text);
			return 1;
		}
		if (i == 0) {
			whole = m;
			context = m.context;
			continue;
		}
		// Modules can only be linked inside one context: hand over as bitcode.
		LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(m.module);
		module_release(&m);
		LLVMModuleRef part;
		LLVMBool failed = LLVMParseBitcodeInContext2(context, bytes, &part);
		LLVMDisposeMemoryBuffer(bytes);
		LLVMContextSetDiagnosticHandler(context, NULL, NULL);
		if (failed || LLVMLinkModules2(whole.module, part)) {
			answer(i, "cannot be linked with the units before it");
			return 1;
		}
	}
	if (!whole.module || module_emit_bitcode(&whole, output, &err) < 0) {
		answer(0, err.text);
		return 1;
	}
	module_release(&whole);
	answer(0, NULL);
	return 0;
}

static void list_shapes(struct module *m, struct buf *ret)
{
	struct shapes *s = shapes_collect(m);
	struct markers_table markers;
	markers_find(&markers, m->module);
	shapes_add_markers(s, &markers);
	markers_release(&markers);
	shapes_block(s, ret);
	shapes_free(s);
}

static int list(const struct strv *inputs, const char *output, void (*describe)(struct module *, struct buf *))
{
	struct module m;
	struct err err = {"no input"};
	struct buf text = {0};
	int r = inputs->n ? module_load(&m, inputs->v[0], &err) : -1;
	if (r == 0) {
		describe(&m, &text);
		r = file_replace(output, buf_str(&text), text.len, 0666, &err);
		module_release(&m);
	}
	answer(0, r < 0 ? err.text : NULL);
	buf_release(&text);
	return r < 0;
}

static int list_types(const struct strv *inputs, const char *output, size_t *at)
{
	*at = 0;
	return list(inputs, output, types_list);
}

static int list_all_shapes(const struct strv *inputs, const char *output, size_t *at)
{
	*at = 0;
	return list(inputs, output, list_shapes);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr,
		        "usage: veer-instrument VARIANT WORKERS | --link OUTPUT | --types OUTPUT | --shapes OUTPUT   "
		        "(jobs on standard input)\n");
		return 2;
	}
	struct buf text = {0};
	struct strv jobs = {0};
	struct err err;
	if (file_read("/dev/stdin", &text, &err) < 0) {
		fprintf(stderr, "veer-instrument: %s\n", err.text);
		return 2;
	}
	for (char *line = text.data ? strtok(text.data, "\n") : NULL; line; line = strtok(NULL, "\n"))
		strv_push(&jobs, line);
	int status;
	module_setup();
	if (strcmp(argv[1], "--link") == 0) {
		status = make_apart(link_all, &jobs, argv[2]);
	} else if (strcmp(argv[1], "--types") == 0) {
		status = make_apart(list_types, &jobs, argv[2]);
	} else if (strcmp(argv[1], "--shapes") == 0) {
		status = make_apart(list_all_shapes, &jobs, argv[2]);
	} else {
		const struct variant *variant = find_variant(argv[1]);
		if (!variant)
			fprintf(stderr, "veer-instrument: unknown variant %s\n", argv[1]);
		status = variant ? instrument_all(variant, &jobs, (size_t)atoi(argv[2])) : 2;
	}
	strv_release(&jobs);
	buf_release(&text);
	return status;
}
