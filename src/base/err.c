#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 0))) static void print(struct err *err, const char *format, va_list arguments)
{
	if (err)
		vsnprintf(err->text, sizeof err->text, format, arguments);
}

int err_set(struct err *err, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	print(err, format, ap);
	va_end(ap);
	return -1;
}

int err_errno(struct err *err, const char *format, ...)
{
	int saved = errno;
	va_list ap;
	va_start(ap, format);
	print(err, format, ap);
	va_end(ap);
	if (err) {
		size_t n = strlen(err->text);
		snprintf(err->text + n, sizeof err->text - n, ": %s", strerror(saved));
	}
	errno = saved;
	return -1;
}
