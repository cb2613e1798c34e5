// Which object an address lies in: heap blocks, local variables whose address leaves
// their function or whose size is not fixed, globals, mappings. Asked only for accesses through labelled addresses, so
// keeping the registry must be cheap and asking may take a while.
#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

__thread struct rt_frame *__veer_frames;

static bool lies_in(uint64_t address, uint64_t base, uint64_t size)
{
	return address - base < size;
}

enum { RECORDED = 64 };
static struct recorded { // in the trace, of late
	struct rt_object object;
	uint32_t at;
} recorded[RECORDED] RT_LARGE __attribute__((aligned(4096)));

// --- heap: a hash table of blocks by address, and a bit per 16 bytes for their starts -----

static struct rt_block first_blocks[64]; // static, so that short runs have few pages to write to
static struct rt_block *blocks;
static size_t n_blocks, blocks_cap;
static uint64_t heap_end; // no block was ever behind it

// Starts, a bit each in leaves of 64 bits for 1 KiB, in pages of 1 MiB; which leaves have some, a bit each again.
enum { PAGE_BITS = 20, LEAVES = 1 << (PAGE_BITS - 10) };

struct page {
	uint64_t number; // address >> PAGE_BITS
	uint64_t *leaves;
	uint64_t used[LEAVES / 64];
};
static struct page few_pages[8], *pages = few_pages; // sorted
static size_t n_pages, pages_cap = sizeof few_pages / sizeof *few_pages;

// How many pages are at or before the one with this number.
static size_t pages_until(uint64_t number)
{
	size_t low = 0, high = n_pages;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (pages[middle].number <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool grow_pages(void)
{
	struct page *bigger = rt_map(2 * pages_cap * sizeof *bigger);
	if (!bigger)
		return false;
	memcpy(bigger, pages, n_pages * sizeof *pages);
	if (pages != few_pages)
		rt_unmap(pages, pages_cap * sizeof *pages);
	pages = bigger;
	pages_cap *= 2;
	return true;
}

static struct page *need_page(uint64_t number)
{
	size_t n = pages_until(number);
	if (n && pages[n - 1].number == number)
		return &pages[n - 1];
	uint64_t *leaves = n_pages < pages_cap || grow_pages() ? rt_map(LEAVES * sizeof *leaves) : NULL;
	if (!leaves)
		return NULL;
	memmove(&pages[n + 1], &pages[n], (n_pages++ - n) * sizeof *pages);
	pages[n] = (struct page){.number = number, .leaves = leaves};
	return &pages[n];
}

static void set_start(struct page *p, uint64_t base)
{
	unsigned leaf = base >> 10 & (LEAVES - 1);
	p->leaves[leaf] |= 1ull << (base >> 4 & 63);
	p->used[leaf / 64] |= 1ull << leaf % 64;
}

static void clear_start(struct page *p, uint64_t base)
{
	unsigned leaf = base >> 10 & (LEAVES - 1);
	p->leaves[leaf] &= ~(1ull << (base >> 4 & 63));
	if (!p->leaves[leaf])
		p->used[leaf / 64] &= ~(1ull << leaf % 64);
}

static size_t place_of(uint64_t base)
{
	return (base >> 4) * 0x9e3779b97f4a7c15u >> 20;
}

static struct rt_block *find_block(uint64_t base)
{
	for (size_t i = place_of(base); blocks_cap; i++) {
		struct rt_block *b = &blocks[i & (blocks_cap - 1)];
		if (!b->base || b->base == base)
			return b;
	}
	return NULL;
}

static bool grow_blocks(void)
{
	size_t old_cap = blocks_cap;
	size_t cap = old_cap ? 4 * old_cap : sizeof first_blocks / sizeof *first_blocks;
	struct rt_block *old = blocks, *bigger = old ? rt_map(cap * sizeof *blocks) : first_blocks;
	if (!bigger)
		return false;
	blocks = bigger;
	blocks_cap = cap;
	for (size_t i = 0; i < old_cap; i++)
		if (old[i].base)
			*find_block(old[i].base) = old[i];
	if (old && old != first_blocks)
		rt_unmap(old, old_cap * sizeof *old);
	return true;
}

void rt_block_add(uint64_t base, uint64_t size, label size_label, struct site *site)
{
	if (!base || !rt_enter())
		return;
	struct page *p = need_page(base >> PAGE_BITS);
	if (p && (2 * (n_blocks + 1) <= blocks_cap || grow_blocks())) {
		struct rt_block *b = find_block(base);
		n_blocks += !b->base;
		if (b->base)
			rt_sized_remove(b->sized, base, b->size);
		*b = (struct rt_block){.base = base, .size = size, .size_label = size_label, .site = site};
		b->sized = rt_sized_add(base, size, size_label);
		set_start(p, base);
		if (base + size >= heap_end)
			heap_end = base + size + 1;
	}
	rt_leave();
}

// Blocks of a program's start are where its heap begins.
void rt_objects_prepare(void)
{
	need_page((uint64_t)sbrk(0) >> PAGE_BITS);
	rt_touch(recorded);
}

// Takes a block out. What stood behind it in the table because of it moves up.
static void remove_block(struct rt_block *b)
{
	size_t mask = blocks_cap - 1, hole = (size_t)(b - blocks);
	for (size_t i = hole + 1; blocks[i & mask].base; i++) {
		size_t home = place_of(blocks[i & mask].base) & mask;
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			blocks[hole & mask] = blocks[i & mask];
			hole = i;
		}
	}
	blocks[hole & mask].base = 0;
	n_blocks--;
}

uint64_t rt_block_remove(uint64_t base)
{
	uint64_t size = 0;
	if (!n_blocks || !rt_enter())
		return 0;
	struct rt_block *b = find_block(base);
	if (b && b->base) {
		size = b->size;
		rt_sized_remove(b->sized, base, size);
		clear_start(need_page(base >> PAGE_BITS), base);
		remove_block(b);
	}
	rt_leave();
	return size;
}

void rt_block_sized(uint64_t base, uint64_t size, label size_label)
{
	if (!base || !size_label || !rt_enter())
		return;
	struct rt_block *b = find_block(base);
	if (b && b->base && b->size == size && !b->sized) {
		b->size_label = size_label;
		b->sized = rt_sized_add(base, size, size_label);
	}
	rt_leave();
}

// The last start of a page that is in leaf `last`, bits of `mask`, or before; -1 when there is none.
static int64_t last_start(const struct page *p, unsigned last, uint64_t mask)
{
	if (p->leaves[last] & mask)
		return last << 6 | (63 - (unsigned)__builtin_clzll(p->leaves[last] & mask));
	uint64_t before = (1ull << last % 64) - 1; // of the leaves in its word
	for (unsigned i = last / 64 + 1; i-- > 0; before = ~0ull) {
		if (!(p->used[i] & before))
			continue;
		unsigned leaf = i << 6 | (63 - (unsigned)__builtin_clzll(p->used[i] & before));
		return leaf << 6 | (63 - (unsigned)__builtin_clzll(p->leaves[leaf]));
	}
	return -1;
}

// The last start at or before the address; 0 when there is none.
static uint64_t start_before(uint64_t address)
{
	const uint64_t number = address >> PAGE_BITS;
	unsigned leaf = address >> 10 & (LEAVES - 1);
	for (size_t n = pages_until(number); n-- > 0;) {
		bool here = pages[n].number == number;
		int64_t start = last_start(&pages[n], here ? leaf : LEAVES - 1,
		                           here ? ~0ull >> (63 - (address >> 4 & 63)) : ~0ull);
		if (start >= 0)
			return pages[n].number << PAGE_BITS | (uint64_t)start << 4;
	}
	return 0;
}

static struct rt_block *block_around(uint64_t address)
{
	uint64_t base = n_blocks && address < heap_end ? start_before(address) : 0;
	struct rt_block *b = base ? find_block(base) : NULL;
	return b && b->base && lies_in(address, base, b->size ? b->size : 1) ? b : NULL;
}

static struct rt_object block_object(const struct rt_block *b)
{
	return (struct rt_object){.kind = OBJECT_HEAP,
	                          .base = b->base,
	                          .size = b->size,
	                          .size_label = b->size_label,
	                          .sized = b->sized,
	                          .name = "heap block",
	                          .site = b->site};
}

static bool find_heap(uint64_t address, struct rt_object *ret)
{
	if (!rt_enter()) // other threads may be changing the tables
		return false;
	const struct rt_block *b = block_around(address);
	if (b)
		*ret = block_object(b);
	rt_leave();
	return b;
}

bool rt_block_before(uint64_t address, struct rt_object *ret)
{
	enum { GRANULE = 16 }; // blocks begin at multiples of it
	if (!rt_enter())
		return false;
	uint64_t base = n_blocks ? start_before(address) : 0;
	const struct rt_block *b = base ? find_block(base) : NULL;
	bool near = b && b->base && address / GRANULE <= (base + b->size) / GRANULE;
	if (near)
		*ret = block_object(b);
	rt_leave();
	return near;
}

// --- stack ---------------------------------------------------------------------------

void __veer_t_unwind(struct rt_dynamic **head, const void *stack)
{
	while (*head && (*head)->base < (uint64_t)stack)
		*head = (*head)->next;
}

// An array of variable length, or memory from alloca.
static bool find_dynamic(const struct rt_frame *f, uint64_t address, struct rt_object *ret)
{
	const struct rt_dynamic *d = (const struct rt_dynamic *)f->objects[f->info->n];
	for (; d; d = d->next) {
		if (!lies_in(address, d->base, d->size))
			continue;
		*ret = (struct rt_object){.kind = OBJECT_STACK,
		                          .base = d->base,
		                          .size = d->size,
		                          .size_label = d->size_label,
		                          .sized = d->sized,
		                          .name = d->name,
		                          .function = f->info->function};
		return true;
	}
	return false;
}

// All frames: those of functions that were inlined lie among their callers' variables.
static bool find_local(uint64_t address, struct rt_object *ret)
{
	for (const struct rt_frame *f = __veer_frames; f; f = f->parent) {
		if (f->info->dynamic && find_dynamic(f, address, ret))
			return true;
		for (uint32_t i = 0; i < f->info->n; i++) {
			const struct rt_variable *v = &f->info->variables[i];
			if (!lies_in(address, f->objects[i], v->size))
				continue;
			*ret = (struct rt_object){.kind = OBJECT_STACK,
			                          .base = f->objects[i],
			                          .size = v->size,
			                          .name = v->name,
			                          .function = f->info->function};
			return true;
		}
	}
	return false;
}

// --- globals -------------------------------------------------------------------------

static struct rt_globals *modules;       // as they were loaded
static const struct rt_global **globals; // of all modules, sorted by address
static size_t n_globals;
static const struct rt_globals *sorted; // the newest module that is in there

void __veer_t_globals(struct rt_globals *g)
{
	g->next = modules;
	modules = g;
}

void __veer_t_globals_gone(struct rt_globals *g)
{
	for (struct rt_globals **p = &modules; *p; p = &(*p)->next)
		if (*p == g) {
			*p = g->next;
			break;
		}
	sorted = NULL;
	n_globals = 0;
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = (uint64_t)(*(const struct rt_global *const *)a)->address;
	uint64_t y = (uint64_t)(*(const struct rt_global *const *)b)->address;
	return (x > y) - (x < y);
}

static void sort_globals(void)
{
	size_t n = 0;
	for (const struct rt_globals *g = modules; g; g = g->next)
		n += g->n;
	const struct rt_global **all = rt_map(n * sizeof *all);
	if (!all)
		return;
	n = 0;
	for (const struct rt_globals *g = modules; g; g = g->next)
		for (uint64_t i = 0; i < g->n; i++)
			all[n++] = &g->variables[i];
	qsort(all, n, sizeof *all, by_address);
	globals = all; // the old table stays: another thread may be reading it
	n_globals = n;
	sorted = modules;
}

static bool find_global(uint64_t address, struct rt_object *ret)
{
	if (sorted != modules)
		sort_globals();
	size_t low = 0, high = n_globals; // the last that starts at or before the address
	while (low < high) {
		size_t middle = (low + high) / 2;
		if ((uint64_t)globals[middle]->address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	const struct rt_global *v = low ? globals[low - 1] : NULL;
	if (!v || !lies_in(address, (uint64_t)v->address, v->size))
		return false;
	*ret = (struct rt_object){
		.kind = OBJECT_GLOBAL, .base = (uint64_t)v->address, .size = v->size, .name = v->name};
	return true;
}

// --- libc's tables of character classes: entries from -128 to 255 -----------------------

enum { TABLES = 32 };

static struct table {
	const void *zero; // its entry 0
	unsigned entry;   // size of one
} tables[TABLES] RT_LARGE;
static unsigned n_tables;

static void add_table(const void *zero, unsigned entry)
{
	for (unsigned i = 0; i < n_tables; i++)
		if (tables[i].zero == zero)
			return;
	if (n_tables < TABLES)
		tables[n_tables++] = (struct table){zero, entry};
}

void rt_object_locale(const void *locale)
{
	const struct __locale_struct *l = locale;
	if (!locale || !rt_enter())
		return;
	add_table(l->__ctype_b, sizeof *l->__ctype_b);
	add_table(l->__ctype_tolower, sizeof *l->__ctype_tolower);
	add_table(l->__ctype_toupper, sizeof *l->__ctype_toupper);
	rt_leave();
}

static bool lies_in_table(uint64_t address, const void *zero, unsigned entry, struct rt_object *ret)
{
	uint64_t base = (uint64_t)zero - 128 * (uint64_t)entry, size = 384 * (uint64_t)entry;
	if (!zero || !lies_in(address, base, size))
		return false;
	*ret = (struct rt_object){.kind = OBJECT_GLOBAL,
	                          .base = base,
	                          .size = size,
	                          .name = entry == 2 ? "libc's table of character classes"
	                                             : "libc's table of letters in the other case"};
	return true;
}

// Those of the locale that the thread has now, and of locales that the program has made.
static bool find_table(uint64_t address, struct rt_object *ret)
{
	if (lies_in_table(address, *__ctype_b_loc(), 2, ret) ||
	    lies_in_table(address, *__ctype_tolower_loc(), 4, ret) ||
	    lies_in_table(address, *__ctype_toupper_loc(), 4, ret))
		return true;
	for (unsigned i = 0; i < n_tables; i++)
		if (lies_in_table(address, tables[i].zero, tables[i].entry, ret))
			return true;
	return false;
}

bool rt_object_find(uint64_t address, struct rt_object *ret)
{
	bool found = rt_cell_find(address, ret) || find_heap(address, ret) || find_global(address, ret) ||
	             rt_mapping_find(address, ret) || find_table(address, ret);
	// The stack that this runs on may lie in such an object.
	if (found && !lies_in((uint64_t)__builtin_frame_address(0), ret->base, ret->size))
		return true;
	return find_local(address, ret) || found;
}

// --- in the trace ----------------------------------------------------------------------

static bool is_same(const struct rt_object *a, const struct rt_object *b)
{
	return a->base == b->base && a->size == b->size && a->size_label == b->size_label && a->name == b->name &&
	       a->function == b->function && a->site == b->site && a->kind == b->kind;
}

uint32_t rt_object_record(const struct rt_object *o)
{
	struct recorded *r = &recorded[(o->base >> 4 ^ o->size) % RECORDED];
	if (r->at && is_same(&r->object, o))
		return r->at;
	struct trace_object t = {
		.kind = (uint32_t)o->kind, .base = o->base, .size = o->size, .size_label = o->size_label};
	t.name = rt_text(o->name, strlen(o->name) + 1);
	if (o->function)
		t.function = rt_text(o->function, strlen(o->function) + 1);
	t.site = rt_site(o->site);
	r->object = *o;
	return r->at = rt_text(&t, sizeof t);
}
