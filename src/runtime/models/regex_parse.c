// Regular expressions as glibc reads them, all syntaxes of regex.h. Which bytes a bracket
// expression or a class like \w stands for is asked of libc. Only patterns that libc has
// compiled come here, so errors need not be found.
#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/models/regex.h"

enum { DEPTH = 100 };

enum token {
	END,
	CHARACTER,
	ATOM, // . [...] \w
	OPEN,
	CLOSE,
	ALTERNATIVE,
	CONDITION, // ^ $ \b
	STAR,
	PLUS,
	QUESTION_MARK,
	OPEN_COUNT,
	CLOSE_COUNT,
	UNKNOWN, // a back-reference, and what is rare
};

struct parser {
	const char *text;
	size_t length, at; // at: behind the token
	reg_syntax_t syntax;
	struct automaton *a;
	bool failed;
	// the token
	enum token token;
	unsigned char c;     // CHARACTER, or what an operator is when it is none
	unsigned conditions; // CONDITION; two alternatives for \b and \B
	unsigned other;
	size_t start;
};

// --- sets of bytes --------------------------------------------------------------------------

// What libc says that the atom matches.
static bool ask(const struct parser *p, const char *atom, size_t n, struct byte_set *ret)
{
	struct re_pattern_buffer buffer = {0};
	reg_syntax_t had = re_set_syntax(p->syntax & ~(reg_syntax_t)RE_NO_SUB);
	const char *error = re_compile_pattern(atom, n, &buffer);
	re_set_syntax(had);
	memset(ret, 0, sizeof *ret);
	for (unsigned c = 0; !error && c < (MB_CUR_MAX > 1 ? 128 : 256); c++) {
		char byte = (char)c;
		if (re_match(&buffer, &byte, 1, 0, NULL) == 1)
			byte_set_add(ret, c);
	}
	regfree(&buffer);
	return !error;
}

static pattern atom(struct parser *p)
{
	struct byte_set set = {0};
	if (p->token == ATOM) {
		p->failed |= !ask(p, p->text + p->start, p->at - p->start, &set);
		return automaton_byte(p->a, &set);
	}
	if (MB_CUR_MAX > 1 && p->c >= 128)
		p->failed = true;
	byte_set_add(&set, p->c);
	for (unsigned c = 0; c < 256 && p->syntax & RE_ICASE; c++)
		if (tolower((int)c) == tolower(p->c))
			byte_set_add(&set, c);
	return automaton_byte(p->a, &set);
}

// --- tokens ------------------------------------------------------------------------------------

static void condition(struct parser *p, unsigned conditions, unsigned other)
{
	p->token = CONDITION;
	p->conditions = conditions;
	p->other = other;
}

static void escaped_by_letter(struct parser *p)
{
	switch (p->c) {
	case '<': return condition(p, AFTER_OTHER | BEFORE_WORD, 0);
	case '>': return condition(p, AFTER_WORD | BEFORE_OTHER, 0);
	case 'b': return condition(p, AFTER_OTHER | BEFORE_WORD, AFTER_WORD | BEFORE_OTHER);
	case 'B': return condition(p, AFTER_WORD | BEFORE_WORD, AFTER_OTHER | BEFORE_OTHER);
	case '`': return condition(p, AT_START, 0);
	case '\'': return condition(p, AT_END, 0);
	case 'w':
	case 'W':
	case 's':
	case 'S': p->token = ATOM; return;
	default: return;
	}
}

static void escaped(struct parser *p)
{
	reg_syntax_t s = p->syntax;
	p->c = (unsigned char)p->text[p->at++];
	switch (p->c) {
	case '|':
		if (!(s & RE_LIMITED_OPS) && !(s & RE_NO_BK_VBAR))
			p->token = ALTERNATIVE;
		return;
	case '(':
	case ')':
		if (!(s & RE_NO_BK_PARENS))
			p->token = p->c == '(' ? OPEN : CLOSE;
		return;
	case '+':
	case '?':
		if (!(s & RE_LIMITED_OPS) && s & RE_BK_PLUS_QM)
			p->token = p->c == '+' ? PLUS : QUESTION_MARK;
		return;
	case '{':
	case '}':
		if (s & RE_INTERVALS && !(s & RE_NO_BK_BRACES))
			p->token = p->c == '{' ? OPEN_COUNT : CLOSE_COUNT;
		return;
	default: break;
	}
	if (p->c >= '1' && p->c <= '9' && !(s & RE_NO_BK_REFS))
		p->token = UNKNOWN;
	else if (!(s & RE_NO_GNU_OPS))
		escaped_by_letter(p);
}

// Behind '[': moves behind the bracket that ends it.
static void bracket(struct parser *p)
{
	size_t i = p->at;
	p->token = ATOM;
	if (i < p->length && p->text[i] == '^')
		i++;
	if (i < p->length && p->text[i] == ']')
		i++;
	while (i < p->length && p->text[i] != ']') {
		char next = i + 1 < p->length ? p->text[i + 1] : 0;
		if (p->text[i] == '\\' && p->syntax & RE_BACKSLASH_ESCAPE_IN_LISTS) {
			i += 2;
		} else if (p->text[i] == '[' && (next == '.' || next == '=')) {
			p->token = UNKNOWN; // may stand for more than a byte
			return;
		} else if (p->text[i] == '[' && next == ':' && p->syntax & RE_CHAR_CLASSES) {
			i += 2;
			while (i + 1 < p->length && !(p->text[i] == ':' && p->text[i + 1] == ']'))
				i++;
			i += 2;
		} else {
			i++;
		}
	}
	p->at = i + 1;
	if (i >= p->length)
		p->token = UNKNOWN;
}

static void next(struct parser *p, bool anchors_here);

// Is '$' an anchor although more follows?
static bool ends_here(const struct parser *p)
{
	struct parser ahead = *p;
	if (p->syntax & RE_CONTEXT_INDEP_ANCHORS || p->at == p->length)
		return true;
	next(&ahead, false);
	return ahead.token == ALTERNATIVE || ahead.token == CLOSE;
}

static bool starts_here(const struct parser *p, bool anchors_here)
{
	return p->syntax & RE_CONTEXT_INDEP_ANCHORS || anchors_here || p->start == 0 ||
	       (p->syntax & RE_NEWLINE_ALT && p->text[p->start - 1] == '\n');
}

static void next(struct parser *p, bool anchors_here)
{
	reg_syntax_t s = p->syntax;
	p->start = p->at;
	p->token = END;
	if (p->at == p->length)
		return;
	p->token = CHARACTER;
	p->c = (unsigned char)p->text[p->at++];
	switch (p->c) {
	case '\\':
		if (p->at == p->length)
			p->token = UNKNOWN;
		else
			escaped(p);
		return;
	case '\n':
		if (s & RE_NEWLINE_ALT)
			p->token = ALTERNATIVE;
		return;
	case '|':
		if (!(s & RE_LIMITED_OPS) && s & RE_NO_BK_VBAR)
			p->token = ALTERNATIVE;
		return;
	case '*': p->token = STAR; return;
	case '+':
	case '?':
		if (!(s & RE_LIMITED_OPS) && !(s & RE_BK_PLUS_QM))
			p->token = p->c == '+' ? PLUS : QUESTION_MARK;
		return;
	case '{':
	case '}':
		if (s & RE_INTERVALS && s & RE_NO_BK_BRACES)
			p->token = p->c == '{' ? OPEN_COUNT : CLOSE_COUNT;
		return;
	case '(':
	case ')':
		if (s & RE_NO_BK_PARENS)
			p->token = p->c == '(' ? OPEN : CLOSE;
		return;
	case '[': bracket(p); return;
	case '.': p->token = ATOM; return;
	case '^':
		if (starts_here(p, anchors_here))
			condition(p, AT_LINE_START, 0);
		return;
	case '$':
		if (ends_here(p))
			condition(p, AT_LINE_END, 0);
		return;
	default: return;
	}
}

// --- grammar ---------------------------------------------------------------------------------------

static pattern alternatives(struct parser *p, unsigned depth);

static bool is_repetition(enum token t)
{
	return t == STAR || t == PLUS || t == QUESTION_MARK || t == OPEN_COUNT;
}

// Digits of an interval; -1 when there are none.
static int count(struct parser *p)
{
	int n = -1;
	for (next(p, false); p->token == CHARACTER && isdigit(p->c) && n < 10000; next(p, false))
		n = (n < 0 ? 0 : n * 10) + (p->c - '0');
	return n;
}

// Behind an expression: the repetition that the token is.
static pattern repetition(struct parser *p, pattern what)
{
	int least = p->token == PLUS, most = p->token == QUESTION_MARK ? 1 : AUTOMATON_NO_LIMIT;
	if (p->token == OPEN_COUNT) {
		least = count(p);
		bool range = p->token == CHARACTER && p->c == ',';
		most = range ? count(p) : least;
		if (range && most < 0)
			most = AUTOMATON_NO_LIMIT;
		if (p->token != CLOSE_COUNT || (least < 0 && !range))
			p->failed = true; // taken as characters, in some syntaxes
		least = least < 0 ? 0 : least;
	}
	next(p, false);
	if (most == 0 || p->failed)
		return automaton_empty(p->a);
	return automaton_repeat(p->a, what, (unsigned)least, (unsigned)most);
}

static pattern group(struct parser *p, unsigned depth)
{
	next(p, true);
	pattern r = p->token == CLOSE ? automaton_empty(p->a) : alternatives(p, depth + 1);
	p->failed |= p->token != CLOSE;
	return r;
}

// Nothing may be repeated behind ^ and its like.
static pattern anchor(struct parser *p)
{
	pattern r = automaton_condition(p->a, p->conditions);
	if (p->other)
		r = automaton_either(p->a, r, automaton_condition(p->a, p->other));
	next(p, false);
	return r;
}

static pattern expression(struct parser *p, unsigned depth)
{
	pattern r;
	if (depth > DEPTH || p->token == UNKNOWN)
		p->failed = true;
	if (p->failed || p->token == ALTERNATIVE || p->token == END)
		return automaton_empty(p->a);
	if (p->token == CONDITION)
		return anchor(p);
	if (is_repetition(p->token) && p->syntax & RE_CONTEXT_INDEP_OPS) { // with nothing to repeat
		next(p, false);
		return expression(p, depth + 1);
	}
	r = p->token == OPEN ? group(p, depth) : atom(p); // an operator out of place is a character
	next(p, false);
	while (is_repetition(p->token) && !p->failed)
		r = repetition(p, r);
	return r;
}

static bool ends_branch(const struct parser *p, unsigned depth)
{
	return p->failed || p->token == ALTERNATIVE || p->token == END || (depth && p->token == CLOSE);
}

static pattern branch(struct parser *p, unsigned depth)
{
	pattern r = expression(p, depth);
	while (!ends_branch(p, depth))
		r = automaton_both(p->a, r, expression(p, depth));
	return r;
}

// depth: 0 outside of groups
static pattern alternatives(struct parser *p, unsigned depth)
{
	pattern r = branch(p, depth);
	while (p->token == ALTERNATIVE && !p->failed) {
		next(p, true);
		pattern other = ends_branch(p, depth) ? automaton_empty(p->a) : branch(p, depth);
		r = automaton_either(p->a, r, other);
	}
	return r;
}

struct automaton *regex_parse(const char *text, size_t length, reg_syntax_t syntax)
{
	struct parser p = {.text = text, .length = length, .syntax = syntax, .a = automaton_new()};
	if (!p.a)
		return NULL;
	next(&p, true);
	pattern whole = alternatives(&p, 0);
	if (!p.failed && p.token == END && automaton_finish(p.a, whole))
		return p.a;
	automaton_free(p.a);
	return NULL;
}
