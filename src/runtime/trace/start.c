// The life of a trace. `veer` starts a variant as RUN/x/N/NAME (record/interpose.h);
// when there is a file RUN/trace, the first process that claims it records there.
// With a FIFO for it (abi/server.h) the program is a fork server. RUN/sym names what is
// input; when there is no trace, the program then records for the self-check and for
// RUN/stats (abi/stats.h) only. The descriptors are closed before the program starts: it
// sees none of ours.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/cover.h"
#include "abi/layout.h"
#include "abi/left.h"
#include "abi/stats.h"
#include "runtime/fragment/fragment.h"
#include "runtime/fragment/left.h"
#include "runtime/serve/serve.h"
#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

static char sources[1 << 16] RT_LARGE; // RUN/sym; empty when there is none
struct trace_header *rt_trace;
struct trace_node *rt_nodes;
bool rt_on, rt_self_check;
static bool is_child;  // of a fork server
static bool is_shared; // the trace: veer has it, too
char rt_program[PATH_MAX] RT_LARGE;
static struct trace_stats *stats;
static uint64_t own_from, own_to;
static void *cover; // RUN/cover; NULL when there is none
static size_t cover_size;

static int lock;
static __thread int inside __attribute__((tls_model("initial-exec")));

bool rt_enter(void)
{
	if (inside)
		return false;
	inside = 1;
	if (__libc_single_threaded)
		return true;
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
	return true;
}

void rt_leave(void)
{
	if (!__libc_single_threaded)
		__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	inside = 0;
}

bool rt_is_own_code(uint64_t address)
{
	return address >= own_from && address < own_to;
}

// Where the runtime itself is.
static int note_own(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_LOAD && (uint64_t)note_own - from < p->p_memsz) {
			own_from = from;
			own_to = from + p->p_memsz;
			return 1;
		}
	}
	return 0;
}

// The program that RUN/x/N/NAME stands for: RUN/o/N leads to it.
static void note_program(const char *started_as, const char *run)
{
	const char *number = started_as + strlen(run) + 3;
	char link[PATH_MAX];
	ssize_t n = -1;
	if ((size_t)snprintf(link, sizeof link, "%s/o/%.*s", run, (int)strcspn(number, "/"), number) < sizeof link)
		n = readlink(link, rt_program, sizeof rt_program - 1);
	rt_program[n > 0 ? n : 0] = 0;
	if (n <= 0)
		strcpy(rt_program, started_as);
}

static bool header_fits(const struct trace_header *h, uint64_t size)
{
	return h->magic == TRACE_MAGIC && h->size <= size &&
	       h->nodes_at + (uint64_t)h->nodes_max * sizeof(struct trace_node) <= size &&
	       h->events_at + (uint64_t)h->events_max * sizeof(struct trace_event) <= size &&
	       h->calls_at + (uint64_t)h->calls_max * sizeof(struct trace_call) <= size &&
	       h->text_at + h->text_max <= size && h->nodes_max < 1u << 28;
}

// What a child does is no part of the trace.
static void before_fork(void)
{
	if (rt_on && rt_trace->inputs)
		rt_unmodelled(NULL, "fork");
}

// A forked child does not write into its parent's trace.
static void in_child(void)
{
	rt_on = false;
	rt_trace = NULL;
	lock = 0;
}

static void at_end(void)
{
	left_ended(LEFT_EXITED);
	if (rt_trace)
		rt_trace->state = TRACE_ENDED;
	if (!stats || !rt_trace)
		return;
	__atomic_fetch_add(&stats->nodes, rt_trace->nodes - 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&stats->events, rt_trace->events, __ATOMIC_RELAXED);
	__atomic_fetch_add(&stats->checked, rt_trace->checked, __ATOMIC_RELAXED);
	__atomic_fetch_add(&stats->full, rt_trace->full != 0, __ATOMIC_RELAXED);
}

void rt_note_mismatch(void)
{
	rt_trace->mismatches++;
	if (stats)
		__atomic_fetch_add(&stats->mismatches, 1, __ATOMIC_RELAXED);
}

void rt_note_unmodelled(const char *name)
{
	for (unsigned i = 0; stats && i < STATS_NAMES; i++) {
		struct stats_name *n = &stats->unmodelled[i];
		uint32_t expected = 0;
		if (__atomic_compare_exchange_n(&n->state, &expected, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
			snprintf(n->name, sizeof n->name, "%s", name);
			__atomic_store_n(&n->state, 2, __ATOMIC_SEQ_CST);
			expected = 2;
		}
		if (expected != 2 || strncmp(n->name, name, sizeof n->name - 1) != 0)
			continue;
		__atomic_fetch_add(&n->count, 1, __ATOMIC_RELAXED);
		return;
	}
}

static struct trace_header *map_trace(const char *run)
{
	size_t size;
	struct trace_header *h = serve_map(run, "trace", sizeof *h + 1, true, &size);
	if (h && !header_fits(h, size)) {
		munmap(h, size);
		return NULL;
	}
	return h;
}

// A trace that nobody will read.
static struct trace_header *private_trace(void)
{
	static const struct trace_sizes sizes = {
		.nodes = 1 << 23, .events = 1 << 21, .calls = 1 << 16, .text = 1 << 27};
	struct trace_header header;
	void *p = rt_map(trace_layout(sizes, strstr(sources, "\nself-check\n") ? TRACE_SELF_CHECK : 0, &header));
	if (p)
		memcpy(p, &header, sizeof header);
	return p;
}

// What is symbolic.
static void read_sources(const char *path)
{
	size_t have = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	for (ssize_t n; fd >= 0 && (n = read(fd, sources + have, sizeof sources - 1 - have)) > 0;)
		have += (size_t)n;
	sources[have] = 0;
	if (fd >= 0)
		close(fd);
}

// The first process that claims the trace records there.
static void claim(struct trace_header *h)
{
	uint32_t expected = TRACE_FREE;
	if (!__atomic_compare_exchange_n(&h->state, &expected, TRACE_CLAIMED, false, __ATOMIC_SEQ_CST,
	                                 __ATOMIC_SEQ_CST)) {
		munmap(h, h->size);
		return;
	}
	rt_trace = h;
	h->nodes = 1;
	h->calls = 1;
	h->text = 8; // offset 0 means none
	rt_on = true;
}

// --- the program's main, between what libc does before and after it ----------------------------

static int (*program_main)(int, char **, char **);

static int call_main(int argc, char **argv, char **env)
{
	if (launch_fragment())
		fragment_run();
	if (launch_probe())
		probe_start(launch_probe());
	if (rt_argc) {
		__veer_passing.target = (const void *)program_main;
		__veer_passing.args[0] = rt_argc;
		__veer_passing.args[1] = __veer_passing.args[2] = 0;
	}
	return program_main(argc, argv, env);
}

__attribute__((visibility("default"))) int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                                                             void (*init)(void), void (*fini)(void),
                                                             void (*rtld_fini)(void), void *stack_end);
static typeof(__libc_start_main) *libc_start;

static void find_libc_start(void)
{
	if (!libc_start)
		*(void **)&libc_start = dlsym(RTLD_NEXT, "__libc_start_main");
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
	find_libc_start();
	program_main = main;
	if (launch_argv) {
		argc = launch_argc;
		argv = launch_argv;
	}
	rt_sources_start(argc, argv, environ);
	return libc_start(call_main, argc, argv, init, fini, rtld_fini, stack_end);
}

// --- start -------------------------------------------------------------------------------------

// What the program records in, and the pipe that a fork server is asked through (-1: it is
// none). A function of its own, for its large frame: children of a server have to copy the
// pages of the stack that they write to, so the server forks high up on it.
static __attribute__((noinline)) struct trace_header *find_trace(int *ret_ask)
{
	char run[PATH_MAX], path[PATH_MAX];
	if (!serve_find_run(run))
		return NULL;
	note_program((const char *)getauxval(AT_EXECFN), run);
	dl_iterate_phdr(note_own, NULL);
	snprintf(path, sizeof path, "%s/sym", run);
	read_sources(path);
	struct trace_header *trace = map_trace(run);
	is_shared = trace;
	if (!trace && sources[0]) {
		trace = private_trace();
		stats = serve_map(run, "stats", sizeof *stats, true, &(size_t){0});
	}
	rt_where_prepare(run);
	cover = trace ? serve_map(run, COVER_FILE, 1, true, &cover_size) : NULL;
	*ret_ask = trace ? serve_open(run) : -1;
	return trace;
}

static void start(int saved)
{
	int ask;
	struct trace_header *trace = find_trace(&ask);
	if (!trace)
		return;
	// What is done before a server forks, also restoring errno, its children need not do.
	rt_nodes = (struct trace_node *)((char *)trace + trace->nodes_at);
	rt_self_check = (trace->flags & TRACE_SELF_CHECK) != 0;
	pthread_atfork(before_fork, NULL, in_child);
	atexit(at_end);
	find_libc_start();
	if (sources[0])
		rt_sources_prepare(sources);
	if (ask >= 0) {
		rt_nodes_prepare(trace);
		rt_memory_prepare();
		rt_objects_prepare();
		rt_events_prepare(trace);
		rt_stack_prepare();
		if (cover)
			rt_cover_start(cover, cover_size);
		errno = saved;
		is_child = true;
		serve(ask);
		__veer_t_float_checks = launch_floats;
		if (launch_where)
			rt_where_start();
	}
	claim(trace);
	if (rt_on && cover && !is_child)
		rt_cover_start(cover, cover_size);
	if (rt_on && sources[0] && !launch_left)
		rt_sources_set();
	if (rt_on && stats)
		__atomic_fetch_add(&stats->programs, 1, __ATOMIC_RELAXED);
}

// Programs may find errno at 0 when they start, and count on it.
__attribute__((constructor(102))) static void start_unseen(void)
{
	int saved = errno;
	start(saved);
	if (errno != saved)
		errno = saved;
}

void *rt_map(size_t size)
{
	int saved = errno;
	// Not by mmap, which is the program's (mapping.c).
	long p = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
	                 0);
	errno = saved;
	return p == -1 ? NULL : (void *)p;
}

void rt_unmap(void *p, size_t size)
{
	int saved = errno;
	syscall(SYS_munmap, p, size);
	errno = saved;
}

void *rt_map_dense(size_t size)
{
	int saved = errno;
	void *p = rt_map(size);
	const size_t small = 1 << 21; // not for what short runs use
	if (p && size >= 4 * small)
		madvise((char *)p + small, size - small, MADV_HUGEPAGE); // if they can be had
	errno = saved;
	return p;
}

// Fresh memory comes a page at a time, at a fault each; an array that grows asks for as
// much again as it has. Pages of the trace may be there: made ahead by veer, or of earlier
// runs of a server. Such pages come several at a time, when they are asked for as if to read.
__attribute__((noinline)) bool rt_make_room(struct rt_room *room, uint32_t used, void *array, size_t each, uint32_t max)
{
	enum { PAGE = 1 << 12, MOST = 1 << 20 };
	if (used >= max)
		return false;
	uint64_t from = (uint64_t)array + used * each, size = used * each;
	size = size < PAGE ? PAGE : size > MOST ? MOST : size;
	uint64_t to = (from + size) & ~(uint64_t)(PAGE - 1);
	if (size > PAGE) {
		int saved = errno;
		bool shared = is_shared && from - (uint64_t)rt_trace < rt_trace->size;
		from &= ~(uint64_t)(PAGE - 1);
		madvise((void *)from, to - from, shared ? MADV_POPULATE_READ : MADV_POPULATE_WRITE); // if it can be had
		errno = saved;
	}
	uint64_t ready = (to - (uint64_t)array) / each;
	room->ready = ready < max ? (uint32_t)ready : max;
	return true;
}

uint32_t rt_text(const void *data, size_t size)
{
	return rt_text_reserve(data, size, size);
}

uint32_t rt_text_reserve(const void *data, size_t size, size_t room)
{
	room = (room + 7) & ~(size_t)7;
	if (!rt_trace || rt_trace->text + room + rt_trace->input_bytes > rt_trace->text_max ||
	    rt_trace->text / 8 > UINT32_MAX / 2) {
		rt_stop(2);
		return 0;
	}
	uint64_t at = __atomic_fetch_add(&rt_trace->text, room, __ATOMIC_RELAXED);
	memcpy((char *)rt_trace + rt_trace->text_at + at, data, size);
	return (uint32_t)(at / 8);
}

__attribute__((noinline)) void rt_stop(unsigned full_bit)
{
	if (!rt_on)
		return;
	rt_trace->full |= 1u << full_bit;
	while (rt_trace->flags & TRACE_HEAD) {
		rt_trace->state = TRACE_ENDED;
		syscall(SYS_exit_group, 0);
	}
	rt_on = false;
	rt_forget_memory();
}
