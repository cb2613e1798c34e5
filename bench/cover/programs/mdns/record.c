#include "record.h"

#include <stdio.h>
#include <string.h>

static const struct {
	unsigned type;
	const char *word;
} types[] = {{TYPE_A, "A"},       {TYPE_PTR, "PTR"}, {TYPE_HINFO, "HINFO"}, {TYPE_TXT, "TXT"},
             {TYPE_AAAA, "AAAA"}, {TYPE_SRV, "SRV"}, {TYPE_NSEC, "NSEC"},   {TYPE_ANY, "ANY"}};

const char *type_word(unsigned type)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].type == type)
			return types[i].word;
	return "TYPE?";
}

int type_from_word(const char *word)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].word, word) == 0)
			return (int)types[i].type;
	return -1;
}

// --- reading ---------------------------------------------------------------------------------

static unsigned get_u16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static int parse_srv(struct record *r, const uint8_t *data, size_t end, size_t at)
{
	if (end - at < 7)
		return -1;
	r->priority = (uint16_t)get_u16(data + at);
	r->weight = (uint16_t)get_u16(data + at + 2);
	r->port = (uint16_t)get_u16(data + at + 4);
	at += 6;
	return name_parse(&r->target, data, end, &at) < 0 || at != end ? -1 : 0;
}

static int keep_raw(struct record *r, const uint8_t *data, size_t n)
{
	if (n > RDATA_MAX)
		return -1;
	memcpy(r->raw, data, n);
	r->raw_size = (uint16_t)n;
	return 0;
}

// Strings, each behind its length, which fill the data.
static int strings_are_sound(const uint8_t *data, size_t n)
{
	size_t at = 0;
	while (at < n)
		at += data[at] + 1u;
	return at == n;
}

static int bitmap_is_sound(const uint8_t *data, size_t n)
{
	int last = -1;
	for (size_t at = 0; at < n;) {
		if (n - at < 3 || data[at] <= last || data[at + 1] == 0 || data[at + 1] > 32 ||
		    data[at + 1] + 2u > n - at)
			return 0;
		last = data[at];
		at += data[at + 1] + 2u;
	}
	return 1;
}

static int parse_data(struct record *r, const uint8_t *data, size_t end, size_t at)
{
	size_t n = end - at;
	switch (r->type) {
	case TYPE_A:
	case TYPE_AAAA:
		if (n != (r->type == TYPE_A ? 4 : 16))
			return -1;
		memcpy(r->address, data + at, n);
		return 0;
	case TYPE_PTR: return name_parse(&r->target, data, end, &at) < 0 || at != end ? -1 : 0;
	case TYPE_SRV: return parse_srv(r, data, end, at);
	case TYPE_TXT:
	case TYPE_HINFO: return n == 0 || !strings_are_sound(data + at, n) ? -1 : keep_raw(r, data + at, n);
	case TYPE_NSEC:
		if (name_parse(&r->target, data, end, &at) < 0 || !bitmap_is_sound(data + at, end - at))
			return -1;
		return keep_raw(r, data + at, end - at);
	default: return keep_raw(r, data + at, n);
	}
}

int record_parse(struct record *r, const uint8_t *data, size_t size, size_t *at)
{
	memset(r, 0, sizeof *r);
	name_root(&r->target);
	if (name_parse(&r->name, data, size, at) < 0 || size - *at < 10)
		return -1;
	const uint8_t *p = data + *at;
	size_t length = get_u16(p + 8);
	r->type = (uint16_t)get_u16(p);
	r->class = get_u16(p + 2) & 0x7fff;
	r->flush = p[2] >> 7;
	r->ttl = (uint32_t)get_u16(p + 4) << 16 | get_u16(p + 6);
	*at += 10;
	if (length > size - *at)
		return -1;
	size_t start = *at;
	*at += length;
	return parse_data(r, data, start + length, start);
}

// --- writing ---------------------------------------------------------------------------------

static void write_data(struct writer *w, const struct record *r, int legacy)
{
	switch (r->type) {
	case TYPE_A: write_bytes(w, r->address, 4); break;
	case TYPE_AAAA: write_bytes(w, r->address, 16); break;
	case TYPE_PTR: write_name(w, &r->target); break;
	case TYPE_SRV:
		write_u16(w, r->priority);
		write_u16(w, r->weight);
		write_u16(w, r->port);
		if (legacy)
			write_name_plain(w, &r->target);
		else
			write_name(w, &r->target);
		break;
	case TYPE_NSEC:
		write_name_plain(w, &r->target);
		write_bytes(w, r->raw, r->raw_size);
		break;
	default: write_bytes(w, r->raw, r->raw_size);
	}
}

void record_write(struct writer *w, const struct record *r, int legacy)
{
	write_name(w, &r->name);
	write_u16(w, r->type);
	write_u16(w, r->class | (r->flush && !legacy ? 0x8000u : 0));
	write_u32(w, legacy && r->ttl > 10 ? 10 : r->ttl);
	size_t length = w->at;
	write_u16(w, 0);
	write_data(w, r, legacy);
	writer_patch_u16(w, length, (unsigned)(w->at - length - 2));
}

// --- comparing -------------------------------------------------------------------------------

int record_same_data(const struct record *a, const struct record *b)
{
	if (a->type != b->type)
		return 0;
	switch (a->type) {
	case TYPE_A: return memcmp(a->address, b->address, 4) == 0;
	case TYPE_AAAA: return memcmp(a->address, b->address, 16) == 0;
	case TYPE_PTR: return name_equal(&a->target, &b->target);
	case TYPE_SRV:
		return a->priority == b->priority && a->weight == b->weight && a->port == b->port &&
		       name_equal(&a->target, &b->target);
	default:
		return a->raw_size == b->raw_size && memcmp(a->raw, b->raw, a->raw_size) == 0 &&
		       name_equal(&a->target, &b->target);
	}
}

int record_same(const struct record *a, const struct record *b)
{
	return a->class == b->class && name_equal(&a->name, &b->name) && record_same_data(a, b);
}

int record_compare(const struct record *a, const struct record *b)
{
	uint8_t x[2 * RDATA_MAX + 16], y[2 * RDATA_MAX + 16];
	struct writer wx, wy;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	writer_init(&wx, x, sizeof x);
	writer_init(&wy, y, sizeof y);
	write_data(&wx, a, 1);
	write_data(&wy, b, 1);
	size_t n = wx.at < wy.at ? wx.at : wy.at;
	int r = memcmp(x, y, n);
	if (r)
		return r < 0 ? -1 : 1;
	return wx.at == wy.at ? 0 : wx.at < wy.at ? -1 : 1;
}

// --- text ------------------------------------------------------------------------------------

static void print_strings(const struct record *r, char *text, size_t size)
{
	size_t out = 0;
	for (size_t at = 0; at < r->raw_size; at += r->raw[at] + 1u) {
		int n = snprintf(text + out, size - out, "%s\"%.*s\"", at ? " " : "", (int)r->raw[at],
		                 (const char *)r->raw + at + 1);
		if (n < 0 || (size_t)n >= size - out)
			return;
		out += (size_t)n;
	}
}

static void print_types(const struct record *r, char *text, size_t size)
{
	size_t out = 0;
	text[0] = 0;
	for (size_t at = 0; at + 2 < r->raw_size; at += r->raw[at + 1] + 2u)
		for (unsigned bit = 0; bit < r->raw[at + 1] * 8u; bit++) {
			if (!(r->raw[at + 2 + bit / 8] >> (7 - bit % 8) & 1))
				continue;
			int n = snprintf(text + out, size - out, "%s%s", out ? " " : "",
			                 type_word((unsigned)r->raw[at] << 8 | bit));
			if (n < 0 || (size_t)n >= size - out)
				return;
			out += (size_t)n;
		}
}

static void print_data(const struct record *r, char *text, size_t size)
{
	char name[NAME_TEXT];
	const uint8_t *a = r->address;
	text[0] = 0;
	switch (r->type) {
	case TYPE_A: snprintf(text, size, "%u.%u.%u.%u", a[0], a[1], a[2], a[3]); break;
	case TYPE_AAAA:
		for (int i = 0; i < 8; i++) {
			size_t n = strlen(text);
			snprintf(text + n, size - n, "%s%x", i ? ":" : "", get_u16(a + 2 * i));
		}
		break;
	case TYPE_PTR: name_to_text(&r->target, text, size); break;
	case TYPE_SRV:
		name_to_text(&r->target, name, sizeof name);
		snprintf(text, size, "%u %u %u %s", r->priority, r->weight, r->port, name);
		break;
	case TYPE_TXT:
	case TYPE_HINFO: print_strings(r, text, size); break;
	case TYPE_NSEC: print_types(r, text, size); break;
	default: snprintf(text, size, "%u bytes", r->raw_size);
	}
}

void record_print(const struct record *r, char *text, size_t size)
{
	char name[NAME_TEXT], data[NAME_TEXT + 64];
	name_to_text(&r->name, name, sizeof name);
	print_data(r, data, sizeof data);
	snprintf(text, size, "%s %s%s %lu %s", name, type_word(r->type), r->flush ? "!" : "", (unsigned long)r->ttl,
	         data);
}

int txt_add(struct record *r, const char *text)
{
	size_t n = strlen(text);
	if (n > 255 || r->raw_size + n + 1 > RDATA_MAX)
		return -1;
	if (r->raw_size == 1 && r->raw[0] == 0) // the empty record
		r->raw_size = 0;
	r->raw[r->raw_size] = (uint8_t)n;
	memcpy(r->raw + r->raw_size + 1, text, n);
	r->raw_size = (uint16_t)(r->raw_size + n + 1);
	return 0;
}
