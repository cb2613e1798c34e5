// Accesses by a labelled index into objects of all kinds, behind pointers; after
// longjmp, after realloc, after munmap. `tests/e2e/trace.sh` finds lines by their comments.
#define _GNU_SOURCE
#include <alloca.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "veer.h"

static char global[32];
static jmp_buf env;

__attribute__((noinline)) static int get(const char *p, unsigned i)
{
	return p[i]; // behind a pointer
}

static void deep(char *p, int n)
{
	char local[64];
	memset(local, n, sizeof local);
	if (n == 0)
		longjmp(env, 1);
	deep(local, n - 1);
	p[0] = local[1];
}

// Its frame lies among the caller's variables.
__attribute__((always_inline)) static inline int inlined(const char *p, unsigned i)
{
	char own[300];
	memset(own, 1, sizeof own);
	return get(p, i) + get(own, 7);
}

__attribute__((noinline)) static int around_inlined(unsigned i)
{
	char small[8] = {0}, large[700] = {0};
	return inlined(small, i) + inlined(large, i);
}

static int returned(unsigned i, unsigned n)
{
	char *last = alloca(n / 2);
	memset(last, 0, n / 2);
	return last[i]; // while returning
}

static int scopes(unsigned i, unsigned n)
{
	int sum = 0;
	for (unsigned round = 0; round < 2; round++) {
		char vla[n + round];
		memset(vla, 0, n);
		sum += get(vla, i);
		sum += vla[i]; // vla
		char table[3][n];
		memset(table, 0, sizeof table);
		sum += get(table[1], i);
	}
	char *first = alloca(n), *second = alloca(33);
	memset(first, 0, n);
	memset(second, 0, 33);
	return sum + get(first, i) + get(second, i);
}

static int jumps(unsigned i, unsigned n)
{
	char before[n];
	memset(before, 0, n);
	if (setjmp(env) == 0) {
		char after[n + 7]; // gone with the stack it was on
		memset(after, 0, n);
		get(after, i);
		longjmp(env, 1);
	}
	return get(before, i);
}

static int mappings(unsigned i, unsigned n)
{
	const int rights = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *p = mmap(NULL, 100 * n, rights, flags, -1, 0); // map
	char *q = mmap(NULL, 5 * 4096, rights, flags, -1, 0);
	int sum = get(p, i) + get(q, i);
	munmap(q + 4096, 4096);
	sum += get(q, i); // in front of the hole
	sum += get(q + 2 * 4096, i);
	q[0] = (char)n;
	char *r = mremap(q, 4096, 9 * 4096, MREMAP_MAYMOVE); // remap
	sum += get(r, i) + (r[0] == 40);                     // labels move along
	r[1] = (char)n;
	madvise(r, 4096, MADV_DONTNEED);
	if (r[1]) // fresh pages
		sum++;
	munmap(r, 9 * 4096);
	munmap(p, 100 * n);
	r = mmap(r, 4096, rights, flags | MAP_FIXED, -1, 0);
	if (r[0]) // nothing is left
		sum++;
	return sum;
}

int main(void)
{
	unsigned i = 5, n = 40;
	char buf[16] = {0};
	if (veer_make_symbolic) {
		veer_make_symbolic(&i, sizeof i, "i");
		veer_make_symbolic(&n, sizeof n, "n");
	}
	char *h = malloc(n);        // malloc
	char *other = calloc(n, 2); // calloc
	int sum = get(buf, i) + get(global, i);
	sum += get("hello world", i);
	memset(h, 7, 40);
	sum += get(h, i);
	h[i] = 3;               // store
	h = realloc(h, n + 60); // realloc
	if (setjmp(env) == 0)
		deep(buf, 5);
	sum += get(buf, i); // after longjmp
	sum += get(h + 4, i);
	sum += other[i]; // product
	sum += around_inlined(i) + returned(i, n) + scopes(i, n) + jumps(i, n) + mappings(i, n);
	printf("%d\n", sum);
	free(h);
	free(other);
	other = calloc(n, 2); // again
	sum += get(other, i);
	return sum == 0;
}
