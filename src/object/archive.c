#include "object/archive.h"

#include <ar.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char thin_magic[] = "!<thin>\n";

bool archive_open(struct archive *ar, const void *data, size_t size)
{
	*ar = (struct archive){.data = data, .size = size, .at = SARMAG};
	if (size < SARMAG)
		return false;
	ar->thin = memcmp(data, thin_magic, SARMAG) == 0;
	return ar->thin || memcmp(data, ARMAG, SARMAG) == 0;
}

// A decimal field padded with blanks; SIZE_MAX when it is not a number.
static size_t number(const char *field, size_t width)
{
	size_t value = 0, i = 0;
	for (; i < width && isdigit((unsigned char)field[i]); i++)
		value = value * 10 + (size_t)(field[i] - '0');
	return i ? value : SIZE_MAX;
}

static void set_name(struct archive_member *m, const char *from, size_t n)
{
	if (n >= sizeof m->name)
		n = sizeof m->name - 1;
	memcpy(m->name, from, n);
	m->name[n] = 0;
}

static void find_name(const struct archive *ar, const struct ar_hdr *head, struct archive_member *m)
{
	size_t offset = head->ar_name[0] == '/' ? number(head->ar_name + 1, 15) : SIZE_MAX;
	if (offset != SIZE_MAX) { // "/123": in the table of long names, ended by "/\n"
		if (offset >= ar->long_names_size)
			return set_name(m, "?", 1);
		const char *s = ar->long_names + offset;
		const char *end = memchr(s, '\n', ar->long_names_size - offset);
		size_t n = end ? (size_t)(end - s) : ar->long_names_size - offset;
		return set_name(m, s, n && s[n - 1] == '/' ? n - 1 : n);
	}
	size_t n = sizeof head->ar_name;
	const char *slash = memchr(head->ar_name, '/', n);
	if (slash)
		n = (size_t)(slash - head->ar_name);
	while (n && head->ar_name[n - 1] == ' ')
		n--;
	set_name(m, head->ar_name, n);
}

bool archive_next(struct archive *ar, struct archive_member *ret)
{
	for (;;) {
		struct ar_hdr head;
		ar->at += ar->at % 2;
		if (ar->at > ar->size || ar->size - ar->at < sizeof head)
			return false;
		memcpy(&head, ar->data + ar->at, sizeof head);
		size_t size = number(head.ar_size, sizeof head.ar_size);
		if (memcmp(head.ar_fmag, ARFMAG, 2) != 0 || size == SIZE_MAX)
			return false;
		const uint8_t *body = ar->data + ar->at + sizeof head;
		size_t rest = ar->size - ar->at - sizeof head;
		bool names = memcmp(head.ar_name, "//", 2) == 0;
		bool symbols = !names && head.ar_name[0] == '/' && !isdigit((unsigned char)head.ar_name[1]);
		bool stored = names || symbols || !ar->thin;
		if (stored && size > rest)
			return false;
		ar->at += sizeof head + (stored ? size : 0);
		if (names) {
			ar->long_names = (const char *)body;
			ar->long_names_size = size;
		}
		if (names || symbols)
			continue;
		if (strncmp(head.ar_name, "__.SYMDEF", 9) == 0)
			continue; // BSD's table of symbols
		find_name(ar, &head, ret);
		ret->data = ar->thin ? NULL : body;
		ret->size = size;
		// BSD spelling: the name stands in front of the data.
		if (!ar->thin && memcmp(head.ar_name, "#1/", 3) == 0) {
			size_t n = number(head.ar_name + 3, 13);
			if (n > size)
				return false;
			set_name(ret, (const char *)body, strnlen((const char *)body, n));
			ret->data += n;
			ret->size -= n;
			if (strncmp(ret->name, "__.SYMDEF", 9) == 0)
				continue;
		}
		return true;
	}
}
