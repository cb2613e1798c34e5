// Names of files that match a pattern: one expression over the name.
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/models/automaton.h"

enum { WORK_MAX = 1 << 18 };

struct glob {
	struct automaton *a;
	int flags;
	const char *at;
	bool failed;
};

static struct byte_set any_byte(const struct glob *g)
{
	struct byte_set s;
	memset(&s, 0xff, sizeof s);
	if (g->flags & FNM_PATHNAME)
		s.bits['/' / 64] &= ~((uint64_t)1 << '/' % 64);
	if (MB_CUR_MAX > 1)
		s.bits[2] = s.bits[3] = 0;
	return s;
}

// No wildcard stands for the period that a name starts with.
static pattern wildcard(struct glob *g, pattern p)
{
	return g->flags & FNM_PERIOD ? automaton_both(g->a, automaton_condition(g->a, NO_LEADING_PERIOD), p) : p;
}

static pattern character(struct glob *g, unsigned char c)
{
	struct byte_set s = {0};
	g->failed |= MB_CUR_MAX > 1 && c >= 128;
	byte_set_add(&s, c);
	for (unsigned k = 0; k < 256 && g->flags & FNM_CASEFOLD; k++)
		if (tolower((int)k) == tolower(c))
			byte_set_add(&s, k);
	return automaton_byte(g->a, &s);
}

// Behind '['. Returns the end of the bracket expression; NULL when it has none, or is one
// that only libc knows.
static const char *end_of_bracket(const struct glob *g, const char *p)
{
	if (*p == '!' || *p == '^')
		p++;
	if (*p == ']')
		p++;
	for (; *p && *p != ']'; p++) {
		if (*p == '\\' && !(g->flags & FNM_NOESCAPE) && p[1])
			p++;
		else if (*p == '/' || (*p == '[' && (p[1] == '.' || p[1] == '=')))
			return NULL;
		else if (*p == '[' && p[1] == ':' && !(p = strstr(p + 2, ":]")))
			return NULL;
		else if (*p == ':' && p[1] == ']')
			p++;
	}
	return *p ? p + 1 : NULL;
}

// What libc says that the bracket expression stands for.
static pattern bracket(struct glob *g)
{
	struct byte_set s = {0};
	char text[512];
	const char *end = end_of_bracket(g, g->at);
	size_t n = end ? (size_t)(end - g->at) + 1 : 0;
	if (!end || n >= sizeof text) {
		g->failed = true;
		return automaton_empty(g->a);
	}
	memcpy(text, g->at - 1, n);
	text[n] = 0;
	for (unsigned c = 1; c < (MB_CUR_MAX > 1 ? 128 : 256); c++)
		if (fnmatch(text, (char[]){(char)c, 0}, g->flags & (FNM_PATHNAME | FNM_NOESCAPE | FNM_CASEFOLD)) == 0)
			byte_set_add(&s, c);
	g->at = end;
	return wildcard(g, automaton_byte(g->a, &s));
}

static pattern part(struct glob *g)
{
	struct byte_set any = any_byte(g);
	unsigned char c = (unsigned char)*g->at++;
	if (c == '?')
		return wildcard(g, automaton_byte(g->a, &any));
	if (c == '*')
		return wildcard(g, automaton_repeat(g->a, automaton_byte(g->a, &any), 0, AUTOMATON_NO_LIMIT));
	if (c == '[')
		return bracket(g);
	if (c == '\\' && !(g->flags & FNM_NOESCAPE)) {
		g->failed |= !*g->at;
		c = (unsigned char)*g->at;
		g->at += c != 0;
	}
	return character(g, c);
}

static struct automaton *parse(const char *text, int flags)
{
	struct glob g = {automaton_new(), flags, text, flags & FNM_EXTMATCH};
	struct byte_set slash = {0}, all;
	if (!g.a)
		return NULL;
	pattern p = automaton_empty(g.a);
	while (*g.at && !g.failed)
		p = automaton_both(g.a, p, part(&g));
	if (flags & FNM_LEADING_DIR) {
		byte_set_add(&slash, '/');
		memset(&all, 0xff, sizeof all);
		pattern rest = automaton_repeat(g.a, automaton_byte(g.a, &all), 0, AUTOMATON_NO_LIMIT);
		rest = automaton_both(g.a, automaton_byte(g.a, &slash), rest);
		p = automaton_both(g.a, p, automaton_repeat(g.a, rest, 0, 1));
	}
	p = automaton_both(g.a, p, automaton_condition(g.a, AT_END));
	if (!g.failed && automaton_finish(g.a, p))
		return g.a;
	automaton_free(g.a);
	return NULL;
}

static void concrete(struct site *site, const char *text, enum trace_reason reason)
{
	for (uint64_t i = 0, n = strlen(text) + 1; i < n; i++)
		rt_concrete(site, rt_load((uint64_t)text + i, 1), (uint8_t)text[i], reason);
}

MODEL(int, fnmatch, const char *pattern_text, const char *name, int flags)
{
	ENTER(fnmatch, 3);
	int r = fnmatch(pattern_text, name, flags), error = errno;
	rt_concrete(site, arg[2], (uint64_t)flags, REASON_ARGUMENT);
	if (!rt_on || (r != 0 && r != FNM_NOMATCH))
		return r;
	concrete(site, pattern_text, REASON_PATTERN);
	struct subject s = subject_string(name);
	if (!subject_is_symbolic(&s))
		return r;
	s.components = flags & FNM_PATHNAME;
	struct sym ascii = MB_CUR_MAX == 1 ? sym_constant(1, 1) : subject_is_ascii(&s), found = {.width = 1};
	struct automaton *a = ascii.value ? parse(pattern_text, flags) : NULL;
	bool known = a && automaton_work(a, &s) <= WORK_MAX;
	if (known) {
		found = automaton_start(a, &s, 0, 0).any;
		known = found.value == (r == 0); // libc decides
	}
	if (known)
		__veer_t_branch(site, ascii.l, 1);
	else
		concrete(site, name, REASON_SUBJECT);
	found.l = known ? found.l : 0;
	if (a)
		automaton_free(a);
	errno = error;
	return GIVE(fnmatch, r, sym_choose(found, sym_constant(32, 0), sym_constant(32, FNM_NOMATCH)).l);
}
