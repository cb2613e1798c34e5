// The text of a function, copied out of its source. What of C is understood: comments, literals, lines of the
// preprocessor, brackets, labels, and where statements end.
#include <ctype.h>
#include <string.h>

#include "export/fragment_internal.h"

struct text {
	const char *s;
	size_t end; // of what is looked at
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

// Behind the comment, literal or line of the preprocessor that begins at `i`; `i` itself: none does.
static size_t skip_one(const struct text *t, size_t i)
{
	const char *s = t->s;
	size_t start = i;
	if (s[i] == '/' && s[i + 1] == '/') {
		while (i < t->end && s[i] != '\n')
			i++;
	} else if (s[i] == '/' && s[i + 1] == '*') {
		const char *close = strstr(s + i + 2, "*/");
		i = close ? (size_t)(close - s) + 2 : t->end;
	} else if (s[i] == '"' || s[i] == '\'') {
		for (i++; i < t->end && s[i] != s[start]; i++)
			i += s[i] == '\\';
		i++;
	} else if (s[i] == '#') {
		size_t k = i;
		while (k > 0 && (s[k - 1] == ' ' || s[k - 1] == '\t'))
			k--;
		if (k == 0 || s[k - 1] == '\n')
			while (i < t->end && (s[i] != '\n' || s[i - 1] == '\\'))
				i++;
	}
	return i < t->end ? i : t->end;
}

static size_t skip_blank(const struct text *t, size_t i)
{
	for (;;) {
		size_t before = i;
		while (i < t->end && isspace((unsigned char)t->s[i]))
			i++;
		if (i < t->end && (t->s[i] == '/' || t->s[i] == '#'))
			i = skip_one(t, i);
		if (i == before)
			return i;
	}
}

// Behind the bracket that closes the one at `i`; t->end: there is none.
static size_t behind_bracket(const struct text *t, size_t i)
{
	unsigned depth = 0;
	while (i < t->end) {
		size_t next = skip_one(t, i);
		if (next != i) {
			i = next;
			continue;
		}
		char c = t->s[i++];
		depth += c == '(' || c == '{' || c == '[';
		depth -= c == ')' || c == '}' || c == ']';
		if (!depth)
			return i;
	}
	return t->end;
}

static bool is_at(const struct text *t, size_t i, const char *word)
{
	size_t n = strlen(word);
	return i + n <= t->end && strncmp(t->s + i, word, n) == 0 && !is_word(t->s[i + n]) &&
	       (!i || !is_word(t->s[i - 1]));
}

// Behind the statement that begins at `i`.
static size_t behind_statement(const struct text *t, size_t i, unsigned depth)
{
	i = skip_blank(t, i);
	if (i >= t->end || depth > 100)
		return t->end;
	if (t->s[i] == '{')
		return behind_bracket(t, i);
	if (is_at(t, i, "do")) {
		i = skip_blank(t, behind_statement(t, i + 2, depth + 1));
		return is_at(t, i, "while") ? behind_statement(t, i + 5, depth + 1) : t->end;
	}
	bool is_if = is_at(t, i, "if");
	if (is_if || is_at(t, i, "for") || is_at(t, i, "while") || is_at(t, i, "switch")) {
		while (i < t->end && t->s[i] != '(')
			i++;
		i = behind_statement(t, behind_bracket(t, i), depth + 1);
		size_t more = skip_blank(t, i);
		return is_if && is_at(t, more, "else") ? behind_statement(t, more + 4, depth + 1) : i;
	}
	// A macro may stand for a statement, without a semicolon: then it ends with the block around it.
	while (i < t->end && t->s[i] != ';' && t->s[i] != '}') {
		size_t next = skip_one(t, i);
		if (next == i)
			next = strchr("([{", t->s[i]) ? behind_bracket(t, i) : i + 1;
		i = next;
	}
	return i < t->end ? i + (t->s[i] == ';') : t->end;
}

static size_t line_start(const char *s, uint32_t line)
{
	size_t i = 0;
	for (uint32_t n = 1; n < line && s[i]; i++)
		n += s[i] == '\n';
	return i;
}

// The body's opening brace: behind the name and its parameters, and, in old code, their declarations.
static bool find_body(const struct fragment_copy *c, struct text *t, size_t *ret_from)
{
	t->s = c->text;
	t->end = strlen(c->text);
	size_t i = line_start(c->text, c->line);
	while (i < t->end && !is_at(t, i, c->name)) {
		size_t next = skip_one(t, i);
		i = next == i ? i + 1 : next;
	}
	for (bool parameters = false; i < t->end;) {
		size_t next = skip_one(t, i);
		if (next != i) {
			i = next;
		} else if (t->s[i] == '(') {
			i = behind_bracket(t, i);
			parameters = true;
		} else if (t->s[i] == '{' && parameters) {
			size_t end = behind_bracket(t, i);
			bool whole = end < t->end || t->s[end - 1] == '}';
			*ret_from = i;
			t->end = end;
			return whole;
		} else {
			i++;
		}
	}
	return false;
}

static void add(struct buf *out, const struct text *t, size_t from, size_t to)
{
	buf_add(out, t->s + from, to - from);
}

// Does the first part of a `for` declare something? Two words, or a word and a star, as in "int i", "T *p".
static bool declares(const struct text *t, size_t from, size_t to)
{
	size_t i = skip_blank(t, from);
	if (i >= to || !is_word(t->s[i]) || isdigit((unsigned char)t->s[i]))
		return false;
	while (i < to && is_word(t->s[i]))
		i++;
	i = skip_blank(t, i);
	return i < to && (is_word(t->s[i]) || t->s[i] == '*');
}

// A loop at its head: the same loop once more, which the jump leads to. The first part of a `for` stands before both.
static bool add_loop(const struct fragment_copy *c, const struct text *t, size_t at, size_t *ret_behind,
                     struct buf *out)
{
	size_t behind = behind_statement(t, at, 0), header = at;
	bool is_for = is_at(t, at, "for"), own = false;
	while (header < behind && t->s[header] != '(')
		header++;
	if (behind >= t->end || header >= behind)
		return false;
	size_t condition = header + 1;
	while (is_for && condition < behind && t->s[condition] != ';') {
		size_t next = skip_one(t, condition);
		if (next == condition)
			next = strchr("([{", t->s[condition]) ? behind_bracket(t, condition) : condition + 1;
		condition = next;
	}
	buf_addstr(out, "{\n");
	own = is_for && declares(t, header + 1, condition);
	if (own) {
		add(out, t, header + 1, condition);
		buf_addstr(out, ";\n");
	}
	buf_printf(out, "if (%s) {\nveer_marker:\n%s%s", c->flag, c->set, is_for ? "for (" : "");
	add(out, t, is_for ? condition : at, behind);
	buf_printf(out, "\n} else\n%s", is_for ? "for (" : "");
	add(out, t, own ? condition : is_for ? header + 1 : at, behind);
	buf_addstr(out, "\n}\n");
	*ret_behind = behind;
	return true;
}

static bool is_label(const struct text *t, size_t i)
{
	if (is_at(t, i, "default") || !is_word(t->s[i]) || isdigit((unsigned char)t->s[i]))
		return false;
	while (i < t->end && is_word(t->s[i]))
		i++;
	i = skip_blank(t, i);
	return i < t->end && t->s[i] == ':';
}

static bool add_entered(const struct fragment_copy *c, const struct text *t, size_t from, struct buf *out,
                        const char **reason)
{
	size_t at = line_start(t->s, c->marker->line) + (c->marker->column ? c->marker->column - 1 : 0), behind;
	*reason = "its marker is not to be found in the source";
	if (at <= from || at >= t->end)
		return false;
	buf_printf(out, "{\n\tif (%s)\n\t\tgoto veer_marker;\n", c->flag);
	if (is_label(t, at)) {
		while (t->s[at] != ':')
			at++;
		add(out, t, from + 1, at + 1);
		buf_printf(out, "\nveer_marker:\n\tif (%s) {\n%s}\n", c->flag, c->set);
		behind = at + 1;
	} else if (is_at(t, at, "do")) {
		size_t brace = skip_blank(t, at + 2);
		if (t->s[brace] != '{')
			return false;
		add(out, t, from + 1, brace + 1);
		buf_printf(out, "\nveer_marker:\n\tif (%s) {\n%s}\n", c->flag, c->set);
		behind = brace + 1;
	} else if (is_at(t, at, "for") || is_at(t, at, "while")) {
		add(out, t, from + 1, at);
		if (!add_loop(c, t, at, &behind, out))
			return false;
	} else {
		*reason = c->marker->kind == SHAPE_AT_SPLIT ? "its marker is inside of a statement" : *reason;
		return false;
	}
	add(out, t, behind, t->end);
	return true;
}

// --- statements -----------------------------------------------------------------------------------

static size_t mark_block(const struct text *t, size_t i, const char *mark, unsigned depth, struct buf *out);
static size_t mark_statement(const struct text *t, size_t i, const char *mark, unsigned depth, struct buf *out);

// Behind the labels that stand before a statement.
static size_t skip_labels(const struct text *t, size_t i)
{
	for (;;) {
		size_t at = i;
		if (is_at(t, i, "case"))
			while (at < t->end && t->s[at] != ':' && t->s[at] != ';') {
				size_t next = skip_one(t, at);
				at = next == at ? at + 1 : next;
			}
		else if (is_at(t, i, "default") || is_label(t, i))
			while (at < t->end && t->s[at] != ':')
				at++;
		if (at == i || at >= t->end || t->s[at] != ':')
			return i;
		i = skip_blank(t, at + 1);
	}
}

static bool has_directive(const struct text *t, size_t from, size_t to)
{
	bool is_first = false;
	for (size_t i = from; i < to; i++) {
		if (is_first && t->s[i] == '#')
			return true;
		is_first = t->s[i] == '\n' || (is_first && isspace((unsigned char)t->s[i]));
	}
	return false;
}

// What an `if` or a loop has for a body: a block of its own, unless lines of the preprocessor may end it elsewhere.
static size_t mark_body(const struct text *t, size_t i, const char *mark, unsigned depth, struct buf *out)
{
	size_t at = skip_blank(t, i), behind = behind_statement(t, at, depth);
	add(out, t, i, at);
	if (t->s[at] == '{' && !has_directive(t, i, at)) {
		mark_block(t, at, mark, depth + 1, out);
	} else if (has_directive(t, i, behind) || skip_labels(t, at) != at) {
		add(out, t, at, behind);
	} else {
		buf_addstr(out, "{\n");
		buf_addstr(out, mark);
		mark_statement(t, at, mark, depth + 1, out);
		buf_addstr(out, "\n}\n");
	}
	return behind;
}

// A statement without its labels, whose mark stands before it.
static size_t mark_statement(const struct text *t, size_t i, const char *mark, unsigned depth, struct buf *out)
{
	bool is_if = is_at(t, i, "if"), is_do = is_at(t, i, "do");
	size_t behind = behind_statement(t, i, 0), at = i;
	if (depth > 50 ||
	    (!is_if && !is_do && !is_at(t, i, "for") && !is_at(t, i, "while") && !is_at(t, i, "switch"))) {
		add(out, t, i, behind);
		return behind;
	}
	if (is_do) {
		at = i + 2;
	} else {
		while (at < behind && t->s[at] != '(')
			at++;
		at = behind_bracket(t, at);
	}
	add(out, t, i, at);
	at = mark_body(t, at, mark, depth, out);
	size_t more = skip_blank(t, at);
	if (is_if && is_at(t, more, "else")) {
		add(out, t, at, more + 4);
		at = mark_body(t, more + 4, mark, depth, out);
	}
	if (at < behind) // the condition of a `do`
		add(out, t, at, behind);
	return behind;
}

// A block, with the mark before each of its statements. Returns what is behind it.
static size_t mark_block(const struct text *t, size_t i, const char *mark, unsigned depth, struct buf *out)
{
	size_t behind = behind_bracket(t, i);
	struct text inside = {t->s, behind - 1};
	add(out, t, i, i + 1);
	for (i++; i < inside.end;) {
		size_t at = skip_blank(&inside, i), labels = skip_labels(&inside, at);
		add(out, t, i, labels);
		i = labels;
		if (i >= inside.end)
			break;
		if (t->s[i] == '{' && depth < 50) {
			i = mark_block(&inside, i, mark, depth + 1, out);
			continue;
		}
		buf_addstr(out, mark);
		i = mark_statement(&inside, i, mark, depth + 1, out);
	}
	add(out, t, inside.end, behind);
	return behind;
}

static void mark_statements(const char *mark, struct buf *body)
{
	struct buf out = {0};
	const struct text t = {body->data, body->len};
	mark_block(&t, 0, mark, 0, &out);
	buf_release(body);
	*body = out;
}

bool fragment_copy_body(const struct fragment_copy *c, struct buf *out, const char **reason)
{
	struct text t;
	size_t from;
	struct buf body = {0};
	*reason = "the text of the function is not to be found in the source";
	if (!find_body(c, &t, &from))
		return false;
	bool good = true;
	if (c->marker)
		good = add_entered(c, &t, from, &body, reason);
	else
		add(&body, &t, from, t.end);
	buf_addstr(&body, "");
	if (good && c->mark)
		mark_statements(c->mark, &body);
	if (good)
		buf_add(out, body.data, body.len);
	buf_release(&body);
	return good;
}
