#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long live;

_Noreturn void mem_exhausted(void)
{
	static const char line[] = "veer: out of memory; free some or work with smaller inputs\n";
	ssize_t ignored = write(2, line, sizeof line - 1);
	(void)ignored;
	_exit(70);
}

static void *check(void *p)
{
	if (!p)
		mem_exhausted();
	__atomic_fetch_add(&live, 1, __ATOMIC_RELAXED);
	return p;
}

void *mem_alloc(size_t size)
{
	return check(malloc(size ? size : 1));
}

void *mem_zero(size_t size)
{
	return check(calloc(1, size ? size : 1));
}

void *mem_resize(void *p, size_t size)
{
	if (p)
		__atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED);
	return check(realloc(p, size ? size : 1));
}

char *mem_copy(const void *data, size_t size)
{
	char *p = mem_alloc(size + 1);
	if (size)
		memcpy(p, data, size);
	p[size] = 0;
	return p;
}

char *mem_strdup(const char *s)
{
	return mem_copy(s, strlen(s));
}

char *mem_printf(const char *format, ...)
{
	va_list ap;
	char *p = NULL;
	va_start(ap, format);
	int n = vasprintf(&p, format, ap);
	va_end(ap);
	return check(n < 0 ? NULL : p);
}

void mem_free(void *p)
{
	if (!p)
		return;
	__atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED);
	free(p);
}

long mem_live(void)
{
	return __atomic_load_n(&live, __ATOMIC_RELAXED);
}
