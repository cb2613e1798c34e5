#include "input/vary.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "input/sym.h"

bool input_can_vary(const struct input *in, size_t i, const char *sym)
{
	const struct input_part *p = &in->v[i];
	switch (p->kind) {
	case INPUT_ARGUMENT: return input_ordinal(in, i) && (!sym || sym_has(sym, "argv"));
	case INPUT_STDIN: return !sym || sym_has(sym, "stdin");
	case INPUT_FILE:
	case INPUT_OBJECT: return true;
	case INPUT_VARIABLE: return sym && sym_names_variable(sym, p->name, strlen(p->name));
	default: return false;
	}
}

static size_t below(uint64_t *random, size_t n)
{
	return (size_t)(random_next(random) % n);
}

// Digits stay digits and letters letters, most of the time: other bytes end in the first check of a parser.
static char another(char c, uint64_t *random)
{
	static const char interesting[] = "09-+ ./,:=\n\t%\"'aZ\x7f\xff";
	size_t n = below(random, 8);
	if (n == 0)
		return (char)random_next(random);
	if (n == 1)
		return interesting[below(random, sizeof interesting - 1)];
	if (n == 2)
		return (char)(' ' + below(random, 95));
	if (isdigit((unsigned char)c))
		return (char)('0' + below(random, 10));
	if (isalpha((unsigned char)c))
		return (char)((isupper((unsigned char)c) ? 'A' : 'a') + below(random, 26));
	return isprint((unsigned char)c) || isspace((unsigned char)c) ? (char)(' ' + below(random, 95))
	                                                              : (char)random_next(random);
}

// What separates words separates them still, most of the time.
static void change_all(struct buf *data, uint64_t *random)
{
	for (size_t i = 0; i < data->len; i++)
		if (!ispunct((unsigned char)data->data[i]) || below(random, 8) == 0)
			data->data[i] = another(data->data[i], random);
}

// A number becomes one at which types and buffers end.
static void change_number(struct buf *data, size_t at, uint64_t *random)
{
	static const char *const numbers[] = {"0",   "-1",  "1",     "9",     "10",    "100",        "127",
	                                      "128", "255", "32768", "65535", "65536", "2147483647", "4294967296"};
	const char *number = numbers[below(random, sizeof numbers / sizeof *numbers)];
	size_t from = at, to = at, n = strlen(number);
	while (from && isdigit((unsigned char)data->data[from - 1]))
		from--;
	while (to < data->len && isdigit((unsigned char)data->data[to]))
		to++;
	buf_reserve(data, n);
	memmove(data->data + from + n, data->data + to, data->len - to);
	memcpy(data->data + from, number, n);
	data->len += n - (to - from);
	data->data[data->len] = 0;
}

static void change(struct buf *data, uint64_t *random)
{
	enum { LONGEST = 64 };
	static const unsigned char edges[] = {0, 1, 0x7f, 0x80, 0xc3, 0xe2, 0xf0, 0xfe, 0xff};
	size_t at = below(random, data->len);
	char *p = data->data;
	switch (below(random, 8)) {
	case 0: { // a piece of it several times
		size_t n = 1 + below(random, data->len - at < LONGEST ? data->len - at : LONGEST), len = data->len;
		size_t piece = n;
		n *= 1 + below(random, 8);
		buf_reserve(data, n);
		p = data->data;
		memmove(p + at + n, p + at, len - at);
		for (size_t i = 0; i < n; i++)
			p[at + i] = p[at + n + i % piece];
		data->len += n;
		p[data->len] = 0;
		return;
	}
	case 1: // gone
		if (data->len > 1) {
			memmove(p + at, p + at + 1, data->len - at - 1);
			buf_cut(data, data->len - 1);
		}
		return;
	case 2: { // two change places
		size_t other = below(random, data->len);
		char c = p[at];
		p[at] = p[other];
		p[other] = c;
		return;
	}
	case 3: change_all(data, random); return;
	case 4:
		if (isdigit((unsigned char)p[at]))
			change_number(data, at, random);
		else
			p[at] = (char)edges[below(random, sizeof edges)];
		return;
	default: p[at] = another(p[at], random);
	}
}

bool input_vary(struct input *in, const char *sym, uint64_t *random)
{
	size_t *parts = mem_zero((in->n + 1) * sizeof *parts), n = 0;
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].data.len && input_can_vary(in, i, sym))
			parts[n++] = i;
	for (size_t times = n ? 1 + below(random, 4) : 0; times; times--) {
		struct input_part *p = &in->v[parts[below(random, n)]];
		change(&p->data, random);
		// A string ends at its first zero.
		if (p->kind == INPUT_ARGUMENT || p->kind == INPUT_VARIABLE)
			buf_cut(&p->data, strnlen(p->data.data, p->data.len));
		if (!p->data.len)
			break;
	}
	mem_free(parts);
	return n > 0;
}
