#include "base/utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

size_t utf8_length(const void *text, size_t n)
{
	const uint8_t *p = text;
	static const struct {
		uint8_t first, last, second_low, second_high, size;
	} forms[] = {
		{0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
	};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (*p < forms[i].first || *p > forms[i].last)
			continue;
		size_t size = forms[i].size;
		if (size > n || (size > 1 && (p[1] < forms[i].second_low || p[1] > forms[i].second_high)))
			return 0;
		for (size_t k = 2; k < size; k++)
			if ((p[k] & 0xc0) != 0x80)
				return 0;
		return size;
	}
	return 0;
}

uint32_t utf8_code_point(const void *text, size_t n)
{
	const uint8_t *p = text;
	uint32_t c = n == 1 ? p[0] : p[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

size_t utf8_printable(const void *text, size_t n)
{
	static const struct {
		uint32_t first, last;
	} not_shown[] = {
		{0x00, 0x1f},       {0x7f, 0x9f},     // controls
		{0x61c, 0x61c},     {0x200b, 0x200f}, // marks of direction, nothing wide, joiners
		{0x2028, 0x202e},                     // separators, embeddings and overrides of direction
		{0x2060, 0x206f},                     // isolates of direction, what cannot be seen
		{0xfeff, 0xfeff},   {0xfff9, 0xfffb}, // byte order, annotations
		{0xe0000, 0xe007f},                   // tags
	};
	size_t size = utf8_length(text, n);
	uint32_t c = size ? utf8_code_point(text, size) : 0;
	for (size_t i = 0; i < sizeof not_shown / sizeof *not_shown; i++)
		if (c >= not_shown[i].first && c <= not_shown[i].last)
			return 0;
	return size;
}

void utf8_clean(struct buf *out, const void *text, size_t size)
{
	const uint8_t *p = text;
	while (size) {
		size_t n = utf8_printable(p, size), skip = n ? n : utf8_length(p, size);
		if (n)
			buf_add(out, p, n);
		else
			buf_addstr(out, "\xef\xbf\xbd");
		skip += skip == 0;
		p += skip;
		size -= skip;
	}
}

char *utf8_cleaned(const char *text)
{
	struct buf clean = {0};
	buf_reserve(&clean, 1);
	clean.data[0] = 0;
	utf8_clean(&clean, text, strlen(text));
	return buf_steal(&clean);
}

void utf8_lines(struct buf *out, const char *text, size_t size)
{
	for (size_t at = 0, n; at < size; at += n + 1) {
		const char *end = memchr(text + at, '\n', size - at);
		n = end ? (size_t)(end - text) - at : size - at;
		utf8_clean(out, text + at, n);
		if (end)
			buf_addch(out, '\n');
	}
}

void utf8_part_of(struct buf *out, const char *format, va_list arguments)
{
	va_list again;
	va_copy(again, arguments);
	int n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	char *text = mem_zero((size_t)(n > 0 ? n : 0) + 1);
	vsnprintf(text, (size_t)(n > 0 ? n : 0) + 1, format, arguments);
	utf8_clean(out, text, strlen(text));
	mem_free(text);
}

void utf8_line(struct buf *out, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	utf8_part_of(out, format, arguments);
	va_end(arguments);
	buf_addch(out, '\n');
}

void utf8_part(struct buf *out, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	utf8_part_of(out, format, arguments);
	va_end(arguments);
}
