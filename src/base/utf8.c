#include "base/utf8.h"

#include <stdint.h>

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

void utf8_clean(struct buf *out, const void *text, size_t size)
{
	const uint8_t *p = text;
	while (size) {
		size_t n = utf8_length(p, size);
		bool control = n == 1 && (*p < 0x20 || *p == 0x7f);
		control |= n == 2 && *p == 0xc2 && p[1] < 0xa0; // C1
		if (n == 0 || control)
			buf_addstr(out, "\xef\xbf\xbd");
		else
			buf_add(out, p, n);
		n += n == 0;
		p += n;
		size -= n;
	}
}
