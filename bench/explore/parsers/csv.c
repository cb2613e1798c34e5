// Reads a table of comma separated values (RFC 4180; also semicolons or tabs), and says of each column what is in it:
// whole numbers and their sum, other numbers, dates, truth values, or text.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 16, COLUMNS_MAX = 32, CELL_MAX = 256 };
enum kind { EMPTY, WHOLE, NUMBER, DATE, TRUTH, TEXT, KINDS };

struct column {
	char name[CELL_MAX];
	unsigned count[KINDS];
	long long sum;
	int overflows;
	size_t longest;
};

struct table {
	const char *text;
	size_t at, n;
	char separator;
	unsigned line, rows, columns;
	struct column column[COLUMNS_MAX];
};

static int peek(const struct table *t)
{
	return t->at < t->n ? (unsigned char)t->text[t->at] : EOF;
}

static int bad(const struct table *t, const char *what)
{
	fprintf(stderr, "line %u: %s\n", t->line, what);
	return -1;
}

// --- cells ------------------------------------------------------------------------------------

static int digits(const char *s, int n, int *ret)
{
	*ret = 0;
	for (int i = 0; i < n; i++) {
		if (!isdigit((unsigned char)s[i]))
			return 0;
		*ret = 10 * *ret + s[i] - '0';
	}
	return 1;
}

static int is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int is_date(const char *s)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year, month, day;
	if (strlen(s) != 10 || s[4] != '-' || s[7] != '-')
		return 0;
	if (!digits(s, 4, &year) || !digits(s + 5, 2, &month) || !digits(s + 8, 2, &day))
		return 0;
	if (month < 1 || month > 12 || day < 1)
		return 0;
	return day <= days[month - 1] + (month == 2 && is_leap(year));
}

static int is_truth(const char *s)
{
	static const char *const words[] = {"yes", "no", "true", "false"};
	for (int i = 0; i < 4; i++)
		if (strcmp(s, words[i]) == 0)
			return 1;
	return 0;
}

static int is_number(const char *s)
{
	int n = 0;
	s += *s == '-' || *s == '+';
	for (; isdigit((unsigned char)*s); s++)
		n++;
	if (*s == '.')
		for (s++; isdigit((unsigned char)*s); s++)
			n++;
	if (n && (*s == 'e' || *s == 'E')) {
		s++;
		s += *s == '-' || *s == '+';
		if (!isdigit((unsigned char)*s))
			return 0;
		while (isdigit((unsigned char)*s))
			s++;
	}
	return n && !*s;
}

static enum kind take_cell(struct column *c, const char *cell)
{
	char *end;
	if (!*cell)
		return EMPTY;
	errno = 0;
	long long value = strtoll(cell, &end, 10);
	if (!*end && !errno && !isspace((unsigned char)*cell)) {
		if (__builtin_add_overflow(c->sum, value, &c->sum))
			c->overflows = 1;
		return WHOLE;
	}
	if (is_number(cell))
		return NUMBER;
	if (is_date(cell))
		return DATE;
	return is_truth(cell) ? TRUTH : TEXT;
}

// --- rows -------------------------------------------------------------------------------------

static int is_end(const struct table *t)
{
	int c = peek(t);
	return c == EOF || c == '\n' || c == '\r';
}

static int add(const struct table *t, char *cell, size_t *n, int c)
{
	if (*n + 1 >= CELL_MAX)
		return bad(t, "cell too long");
	if (c == 0)
		return bad(t, "not a text");
	cell[(*n)++] = (char)c;
	return 0;
}

static int read_quoted(struct table *t, char *cell, size_t *n)
{
	for (t->at++;; t->at++) {
		int c = peek(t);
		if (c == EOF)
			return bad(t, "quote without end");
		if (c == '"') {
			t->at++;
			if (peek(t) != '"')
				break;
		}
		t->line += c == '\n';
		if (add(t, cell, n, c) < 0)
			return -1;
	}
	return is_end(t) || peek(t) == t->separator ? 0 : bad(t, "something behind a quote");
}

static int read_cell(struct table *t, char *cell)
{
	size_t n = 0;
	int r = 0;
	if (peek(t) == '"') {
		r = read_quoted(t, cell, &n);
	} else {
		for (; r == 0 && !is_end(t) && peek(t) != t->separator; t->at++)
			r = peek(t) == '"' ? bad(t, "quote inside a cell") : add(t, cell, &n, peek(t));
	}
	cell[n] = 0;
	return r;
}

static void end_line(struct table *t)
{
	if (peek(t) == '\r')
		t->at++;
	if (peek(t) == '\n')
		t->at++;
	t->line++;
}

static int read_row(struct table *t, int is_head)
{
	unsigned i = 0;
	for (;; t->at++) {
		char cell[CELL_MAX];
		if (i == (is_head ? COLUMNS_MAX : t->columns))
			return bad(t, "too many cells");
		struct column *c = &t->column[i++];
		if (read_cell(t, cell) < 0)
			return -1;
		if (is_head)
			strcpy(c->name, cell);
		else
			c->count[take_cell(c, cell)]++;
		if (strlen(cell) > c->longest)
			c->longest = strlen(cell);
		if (is_end(t))
			break;
	}
	end_line(t);
	if (is_head)
		t->columns = i;
	return i < t->columns ? bad(t, "too few cells") : 0;
}

// --- the whole --------------------------------------------------------------------------------

static char find_separator(const char *text, size_t n)
{
	size_t commas = 0, semicolons = 0, tabs = 0;
	for (size_t i = 0; i < n && text[i] != '\n'; i++) {
		commas += text[i] == ',';
		semicolons += text[i] == ';';
		tabs += text[i] == '\t';
	}
	if (tabs > commas && tabs > semicolons)
		return '\t';
	return semicolons > commas ? ';' : ',';
}

static void print_column(const struct column *c, unsigned rows)
{
	static const char *const names[] = {"empty", "whole", "number", "date", "truth", "text"};
	printf("%s:", c->name);
	for (int k = 0; k < KINDS; k++)
		if (c->count[k])
			printf(" %u %s", c->count[k], names[k]);
	if (rows && c->count[WHOLE] == rows && !c->overflows)
		printf(", sum %lld", c->sum);
	printf(", at most %zu long\n", c->longest);
}

int main(int argc, char **argv)
{
	static char text[TEXT_MAX];
	static struct table t = {.line = 1};
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : stdin;
	if (!f)
		return 2;
	t.text = text;
	t.n = fread(text, 1, sizeof text, f);
	t.at = t.n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	t.separator = find_separator(text, t.n);
	if (t.at == t.n)
		return bad(&t, "no head") != 0;
	if (read_row(&t, 1) < 0)
		return 1;
	for (; t.at < t.n; t.rows++)
		if (read_row(&t, 0) < 0)
			return 1;
	for (unsigned i = 0; i < t.columns; i++)
		print_column(&t.column[i], t.rows);
	return 0;
}
