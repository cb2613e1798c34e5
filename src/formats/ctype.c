#include "formats/ctype.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	struct ctype type;
} names[] = {
	{"schar", {CTYPE_SIGNED, 1}},       {"uchar", {CTYPE_UNSIGNED, 1}},
	{"ushort", {CTYPE_UNSIGNED, 2}},    {"uint", {CTYPE_UNSIGNED, 4}},
	{"ulong", {CTYPE_UNSIGNED, 8}},     {"longlong", {CTYPE_SIGNED, 8}},
	{"ulonglong", {CTYPE_UNSIGNED, 8}}, {"int128", {CTYPE_SIGNED, 16}},
	{"uint128", {CTYPE_UNSIGNED, 16}},  {"__int128", {CTYPE_SIGNED, 16}},
	{"size_t", {CTYPE_UNSIGNED, 8}},    {"ssize_t", {CTYPE_SIGNED, 8}},
	{"loff_t", {CTYPE_SIGNED, 8}},      {"sector_t", {CTYPE_UNSIGNED, 8}},
	{"pthread_t", {CTYPE_UNSIGNED, 8}}, {"u8", {CTYPE_UNSIGNED, 1}},
	{"u16", {CTYPE_UNSIGNED, 2}},       {"u32", {CTYPE_UNSIGNED, 4}},
	{"u64", {CTYPE_UNSIGNED, 8}},       {"S8", {CTYPE_SIGNED, 1}},
	{"U8", {CTYPE_UNSIGNED, 1}},        {"S16", {CTYPE_SIGNED, 2}},
	{"U16", {CTYPE_UNSIGNED, 2}},       {"S32", {CTYPE_SIGNED, 4}},
	{"U32", {CTYPE_UNSIGNED, 4}},       {"int8_t", {CTYPE_SIGNED, 1}},
	{"int16_t", {CTYPE_SIGNED, 2}},     {"int32_t", {CTYPE_SIGNED, 4}},
	{"int64_t", {CTYPE_SIGNED, 8}},     {"uint8_t", {CTYPE_UNSIGNED, 1}},
	{"uint16_t", {CTYPE_UNSIGNED, 2}},  {"uint32_t", {CTYPE_UNSIGNED, 4}},
	{"uint64_t", {CTYPE_UNSIGNED, 8}},  {"bool", {CTYPE_BOOL, 1}},
	{"_Bool", {CTYPE_BOOL, 1}},         {"pointer", {CTYPE_UNSIGNED, 8}},
	{"pchar", {CTYPE_UNSIGNED, 8}},     {"const_char_pointer", {CTYPE_UNSIGNED, 8}},
};

// The words of C, in any order: false when there is another one.
static bool parse_words(const char *name, struct ctype *ret)
{
	unsigned longs = 0, shorts = 0, chars = 0, ints = 0, floats = 0, doubles = 0, sign = 0, words = 0;
	bool is_unsigned = false;
	for (const char *p = name; *p; words++) {
		static const char *const known[] = {"long",  "short",  "char",   "int",
		                                    "float", "double", "signed", "unsigned"};
		unsigned *const counts[] = {&longs, &shorts, &chars, &ints, &floats, &doubles, &sign, &sign};
		size_t n = strcspn(p, " "), i = 0;
		while (i < 8 && (strlen(known[i]) != n || memcmp(known[i], p, n) != 0))
			i++;
		if (i == 8)
			return false;
		++*counts[i];
		is_unsigned |= i == 7;
		p += n + strspn(p + n, " ");
	}
	if (!words || longs > 2 || shorts + chars + floats + doubles > 1 || sign > 1 || ints > 1)
		return false;
	if (floats || doubles) {
		*ret = (struct ctype){CTYPE_FLOAT, floats ? 4 : 8};
		return !longs && !sign && !ints;
	}
	*ret = (struct ctype){is_unsigned ? CTYPE_UNSIGNED : CTYPE_SIGNED, chars ? 1 : shorts ? 2 : longs ? 8 : 4};
	return true;
}

bool ctype_parse(const char *name, struct ctype *ret)
{
	name += strncmp(name, "const ", 6) == 0 ? 6 : 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i].name, name) == 0) {
			*ret = names[i].type;
			return true;
		}
	return parse_words(name, ret);
}

// --- reading --------------------------------------------------------------------------------------

static bool read_float(const struct ctype *t, const char *text, unsigned char bytes[16])
{
	char *end;
	if (t->size == 4) {
		float f = strtof(text, &end);
		memcpy(bytes, &f, 4);
	} else {
		double d = strtod(text, &end);
		memcpy(bytes, &d, 8);
	}
	while (*end == 'f' || *end == 'F' || *end == 'l' || *end == 'L')
		end++;
	return end != text && !*end;
}

// 0x.. or decimal; suffixes of C may follow. False when it has more than 128 bits.
static bool read_digits(const char *p, unsigned __int128 *ret)
{
	unsigned base = p[0] == '0' && (p[1] == 'x' || p[1] == 'X') ? 16 : 10;
	unsigned __int128 n = 0;
	p += base == 16 ? 2 : 0;
	if (!isxdigit((unsigned char)*p))
		return false;
	for (; isxdigit((unsigned char)*p); p++) {
		unsigned digit = isdigit((unsigned char)*p) ? (unsigned)(*p - '0') : (unsigned)(tolower(*p) - 'a' + 10);
		if (digit >= base || n > ((unsigned __int128)-1 - digit) / base)
			return false;
		n = n * base + digit;
	}
	p += strspn(p, "uUlL");
	*ret = n;
	return !*p;
}

// Any value that has the type's bits: 255 for a char is -1, as other tools write it.
bool ctype_read(const struct ctype *t, const char *text, unsigned char bytes[16])
{
	unsigned __int128 n;
	memset(bytes, 0, 16);
	text += strspn(text, " \t\r\n");
	char copy[128];
	size_t size = strlen(text);
	while (size && isspace((unsigned char)text[size - 1]))
		size--;
	if (!size || size >= sizeof copy)
		return false;
	memcpy(copy, text, size);
	copy[size] = 0;
	if (t->kind == CTYPE_FLOAT)
		return read_float(t, copy, bytes);
	if (t->kind == CTYPE_BOOL && (strcmp(copy, "true") == 0 || strcmp(copy, "false") == 0)) {
		bytes[0] = copy[0] == 't';
		return true;
	}
	bool minus = copy[0] == '-';
	if (!read_digits(copy + (minus || copy[0] == '+'), &n))
		return false;
	unsigned bits = 8 * t->size;
	unsigned __int128 most = bits == 128 ? (unsigned __int128)-1 : ((unsigned __int128)1 << bits) - 1;
	if (n > most || (minus && n > most / 2 + 1))
		return false;
	n = minus ? -n : n;
	memcpy(bytes, &n, t->size);
	return true;
}

// --- writing --------------------------------------------------------------------------------------

static void write_float(const struct ctype *t, const void *bytes, struct buf *ret)
{
	double d;
	float f;
	if (t->size == 4) {
		memcpy(&f, bytes, 4);
		d = (double)f;
	} else {
		memcpy(&d, bytes, 8);
	}
	if (isnan(d))
		buf_addstr(ret, signbit(d) ? "-NAN" : "NAN");
	else if (isinf(d))
		buf_addstr(ret, d < 0 ? "-INFINITY" : "INFINITY");
	else
		buf_printf(ret, "%a", d);
}

static void write_decimal(unsigned __int128 n, struct buf *ret)
{
	char digits[48];
	size_t at = sizeof digits;
	do
		digits[--at] = (char)('0' + (int)(n % 10));
	while ((n /= 10));
	buf_add(ret, digits + at, sizeof digits - at);
}

void ctype_write(const struct ctype *t, const void *bytes, struct buf *ret)
{
	unsigned __int128 n = 0;
	if (t->kind == CTYPE_FLOAT) {
		write_float(t, bytes, ret);
		return;
	}
	memcpy(&n, bytes, t->size);
	unsigned sign = 8 * t->size - 1;
	if (t->kind == CTYPE_BOOL)
		n &= 1;
	if (t->kind == CTYPE_SIGNED && n >> sign & 1) {
		if (sign < 127)
			n |= ~(unsigned __int128)0 << (sign + 1);
		n = -n;
		buf_addch(ret, '-');
	}
	write_decimal(n, ret);
}
