#include "name.h"

#include <stdio.h>
#include <string.h>

static int lower(int c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

void name_root(struct name *n)
{
	n->wire[0] = 0;
	n->length = 1;
}

// --- text ------------------------------------------------------------------------------------

static int is_digit(int c)
{
	return c >= '0' && c <= '9';
}

// One character of a label, maybe escaped; -1: not one.
static int text_character(const char **text)
{
	const unsigned char *s = (const unsigned char *)*text;
	if (s[0] != '\\') {
		*text += 1;
		return s[0];
	}
	if (is_digit(s[1]) && is_digit(s[2]) && is_digit(s[3])) {
		int value = (s[1] - '0') * 100 + (s[2] - '0') * 10 + (s[3] - '0');
		*text += 4;
		return value > 255 ? -1 : value;
	}
	if (!s[1])
		return -1;
	*text += 2;
	return s[1];
}

int name_from_text(struct name *n, const char *text)
{
	size_t start = 0, at = 1;
	if (strcmp(text, ".") == 0) {
		name_root(n);
		return 0;
	}
	while (*text) {
		if (*text == '.') {
			if (at - start == 1)
				return -1; // an empty label
			n->wire[start] = (uint8_t)(at - start - 1);
			start = at++;
			text++;
			if (start >= NAME_MAX_WIRE)
				return -1;
			continue;
		}
		int c = text_character(&text);
		if (c < 0 || at - start > LABEL_MAX || at >= NAME_MAX_WIRE)
			return -1;
		n->wire[at++] = (uint8_t)c;
	}
	if (at - start > 1) {
		n->wire[start] = (uint8_t)(at - start - 1);
		start = at;
	}
	if (start == 0 || start >= NAME_MAX_WIRE)
		return -1;
	n->wire[start] = 0;
	n->length = (uint8_t)(start + 1);
	return 0;
}

void name_to_text(const struct name *n, char *text, size_t size)
{
	size_t at = 0, out = 0;
	char piece[8];
	if (n->length == 1 && size > 1) {
		strcpy(text, ".");
		return;
	}
	while (n->wire[at]) {
		unsigned length = n->wire[at++];
		for (unsigned i = 0; i < length; i++) {
			unsigned c = n->wire[at + i];
			if (c == '.' || c == '\\')
				snprintf(piece, sizeof piece, "\\%c", (char)c);
			else if (c < 32 || c > 126)
				snprintf(piece, sizeof piece, "\\%03u", c);
			else
				snprintf(piece, sizeof piece, "%c", (char)c);
			size_t more = strlen(piece);
			if (out + more + 2 > size)
				goto end;
			memcpy(text + out, piece, more);
			out += more;
		}
		at += length;
		if (n->wire[at])
			text[out++] = '.';
	}
end:
	text[out] = 0;
}

// --- comparing -------------------------------------------------------------------------------

int name_equal(const struct name *a, const struct name *b)
{
	if (a->length != b->length)
		return 0;
	for (unsigned i = 0; i < a->length; i++)
		if (lower(a->wire[i]) != lower(b->wire[i]))
			return 0;
	return 1;
}

int name_compare(const struct name *a, const struct name *b)
{
	unsigned n = a->length < b->length ? a->length : b->length;
	for (unsigned i = 0; i < n; i++) {
		int difference = lower(a->wire[i]) - lower(b->wire[i]);
		if (difference)
			return difference;
	}
	return (int)a->length - (int)b->length;
}

int name_labels(const struct name *n)
{
	int count = 0;
	for (unsigned at = 0; n->wire[at]; at += n->wire[at] + 1u)
		count++;
	return count;
}

int name_is_below(const struct name *n, const struct name *domain)
{
	unsigned at = 0;
	struct name rest;
	while (n->length - at > domain->length) {
		if (!n->wire[at])
			return 0;
		at += n->wire[at] + 1u;
	}
	if (n->length - at != domain->length)
		return 0;
	rest.length = domain->length;
	memcpy(rest.wire, n->wire + at, domain->length);
	return name_equal(&rest, domain);
}

unsigned name_hash(const struct name *n)
{
	unsigned h = 2166136261u;
	for (unsigned i = 0; i < n->length; i++)
		h = (h ^ (unsigned)lower(n->wire[i])) * 16777619u;
	return h;
}

// --- changing --------------------------------------------------------------------------------

int name_parent(struct name *n)
{
	unsigned first = n->wire[0];
	if (!first)
		return -1;
	memmove(n->wire, n->wire + first + 1, n->length - first - 1u);
	n->length = (uint8_t)(n->length - first - 1);
	return 0;
}

int name_prepend(struct name *n, const void *label, size_t size)
{
	if (size == 0 || size > LABEL_MAX || n->length + size + 1 > NAME_MAX_WIRE)
		return -1;
	memmove(n->wire + size + 1, n->wire, n->length);
	n->wire[0] = (uint8_t)size;
	memcpy(n->wire + 1, label, size);
	n->length = (uint8_t)(n->length + size + 1);
	return 0;
}

int name_append(struct name *n, const struct name *rest)
{
	if (n->length - 1u + rest->length > NAME_MAX_WIRE)
		return -1;
	memcpy(n->wire + n->length - 1, rest->wire, rest->length);
	n->length = (uint8_t)(n->length - 1 + rest->length);
	return 0;
}

// --- messages --------------------------------------------------------------------------------

int name_parse(struct name *n, const uint8_t *data, size_t size, size_t *at)
{
	size_t p = *at, out = 0, end = 0, limit = *at;
	for (;;) {
		if (p >= size)
			return -1;
		unsigned length = data[p];
		if ((length & 0xc0) == 0xc0) {
			if (p + 1 >= size)
				return -1;
			size_t target = (size_t)(length & 0x3f) << 8 | data[p + 1];
			if (!end)
				end = p + 2;
			if (target >= limit) // only backwards: there is no loop
				return -1;
			limit = p = target;
			continue;
		}
		if (length & 0xc0)
			return -1;
		if (length == 0) {
			n->wire[out] = 0;
			n->length = (uint8_t)(out + 1);
			*at = end ? end : p + 1;
			return 0;
		}
		if (p + 1 + length > size || out + length + 2 > NAME_MAX_WIRE)
			return -1;
		memcpy(n->wire + out, data + p, length + 1);
		out += length + 1;
		p += length + 1;
	}
}

void writer_init(struct writer *w, uint8_t *data, size_t size)
{
	w->data = data;
	w->size = size;
	w->at = 0;
	w->overflow = 0;
	w->n_names = 0;
}

void write_bytes(struct writer *w, const void *data, size_t n)
{
	if (w->overflow || n > w->size - w->at) {
		w->overflow = 1;
		return;
	}
	memcpy(w->data + w->at, data, n);
	w->at += n;
}

void write_u8(struct writer *w, unsigned v)
{
	uint8_t b = (uint8_t)v;
	write_bytes(w, &b, 1);
}

void write_u16(struct writer *w, unsigned v)
{
	write_u8(w, v >> 8);
	write_u8(w, v & 255);
}

void write_u32(struct writer *w, uint32_t v)
{
	write_u16(w, v >> 16);
	write_u16(w, v & 0xffff);
}

void writer_patch_u16(struct writer *w, size_t at, unsigned v)
{
	if (w->overflow)
		return;
	w->data[at] = (uint8_t)(v >> 8);
	w->data[at + 1] = (uint8_t)v;
}

void write_name_plain(struct writer *w, const struct name *n)
{
	write_bytes(w, n->wire, n->length);
}

static int find_written(const struct writer *w, const struct name *n)
{
	for (int i = 0; i < w->n_names; i++)
		if (name_equal(&w->names[i].name, n))
			return w->names[i].at;
	return -1;
}

void write_name(struct writer *w, const struct name *n)
{
	struct name rest = *n;
	while (rest.wire[0]) {
		int known = find_written(w, &rest);
		if (known >= 0) {
			write_u16(w, 0xc000u | (unsigned)known);
			return;
		}
		if (w->n_names < WRITER_NAMES && w->at < 0x3fff) {
			w->names[w->n_names].at = (uint16_t)w->at;
			w->names[w->n_names++].name = rest;
		}
		write_bytes(w, rest.wire, rest.wire[0] + 1u);
		name_parent(&rest);
	}
	write_u8(w, 0);
}
