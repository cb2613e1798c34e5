// Where cells lie: address space at a fixed place, divided into slots. A cell is at the end of its slot's pages, with a
// page without access behind it, so that every access behind it is seen, also one by libc or at a concrete index. Its
// pages are without access until somebody touches them: then it gets its content.
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/fragment/fragment.h"
#include "runtime/fragment/left.h"
#include "runtime/serve/serve.h"
#include "runtime/trace/rt.h"

enum { PAGE = 4096, SLOTS = 1024 };
#define START 0x200000000000ull

bool rt_cells, rt_past_marker;
static uint64_t start;
static uint64_t stride; // of slots
static uint32_t n_slots;
static uint32_t cell_of[SLOTS] RT_LARGE; // by slot
static struct sigaction before;
static char other_stack[1 << 16] RT_LARGE;

int __sigaction(int number, const struct sigaction *action, struct sigaction *old); // glibc's own

static struct cell *find(uint64_t address)
{
	uint64_t slot = (address - start) / stride;
	return address >= start && slot < n_slots ? &cells[cell_of[slot]] : NULL;
}

void place_make(struct cell *c)
{
	uint64_t from = c->at / PAGE * PAGE, end = (c->at + c->size + PAGE - 1) / PAGE * PAGE;
	syscall(SYS_mprotect, from, end - from, PROT_READ | PROT_WRITE);
}

static void touch(struct cell *c)
{
	if (c->made)
		return;
	c->made = true;
	place_make(c);
	fill_cell(c);
}

bool place_reserve(struct cell *c)
{
	if (n_slots == SLOTS || c->size > stride - 2 * PAGE)
		return false;
	uint64_t end = start + (uint64_t)(n_slots + 1) * stride - PAGE;
	uint64_t align = c->type.is->align && c->type.is->align <= PAGE ? c->type.is->align : 1;
	if (!c->type.is->size) // of a type that is not known
		align = 16;
	c->at = (end - (c->size ? c->size : 1)) / align * align;
	c->slot = n_slots;
	cell_of[n_slots++] = (uint32_t)(c - cells);
	rt_list(c->at, c->size);                                // who looks for labels does so before the access
	if (launch_left && c->kind == CELL_OBJECT && c->record) // in whatever order they are touched
		touch(c);
	return true;
}

// --- touching ---------------------------------------------------------------------------------------

// Is this access the first one of the cell? The vector code of libc reads from the last multiple of a vector's size on,
// which may be before the cell.
static bool is_first(const struct cell *c, uint64_t address)
{
	enum { VECTOR = 64 };
	return !c->made && address >= c->at / VECTOR * VECTOR && address < c->at + c->size;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	uint64_t address = (uint64_t)info->si_addr;
	struct cell *c = info->si_code > 0 ? find(address) : NULL;
	int saved = errno;
	(void)context;
	if (c && is_first(c, address)) {
		touch(c);
	} else if (c) {
		touch(c);
		uint64_t behind = address - c->at + 1; // one that is before would be very large
		struct trace_event e = {.cell = {c->input, rt_cell_growth(c->at, behind)}};
		rt_event(EVENT_BEYOND, NULL, 0, e.value);
		fragment_end();
	} else {
		__sigaction(number, &before, NULL); // comes again
	}
	errno = saved;
}

void rt_cell_make(uint64_t address)
{
	struct cell *c = find(address);
	if (c && address - c->at < c->size)
		touch(c);
}

bool rt_cell_find(uint64_t address, struct rt_object *ret)
{
	const struct cell *c = rt_cells ? find(address) : NULL;
	if (!c || address - c->at >= c->size)
		return false;
	*ret = (struct rt_object){.kind = OBJECT_CELL, .base = c->at, .size = c->size, .name = c->name};
	return true;
}

uint32_t rt_cell_input(uint64_t address)
{
	return find(address)->input;
}

uint32_t rt_cell_growth(uint64_t address, uint64_t at_least)
{
	const struct cell *c = find(address);
	uint64_t each = c->type.is->size && !type_is_flexible(c->type) ? c->type.is->size : 1;
	uint64_t size = 2 * c->size > at_least ? 2 * c->size : at_least;
	size = (size + each - 1) / each * each;
	if (size > fragment->object_max)
		size = fragment->object_max / each * each;
	return c->kind == CELL_OBJECT && size >= at_least && size > c->size ? (uint32_t)size : 0;
}

bool rt_is_cell(uint64_t address)
{
	return rt_cells && find(address);
}

void place_start(void)
{
	stride = 2 * PAGE;
	while (stride < fragment->object_max + 2 * (uint64_t)PAGE)
		stride *= 2;
	start = START + left_distance();
	long p = syscall(SYS_mmap, start, SLOTS * stride, PROT_NONE,
	                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (p != (long)start)
		fragment_fail("its address space is not free");
	const stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
	const struct sigaction own = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	sigaltstack(&stack, NULL);
	__sigaction(SIGSEGV, &own, &before);
	rt_cells = true;
}

bool place_defers(const struct pointer *p)
{
	return launch_left && defer_pointer(p);
}

bool place_writes(const struct cell *c)
{
	(void)c;
	return true;
}

bool place_is_past(void)
{
	return rt_past_marker;
}

void place_partial(void)
{
	rt_event(EVENT_PARTIAL, NULL, 0, 0);
}

void place_finish(void)
{
	defer_finish();
}

uint64_t place_room(uint64_t address)
{
	struct rt_object o;
	rt_touch_cell(address);
	return rt_object_find(address, &o) && address - o.base < o.size ? o.base + o.size - address : 0;
}

const uint8_t *place_records(uint64_t *ret_size)
{
	const struct trace_header *t = rt_trace;
	*ret_size = t && t->input_bytes <= t->text_max ? t->input_bytes : 0;
	return *ret_size ? (const uint8_t *)t + t->text_at + t->text_max - t->input_bytes : NULL;
}
