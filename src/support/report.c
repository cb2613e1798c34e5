// Messages and ends of a program: klee/klee.h.
#include <execinfo.h>
#include <klee/klee.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

SUPPORT void klee_abort(void)
{
	abort();
}

SUPPORT void klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
	fprintf(stderr, "%s:%d: error: %s (%s)\n", file, line, message, suffix);
	abort();
}

SUPPORT void klee_warning(const char *message)
{
	fprintf(stderr, "warning: %s\n", message);
}

SUPPORT void klee_warning_once(const char *message)
{
	static struct said {
		struct said *next;
		char text[];
	} *all;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	struct said *s = all;
	while (s && strcmp(s->text, message) != 0)
		s = s->next;
	if (!s) {
		size_t size = strlen(message) + 1;
		struct said *new = malloc(sizeof *new + size);
		if (new) {
			new->next = all;
			memcpy(new->text, message, size);
			all = new;
		}
		klee_warning(message);
	}
	pthread_mutex_unlock(&lock);
}

SUPPORT void klee_print_range(const char *name, int arg)
{
	fprintf(stderr, "%s: %d%s\n", name, klee_get_value_i32(arg),
	        klee_is_symbolic((uintptr_t)arg) ? " (symbolic)" : "");
}

SUPPORT void klee_print_expr(const char *msg, ...)
{
	va_list list;
	va_start(list, msg);
	long value = va_arg(list, long);
	va_end(list);
	fprintf(stderr, "%s: 0x%lx%s\n", msg, (unsigned long)klee_get_valuel(value),
	        klee_is_symbolic((uintptr_t)value) ? " (symbolic)" : "");
}

SUPPORT void klee_stack_trace(void)
{
	void *frames[64];
	int n = backtrace(frames, sizeof frames / sizeof *frames);
	backtrace_symbols_fd(frames, n, 2);
}
