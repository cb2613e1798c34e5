// Reads JSON (RFC 8259) and writes it without spaces. Says where it is wrong.
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 16, DEPTH_MAX = 64 };

struct reader {
	const char *text;
	size_t at, n;
	int depth;
	const char *wrong;
};

static int peek(const struct reader *r)
{
	return r->at < r->n ? (unsigned char)r->text[r->at] : EOF;
}

static int fail(struct reader *r, const char *what)
{
	if (!r->wrong)
		r->wrong = what;
	return 0;
}

static void skip_space(struct reader *r)
{
	for (;;) {
		switch (peek(r)) {
		case ' ':
		case '\t':
		case '\n':
		case '\r': r->at++; continue;
		default: return;
		}
	}
}

static int take(struct reader *r, char c)
{
	if (peek(r) != c)
		return 0;
	r->at++;
	return 1;
}

static int read_word(struct reader *r, const char *word)
{
	size_t n = strlen(word);
	if (r->n - r->at < n || memcmp(r->text + r->at, word, n) != 0)
		return fail(r, "unknown word");
	r->at += n;
	fputs(word, stdout);
	return 1;
}

static int read_digits(struct reader *r)
{
	size_t from = r->at;
	while (isdigit(peek(r)))
		r->at++;
	return r->at > from ? 1 : fail(r, "digit expected");
}

static int read_number(struct reader *r)
{
	char copy[64];
	size_t from = r->at;
	int is_whole = 1;
	take(r, '-');
	if (peek(r) == '0')
		r->at++;
	else if (!read_digits(r))
		return 0;
	if (take(r, '.')) {
		is_whole = 0;
		if (!read_digits(r))
			return 0;
	}
	if (peek(r) == 'e' || peek(r) == 'E') {
		is_whole = 0;
		r->at++;
		if (peek(r) == '+' || peek(r) == '-')
			r->at++;
		if (!read_digits(r))
			return 0;
	}
	if (r->at - from >= sizeof copy)
		return fail(r, "number too long");
	memcpy(copy, r->text + from, r->at - from);
	copy[r->at - from] = 0;
	errno = 0;
	if (is_whole) {
		long long value = strtoll(copy, NULL, 10);
		if (!errno)
			return printf("%lld", value), 1;
	}
	double value = strtod(copy, NULL);
	if (isinf(value))
		return fail(r, "number too large");
	printf("%.17g", value);
	return 1;
}

static int read_hex(struct reader *r, unsigned *ret)
{
	*ret = 0;
	for (int i = 0; i < 4; i++) {
		int c = peek(r);
		if (!isxdigit(c))
			return fail(r, "four hexadecimal digits expected");
		*ret = 16 * *ret + (unsigned)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
		r->at++;
	}
	return 1;
}

static void put_utf8(unsigned long code)
{
	if (code < 0x80) {
		putchar((int)code);
	} else if (code < 0x800) {
		putchar((int)(0xc0 | code >> 6));
		putchar((int)(0x80 | (code & 0x3f)));
	} else if (code < 0x10000) {
		putchar((int)(0xe0 | code >> 12));
		putchar((int)(0x80 | (code >> 6 & 0x3f)));
		putchar((int)(0x80 | (code & 0x3f)));
	} else {
		putchar((int)(0xf0 | code >> 18));
		putchar((int)(0x80 | (code >> 12 & 0x3f)));
		putchar((int)(0x80 | (code >> 6 & 0x3f)));
		putchar((int)(0x80 | (code & 0x3f)));
	}
}

static int read_unicode(struct reader *r)
{
	unsigned code, low;
	if (!read_hex(r, &code))
		return 0;
	if (code >= 0xdc00 && code < 0xe000)
		return fail(r, "second half of a pair without the first");
	if (code < 0xd800 || code >= 0xe000) {
		put_utf8(code);
		return 1;
	}
	if (!take(r, '\\') || !take(r, 'u') || !read_hex(r, &low) || low < 0xdc00 || low >= 0xe000)
		return fail(r, "first half of a pair without the second");
	put_utf8(0x10000 + ((unsigned long)(code - 0xd800) << 10) + (low - 0xdc00));
	return 1;
}

static int read_escape(struct reader *r)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	int c = peek(r);
	const char *known = c > 0 ? strchr(from, c) : NULL;
	if (c == EOF)
		return fail(r, "string without end");
	r->at++;
	if (c == 'u')
		return read_unicode(r);
	if (!known)
		return fail(r, "unknown escape");
	putchar(to[known - from]);
	return 1;
}

static int read_string(struct reader *r)
{
	if (!take(r, '"'))
		return fail(r, "string expected");
	putchar('"');
	for (;;) {
		int c = peek(r);
		if (c == EOF)
			return fail(r, "string without end");
		if (c < ' ')
			return fail(r, "control character in a string");
		r->at++;
		if (c == '"')
			break;
		if (c != '\\')
			putchar(c);
		else if (!read_escape(r))
			return 0;
	}
	putchar('"');
	return 1;
}

static int read_value(struct reader *r);

static int read_member(struct reader *r)
{
	skip_space(r);
	if (!read_string(r))
		return 0;
	skip_space(r);
	if (!take(r, ':'))
		return fail(r, "colon expected");
	putchar(':');
	return read_value(r);
}

static int read_list(struct reader *r, char end, int (*read_item)(struct reader *r))
{
	putchar(r->text[r->at++]);
	if (++r->depth > DEPTH_MAX)
		return fail(r, "too deep");
	skip_space(r);
	if (peek(r) != end) {
		do {
			if (!read_item(r))
				return 0;
			skip_space(r);
			if (peek(r) == ',')
				putchar(',');
		} while (take(r, ','));
	}
	if (!take(r, end))
		return fail(r, "comma or end of the list expected");
	r->depth--;
	putchar(end);
	return 1;
}

static int read_value(struct reader *r)
{
	skip_space(r);
	switch (peek(r)) {
	case '{': return read_list(r, '}', read_member);
	case '[': return read_list(r, ']', read_value);
	case '"': return read_string(r);
	case 't': return read_word(r, "true");
	case 'f': return read_word(r, "false");
	case 'n': return read_word(r, "null");
	case EOF: return fail(r, "value expected");
	default: return read_number(r);
	}
}

int main(int argc, char **argv)
{
	static char text[TEXT_MAX];
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : stdin;
	if (!f)
		return 2;
	struct reader r = {.text = text, .n = fread(text, 1, sizeof text, f)};
	if (read_value(&r)) {
		skip_space(&r);
		if (r.at < r.n)
			fail(&r, "something behind the value");
	}
	putchar('\n');
	if (!r.wrong)
		return 0;
	fprintf(stderr, "byte %zu: %s\n", r.at, r.wrong);
	return 1;
}
