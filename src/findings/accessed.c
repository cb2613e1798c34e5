#include "findings/accessed.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

// The next line from *at on that has `part`, as a string; *at is behind it then. NULL: none. The caller frees.
static char *next_line_with(const char **at, const char *part)
{
	const char *found = strstr(*at, part);
	if (!found)
		return NULL;
	const char *end = found + strcspn(found, "\n");
	while (found > *at && found[-1] != '\n')
		found--;
	*at = end;
	return mem_copy(found, (size_t)(end - found));
}

// --- frames ---------------------------------------------------------------------------------------

// "FUNCTION PLACE" of a line "    #1 in FUNCTION PLACE"; NULL when it is none or without a name.
static const char *frame_of(const char *line)
{
	const char *p = line + strspn(line, " ");
	if (p == line || *p++ != '#' || !isdigit((unsigned char)*p))
		return NULL;
	p += strspn(p, "0123456789");
	return starts_with(p, " in ") ? p + 4 : NULL;
}

// Without the prefix by which the sanitizer's functions differ from those they stand for; NULL: it is none of them.
static const char *intercepted(const char *function)
{
	static const char *const prefixes[] = {"___interceptor_", "__interceptor_", "__asan_"};
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (starts_with(function, prefixes[i]))
			return function + strlen(prefixes[i]);
	return NULL;
}

char *accessed_function(const char *report)
{
	for (const char *line = report; *line;) {
		size_t size = strcspn(line, "\n");
		const char *frame = frame_of(line);
		if (frame) {
			const char *name = intercepted(frame);
			return name ? mem_copy(name, strcspn(name, " \n")) : NULL;
		}
		line += size + (line[size] == '\n');
	}
	return NULL;
}

// The innermost frame with a place in the program's source, from the line with `part` on.
static char *origin_behind(const char *report, const char *part)
{
	const char *line = strstr(report, part);
	while (line && *line) {
		line += strcspn(line, "\n");
		line += *line == '\n';
		const char *frame = frame_of(line), *space = frame ? strchr(frame, ' ') : NULL;
		size_t size = strcspn(line, "\n");
		if (!size) // the end of the stack
			break;
		if (space && space < line + size && space[1] == '/' && !starts_with(space + 1, "/usr/"))
			return mem_copy(frame, (size_t)(line + size - frame));
	}
	return NULL;
}

// --- objects --------------------------------------------------------------------------------------

static enum object_side side_of(const char *words)
{
	if (starts_with(words, "after") || starts_with(words, "to the right"))
		return SIDE_BEHIND;
	return starts_with(words, "before") || starts_with(words, "to the left") ? SIDE_BEFORE : SIDE_INSIDE;
}

// "0x... is located 0 bytes after 10-byte region [...)"
static bool read_region(struct accessed *a, const char *report)
{
	const char *at = report;
	char *line = next_line_with(&at, "-byte region"), side[32];
	const char *located = line ? strstr(line, "is located ") : NULL;
	bool known = located && sscanf(located, "is located %lu bytes %31[a-z ] %lu-byte region", &a->distance, side,
	                               &a->size) == 3;
	mem_free(line);
	if (!known)
		return false;
	a->kind = OBJECT_HEAP;
	a->side = side_of(side);
	a->freed = strstr(report, "freed by thread");
	a->origin = origin_behind(report, "allocated by thread");
	return true;
}

// "  '.str.4' is ascii string 'alpha'"
static char *literal_text(const char *report, const char *name)
{
	char *part = mem_printf("'%s' is ascii string '", name);
	const char *at = strstr(report, part), *text = at ? at + strlen(part) : NULL;
	const char *end = text ? text + strcspn(text, "\n") : NULL;
	mem_free(part);
	while (end && end > text && *end != '\'')
		end--;
	return text ? mem_copy(text, (size_t)(end - text)) : NULL;
}

static void name_global(struct accessed *a, const char *report, const char *name)
{
	const char *dot = strrchr(name, '.');
	a->kind = OBJECT_GLOBAL;
	if (starts_with(name, ".str") || strcmp(name, "<string literal>") == 0) {
		a->kind = OBJECT_LITERAL;
		a->name = literal_text(report, name);
	} else if (dot > name && dot[1] && !isdigit((unsigned char)dot[1])) {
		a->kind = OBJECT_STATIC;
		a->name = mem_strdup(dot + 1);
	} else {
		a->name = mem_strdup(name);
	}
}

// "0x... is located 0 bytes after global variable 'x' defined in 'x.c:3' (0x...) of size 40": of several lines, that of
// the variable that is nearest.
static bool read_global(struct accessed *a, const char *report)
{
	bool known = false;
	char nearest[64] = "";
	const char *at = report;
	for (char *line; (line = next_line_with(&at, " global variable '")); mem_free(line)) {
		const char *located = strstr(line, "is located "), *of = strstr(line, "of size ");
		const char *variable = strstr(line, "global variable '");
		char side[32], name[64];
		unsigned long distance;
		if (!located || sscanf(located, "is located %lu bytes %31[a-z ]", &distance, side) != 2 ||
		    sscanf(variable, "global variable '%63[^']'", name) != 1)
			continue;
		bool nearer = distance < a->distance || (distance == a->distance && side_of(side) == SIDE_BEHIND);
		if (known && !nearer)
			continue;
		known = true;
		a->distance = distance;
		a->side = side_of(side);
		a->size = of ? strtoul(of + 8, NULL, 10) : 0;
		memcpy(nearest, name, sizeof nearest);
	}
	if (known)
		name_global(a, report, nearest);
	return known;
}

struct local {
	unsigned long from, to;
	char name[64];
};

// "    [32, 42) 'buf' (line 5) <== ..."; older versions: 'buf:5'.
static bool read_local_line(const char *line, struct local *ret)
{
	if (sscanf(line, " [%lu, %lu) '%63[^']'", &ret->from, &ret->to, ret->name) != 3 || ret->to < ret->from)
		return false;
	ret->name[strcspn(ret->name, ":")] = 0;
	return true;
}

static void take_local(struct accessed *a, const struct local *l, unsigned long at, const char *report)
{
	mem_free(a->name);
	mem_free(a->origin);
	a->kind = OBJECT_LOCAL;
	a->name = mem_strdup(l->name);
	a->size = l->to - l->from;
	a->side = at >= l->to ? SIDE_BEHIND : at < l->from ? SIDE_BEFORE : SIDE_INSIDE;
	a->distance = at >= l->to ? at - l->to : at < l->from ? l->from - at : 0;
	a->origin = origin_behind(report, "is located in stack of");
}

// "Address 0x... is located in stack of thread T0 at offset 288 in frame", then the variables of the frame, one of
// which is marked. The offset is that of the first byte that may not be accessed, and the mark takes the range of the
// access to begin there: one that begins in a variable and goes past its end may seem to be about the next.
static bool read_local(struct accessed *a, const char *report)
{
	const char *located = strstr(report, "is located in stack of"), *list = strstr(report, "<== Memory access at");
	const char *offset = located ? strstr(located, "at offset ") : list ? strstr(list, "at offset ") : NULL;
	unsigned long at = offset ? strtoul(offset + strlen("at offset "), NULL, 10) : 0;
	const char *p = strstr(report, "This frame has ");
	for (p = p ? p : report; offset && *p;) {
		size_t size = strcspn(p, "\n");
		char *line = mem_copy(p, size);
		struct local l;
		bool local = read_local_line(line, &l), marked = local && strstr(line, "<== Memory access at offset ");
		bool exceeded = local && l.to == at && l.from < l.to;
		if (marked || exceeded)
			take_local(a, &l, at, report);
		mem_free(line);
		if (exceeded) // whatever is marked
			break;
		p += size + (p[size] == '\n');
	}
	return a->kind == OBJECT_LOCAL;
}

// --- the access -----------------------------------------------------------------------------------

static void read_access(struct accessed *a, const char *report)
{
	const char *read = strstr(report, "READ of size "), *write = strstr(report, "WRITE of size ");
	a->reads = read && (!write || read < write);
	a->writes = write && !a->reads;
	if (a->reads)
		a->bytes = strtoul(read + strlen("READ of size "), NULL, 10);
	else if (a->writes)
		a->bytes = strtoul(write + strlen("WRITE of size "), NULL, 10);
}

// A single instruction accesses 1, 2, 4, 8 or 16 bytes; anything else is a range.
static bool is_range(const struct accessed *a)
{
	return a->by || a->bytes > 16 || (a->bytes & (a->bytes - 1));
}

void accessed_read(struct accessed *ret, const char *report)
{
	*ret = (struct accessed){.by = accessed_function(report)};
	read_access(ret, report);
	if (!read_region(ret, report) && !read_global(ret, report))
		read_local(ret, report);
	if (ret->kind && ret->side == SIDE_BEHIND && !ret->distance && is_range(ret))
		ret->side = SIDE_ACROSS;
}

void accessed_release(struct accessed *a)
{
	mem_free(a->by);
	mem_free(a->name);
	mem_free(a->origin);
	*a = (struct accessed){0};
}
