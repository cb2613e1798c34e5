// Symbolic objects and values: klee/klee.h.
#include <klee/klee.h>
#include <veer.h>

#include "support/support.h"

SUPPORT void klee_make_symbolic(void *addr, size_t nbytes, const char *name)
{
	const char *called = name && *name ? name : "unnamed";
	if (veer_make_symbolic)
		veer_make_symbolic(addr, nbytes, called);
	else
		veer_support_take(addr, nbytes, called);
}

SUPPORT int klee_int(const char *name)
{
	int x = 0;
	klee_make_symbolic(&x, sizeof x, name);
	return x;
}

SUPPORT int klee_range(int begin, int end, const char *name)
{
	if (begin >= end)
		support_fail("klee_range: the range is empty");
	int x = begin;
	klee_make_symbolic(&x, sizeof x, name);
	klee_assume(begin <= x);
	klee_assume(x < end);
	return x;
}

SUPPORT uintptr_t klee_choose(uintptr_t n)
{
	uintptr_t x = 0;
	klee_make_symbolic(&x, sizeof x, "klee_choose");
	klee_assume(x < n);
	return x;
}
