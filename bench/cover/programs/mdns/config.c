#include "config.h"

#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 256 };
enum token { TOKEN_END, TOKEN_LINE, TOKEN_WORD, TOKEN_TEXT, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_BAD };

struct reader {
	struct host *host;
	const char *at;
	int line;
	char word[WORD_MAX];
	enum token token;
	struct config_error *err;
};

static int fail(struct reader *r, const char *why)
{
	if (!r->err->why) {
		r->err->why = why;
		r->err->line = r->line;
	}
	return -1;
}

// --- words -----------------------------------------------------------------------------------

static enum token read_text(struct reader *r)
{
	int n = 0;
	for (r->at++; *r->at != '"'; r->at++) {
		if (!*r->at || *r->at == '\n' || n == WORD_MAX - 1)
			return TOKEN_BAD;
		if (*r->at == '\\' && (r->at[1] == '"' || r->at[1] == '\\'))
			r->at++;
		r->word[n++] = *r->at;
	}
	r->at++;
	r->word[n] = 0;
	return TOKEN_TEXT;
}

static int ends_word(int c)
{
	return !c || c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '{' || c == '}' || c == '"' || c == '#';
}

static enum token read_token(struct reader *r)
{
	int n = 0;
	while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
		r->at++;
	if (*r->at == '#')
		while (*r->at && *r->at != '\n')
			r->at++;
	switch (*r->at) {
	case 0: return TOKEN_END;
	case '\n': r->at++; return TOKEN_LINE;
	case '{': r->at++; return TOKEN_OPEN;
	case '}': r->at++; return TOKEN_CLOSE;
	case '"': return read_text(r);
	}
	while (!ends_word((unsigned char)*r->at)) {
		if (n == WORD_MAX - 1)
			return TOKEN_BAD;
		r->word[n++] = *r->at++;
	}
	r->word[n] = 0;
	return TOKEN_WORD;
}

static void advance(struct reader *r)
{
	if (r->token == TOKEN_LINE)
		r->line++;
	r->token = read_token(r);
}

static int expect_line(struct reader *r)
{
	if (r->token != TOKEN_LINE && r->token != TOKEN_END)
		return fail(r, "too much on the line");
	return 0;
}

// A word or a text; -1: there is none.
static int expect_word(struct reader *r, char *word, const char *why)
{
	if (r->token != TOKEN_WORD && r->token != TOKEN_TEXT)
		return fail(r, r->token == TOKEN_BAD ? "text without end" : why);
	strcpy(word, r->word);
	advance(r);
	return 0;
}

static int expect_number(struct reader *r, unsigned *ret)
{
	char word[WORD_MAX];
	unsigned long value = 0;
	if (expect_word(r, word, "a number is missing") < 0)
		return -1;
	for (const char *s = word; *s; s++) {
		if (*s < '0' || *s > '9')
			return fail(r, "not a number");
		value = value * 10 + (unsigned long)(*s - '0');
		if (value > 65535)
			return fail(r, "number too large");
	}
	*ret = (unsigned)value;
	return 0;
}

// --- statements ------------------------------------------------------------------------------

static int read_host(struct reader *r)
{
	char word[WORD_MAX];
	if (expect_word(r, word, "host needs a name") < 0)
		return -1;
	if (r->host->registry.host.length > 1)
		return fail(r, "there is a host already");
	if (registry_set_host(&r->host->registry, word) < 0)
		return fail(r, "not a host's name");
	return 0;
}

static int read_address(struct reader *r)
{
	char word[WORD_MAX];
	if (expect_word(r, word, "address needs an address") < 0)
		return -1;
	if (r->host->registry.host.length <= 1)
		return fail(r, "address before host");
	return registry_add_address(&r->host->registry, word) < 0 ? fail(r, "not an address, or too many") : 0;
}

static int read_option(struct reader *r, struct service *s)
{
	char word[WORD_MAX], value[WORD_MAX];
	unsigned number;
	if (expect_word(r, word, "not an option of services") < 0)
		return -1;
	if (strcmp(word, "txt") == 0) {
		if (expect_word(r, value, "txt needs a text") < 0)
			return -1;
		return txt_add(&s->txt, value) < 0 ? fail(r, "too much text") : 0;
	}
	if (strcmp(word, "priority") == 0 || strcmp(word, "weight") == 0) {
		if (expect_number(r, &number) < 0)
			return -1;
		*(word[0] == 'p' ? &s->priority : &s->weight) = (uint16_t)number;
		return 0;
	}
	return fail(r, "not an option of services");
}

static int read_options(struct reader *r, struct service *s)
{
	advance(r);
	while (r->token != TOKEN_CLOSE) {
		if (r->token == TOKEN_LINE) {
			advance(r);
			continue;
		}
		if (r->token == TOKEN_END)
			return fail(r, "no } at the end of a service");
		if (read_option(r, s) < 0)
			return -1;
		if (r->token != TOKEN_LINE && r->token != TOKEN_CLOSE)
			return fail(r, "too much on the line");
	}
	advance(r);
	return 0;
}

static int read_service(struct reader *r)
{
	char label[WORD_MAX], type[WORD_MAX];
	unsigned port;
	if (expect_word(r, label, "service needs a label") < 0 || expect_word(r, type, "service needs a type") < 0 ||
	    expect_number(r, &port) < 0)
		return -1;
	if (r->host->registry.host.length <= 1)
		return fail(r, "service before host");
	struct service *s = registry_add_service(&r->host->registry, label, type, port);
	if (!s)
		return fail(r, "not a service, or too many");
	return r->token == TOKEN_OPEN ? read_options(r, s) : 0;
}

static int read_browse(struct reader *r)
{
	char type[WORD_MAX], name[WORD_MAX + 8];
	if (expect_word(r, type, "browse needs a type") < 0)
		return -1;
	snprintf(name, sizeof name, "%s.local", type);
	return host_query(r->host, name, TYPE_PTR, 1) < 0 ? fail(r, "cannot browse for that") : 0;
}

static int read_lookup(struct reader *r)
{
	char name[WORD_MAX], word[WORD_MAX];
	if (expect_word(r, name, "lookup needs a name") < 0 || expect_word(r, word, "lookup needs a type") < 0)
		return -1;
	int type = type_from_word(word);
	if (type < 0)
		return fail(r, "not a type");
	return host_query(r->host, name, (unsigned)type, 0) < 0 ? fail(r, "cannot look that up") : 0;
}

int config_read(struct host *h, const char *text, struct config_error *err)
{
	static const struct {
		const char *word;
		int (*read)(struct reader *r);
	} statements[] = {{"host", read_host},
	                  {"address", read_address},
	                  {"service", read_service},
	                  {"browse", read_browse},
	                  {"lookup", read_lookup}};
	struct reader r = {.host = h, .at = text, .line = 1, .err = err};
	err->why = NULL;
	for (advance(&r); r.token != TOKEN_END;) {
		char word[WORD_MAX];
		size_t i = 0, n = sizeof statements / sizeof *statements;
		if (r.token == TOKEN_LINE) {
			advance(&r);
			continue;
		}
		if (expect_word(&r, word, "not a statement") < 0)
			return -1;
		while (i < n && strcmp(statements[i].word, word) != 0)
			i++;
		if (i == n)
			return fail(&r, "not a statement");
		if (statements[i].read(&r) < 0 || expect_line(&r) < 0)
			return -1;
	}
	return 0;
}
