// The malloc family, in front of libc's: keeps the registry of heap blocks and the
// labels of what is in them. A size with a label stays with its block.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fragment/left.h"
#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

#define API __attribute__((visibility("default")))

// glibc's own, under the names it exports for this.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *p);

// Labels of the arguments of the function that was called; there are none when the
// caller is not instrumented.
static bool take_labels(const void *self, label *first, label *second)
{
	bool mine = __veer_passing.target == self;
	*first = mine ? __veer_passing.args[0] : 0;
	*second = mine ? __veer_passing.args[1] : 0;
	if (mine)
		__veer_passing.target = NULL;
	return mine;
}

static struct site *take_site(void)
{
	struct site *site = __veer_passing.site;
	__veer_passing.site = NULL;
	return site;
}

static void *born(void *p, size_t size, label size_label)
{
	struct site *site = take_site();
	if (!p)
		return p;
	rt_clear((uint64_t)p, size);
	rt_block_add((uint64_t)p, size, size_label, site);
	return p;
}

API void *malloc(size_t size)
{
	label l, none;
	if (!rt_on)
		return __libc_malloc(size);
	take_labels((const void *)malloc, &l, &none);
	void *p = __libc_malloc(size);
	left_fresh(p, size);
	return born(p, size, l);
}

static label product(label a, label b, size_t x, size_t y)
{
	if (!a && !b)
		return 0;
	a = a ? a : rt_constant(64, x);
	b = b ? b : rt_constant(64, y);
	return a && b ? rt_binary(OP_MUL, 64, a, b) : 0;
}

API void *calloc(size_t n, size_t size)
{
	label a, b;
	if (!rt_on)
		return __libc_calloc(n, size);
	take_labels((const void *)calloc, &a, &b);
	return born(__libc_calloc(n, size), n * size, product(a, b, n, size));
}

// A made-up object that is freed or grows is none of libc's.
static void *leave_cell(void *p, size_t size, label size_label)
{
	struct rt_object o;
	void *q = size ? born(__libc_malloc(size), size, size_label) : NULL;
	rt_touch_cell((uint64_t)p);
	if (q && rt_cell_find((uint64_t)p, &o)) {
		uint64_t had = o.base + o.size - (uint64_t)p, n = had < size ? had : size;
		memcpy(q, p, n);
		rt_copy((uint64_t)q, (uint64_t)p, n);
	}
	return q;
}

static void *resize(void *p, size_t size, label size_label)
{
	if (rt_is_cell((uint64_t)p))
		return leave_cell(p, size, size_label);
	uint64_t old = (uint64_t)p, had = p ? malloc_usable_size(p) : 0;
	void *q = __libc_realloc(p, size);
	if (!q && size)
		return q; // the old block is still there
	uint64_t known = rt_block_remove(old);
	if (known)
		had = known;
	uint64_t kept = had < size ? had : size;
	if (q && (uint64_t)q != old && had) {
		rt_copy((uint64_t)q, old, kept);
		rt_clear(old, had);
	}
	if (!q) {
		rt_clear(old, had);
		return q;
	}
	rt_clear((uint64_t)q + kept, size - kept);
	rt_block_add((uint64_t)q, size, size_label, take_site());
	return q;
}

API void *realloc(void *p, size_t size)
{
	label none, l;
	if (!rt_on)
		return __libc_realloc(p, size);
	take_labels((const void *)realloc, &none, &l);
	return resize(p, size, l);
}

API void *reallocarray(void *p, size_t n, size_t size)
{
	size_t all;
	label a = 0, b = 0;
	if (__veer_passing.target == (const void *)reallocarray) {
		a = __veer_passing.args[1];
		b = __veer_passing.args[2];
		__veer_passing.target = NULL;
	}
	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return rt_on ? resize(p, all, product(a, b, n, size)) : __libc_realloc(p, all);
}

static void *aligned(size_t alignment, size_t size, const void *self)
{
	label none, l;
	if (!rt_on)
		return __libc_memalign(alignment, size);
	take_labels(self, &none, &l);
	return born(__libc_memalign(alignment, size), size, l);
}

API void *memalign(size_t alignment, size_t size)
{
	return aligned(alignment, size, (const void *)memalign);
}

API void *aligned_alloc(size_t alignment, size_t size)
{
	return aligned(alignment, size, (const void *)aligned_alloc);
}

API int posix_memalign(void **ret, size_t alignment, size_t size)
{
	if (alignment % sizeof(void *) || alignment & (alignment - 1) || !alignment)
		return EINVAL;
	label l = 0;
	if (__veer_passing.target == (const void *)posix_memalign) {
		l = __veer_passing.args[2];
		__veer_passing.target = NULL;
	}
	int saved = errno;
	void *p = __libc_memalign(alignment, size);
	errno = saved;
	if (!p)
		return ENOMEM;
	rt_clear((uint64_t)ret, sizeof *ret);
	*ret = rt_on ? born(p, size, l) : p;
	return 0;
}

API void free(void *p)
{
	if (rt_is_cell((uint64_t)p)) {
		take_labels((const void *)free, &(label){0}, &(label){0});
		return;
	}
	if (rt_on && p) {
		label none, none2;
		take_labels((const void *)free, &none, &none2);
		uint64_t size = rt_block_remove((uint64_t)p);
		rt_clear((uint64_t)p, size ? size : malloc_usable_size(p));
	}
	__libc_free(p);
}
