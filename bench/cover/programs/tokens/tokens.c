// tokens: splits standard input, a program in a language like C, into tokens and prints one a line:
//
//   LINE:COLUMN KIND TEXT
//
// Kinds: keyword, name, integer, real, character, string, operator; errors are tokens, too. Options: -c prints
// comments, -s a summary instead of tokens, -n no positions.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 256, MAX_DEPTH = 32 };

enum kind {
	T_END,
	T_KEYWORD,
	T_NAME,
	T_INTEGER,
	T_REAL,
	T_CHARACTER,
	T_STRING,
	T_OPERATOR,
	T_COMMENT,
	T_DIRECTIVE,
	T_ERROR,
	KINDS
};

static const char *const kind_names[KINDS] = {"end",    "keyword",  "name",    "integer",   "real", "character",
                                              "string", "operator", "comment", "directive", "error"};

static const char *const keywords[] = {
	"break",  "case",   "char",   "const",  "continue", "default", "do",       "double", "else",     "enum",
	"extern", "float",  "for",    "goto",   "if",       "int",     "long",     "return", "short",    "signed",
	"sizeof", "static", "struct", "switch", "typedef",  "union",   "unsigned", "void",   "volatile", "while"};

static const char *const operators[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                                        "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};

struct token {
	enum kind kind;
	int line, column;
	char text[MAX_TEXT];
	int length;
	const char *error;
	unsigned long value; // of integers and characters
};

struct source {
	FILE *in;
	int ahead[3], n_ahead; // characters that were looked at
	int line, column;
	int start_of_line; // nothing but blanks since the line began
	char open[MAX_DEPTH];
	int depth;
};

// --- characters ------------------------------------------------------------------------------

static int look(struct source *s, int n)
{
	while (s->n_ahead <= n)
		s->ahead[s->n_ahead++] = getc(s->in);
	return s->ahead[n];
}

static int next(struct source *s)
{
	int c = look(s, 0);
	s->n_ahead--;
	for (int i = 0; i < s->n_ahead; i++)
		s->ahead[i] = s->ahead[i + 1];
	if (c == '\n') {
		s->line++;
		s->column = 0;
		s->start_of_line = 1;
	} else if (c != EOF) {
		s->column++;
		if (c != ' ' && c != '\t')
			s->start_of_line = 0;
	}
	return c;
}

static void keep(struct token *t, int c)
{
	if (t->length < MAX_TEXT - 1)
		t->text[t->length++] = (char)c;
	else if (!t->error)
		t->error = "too long";
	t->text[t->length] = 0;
}

static void take(struct source *s, struct token *t)
{
	keep(t, next(s));
}

static int is_name_start(int c)
{
	return c == '_' || (c < 128 && isalpha(c));
}

static int is_name_part(int c)
{
	return is_name_start(c) || (c >= '0' && c <= '9');
}

static int digit_value(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

// --- comments and directives -----------------------------------------------------------------

static void line_comment(struct source *s, struct token *t)
{
	t->kind = T_COMMENT;
	while (look(s, 0) != EOF && look(s, 0) != '\n') {
		if (look(s, 0) == '\\' && look(s, 1) == '\n')
			next(s);
		take(s, t);
	}
}

static void block_comment(struct source *s, struct token *t)
{
	t->kind = T_COMMENT;
	take(s, t);
	take(s, t);
	while (look(s, 0) != EOF) {
		if (look(s, 0) == '*' && look(s, 1) == '/') {
			take(s, t);
			take(s, t);
			return;
		}
		int c = next(s);
		keep(t, c == '\n' ? ' ' : c);
	}
	t->error = "comment without end";
}

static void directive(struct source *s, struct token *t)
{
	t->kind = T_DIRECTIVE;
	while (look(s, 0) != EOF && look(s, 0) != '\n') {
		if (look(s, 0) == '\\' && look(s, 1) == '\n') {
			next(s);
			next(s);
			keep(t, ' ');
			continue;
		}
		if (look(s, 0) == '/' && (look(s, 1) == '/' || look(s, 1) == '*'))
			break;
		take(s, t);
	}
	while (t->length && t->text[t->length - 1] == ' ')
		t->text[--t->length] = 0;
}

// --- numbers ---------------------------------------------------------------------------------

static void digits(struct source *s, struct token *t, int base)
{
	int separated = 0;
	for (;;) {
		int c = look(s, 0), v = digit_value(c);
		if (c == '\'' && digit_value(look(s, 1)) < base) { // 1'000
			next(s);
			separated = 1;
			continue;
		}
		if (v >= base) {
			if (separated && c == '\'')
				t->error = "digit separator at the end";
			return;
		}
		if (t->value > (~0ul - (unsigned long)v) / (unsigned long)base)
			t->error = "number too large";
		else
			t->value = t->value * (unsigned long)base + (unsigned long)v;
		take(s, t);
	}
}

static void exponent(struct source *s, struct token *t)
{
	take(s, t);
	if (look(s, 0) == '+' || look(s, 0) == '-')
		take(s, t);
	if (digit_value(look(s, 0)) > 9) {
		t->error = "exponent without digits";
		return;
	}
	while (digit_value(look(s, 0)) <= 9)
		take(s, t);
}

// u, l, ll in either order; of reals f or l.
static void suffix(struct source *s, struct token *t)
{
	int u = 0, l = 0, f = 0;
	while (is_name_part(look(s, 0))) {
		int c = tolower(look(s, 0));
		if (c == 'u')
			u++;
		else if (c == 'l')
			l++;
		else if (c == 'f')
			f++;
		else if (!t->error)
			t->error = "bad suffix";
		take(s, t);
	}
	if (t->error)
		return;
	if (t->kind == T_REAL ? (u || f + l > 1) : (u > 1 || l > 2 || f))
		t->error = "bad suffix";
}

static void number(struct source *s, struct token *t)
{
	int base = 10;
	t->kind = T_INTEGER;
	if (look(s, 0) == '0' && (look(s, 1) == 'x' || look(s, 1) == 'X'))
		base = 16;
	else if (look(s, 0) == '0' && (look(s, 1) == 'b' || look(s, 1) == 'B'))
		base = 2;
	if (base != 10) {
		take(s, t);
		take(s, t);
		if (digit_value(look(s, 0)) >= base)
			t->error = "number without digits";
		digits(s, t, base);
	} else {
		int octal = look(s, 0) == '0';
		digits(s, t, 10);
		if (look(s, 0) == '.' && look(s, 1) != '.') {
			t->kind = T_REAL;
			take(s, t);
			while (digit_value(look(s, 0)) <= 9)
				take(s, t);
		}
		if (look(s, 0) == 'e' || look(s, 0) == 'E') {
			t->kind = T_REAL;
			exponent(s, t);
		}
		if (octal && t->kind == T_INTEGER && (strchr(t->text, '8') || strchr(t->text, '9')))
			t->error = "bad octal digit";
		else if (octal && t->kind == T_INTEGER)
			t->value = strtoul(t->text, NULL, 8);
	}
	suffix(s, t);
}

// --- characters and strings ------------------------------------------------------------------

static unsigned escape(struct source *s, struct token *t)
{
	static const char from[] = "abfnrtv\\'\"?0", to[] = "\a\b\f\n\r\t\v\\'\"?";
	unsigned value = 0;
	take(s, t); // the backslash
	int c = look(s, 0);
	if (c == EOF || c == '\n') {
		t->error = "escape without character";
		return 0;
	}
	if (c >= '0' && c <= '7') {
		for (int n = 0; n < 3 && look(s, 0) >= '0' && look(s, 0) <= '7'; n++) {
			value = value * 8 + (unsigned)(look(s, 0) - '0');
			take(s, t);
		}
		if (value > 255)
			t->error = "octal escape too large";
		return value;
	}
	take(s, t);
	if (c == 'x') {
		int n = 0;
		for (; digit_value(look(s, 0)) < 16; n++) {
			value = value * 16 + (unsigned)digit_value(look(s, 0));
			take(s, t);
		}
		if (n == 0 || n > 2)
			t->error = n ? "hexadecimal escape too large" : "\\x without digits";
		return value & 255;
	}
	const char *at = c ? strchr(from, c) : NULL;
	if (!at) {
		t->error = "unknown escape";
		return (unsigned)c;
	}
	return (unsigned char)to[at - from];
}

static void quoted(struct source *s, struct token *t, int quote)
{
	int n = 0;
	t->kind = quote == '"' ? T_STRING : T_CHARACTER;
	take(s, t);
	while (look(s, 0) != quote) {
		int c = look(s, 0);
		if (c == EOF || c == '\n') {
			t->error = quote == '"' ? "string without end" : "character without end";
			return;
		}
		unsigned value = c == '\\' ? escape(s, t) : (unsigned)c;
		if (c != '\\')
			take(s, t);
		if (quote == '\'')
			t->value = t->value << 8 | (value & 255);
		n++;
	}
	take(s, t);
	if (quote == '\'' && (n == 0 || n > 4) && !t->error)
		t->error = n ? "too many characters" : "empty character";
}

// --- names and operators ---------------------------------------------------------------------

static int by_name(const void *a, const void *b)
{
	return strcmp(a, *(const char *const *)b);
}

static void name(struct source *s, struct token *t)
{
	while (is_name_part(look(s, 0)))
		take(s, t);
	t->kind = bsearch(t->text, keywords, sizeof keywords / sizeof *keywords, sizeof *keywords, by_name) ? T_KEYWORD
	                                                                                                    : T_NAME;
}

static void bracket(struct source *s, struct token *t, int c)
{
	static const char opening[] = "([{", closing[] = ")]}";
	const char *at = strchr(opening, c);
	if (at) {
		if (s->depth == MAX_DEPTH)
			t->error = "brackets too deep";
		else
			s->open[s->depth++] = closing[at - opening];
		return;
	}
	if (s->depth == 0)
		t->error = "bracket was not opened";
	else if (s->open[--s->depth] != c)
		t->error = "wrong bracket";
}

static void operator(struct source *s, struct token *t)
{
	t->kind = T_OPERATOR;
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
		const char *o = operators[i];
		if (look(s, 0) != o[0] || look(s, 1) != o[1] || (o[2] && look(s, 2) != o[2]))
			continue;
		for (; *o; o++)
			take(s, t);
		return;
	}
	int c = look(s, 0);
	take(s, t);
	if (strchr("()[]{}", c))
		bracket(s, t, c);
	else if (!strchr("+-*/%<>=!&|^~?:;,.#", c) || c == 0)
		t->error = "unknown character";
}

static void blanks(struct source *s)
{
	for (;;) {
		int c = look(s, 0);
		if (c == '\\' && look(s, 1) == '\n')
			next(s);
		else if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f')
			return;
		next(s);
	}
}

static void get_token(struct source *s, struct token *t)
{
	memset(t, 0, sizeof *t);
	blanks(s);
	t->line = s->line;
	t->column = s->column + 1;
	int c = look(s, 0);
	if (c == EOF)
		t->kind = T_END;
	else if (c == '#' && s->start_of_line)
		directive(s, t);
	else if (c == '/' && look(s, 1) == '/')
		line_comment(s, t);
	else if (c == '/' && look(s, 1) == '*')
		block_comment(s, t);
	else if (is_name_start(c))
		name(s, t);
	else if (digit_value(c) <= 9 || (c == '.' && digit_value(look(s, 1)) <= 9))
		number(s, t);
	else if (c == '"' || c == '\'')
		quoted(s, t, c);
	else
		operator(s, t);
	if (t->kind == T_END && s->depth > 0) {
		t->error = "bracket is not closed";
		s->depth = 0;
	}
}

// --- the program -----------------------------------------------------------------------------

struct options {
	int comments, summary, no_places;
};

static void print(const struct token *t, const struct options *o)
{
	if (!o->no_places)
		printf("%d:%d ", t->line, t->column);
	printf("%s", t->error ? kind_names[T_ERROR] : kind_names[t->kind]);
	if (t->length)
		printf(" %s", t->text);
	if (t->error)
		printf(" (%s)", t->error);
	else if (t->kind == T_INTEGER || t->kind == T_CHARACTER)
		printf(" = %lu", t->value);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct source s = {.in = stdin, .line = 1, .start_of_line = 1};
	struct options o = {0};
	struct token t;
	long counts[KINDS] = {0};
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-c") == 0)
			o.comments = 1;
		else if (strcmp(argv[i], "-s") == 0)
			o.summary = 1;
		else if (strcmp(argv[i], "-n") == 0)
			o.no_places = 1;
		else {
			fprintf(stderr, "usage: tokens [-c] [-n] [-s] <FILE\n");
			return 2;
		}
	}
	do {
		get_token(&s, &t);
		counts[t.error ? T_ERROR : t.kind]++;
		if (o.summary || (t.kind == T_COMMENT && !o.comments && !t.error) || (t.kind == T_END && !t.error))
			continue;
		print(&t, &o);
	} while (t.kind != T_END);
	for (int k = 0; k < KINDS && o.summary; k++)
		if (counts[k] && k != T_END)
			printf("%-10s %ld\n", kind_names[k], counts[k]);
	return counts[T_ERROR] > 0;
}
