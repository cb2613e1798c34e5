// Needs: reports as runtime/san.c and san_signal.c write them, in a folder that runs can write to.
// Fills in: verdicts. What stands in standard error is never looked at.
#include "findings/oracle.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "findings/address.h"
#include "findings/hostile.h"
#include "findings/places.h"
#include "findings/reports.h"

enum {
	FILES_MAX = 16,         // reports of one run: a program may fork
	REPORT_BYTES = 1 << 18, // of one
	ENTRIES_MAX = 4096,     // in their folder
	LONGEST = 20,           // times as long a run may take on a busy machine
	SAMPLE_SECONDS = 3,     // san_signal.c tells once a second where it is, and ends
};

// --- reports --------------------------------------------------------------------------------

struct seen {
	bool assertion;
	bool out_of_memory;
	bool overflowed; // a stack
	bool unfinished; // a report: the run was killed meanwhile
};

// An error in veer's own runtime, with nothing of the program on the stack, is none of the program's.
static bool is_own(const struct address_report *r, const struct buf *stack)
{
	bool own = false;
	for (size_t i = 0; i < r->n && r->v[i].stack == 0; i++)
		own |= strcmp(path_basename(r->v[i].module), "libveer-san.so") == 0;
	return own && !stack->len;
}

static void take_address(const struct executor *e, const char *text, struct seen *seen, struct verdicts *ret)
{
	struct address_report r;
	address_parse(&r, text);
	bool finished = strstr(text, "SUMMARY: AddressSanitizer: ");
	seen->unfinished |= r.kind && !finished;
	if (r.kind && finished) {
		struct buf stack = {0}, report = {0};
		places_find(e, &r);
		address_stack(&r, 0, &stack);
		address_explain(&r, text, &report);
		bool exhausted = strcmp(r.kind, "out-of-memory") == 0; // says nothing about the native program
		seen->out_of_memory |= exhausted;
		seen->overflowed |= strcmp(r.kind, "stack-overflow") == 0;
		const char *aborted = seen->assertion ? "assertion" : "abort";
		if (!exhausted && !is_own(&r, &stack))
			verdicts_add(ret, LEVEL_ERROR, strcmp(r.kind, "abrt") == 0 ? aborted : r.kind,
			             buf_steal(&stack), buf_steal(&report));
		buf_release(&stack);
		buf_release(&report);
	}
	address_release(&r);
}

// Undefined behaviour that ends a program, here or on other machines; all other goes on.
static bool is_fatal(const char *kind)
{
	return strncmp(kind, "division", 8) == 0 || strcmp(kind, "unreachable") == 0 ||
	       strcmp(kind, "missing-return") == 0;
}

// Anything else was not written by the runtime.
static bool is_known(const char *kind)
{
	static const char *const kinds[] = {
#define UBSAN_TRAP(number, NAME, id, text) id,
#include "abi/ubsan.def"
#define FLOAT_CHECK(number, NAME, id, text) id,
#include "abi/checks.def"
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kind, kinds[i]) == 0)
			return true;
	return false;
}

static void take_undefined(const char *folder, struct verdicts *ret)
{
	struct sanitizer_reports r;
	sanitizer_reports_undefined(&r, folder);
	// Those that end the program first: there is a limit.
	for (int fatal = 1; fatal >= 0; fatal--)
		for (size_t i = 0; i < r.n; i++) {
			const struct sanitizer_report *x = &r.v[i];
			if (x->level != LEVEL_WARNING || is_fatal(x->kind) != fatal || !is_known(x->kind))
				continue;
			char *stack = mem_printf("%s %s:%u\n", x->function, x->file, x->line);
			char *report =
				mem_printf("%s:%u:%u: %s in %s\n", x->file, x->line, x->column, x->kind, x->function);
			verdicts_add(ret, fatal ? LEVEL_ERROR : LEVEL_WARNING, x->kind, stack, report);
		}
	sanitizer_reports_release(&r);
}

// Calls `take` with the text of each file of that name; `opaque` is its own. Returns whether there are more files than
// are read.
static bool each_file(const char *folder, const char *prefix, void (*take)(void *opaque, const char *text),
                      void *opaque)
{
	DIR *dir = hostile_list(folder);
	size_t n = 0, seen = 0;
	bool more = false;
	for (struct dirent *d; dir && !more && (d = readdir(dir));) {
		bool is_report = strncmp(d->d_name, prefix, strlen(prefix)) == 0;
		more = seen++ == ENTRIES_MAX || (is_report && n == FILES_MAX);
		int fd = is_report && !more ? hostile_open(dirfd(dir), d->d_name) : -1;
		if (fd < 0)
			continue;
		struct buf text = {0};
		hostile_read(fd, REPORT_BYTES, &text);
		close(fd);
		take(opaque, text.data);
		buf_release(&text);
		n++;
	}
	if (dir)
		closedir(dir);
	return more;
}

struct taking {
	const struct executor *executor;
	struct seen seen;
	struct verdicts *verdicts;
};

static void take_file(void *opaque, const char *text)
{
	struct taking *t = opaque;
	take_address(t->executor, text, &t->seen, t->verdicts);
}

// Checks that come before an access, and report what the access then does, in the same line. A division may trap in
// another line of its function: x / y and x % y are one instruction.
static bool foretells(const struct verdict *check, const struct verdict *error)
{
	static const char *const kinds[] = {"null-pointer", "misaligned", "index-out-of-bounds", "pointer-overflow",
	                                    "nonnull-argument"};
	if (strcmp(check->file, error->file) != 0)
		return false;
	if (strncmp(check->kind, "division", 8) == 0)
		return strcmp(error->kind, "fpe") == 0 && strcmp(check->function, error->function) == 0;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (check->line == error->line && strcmp(check->kind, kinds[i]) == 0)
			return true;
	return false;
}

// One bug, reported by both sanitizers, is one. Of a division the check knows more than the signal.
static void fold(struct verdicts *v)
{
	for (size_t i = 0; i < v->n; i++) {
		bool check = v->v[i].level == LEVEL_WARNING || strncmp(v->v[i].kind, "division", 8) == 0;
		for (size_t k = 0; check && k < v->n; k++) {
			const struct verdict *x = &v->v[i], *y = &v->v[k];
			if (i == k || y->level != LEVEL_ERROR || !foretells(x, y))
				continue;
			size_t gone = x->level == LEVEL_ERROR ? k : i;
			verdicts_remove(v, gone);
			i = (size_t)-1; // from the start: few are left
			break;
		}
	}
}

// What the last run reported.
static struct seen take_reports(const struct executor *e, struct verdicts *ret)
{
	DIR *dir = hostile_list(e->reports);
	int assertion = dir ? hostile_open(dirfd(dir), "assertion") : -1;
	struct taking t = {.executor = e, .verdicts = ret, .seen = {.assertion = assertion >= 0}};
	if (assertion >= 0)
		close(assertion);
	if (dir)
		closedir(dir);
	ret->crowded = each_file(e->reports, "address.", take_file, &t);
	take_undefined(e->reports, ret);
	fold(ret);
	verdicts_sort(ret);
	return t.seen;
}

// --- resources ------------------------------------------------------------------------------

static uint64_t microseconds(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

struct usage {
	uint64_t user, kernel; // microseconds
};

// A run of the native program, and the processor time it took.
static int run_native(struct executor *native, const struct input *in, unsigned milliseconds, enum run_end *ret_end,
                      struct usage *ret, struct err *err)
{
	struct run_result r;
	struct rusage before, after;
	getrusage(RUSAGE_CHILDREN, &before);
	if (executor_run(native, in, milliseconds, &r, err) < 0)
		return -1;
	getrusage(RUSAGE_CHILDREN, &after);
	ret->user = microseconds(after.ru_utime) - microseconds(before.ru_utime);
	ret->kernel = microseconds(after.ru_stime) - microseconds(before.ru_stime);
	*ret_end = r.end;
	return 0;
}

// Two runs of the native program, both of which need more time. A hang is busy with itself: it has the processor for
// all that time, and does not spend it in the kernel as a program does that reads or writes for ever. On a busy
// machine it gets less of the processor, and is given longer.
static int confirm_hang(struct executor *native, const struct input *in, unsigned milliseconds, bool *ret,
                        struct err *err)
{
	const uint64_t enough = (uint64_t)milliseconds * 900;
	unsigned limit = milliseconds;
	*ret = false;
	for (int confirmed = 0, runs = 0; confirmed < 2; runs++) {
		struct usage u;
		enum run_end end;
		if (run_native(native, in, limit, &end, &u, err) < 0)
			return -1;
		uint64_t used = u.user + u.kernel;
		if (end != RUN_TIMEOUT || u.user < 4 * u.kernel || used < (uint64_t)limit * 50 || runs == 4)
			return 0;
		if (used >= enough) {
			confirmed++;
			continue;
		}
		uint64_t longer = limit * enough / used * 5 / 4;
		if (longer > LONGEST * (uint64_t)milliseconds)
			return 0;
		limit = (unsigned)longer;
	}
	*ret = true;
	return 0;
}

static int confirm_memory(struct executor *native, const struct input *in, unsigned milliseconds, bool *ret,
                          struct err *err)
{
	*ret = false;
	for (int i = 0; i < 2; i++) {
		struct usage u;
		enum run_end end;
		if (run_native(native, in, milliseconds, &end, &u, err) < 0)
			return -1;
		if (end != RUN_MEMORY)
			return 0;
	}
	*ret = true;
	return 0;
}

struct samples {
	const struct executor *executor;
	struct buf common; // frames that all have, outermost last
	size_t n;
};

static bool same_function(const struct stack_line *a, const struct stack_line *b)
{
	return a->function_size == b->function_size && memcmp(a->function, b->function, a->function_size) == 0;
}

enum { SAMPLE_FRAMES = 32 };

static size_t split(const char *stack, struct stack_line *ret)
{
	size_t n = 0;
	for (const char *p = stack; *p && n < SAMPLE_FRAMES;)
		p = stack_line_read(p, &ret[n++]);
	return n;
}

// Keeps what both stacks have, from the outside in, up to the first call at which they part.
static void intersect(struct samples *s, const char *stack)
{
	struct stack_line a[SAMPLE_FRAMES], b[SAMPLE_FRAMES];
	size_t n = split(s->common.data, a), m = split(stack, b), same = 0;
	while (same < n && same < m && same_function(&a[n - 1 - same], &b[m - 1 - same])) {
		bool parts = a[n - 1 - same].line != b[m - 1 - same].line;
		same++;
		if (parts)
			break;
	}
	struct buf kept = {0};
	if (same)
		buf_addstr(&kept, a[n - same].function);
	else
		buf_addstr(&kept, "");
	buf_release(&s->common);
	s->common = kept;
}

static void take_sample(void *opaque, const char *text)
{
	struct samples *s = opaque;
	struct address_report r;
	address_parse(&r, text);
	places_find(s->executor, &r);
	unsigned stacks = r.n ? r.v[r.n - 1].stack + 1 : 0;
	for (unsigned i = 0; i < stacks; i++) {
		struct buf stack = {0};
		address_stack(&r, i, &stack);
		buf_addstr(&stack, "");
		if (s->n++ == 0)
			buf_add(&s->common, stack.data, stack.len);
		else
			intersect(s, stack.data);
		buf_release(&stack);
	}
	address_release(&r);
}

// Runs the input once more, under a limit of processor time: san_signal.c says where it is each time it is over it.
// Returns the frames that all these have: the innermost is the function that does not end. NULL: none.
static char *sample(struct executor *e, const struct input *in)
{
	struct rlimit before, limit;
	struct run_result r;
	struct err err;
	struct samples s = {.executor = e};
	if (e->server.pid <= 0 || prlimit(e->server.pid, RLIMIT_CPU, NULL, &before) < 0)
		return NULL;
	limit = before;
	limit.rlim_cur = 1;
	pid_t server = e->server.pid;
	if (prlimit(server, RLIMIT_CPU, &limit, NULL) == 0 && executor_run(e, in, SAMPLE_SECONDS * 5000, &r, &err) == 0)
		each_file(e->reports, "sample.", take_sample, &s);
	if (e->server.pid == server)
		prlimit(server, RLIMIT_CPU, &before, NULL);
	if (!s.common.len) {
		buf_release(&s.common);
		return NULL;
	}
	return buf_steal(&s.common);
}

// Time and memory: what the sanitized variant ran out of, the native program must, too.
static int check_resources(struct executor *sanitized, struct executor *native, const struct input *in,
                           const struct run_result *run, const struct seen *seen, unsigned milliseconds,
                           struct verdicts *ret, struct err *err)
{
	bool hangs = false, eats = false, ate = run->end == RUN_MEMORY || seen->out_of_memory;
	if (run->end == RUN_TIMEOUT && confirm_hang(native, in, milliseconds, &hangs, err) < 0)
		return -1;
	// On a busy machine it takes its time until there is no memory left.
	if ((ate || (run->end == RUN_TIMEOUT && !hangs)) &&
	    confirm_memory(native, in, ate ? LONGEST * milliseconds : milliseconds, &eats, err) < 0)
		return -1;
	if (hangs)
		verdicts_add(
			ret, LEVEL_RESOURCE, "hang", sample(sanitized, in),
			mem_printf("The program was still busy after %u milliseconds, twice, without the sanitizers.\n",
		                   milliseconds));
	if (eats)
		verdicts_add(
			ret, LEVEL_RESOURCE, "memory-exhaustion", NULL,
			mem_strdup("The program had more memory than it may have, twice, without the sanitizers.\n"));
	return 0;
}

// With sanitizers a program needs several times its stack: a stack overflows when it does so without them.
static int confirm_overflow(struct executor *native, const struct input *in, unsigned milliseconds,
                            struct verdicts *ret, struct err *err)
{
	struct run_result r;
	if (executor_run(native, in, milliseconds, &r, err) < 0)
		return -1;
	for (size_t i = ret->n; i-- > 0;)
		if (strcmp(ret->v[i].kind, "stack-overflow") == 0 && (r.end != RUN_SIGNAL || r.code != SIGSEGV))
			verdicts_remove(ret, i);
	return 0;
}

// A verdict that holds only when the native program was asked, too.
static void drop_overflow(struct verdicts *ret)
{
	for (size_t i = ret->n; i-- > 0;)
		if (strcmp(ret->v[i].kind, "stack-overflow") == 0)
			verdicts_remove(ret, i);
}

// Looks natively at what the sanitized run alone does not prove.
static int confirm(const struct oracle_case *c, struct executor *sanitized, const struct input *in,
                   const struct run_result *run, const struct seen *seen, struct verdicts *ret, struct err *err)
{
	struct executor *native = executors_get(c->executors, c->target, "native", err);
	if (!native)
		return -1;
	if (seen->overflowed && confirm_overflow(native, in, c->milliseconds, ret, err) < 0)
		return -1;
	return check_resources(sanitized, native, in, run, seen, c->milliseconds, ret, err);
}

static int run_sanitized(const struct oracle_case *c, const struct input *in, struct verdicts *ret, struct err *err)
{
	struct run_result run;
	*ret = (struct verdicts){0};
	struct executor *sanitized = executors_get(c->executors, c->target, "sanitized", err);
	if (!sanitized || executor_run(sanitized, in, c->milliseconds, &run, err) < 0)
		return -1;
	struct seen seen = take_reports(sanitized, ret);
	if (seen.unfinished) { // half a stack would be another bug
		verdicts_release(ret);
		if (executor_run(sanitized, in, LONGEST * c->milliseconds, &run, err) < 0)
			return -1;
		seen = take_reports(sanitized, ret);
	}
	int r = 0;
	if (c->quick)
		drop_overflow(ret);
	else
		r = confirm(c, sanitized, in, &run, &seen, ret, err);
	verdicts_sort(ret);
	if (r < 0)
		verdicts_release(ret);
	return r;
}

void oracle_take_reports(const struct executor *sanitized, struct verdicts *ret)
{
	take_reports(sanitized, ret);
}

const struct oracle oracle_sanitizers = {.name = "sanitizers", .run = run_sanitized, .forget = places_forget};
