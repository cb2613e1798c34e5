#include "formats/xml.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void xml_init(struct xml *x, const void *data, size_t size)
{
	*x = (struct xml){.p = data, .end = (const char *)data + size};
}

void xml_release(struct xml *x)
{
	buf_release(&x->name);
	buf_release(&x->text);
	buf_release(&x->attributes);
}

static bool starts(const struct xml *x, const char *text)
{
	size_t n = strlen(text);
	return (size_t)(x->end - x->p) >= n && memcmp(x->p, text, n) == 0;
}

// Behind the next `text`; false when there is none.
static bool skip_past(struct xml *x, const char *text)
{
	const char *at = memmem(x->p, (size_t)(x->end - x->p), text, strlen(text));
	if (at)
		x->p = at + strlen(text);
	return at != NULL;
}

static void skip_space(struct xml *x)
{
	while (x->p < x->end && isspace((unsigned char)*x->p))
		x->p++;
}

// A DOCTYPE ends at its '>', which may stand in quotes or brackets before.
static bool skip_doctype(struct xml *x)
{
	char quote = 0;
	int depth = 0;
	for (; x->p < x->end; x->p++) {
		char c = *x->p;
		if (quote)
			quote = c == quote ? 0 : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (c == '[' || c == ']')
			depth += c == '[' ? 1 : -1;
		else if (c == '>' && depth <= 0) {
			x->p++;
			return true;
		}
	}
	return false;
}

static void add_character(struct buf *out, unsigned long c)
{
	if (c < 0x80) {
		buf_addch(out, (char)c);
		return;
	}
	int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
	buf_addch(out, (char)(first[more] | c >> 6 * more));
	while (more-- > 0)
		buf_addch(out, (char)(0x80 | (c >> 6 * more & 0x3f)));
}

// "&amp;" and its like, at x->p.
static bool take_entity(struct xml *x, struct buf *out)
{
	static const struct {
		const char *name;
		char c;
	} known[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (starts(x, known[i].name)) {
			buf_addch(out, known[i].c);
			x->p += strlen(known[i].name);
			return true;
		}
	if (!starts(x, "&#"))
		return false;
	char digits[16] = "";
	const char *p = x->p + 2;
	int base = p < x->end && *p == 'x' ? 16 : 10;
	p += base == 16;
	for (size_t n = 0; p < x->end && isxdigit((unsigned char)*p) && n + 1 < sizeof digits; n++)
		digits[n] = *p++;
	char *rest;
	unsigned long c = strtoul(digits, &rest, base);
	if (p == x->end || *p != ';' || !digits[0] || *rest || !c || c > 0x10ffff)
		return false;
	add_character(out, c);
	x->p = p + 1;
	return true;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || strchr("_-.:", c);
}

static bool take_name(struct xml *x, struct buf *out)
{
	size_t before = out->len;
	while (x->p < x->end && *x->p && is_name(*x->p))
		buf_addch(out, *x->p++);
	return out->len > before;
}

// Text up to `end`, which is not taken.
static bool take_text(struct xml *x, char end, struct buf *out)
{
	while (x->p < x->end && *x->p != end) {
		if (!*x->p || (*x->p == '<' && end != '<'))
			return false;
		if (*x->p != '&')
			buf_addch(out, *x->p++);
		else if (!take_entity(x, out))
			return false;
	}
	return true;
}

static bool take_attributes(struct xml *x)
{
	buf_clear(&x->attributes);
	for (;;) {
		skip_space(x);
		if (x->p == x->end)
			return false;
		if (*x->p == '>' || *x->p == '/')
			return true;
		if (!take_name(x, &x->attributes))
			return false;
		buf_addch(&x->attributes, 0);
		skip_space(x);
		if (!starts(x, "="))
			return false;
		x->p++;
		skip_space(x);
		char quote = x->p < x->end ? *x->p : 0;
		if (quote != '"' && quote != '\'')
			return false;
		x->p++;
		if (!take_text(x, quote, &x->attributes) || x->p == x->end)
			return false;
		x->p++;
		buf_addch(&x->attributes, 0);
	}
}

static enum xml_token take_tag(struct xml *x)
{
	bool close = starts(x, "</");
	x->p += close ? 2 : 1;
	buf_clear(&x->name);
	if (!take_name(x, &x->name) || !take_attributes(x))
		return XML_BAD;
	bool empty = *x->p == '/';
	x->p += empty;
	if (!starts(x, ">") || (close && (empty || x->attributes.len)))
		return XML_BAD;
	x->p++;
	x->closes = empty;
	return close ? XML_CLOSE : XML_OPEN;
}

enum xml_token xml_next(struct xml *x)
{
	if (x->closes) {
		x->closes = false;
		return XML_CLOSE;
	}
	while (x->p < x->end) {
		bool good = true;
		if (starts(x, "<!--"))
			good = skip_past(x, "-->");
		else if (starts(x, "<?"))
			good = skip_past(x, "?>");
		else if (starts(x, "<!DOCTYPE"))
			good = skip_doctype(x);
		else if (*x->p == '<')
			return take_tag(x);
		else {
			buf_clear(&x->text);
			return take_text(x, '<', &x->text) ? XML_TEXT : XML_BAD;
		}
		if (!good)
			return XML_BAD;
	}
	return XML_END;
}

const char *xml_attribute(const struct xml *x, const char *name)
{
	for (size_t at = 0; at < x->attributes.len;) {
		const char *key = x->attributes.data + at, *value = key + strlen(key) + 1;
		if (strcmp(key, name) == 0)
			return value;
		at += strlen(key) + strlen(value) + 2;
	}
	return NULL;
}

void xml_escape(struct buf *out, const char *text)
{
	for (const char *p = text; *p; p++) {
		if (*p == '<')
			buf_addstr(out, "&lt;");
		else if (*p == '>')
			buf_addstr(out, "&gt;");
		else if (*p == '&')
			buf_addstr(out, "&amp;");
		else if (*p == '"')
			buf_addstr(out, "&quot;");
		else
			buf_addch(out, (unsigned char)*p < ' ' || (unsigned char)*p > '~' ? '?' : *p);
	}
}
