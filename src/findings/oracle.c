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
#include "base/hash.h"
#include "base/mem.h"
#include "findings/address.h"
#include "findings/hostile.h"
#include "findings/places.h"
#include "findings/reports.h"

enum {
	FILES_MAX = 16,         // reports of one run: a program may fork
	REPORT_BYTES = 1 << 18, // of one
	ENTRIES_MAX = 4096,     // in their folder
	VERDICTS_MAX = 64,      // of one run
	KEY_FRAMES = 3,         // what is further out says how the program got there, not what is wrong
	CYCLE_FRAMES = 24,      // of a stack that overflowed
	LONGEST = 20,           // times as long a run may take on a busy machine
	SAMPLE_SECONDS = 3,     // san_signal.c tells once a second where it is, and ends
};

const char *const finding_levels[] = {"none", "warning", "resource", "error"};

static void release_one(struct verdict *v)
{
	mem_free(v->kind);
	mem_free(v->file);
	mem_free(v->function);
	mem_free(v->stack);
	mem_free(v->report);
}

void verdicts_release(struct verdicts *v)
{
	for (size_t i = 0; i < v->n; i++)
		release_one(&v->v[i]);
	mem_free(v->v);
	*v = (struct verdicts){0};
}

void oracle_forget(void)
{
	places_forget();
}

// --- a verdict ------------------------------------------------------------------------------

// A line of a stack, "FUNCTION FILE:LINE".
struct stack_line {
	const char *function, *file;
	size_t function_size, file_size;
	unsigned line;
};

static const char *read_line(const char *text, struct stack_line *ret)
{
	size_t size = strcspn(text, "\n"), name = strcspn(text, " \n");
	const char *end = text + size, *colon = end;
	*ret = (struct stack_line){.function = text, .function_size = name, .file = text + name};
	if (name < size)
		ret->file++;
	while (colon > ret->file && *colon != ':')
		colon--;
	ret->file_size = (size_t)((colon > ret->file ? colon : end) - ret->file);
	if (colon > ret->file)
		ret->line = (unsigned)strtoul(colon + 1, NULL, 10);
	return *end ? end + 1 : end;
}

// Paths are left out but for the name: a program may be built in another folder.
static void add_to_key(struct buf *key, const struct stack_line *l, bool line)
{
	const char *name = memrchr(l->file, '/', l->file_size);
	name = name ? name + 1 : l->file;
	buf_add(key, l->function, l->function_size);
	buf_addch(key, ' ');
	if (line) {
		buf_add(key, name, l->file_size - (size_t)(name - l->file));
		buf_printf(key, ":%u", l->line);
	}
	buf_addch(key, '\n');
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

// A stack overflows anywhere in the cycle: what names it is the functions that come again.
static void add_cycle(struct buf *key, const char *stack)
{
	struct strv names = {0};
	struct stack_line l;
	for (const char *p = stack; *p && names.n < CYCLE_FRAMES;) {
		p = read_line(p, &l);
		strv_take(&names, mem_copy(l.function, l.function_size));
	}
	if (names.n)
		qsort(names.v, names.n, sizeof *names.v, by_text);
	for (size_t i = 1; i < names.n; i++)
		if (strcmp(names.v[i], names.v[i - 1]) == 0 && (i == 1 || strcmp(names.v[i - 1], names.v[i - 2]) != 0))
			buf_printf(key, "%s\n", names.v[i]);
	strv_release(&names);
}

static uint64_t make_key(const char *kind, const char *stack)
{
	struct buf key = {0};
	buf_printf(&key, "%s\n", kind);
	struct stack_line l, last = {0};
	bool moves = strcmp(kind, "hang") == 0;
	if (strcmp(kind, "stack-overflow") == 0) {
		add_cycle(&key, stack);
	} else {
		size_t frames = 0;
		for (const char *p = stack; *p && frames < KEY_FRAMES;) {
			p = read_line(p, &l);
			bool again = last.function && last.line == l.line && last.function_size == l.function_size &&
			             memcmp(last.function, l.function, l.function_size) == 0;
			if (!again) { // how deep a recursion went is no matter
				add_to_key(&key, &l, !moves);
				frames++;
			}
			last = l;
		}
	}
	uint64_t result = hash_bytes(key.data, key.len).low;
	buf_release(&key);
	return result;
}

bool stack_names_program(const char *stack)
{
	struct stack_line l;
	for (int frames = 0; *stack && frames < KEY_FRAMES; frames++) {
		stack = read_line(stack, &l);
		if (l.function_size == 4 && memcmp(l.function, "main", 4) == 0)
			return true;
	}
	return false;
}

// Takes `stack` and `report`, which may be NULL.
static void add_verdict(struct verdicts *ret, enum finding_level level, const char *kind, char *stack, char *report)
{
	struct verdict v = {.level = level, .kind = mem_strdup(kind), .stack = stack, .report = report};
	if (!stack)
		v.stack = mem_strdup("");
	if (!report)
		v.report = mem_strdup("");
	struct stack_line l = {0};
	if (*v.stack)
		read_line(v.stack, &l);
	v.function = l.function ? mem_copy(l.function, l.function_size) : mem_strdup("?");
	v.file = l.file ? mem_copy(l.file, l.file_size) : mem_strdup("?");
	v.line = l.line;
	v.key = make_key(kind, v.stack);
	for (size_t i = 0; i < ret->n; i++)
		if (ret->v[i].key == v.key || ret->n >= VERDICTS_MAX) {
			release_one(&v);
			return;
		}
	if (ret->n == ret->cap) {
		ret->cap = ret->cap ? 2 * ret->cap : 4;
		ret->v = mem_resize(ret->v, ret->cap * sizeof *ret->v);
	}
	ret->v[ret->n++] = v;
}

static void remove_verdict(struct verdicts *v, size_t i)
{
	release_one(&v->v[i]);
	memmove(&v->v[i], &v->v[i + 1], (--v->n - i) * sizeof *v->v);
}

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
			add_verdict(ret, LEVEL_ERROR, strcmp(r.kind, "abrt") == 0 ? aborted : r.kind, buf_steal(&stack),
			            buf_steal(&report));
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
			if (x->error || is_fatal(x->kind) != fatal || !is_known(x->kind))
				continue;
			char *stack = mem_printf("%s %s:%u\n", x->function, x->file, x->line);
			char *report =
				mem_printf("%s:%u:%u: %s in %s\n", x->file, x->line, x->column, x->kind, x->function);
			add_verdict(ret, fatal ? LEVEL_ERROR : LEVEL_WARNING, x->kind, stack, report);
		}
	sanitizer_reports_release(&r);
}

// Calls `take` with the text of each file of that name; `opaque` is its own.
static void each_file(const char *folder, const char *prefix, void (*take)(void *opaque, const char *text),
                      void *opaque)
{
	DIR *dir = hostile_list(folder);
	size_t n = 0, seen = 0;
	for (struct dirent *d; dir && n < FILES_MAX && seen++ < ENTRIES_MAX && (d = readdir(dir));) {
		int fd = strncmp(d->d_name, prefix, strlen(prefix)) == 0 ? hostile_open(dirfd(dir), d->d_name) : -1;
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
			remove_verdict(v, gone);
			i = (size_t)-1; // from the start: few are left
			break;
		}
	}
}

// The worst first, otherwise as they came.
static void sort(struct verdicts *v)
{
	for (size_t i = 1; i < v->n; i++)
		for (size_t k = i; k > 0 && v->v[k - 1].level < v->v[k].level; k--) {
			struct verdict x = v->v[k];
			v->v[k] = v->v[k - 1];
			v->v[k - 1] = x;
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
	each_file(e->reports, "address.", take_file, &t);
	take_undefined(e->reports, ret);
	fold(ret);
	sort(ret);
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
// all that time, and does not spend it in the kernel as a program does that reads or writes without end. On a busy
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
		p = read_line(p, &ret[n++]);
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
		add_verdict(
			ret, LEVEL_RESOURCE, "hang", sample(sanitized, in),
			mem_printf("The program was still busy after %u milliseconds, twice, without the sanitizers.\n",
		                   milliseconds));
	if (eats)
		add_verdict(
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
			remove_verdict(ret, i);
	return 0;
}

int oracle_run(struct executor *sanitized, struct executor *native, const struct input *in, unsigned milliseconds,
               struct verdicts *ret, struct err *err)
{
	struct run_result run;
	*ret = (struct verdicts){0};
	if (executor_run(sanitized, in, milliseconds, &run, err) < 0)
		return -1;
	struct seen seen = take_reports(sanitized, ret);
	if (seen.unfinished) { // half a stack would be another bug
		verdicts_release(ret);
		if (executor_run(sanitized, in, LONGEST * milliseconds, &run, err) < 0)
			return -1;
		seen = take_reports(sanitized, ret);
	}
	int r = 0;
	if (native && seen.overflowed)
		r = confirm_overflow(native, in, milliseconds, ret, err);
	if (native && r == 0)
		r = check_resources(sanitized, native, in, &run, &seen, milliseconds, ret, err);
	sort(ret);
	if (r < 0)
		verdicts_release(ret);
	return r;
}
