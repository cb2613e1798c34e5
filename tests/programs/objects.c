// Accesses by a labelled index into objects of all kinds, behind pointers; after
// longjmp, after realloc.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "veer.h"

static char global[32];
static jmp_buf env;

static int get(const char *p, unsigned i)
{
	return p[i];
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

int main(void)
{
	unsigned i = 5, n = 40;
	char buf[16] = {0};
	if (veer_make_symbolic) {
		veer_make_symbolic(&i, sizeof i, "i");
		veer_make_symbolic(&n, sizeof n, "n");
	}
	char *h = malloc(n);
	char *other = calloc(n, 2);
	int sum = get(buf, i) + get(global, i);
	sum += get("hello world", i);
	memset(h, 7, 40);
	sum += get(h, i); // heap
	h[i] = 3;         // store
	h = realloc(h, n + 60);
	if (setjmp(env) == 0)
		deep(buf, 5);
	sum += get(buf, i);   // after longjmp
	sum += get(h + 4, i); // after realloc
	sum += other[i];
	printf("%d\n", sum);
	free(h);
	free(other);
	return 0;
}
