#include "signal/json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

struct parser {
	const char *p, *end;
	unsigned line, depth;
};

static void skip(struct parser *s)
{
	for (; s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'); s->p++)
		s->line += *s->p == '\n';
}

static bool take(struct parser *s, char c)
{
	skip(s);
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

static bool word(struct parser *s, const char *w)
{
	size_t n = strlen(w);
	if ((size_t)(s->end - s->p) < n || memcmp(s->p, w, n) != 0)
		return false;
	s->p += n;
	return true;
}

static int hex4(struct parser *s)
{
	int v = 0;
	for (int i = 0; i < 4; i++, s->p++) {
		char c = s->p < s->end ? *s->p : 0;
		int d = c >= '0' && c <= '9'   ? c - '0'
		        : c >= 'a' && c <= 'f' ? c - 'a' + 10
		        : c >= 'A' && c <= 'F' ? c - 'A' + 10
		                               : -1;
		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

static void put_utf8(struct buf *out, unsigned c)
{
	if (c < 0x80) {
		buf_addch(out, (char)c);
	} else if (c < 0x800) {
		buf_addch(out, (char)(0xc0 | c >> 6));
		buf_addch(out, (char)(0x80 | (c & 63)));
	} else {
		buf_addch(out, (char)(0xe0 | c >> 12));
		buf_addch(out, (char)(0x80 | (c >> 6 & 63)));
		buf_addch(out, (char)(0x80 | (c & 63)));
	}
}

// Behind the quotation mark. NULL: it does not end, or has what no text may have.
static char *parse_text(struct parser *s)
{
	static const char names[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
	struct buf out = {0};
	buf_reserve(&out, 1);
	for (; s->p < s->end; s->p++) {
		unsigned char c = (unsigned char)*s->p;
		if (c == '"') {
			s->p++;
			return buf_steal(&out);
		}
		if (c < 32)
			break;
		if (c != '\\') {
			buf_addch(&out, (char)c);
			continue;
		}
		if (++s->p == s->end)
			break;
		size_t i = 0;
		while (i < sizeof names - 1 && names[i] != *s->p)
			i += 2;
		if (i < sizeof names - 1) {
			buf_addch(&out, names[i + 1]);
		} else if (*s->p == 'u') {
			s->p++;
			int code = hex4(s);
			if (code <= 0)
				break;
			put_utf8(&out, (unsigned)code);
			s->p--;
		} else {
			break;
		}
	}
	buf_release(&out);
	return NULL;
}

static bool parse_number(struct parser *s, double *ret)
{
	char text[64];
	size_t n = 0;
	while (s->p + n < s->end && n < sizeof text - 1 && s->p[n] && strchr("+-0123456789.eE", s->p[n]))
		n++;
	memcpy(text, s->p, n);
	text[n] = 0;
	char *end;
	*ret = strtod(text, &end);
	s->p += n;
	return n && !*end;
}

static bool parse_value(struct parser *s, struct json *ret);

static bool parse_members(struct parser *s, struct json *ret, bool object)
{
	struct json **last = &ret->first;
	char close = object ? '}' : ']';
	if (take(s, close))
		return true;
	do {
		struct json *j = mem_zero(sizeof *j);
		*last = j;
		last = &j->next;
		if (object && (!take(s, '"') || !(j->key = parse_text(s)) || !take(s, ':')))
			return false;
		if (!parse_value(s, j))
			return false;
	} while (take(s, ','));
	return take(s, close);
}

static bool parse_value(struct parser *s, struct json *ret)
{
	skip(s);
	if (s->p == s->end || s->depth == JSON_DEPTH)
		return false;
	bool ok = true;
	s->depth++;
	char c = *s->p;
	if (c == '{' || c == '[') {
		s->p++;
		ret->kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
		ok = parse_members(s, ret, c == '{');
	} else if (c == '"') {
		s->p++;
		ret->kind = JSON_TEXT;
		ret->text = parse_text(s);
		ok = ret->text != NULL;
	} else if (word(s, "true")) {
		ret->kind = JSON_TRUE;
	} else if (word(s, "false")) {
		ret->kind = JSON_FALSE;
	} else if (!word(s, "null")) {
		ret->kind = JSON_NUMBER;
		ok = parse_number(s, &ret->number);
	}
	s->depth--;
	return ok;
}

struct json *json_parse(const char *text, size_t n, unsigned *line)
{
	struct parser s = {.p = n ? text : "", .line = 1};
	s.end = s.p + n;
	struct json *j = mem_zero(sizeof *j);
	bool ok = parse_value(&s, j);
	skip(&s);
	*line = s.line;
	if (ok && s.p == s.end)
		return j;
	json_free(j);
	return NULL;
}

void json_free(struct json *j)
{
	while (j) {
		struct json *next = j->next;
		json_free(j->first);
		mem_free(j->key);
		mem_free(j->text);
		mem_free(j);
		j = next;
	}
}

const struct json *json_member(const struct json *j, const char *key)
{
	const struct json *m = j && j->kind == JSON_OBJECT ? j->first : NULL;
	while (m && strcmp(m->key, key) != 0)
		m = m->next;
	return m;
}

const char *json_text(const struct json *j, const char *key)
{
	const struct json *m = json_member(j, key);
	return m && m->kind == JSON_TEXT ? m->text : NULL;
}

double json_number(const struct json *j, const char *key, double missing)
{
	const struct json *m = json_member(j, key);
	return m && m->kind == JSON_NUMBER ? m->number : missing;
}
