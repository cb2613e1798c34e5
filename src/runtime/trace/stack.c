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
	const char *name; // empty for the program
	uint32_t at;      // struct trace_module in the text area; 0: not there yet
	bool code;        // it can be executed
};
static struct module modules[TRACE_MODULES];
static unsigned n_modules;

static void add_module(const struct dl_phdr_info *info, const ElfW(Phdr) * p)
{
	uint64_t from = info->dlpi_addr + p->p_vaddr;
	modules[n_modules++] =
		(struct module){from, from + p->p_memsz, info->dlpi_addr, info->dlpi_name, 0, (p->p_flags & PF_X) != 0};
}

static int note_module(struct dl_phdr_info *info, size_t size, void *wanted)
{
	(void)size;
	const uint64_t *address = wanted;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD || *address - (info->dlpi_addr + p->p_vaddr) >= p->p_memsz ||
		    n_modules == TRACE_MODULES)
			continue;
		add_module(info, p);
		return 1;
	}
	return 0;
}

// The code of all modules, as long as there is room for others.
static int note_code(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum && n_modules < TRACE_MODULES / 2; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
			add_module(info, &info->dlpi_phdr[i]);
	return 0;
}

static struct module *find_module(uint64_t address)
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

bool rt_stack_module(uint64_t address, const char **ret_name, uint64_t *ret_base)
{
	const struct module *m = find_module(address);
	if (!m || !m->code)
		return false;
	*ret_name = m->name ? m->name : "";
	*ret_base = m->base;
	return true;
}

// Its place in the trace; 0 when there is none.
static uint32_t module_of(uint64_t address)
{
	struct module *m = find_module(address);
	if (m && !m->at) {
		const char *name = m->name && m->name[0] ? m->name : rt_program;
		struct trace_module t = {.base = m->base, .name = rt_text(name, strlen(name) + 1)};
		m->at = rt_text(&t, sizeof t);
	}
	return m ? m->at : 0;
}

// --- the tree of calls ---------------------------------------------------------------

static uint32_t first_slots[256]; // static, so that short runs have few pages to write to
static uint32_t *slots;           // open addressing; ids
static size_t n_slots, slots_cap;

// The slot of this call, or the free one where it belongs.
static uint32_t *slot_of(const struct trace_call *calls, uint32_t parent, uint64_t back)
{
	size_t i = ((back ^ (uint64_t)parent << 40) * 0x9e3779b97f4a7c15u) >> 24;
	for (;; i++) {
		uint32_t *slot = &slots[i & (slots_cap - 1)];
		if (!*slot || (calls[*slot].address == back && calls[*slot].parent == parent))
			return slot;
	}
}

static bool grow_slots(const struct trace_call *calls)
{
	size_t old_cap = slots_cap, cap = old_cap ? 4 * old_cap : sizeof first_slots / sizeof *first_slots;
	uint32_t *old = slots, *bigger = old ? rt_map(cap * sizeof *bigger) : first_slots;
	if (!bigger)
		return false;
	slots = bigger;
	slots_cap = cap;
	for (size_t i = 0; i < old_cap; i++)
		if (old[i])
			*slot_of(calls, calls[old[i]].parent, calls[old[i]].address) = old[i];
	if (old && old != first_slots)
		rt_unmap(old, old_cap * sizeof *old);
	return true;
}

void rt_stack_prepare(void)
{
	dl_iterate_phdr(note_code, NULL);
}

static uint32_t intern(uint32_t parent, uint64_t back)
{
	struct trace_call *calls = (struct trace_call *)((char *)rt_trace + rt_trace->calls_at);
	if (2 * (n_slots + 1) > slots_cap && !grow_slots(calls))
		return 0;
	uint32_t *slot = slot_of(calls, parent, back);
	if (*slot)
		return *slot;
	uint32_t module = rt_trace->calls < rt_trace->calls_max ? module_of(back) : 0;
	if (!module)
		return 0;
	n_slots++;
	*slot = rt_trace->calls++;
	calls[*slot] = (struct trace_call){.address = back, .parent = parent, .module = module};
	return *slot;
}

// The caller's frame; NULL when there is none, or none that can be trusted.
static const struct frame *outward(const struct frame *f)
{
	const struct frame *parent = f->parent;
	bool good = parent > f && (uint64_t)(parent + 1) <= last.top && (uint64_t)parent % 8 == 0;
	return good ? parent : NULL;
}

// Are the calls from this frame outwards those of last time?
static bool is_last(const struct frame *f)
{
	unsigned left = last.depth;
	for (; f && left; f = outward(f))
		if (last.back[--left] != f->back)
			return false;
	return !f && !left && last.depth;
}

// Interns the calls from this frame outwards. A function of its own, as what comes before it:
// most events have the calls of the event before, and should not pay for its frame.
static __attribute__((noinline)) uint32_t note_calls(const struct frame *f)
{
	uint64_t back[DEPTH];
	unsigned n = 0;
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

static __attribute__((noinline)) void find_top(void)
{
	int saved = errno;
	last.top = stack_top();
	errno = saved;
}

uint32_t rt_stack(unsigned skip)
{
	if (!last.top)
		find_top();
	const struct frame *f = __builtin_frame_address(0);
	while (rt_is_own_code(f->back))
		f = f->parent;
	// The next frame is that of the function where the event is: its return address is the
	// first of the calls.
	for (f = outward(f); f && skip; skip--)
		f = outward(f);
	return is_last(f) ? last.id[last.depth - 1] : note_calls(f);
}
