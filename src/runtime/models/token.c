// Cutting strings in pieces. Where a token starts and ends is as it is in this run: the path
// has an equation for each place, and a branch for what is found there.
#include <string.h>

#include "runtime/models/model.h"

// A place in a string, `offset` bytes behind s in this run.
static void at(struct site *site, struct sym place, uint64_t offset)
{
	rt_concrete(site, place.l, offset, REASON_TOKEN);
}

// Does the string end here? Both answers are ways that the program can go. When it does, the
// path says so: the byte is known.
static void branch_on_end(struct site *site, const char *p)
{
	struct sym over = sym_is(sym_byte(p), 0);
	if (over.l)
		__veer_t_branch(site, over.l, (uint32_t)over.value);
	if (over.value)
		rt_clear((uint64_t)p, 1);
}

static void take_start(struct site *site, const char *name, const char *s, const char *delimiters)
{
	size_t n = strspn(s, delimiters);
	at(site, model_in_set(site, name, s, delimiters, 0, n, MODEL_OUT), n);
	branch_on_end(site, s + n);
}

static void take_end(struct site *site, const char *name, char *s, const char *delimiters)
{
	size_t n = strcspn(s, delimiters);
	at(site, model_in_set(site, name, s, delimiters, 0, n, MODEL_IN_OR_END), n);
	branch_on_end(site, s + n);
	if (s[n])
		rt_clear((uint64_t)s + n, 1); // becomes the token's terminator
}

// Before the real function does it.
static void take_token(struct site *site, const char *name, char *s, const char *delimiters)
{
	if (!rt_on || !s)
		return;
	take_start(site, name, s, delimiters);
	s += strspn(s, delimiters);
	if (*s)
		take_end(site, name, s, delimiters);
}

MODEL(char *, strtok_r, char *s, const char *delimiters, char **next)
{
	ENTER(strtok_r, 3);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)delimiters, REASON_ARGUMENT);
	rt_concrete(site, arg[2], (uint64_t)next, REASON_ARGUMENT);
	if (!s)
		rt_concrete(site, rt_load((uint64_t)next, sizeof *next), (uint64_t)*next, REASON_ARGUMENT);
	take_token(site, "strtok_r", s ? s : *next, delimiters);
	char *r = strtok_r(s, delimiters, next);
	rt_clear((uint64_t)next, sizeof *next);
	return r;
}

MODEL(char *, strtok, char *s, const char *delimiters)
{
	static char *next; // libc's own cannot be seen
	ENTER(strtok, 2);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)delimiters, REASON_ARGUMENT);
	take_token(site, "strtok", s ? s : next, delimiters);
	return strtok_r(s, delimiters, &next);
}

MODEL(char *, strsep, char **rest, const char *delimiters)
{
	ENTER(strsep, 2);
	rt_concrete(site, arg[0], (uint64_t)rest, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)delimiters, REASON_ARGUMENT);
	rt_concrete(site, rt_load((uint64_t)rest, sizeof *rest), (uint64_t)*rest, REASON_ARGUMENT);
	if (rt_on && *rest)
		take_end(site, "strsep", *rest, delimiters);
	char *r = strsep(rest, delimiters);
	rt_clear((uint64_t)rest, sizeof *rest);
	return r;
}
