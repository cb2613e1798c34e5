// The calls that led to an event. Instrumented functions keep frame pointers; when an
// event is written, the chain of frames is walked and interned as a path in a tree of
// return addresses. Calls themselves cost nothing.
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

enum { DEPTH = 256 }; // calls further out are left out

struct frame {
	const struct frame *parent;
	uint64_t back; // return address
};

// The walk of this thread's last event.
static __thread struct walk {
	uint64_t top; // end of the thread's stack; 0: not known yet, 1: cannot be known
	unsigned depth;
	uint64_t back[DEPTH]; // from the outermost call on
	uint32_t id[DEPTH];
} last __attribute__((tls_model("initial-exec")));

extern void *__libc_stack_end;

static uint64_t stack_top(void)
{
	pthread_attr_t attributes;
	void *low;
	size_t size;
	if (getpid() == gettid())
		return (uint64_t)__libc_stack_end;
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return 1;
	uint64_t top = pthread_attr_getstack(&attributes, &low, &size) == 0 ? (uint64_t)low + size : 1;
	pthread_attr_destroy(&attributes);
	return top;
}

// --- modules -----------------------------------------------------------------------

struct module {
	uint64_t from, to, base;
	uint32_t at; // struct trace_module in the text area
};
static struct module modules[TRACE_MODULES];
static unsigned n_modules;

static int note_module(struct dl_phdr_info *info, size_t size, void *wanted)
{
	(void)size;
	const uint64_t *address = wanted;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + p->p_vaddr;
		if (p->p_type != PT_LOAD || *address - from >= p->p_memsz || n_modules == TRACE_MODULES)
			continue;
		const char *name = info->dlpi_name && info->dlpi_name[0] ? info->dlpi_name : rt_program;
		struct trace_module m = {.base = info->dlpi_addr, .name = rt_text(name, strlen(name) + 1)};
		modules[n_modules++] = (struct module){from, from + p->p_memsz, info->dlpi_addr, rt_text(&m, sizeof m)};
		return 1;
	}
	return 0;
}

static const struct module *module_of(uint64_t address)
{
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < n_modules; i++)
			if (address >= modules[i].from && address < modules[i].to)
				return &modules[i];
		if (!pass)
			dl_iterate_phdr(note_module, &address);
	}
	return NULL;
}

// --- the tree of calls ---------------------------------------------------------------

static uint32_t *slots; // open addressing; ids
static size_t slots_cap;

static uint32_t intern(uint32_t parent, uint64_t back)
{
	struct trace_call *calls = (struct trace_call *)((char *)rt_trace + rt_trace->calls_at);
	if (!slots) {
		slots_cap = 4 * (size_t)rt_trace->calls_max;
		slots_cap = slots_cap < 1024 ? 1024 : (size_t)1 << (63 - __builtin_clzll(slots_cap));
		slots = rt_map(slots_cap * sizeof *slots);
	}
	if (!slots)
		return 0;
	size_t i = ((back ^ (uint64_t)parent << 40) * 0x9e3779b97f4a7c15u) >> 24;
	for (;; i++) {
		uint32_t *slot = &slots[i & (slots_cap - 1)];
		if (!*slot) {
			const struct module *m = rt_trace->calls < rt_trace->calls_max ? module_of(back) : NULL;
			if (!m)
				return 0;
			uint32_t id = rt_trace->calls++;
			calls[id] = (struct trace_call){.address = back, .parent = parent, .module = m->at};
			return *slot = id;
		}
		if (calls[*slot].address == back && calls[*slot].parent == parent)
			return *slot;
	}
}

// The caller's frame; NULL when there is none, or none that can be trusted.
static const struct frame *outward(const struct frame *f)
{
	const struct frame *parent = f->parent;
	bool good = parent > f && (uint64_t)(parent + 1) <= last.top && (uint64_t)parent % 8 == 0;
	return good ? parent : NULL;
}

uint32_t rt_stack(unsigned skip)
{
	uint64_t back[DEPTH];
	unsigned n = 0;
	if (!last.top) {
		int saved = errno;
		last.top = stack_top();
		errno = saved;
	}
	const struct frame *f = __builtin_frame_address(0);
	while (rt_is_own_code(f->back))
		f = f->parent;
	// The next frame is that of the function where the event is: its return address is the
	// first of the calls.
	for (f = outward(f); f && skip; skip--)
		f = outward(f);
	for (; f && n < DEPTH; f = outward(f))
		back[n++] = f->back;
	// What is the same as last time, from the outermost call on, has its number already.
	unsigned same = 0;
	while (same < n && same < last.depth && last.back[same] == back[n - 1 - same])
		same++;
	for (unsigned i = same; i < n; i++) {
		last.back[i] = back[n - 1 - i];
		uint32_t parent = i ? last.id[i - 1] : 0, id = intern(parent, last.back[i]);
		last.id[i] = id ? id : parent;
	}
	last.depth = n;
	return n ? last.id[n - 1] : 0;
}
