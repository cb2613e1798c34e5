// Text that may be anybody's, for terminals and pages.
#ifndef VEER_BASE_UTF8_H
#define VEER_BASE_UTF8_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

// Length of the UTF-8 character at the start; 0 when there is none: surrogates, overlong forms, beyond U+10FFFF. `n`:
// at least 1.
size_t utf8_length(const void *text, size_t n);

// The same, but 0 also for what must not reach a terminal or a page as it is: control characters, line separators, and
// characters that turn the direction of what stands behind them or cannot be seen.
size_t utf8_printable(const void *text, size_t n);

// Of such a character, `size` bytes long.
uint32_t utf8_code_point(const void *text, size_t size);

// Everything of a program, its inputs or its files that is shown or written as text goes through here: adds it with
// U+FFFD in place of what is not printable.
void utf8_clean(struct buf *out, const void *text, size_t size);
char *utf8_cleaned(const char *text);                            // the caller frees
void utf8_lines(struct buf *out, const char *text, size_t size); // the same; lines stay lines

// Likewise for a line that is put together, with its newline, and for a part of one: a name in it makes no line of its
// own.
void utf8_line(struct buf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void utf8_part(struct buf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void utf8_part_of(struct buf *out, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

#endif
