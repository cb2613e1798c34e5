#include "findings/places.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "findings/symbolize.h"

struct place {
	char *object;
	uint64_t offset;
	char *lines;
};

enum { PLACES_MAX = 1 << 14 };

// Sorted by offset, which hardly ever two objects share.
static struct places {
	struct place *v;
	size_t n, cap;
	char *program, *variant; // the last that was looked up, by reading all of it
	const char *kind;        // of the variant
	struct symbolizer symbolizer;
} known;

static size_t position(uint64_t offset)
{
	return vec_lower(&known, offset, offset);
}

static const char *lookup(const char *object, uint64_t offset)
{
	for (size_t i = position(offset); i < known.n && known.v[i].offset == offset; i++)
		if (strcmp(known.v[i].object, object) == 0)
			return known.v[i].lines;
	return NULL;
}

static void remember(const char *object, uint64_t offset, const char *lines)
{
	if (lookup(object, offset))
		return;
	vec_room(known.v, known.n + 1, known.cap);
	size_t at = position(offset);
	memmove(&known.v[at + 1], &known.v[at], (known.n++ - at) * sizeof *known.v);
	known.v[at] = (struct place){mem_strdup(object), offset, mem_strdup(lines)};
}

static void forget(void)
{
	for (size_t i = 0; i < known.n; i++) {
		mem_free(known.v[i].object);
		mem_free(known.v[i].lines);
	}
	mem_free(known.v);
	known.v = NULL;
	known.n = known.cap = 0;
}

void places_forget(void)
{
	forget();
	symbolizer_stop(&known.symbolizer);
	mem_free(known.program);
	mem_free(known.variant);
	known = (struct places){0};
}

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	return strncmp(path, folder, n) == 0 && path[n] == '/';
}

static const char *find_variant(const struct executor *e)
{
	const char *kind = e->setup.builder->variant;
	if (known.program && strcmp(known.program, e->setup.target.program) == 0 && strcmp(known.kind, kind) == 0)
		return known.variant;
	char *variant = NULL, *found = path_find_program(e->setup.target.program);
	struct err err;
	if (found && build_lookup(e->setup.builder, found, &variant, &err) != BUILD_OK)
		variant = NULL;
	mem_free(found);
	mem_free(known.program);
	mem_free(known.variant);
	known.program = mem_strdup(e->setup.target.program);
	known.variant = variant;
	known.kind = kind;
	return variant;
}

// The file of the cache that the module is, NULL when it is none. The program, which is started from RUN, is looked up
// by its own name. The caller frees.
static char *find_object(const struct executor *e, const char *module)
{
	char *entries = mem_printf("%s/x", e->server.run);
	char *programs = mem_printf("%s/programs", e->setup.builder->cache->root);
	char real[PATH_MAX], root[PATH_MAX];
	const char *object = NULL;
	if (is_below(module, entries))
		object = find_variant(e);
	else if (realpath(programs, root) && realpath(module, real) && is_below(real, root))
		object = real;
	mem_free(programs);
	mem_free(entries);
	return object ? mem_strdup(object) : NULL;
}

// The symbolizer outlives runs, in whose sandbox it is.
static void ask(struct sandbox *sandbox, const char *object, uint64_t offset)
{
	struct err err;
	char *lines = NULL;
	pid_t before = known.symbolizer.pid;
	int r = symbolizer_ask(&known.symbolizer, object, offset, &lines, &err);
	if (known.symbolizer.pid != before)
		sandbox_keep(sandbox, before, known.symbolizer.pid);
	if (r == 0)
		remember(object, offset, lines);
	mem_free(lines);
}

void places_find(const struct executor *e, struct address_report *r)
{
	char **objects = mem_zero((r->n + 1) * sizeof *objects);
	if (known.n > PLACES_MAX)
		forget();
	for (size_t i = 0; i < r->n; i++) {
		bool again = i && strcmp(r->v[i].module, r->v[i - 1].module) == 0;
		objects[i] = !again           ? find_object(e, r->v[i].module)
		             : objects[i - 1] ? mem_strdup(objects[i - 1])
		                              : NULL;
	}
	for (size_t i = 0; i < r->n; i++)
		if (objects[i] && !lookup(objects[i], r->v[i].offset))
			ask(e->setup.sandbox, objects[i], r->v[i].offset);
	for (size_t i = 0; i < r->n; i++) {
		r->v[i].lines = objects[i] ? lookup(objects[i], r->v[i].offset) : NULL;
		mem_free(objects[i]);
	}
	mem_free(objects);
}
