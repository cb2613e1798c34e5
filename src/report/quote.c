#include "report/quote.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"

enum { QUOTE_MAX = 60 };

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

// The size of the character constant at p, 'x' or '\\n'; 0: there is none.
static size_t constant_at(const char *p)
{
	size_t n = p[0] == '\'' && p[1] ? (p[1] == '\\' ? 4 : 3) : 0;
	return n && strnlen(p, n) == n && p[n - 1] == '\'' ? n : 0;
}

// Behind the group that begins at p; NULL: it does not end in this line, or has a text in it.
static const char *end_of_group(const char *p)
{
	for (int depth = 0; *p; p++) {
		size_t constant = constant_at(p);
		if (constant) {
			p += constant - 1;
			continue;
		}
		if (*p == '"' || *p == '\'')
			return NULL;
		depth += strchr("([", *p) != NULL;
		depth -= strchr(")]", *p) != NULL;
		if (depth == 0)
			return p + 1;
	}
	return NULL;
}

// Where the group begins that ends with *p.
static const char *start_of_group(const char *line, const char *p)
{
	int depth = 0;
	for (; p >= line; p--) {
		if (*p == '\'' && p >= line + 2 && constant_at(p - 2) == 3) {
			p -= 2;
			continue;
		}
		if (*p == '"' || *p == '\'')
			return NULL;
		depth += strchr(")]", *p) != NULL;
		depth -= strchr("([", *p) != NULL;
		if (depth == 0)
			return p;
	}
	return NULL;
}

// Behind a name, number or group, and what belongs to it: calls, indices, members.
static const char *end_of_operand(const char *p)
{
	const char *start = p;
	while (*p && strchr("-~!*&", *p)) // signs and the like
		p++;
	const char *first = p;
	while (p && *p) {
		if (*p == '(' || *p == '[')
			p = end_of_group(p);
		else if (is_word(*p) && (p == first || p[-1] != ')'))
			p++;
		else if (p > first && *p == '.')
			p++;
		else if (p > first && p[0] == '-' && p[1] == '>')
			p += 2;
		else
			break;
	}
	return p && p > first ? p : start;
}

// From where on what ends before `end` is an operand; NULL: it is none.
static const char *start_of_operand(const char *line, const char *end)
{
	const char *p = end;
	while (p > line) {
		const char *last = p - 1;
		if (*last == ')' || *last == ']') {
			last = start_of_group(line, last);
			if (!last)
				return NULL;
			p = last;
		} else if (is_word(*last) || *last == '.') {
			p = last;
		} else if (*last == '>' && last > line && last[-1] == '-') {
			p = last - 1;
		} else {
			break;
		}
	}
	return p < end ? p : NULL;
}

static bool add(struct buf *out, const char *from, const char *end)
{
	while (end > from && isspace((unsigned char)end[-1]))
		end--;
	while (from < end && isspace((unsigned char)*from))
		from++;
	if (from >= end || end - from > QUOTE_MAX)
		return false;
	utf8_clean(out, from, (size_t)(end - from));
	return true;
}

// Of what ends before `end`, the last index; it stands behind a name.
static bool add_last_index(const char *line, const char *end, struct buf *out)
{
	while (end > line && end[-1] == ' ')
		end--;
	const char *open = end > line && end[-1] == ']' ? start_of_group(line, end - 1) : NULL;
	if (!open || open == line || !is_word(open[-1])) // of two indices nobody can tell which it is
		return false;
	return add(out, open + 1, end - 1);
}

static bool add_index(const char *line, const char *at, struct buf *out)
{
	const char *p = at;
	while (is_word(*p))
		p++;
	if (p == at) // an assignment to an element, perhaps
		return strchr("=+-*/%&|^<>", *at) && add_last_index(line, at, out);
	const char *open = p + strspn(p, " ");
	const char *close = *open == '[' ? end_of_group(open) : NULL;
	if (!close || close[strspn(close, " ")] == '[')
		return false;
	return add(out, open + 1, close - 1);
}

// The operator's length; 0: there is none.
static size_t operator_at(const char *p)
{
	static const char *const all[] = {
		"<<=", ">>=", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "+", "-", "*", "/", "%"};
	if (strncmp(p, "++", 2) == 0 || strncmp(p, "--", 2) == 0 || strncmp(p, "->", 2) == 0 ||
	    strncmp(p, "//", 2) == 0 || strncmp(p, "/*", 2) == 0)
		return 0;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strncmp(p, all[i], strlen(all[i])) == 0)
			return strlen(all[i]);
	return 0;
}

bool quote_operand(const char *line, uint32_t column, enum operand_side side, struct buf *out)
{
	if (!column || column > strlen(line))
		return false;
	const char *at = line + column - 1;
	size_t size = operator_at(at);
	if (side == OPERAND_INDEX)
		return add_index(line, at, out);
	if (!size || side == OPERAND_OTHER)
		return false;
	if (side == OPERAND_RIGHT) {
		const char *from = at + size + strspn(at + size, " ");
		return add(out, from, end_of_operand(from));
	}
	const char *end = at;
	while (end > line && end[-1] == ' ')
		end--;
	const char *from = start_of_operand(line, end);
	return from && add(out, from, end);
}
