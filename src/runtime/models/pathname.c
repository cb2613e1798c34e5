// The last part of a path, and what is before it.
#include <string.h>

#include "runtime/models/model.h"

char *__xpg_basename(char *path);
char *dirname(char *path);

static struct sym is_slash(const struct model_search *s, uint64_t i)
{
	return sym_is(model_string_byte(&s->text, i), '/');
}

static struct sym is_part(const struct model_search *s, uint64_t i)
{
	struct sym b = model_string_byte(&s->text, i);
	return sym_not(sym_or(sym_is(b, '/'), sym_is(b, 0)));
}

static struct model_search searching(struct site *site, const char *name, struct model_string text)
{
	return (struct model_search){
		.site = site, .name = name, .text = text, .hit = is_slash, .base = (uint64_t)text.at + 1};
}

// GNU's: what comes behind the last slash.
MODEL(char *, basename, const char *path)
{
	ENTER(basename, 1);
	char *r = basename(path);
	rt_concrete(site, arg[0], (uint64_t)path, REASON_ARGUMENT);
	if (!rt_on)
		return r;
	struct model_search s = searching(site, "basename", model_string(path, SIZE_MAX));
	s.stops = true;
	s.none = (uint64_t)path;
	s.real = (uint64_t)r;
	return s.text.labelled ? GIVE(basename, r, model_last(&s).l) : r;
}

// --- POSIX' --------------------------------------------------------------------------------------

// The last byte of the text that is a slash, or not one; as it is in this run. Its offset
// + 1; 0 when there is none.
static uint64_t last(struct site *site, const char *name, struct model_string text, bool slash)
{
	struct model_search s = searching(site, name, text);
	uint64_t n = text.length;
	while (n && (text.at[n - 1] == '/') != slash)
		n--;
	s.hit = slash ? is_slash : is_part;
	s.stops = text.bytes > text.length;
	s.base = 1;
	s.real = n;
	struct sym r = text.labelled ? model_last(&s) : sym_constant(64, n);
	rt_concrete(site, r.l, n, REASON_TOKEN);
	return n;
}

// The end of the last part and of the slash before it, and in front of that; all of which
// decide what the functions do. What consists of slashes is as long as it is.
static void take_parts(struct site *site, const char *name, const char *path)
{
	struct model_string text = model_string(path, SIZE_MAX);
	uint64_t end = last(site, name, text, false);
	if (!end) {
		rt_concrete(site, model_length(site, name, &text).l, text.length, REASON_TOKEN);
		return;
	}
	uint64_t slash = last(site, name, model_memory(path, end), true);
	if (slash)
		last(site, name, model_memory(path, slash), false);
}

// They write a terminator, if anything.
static char *cut(struct site *site, label l, const char *name, char *path, char *(*function)(char *))
{
	rt_concrete(site, l, (uint64_t)path, REASON_ARGUMENT);
	if (!path || !rt_on)
		return function(path);
	size_t length = strlen(path);
	take_parts(site, name, path);
	char *r = function(path);
	size_t now = strlen(path);
	if (now < length)
		rt_clear((uint64_t)path + now, 1);
	return r;
}

MODEL(char *, __xpg_basename, char *path)
{
	ENTER(__xpg_basename, 1);
	return cut(site, arg[0], "basename", path, __xpg_basename);
}

MODEL(char *, dirname, char *path)
{
	ENTER(dirname, 1);
	return cut(site, arg[0], "dirname", path, dirname);
}
