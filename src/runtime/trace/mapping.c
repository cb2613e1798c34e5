// Memory from mmap: kept as sorted, disjoint ranges, since munmap and mmap may cut pieces out
// of what was mapped before. Labels of what comes and goes are cleared, those of what moves
// move along.
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

#define API __attribute__((visibility("default")))

enum { PAGE = 4096 };

// `size_label` is the label of `size`, which is a multiple of the page's.
static struct rt_block *mappings;
static size_t n_mappings, mappings_cap;

static bool grow(void)
{
	size_t cap = mappings_cap ? 2 * mappings_cap : 256;
	struct rt_block *bigger = rt_map(cap * sizeof *bigger);
	if (!bigger)
		return false;
	if (mappings) {
		memcpy(bigger, mappings, n_mappings * sizeof *mappings);
		rt_unmap(mappings, mappings_cap * sizeof *mappings);
	}
	mappings = bigger;
	mappings_cap = cap;
	return true;
}

// Number of the first mapping that ends behind the address.
static size_t first_behind(uint64_t address)
{
	size_t low = 0, high = n_mappings;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (mappings[middle].base + mappings[middle].size <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert(size_t at, struct rt_block m)
{
	if (n_mappings == mappings_cap && !grow())
		return;
	memmove(&mappings[at + 1], &mappings[at], (n_mappings - at) * sizeof m);
	mappings[at] = m;
	n_mappings++;
}

// Takes a range out of whatever is mapped there; what is left of a mapping has the size it has.
static void cut(uint64_t from, uint64_t to)
{
	for (size_t i = first_behind(from); i < n_mappings && mappings[i].base < to;) {
		struct rt_block *m = &mappings[i], rest = *m;
		uint64_t end = m->base + m->size;
		rt_sized_remove(m->sized, m->base, m->size);
		if (m->base >= from && end <= to) {
			memmove(m, m + 1, (--n_mappings - i) * sizeof *m);
			continue;
		}
		m->size_label = rest.size_label = 0;
		m->sized = rest.sized = 0;
		rest.base = to;
		rest.size = end - to;
		if (m->base >= from) { // its end is left
			*m = rest;
			return;
		}
		m->size = from - m->base;
		i++;
		if (end > to) { // and both ends of it
			insert(i, rest);
			return;
		}
	}
}

static uint64_t whole_pages(uint64_t size)
{
	return (size + PAGE - 1) & -(uint64_t)PAGE;
}

static label whole_pages_label(label size)
{
	label last = size ? rt_constant(64, PAGE - 1) : 0, mask = size ? rt_constant(64, -(uint64_t)PAGE) : 0;
	label sum = last ? rt_binary(OP_ADD, 64, size, last) : 0;
	return sum && mask ? rt_binary(OP_AND, 64, sum, mask) : 0;
}

static void add(uint64_t base, uint64_t size, label size_label, struct site *site)
{
	struct rt_block m = {.base = base, .size = size, .size_label = whole_pages_label(size_label), .site = site};
	if (!size || !rt_enter())
		return;
	cut(base, base + size);
	m.sized = rt_sized_add(base, size, m.size_label);
	insert(first_behind(base), m);
	rt_leave();
}

static void take_out(uint64_t base, uint64_t size)
{
	if (!rt_enter())
		return;
	cut(base, base + size);
	rt_leave();
}

bool rt_mapping_find(uint64_t address, struct rt_object *ret)
{
	size_t i = first_behind(address);
	if (i == n_mappings || mappings[i].base > address)
		return false;
	*ret = (struct rt_object){.kind = OBJECT_MAPPING,
	                          .base = mappings[i].base,
	                          .size = mappings[i].size,
	                          .size_label = mappings[i].size_label,
	                          .sized = mappings[i].sized,
	                          .name = "mapping",
	                          .site = mappings[i].site};
	return true;
}

// --- in front of libc's -----------------------------------------------------------------

// The label of argument `n` of the function that was called, when the caller is instrumented.
static label take_label(const void *self, unsigned n)
{
	if (__veer_passing.target != self)
		return 0;
	__veer_passing.target = NULL;
	return __veer_passing.args[n];
}

static struct site *take_site(void)
{
	struct site *site = __veer_passing.site;
	__veer_passing.site = NULL;
	return site;
}

static void *map(void *at, size_t size, int protection, int flags, int fd, off_t offset, label size_label)
{
	void *p = (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
	struct site *site = take_site();
	if (p != MAP_FAILED && rt_on) {
		rt_clear((uint64_t)p, whole_pages(size));
		add((uint64_t)p, whole_pages(size), size_label, site);
	}
	return p;
}

API void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return map(at, size, protection, flags, fd, offset, take_label((const void *)mmap, 1));
}

API void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
	return map(at, size, protection, flags, fd, offset, take_label((const void *)mmap64, 1));
}

API int munmap(void *p, size_t size)
{
	int r = (int)syscall(SYS_munmap, p, size);
	take_label((const void *)munmap, 1);
	if (r == 0 && rt_on) {
		rt_clear((uint64_t)p, whole_pages(size));
		take_out((uint64_t)p, whole_pages(size));
	}
	return r;
}

API int madvise(void *p, size_t size, int advice)
{
	int r = (int)syscall(SYS_madvise, p, size, advice);
	take_label((const void *)madvise, 1);
	if (r == 0 && advice == MADV_DONTNEED && rt_on) // its content is gone
		rt_clear((uint64_t)p, whole_pages(size));
	return r;
}

API void *mremap(void *p, size_t old_size, size_t size, int flags, ...)
{
	va_list more;
	va_start(more, flags);
	void *wanted = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
	va_end(more);
	label size_label = take_label((const void *)mremap, 2);
	struct site *site = take_site();
	void *q = (void *)syscall(SYS_mremap, p, old_size, size, flags, wanted);
	if (q == MAP_FAILED || !rt_on)
		return q;
	uint64_t from = (uint64_t)p, to = (uint64_t)q, had = whole_pages(old_size), has = whole_pages(size);
	uint64_t kept = had < has ? had : has;
	if (to != from) {
		rt_copy(to, from, kept);
		rt_clear(from, had);
	}
	rt_clear(to + kept, has - kept);
	if (to == from && had > has)
		rt_clear(from + has, had - has);
	if (to == from || !(flags & MREMAP_DONTUNMAP))
		take_out(from, had);
	add(to, has, size_label, site);
	return q;
}
