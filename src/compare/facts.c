#include "compare/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

// --- reading --------------------------------------------------------------------------------------

static void read_strings(struct cursor *c, struct strv *ret)
{
	uint32_t n = cursor_u32(c);
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		char *text = cursor_string(c);
		if (text)
			strv_take(ret, text);
	}
}

// How many there can be: each takes a byte at least.
static uint32_t read_count(struct cursor *c)
{
	return cursor_fits(c, cursor_u32(c), 1);
}

static void read_blocks(struct cursor *c, struct fact_function *f)
{
	uint32_t n = read_count(c);
	f->blocks = mem_zero((n + 1) * sizeof *f->blocks);
	for (; f->n_blocks < n && !c->bad; f->n_blocks++) {
		struct fact_block *b = &f->blocks[f->n_blocks];
		b->own = cursor_u64(c);
		b->around = cursor_u64(c);
		uint32_t lines = read_count(c);
		b->lines = mem_zero((lines + 1) * sizeof *b->lines);
		while (b->n_lines < lines && !c->bad)
			b->lines[b->n_lines++] = cursor_u32(c);
	}
}

static void read_function(struct cursor *c, struct fact_function *f)
{
	f->name = cursor_string(c);
	f->symbol = cursor_string(c);
	f->file = cursor_string(c);
	f->line = cursor_u32(c);
	f->flags = cursor_u32(c);
	f->type = cursor_u64(c);
	f->signature = cursor_string(c);
	for (int i = 0; i < FACTS_HASHES; i++)
		f->hashes[i] = cursor_u64(c);
	read_strings(c, &f->symbols);
	read_strings(c, &f->callees);
	read_strings(c, &f->calls);
	read_strings(c, &f->globals);
	read_strings(c, &f->addresses);
	read_blocks(c, f);
}

static void read_global(struct cursor *c, struct fact_global *g)
{
	g->name = cursor_string(c);
	g->symbol = cursor_string(c);
	g->function = cursor_string(c);
	g->file = cursor_string(c);
	g->line = cursor_u32(c);
	g->flags = cursor_u32(c);
	g->type = cursor_u64(c);
	g->plain = cursor_u64(c);
	g->named = cursor_u64(c);
	read_strings(c, &g->symbols);
	read_strings(c, &g->addresses);
	read_strings(c, &g->names);
}

static void read_type(struct cursor *c, struct fact_type *t)
{
	t->name = cursor_string(c);
	t->hash = cursor_u64(c);
	t->size = cursor_u64(c);
	t->kind = cursor_u32(c);
	uint32_t n = read_count(c);
	t->fields = mem_zero((n + 1) * sizeof *t->fields);
	for (; t->n_fields < n && !c->bad; t->n_fields++) {
		struct fact_field *f = &t->fields[t->n_fields];
		f->name = cursor_string(c);
		f->spelling = cursor_string(c);
		f->offset = cursor_u64(c);
		f->type = cursor_u64(c);
	}
}

static void function_release(struct fact_function *f)
{
	mem_free(f->name);
	mem_free(f->symbol);
	mem_free(f->file);
	mem_free(f->signature);
	struct strv *const lists[] = {&f->symbols, &f->callees, &f->calls, &f->globals, &f->addresses};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		strv_release(lists[i]);
	for (uint32_t i = 0; i < f->n_blocks; i++)
		mem_free(f->blocks[i].lines);
	mem_free(f->blocks);
}

static void global_release(struct fact_global *g)
{
	mem_free(g->name);
	mem_free(g->symbol);
	mem_free(g->function);
	mem_free(g->file);
	strv_release(&g->symbols);
	strv_release(&g->addresses);
	strv_release(&g->names);
}

static void type_release(struct fact_type *t)
{
	mem_free(t->name);
	for (uint32_t i = 0; i < t->n_fields; i++) {
		mem_free(t->fields[i].name);
		mem_free(t->fields[i].spelling);
	}
	mem_free(t->fields);
}

static void cut_to(struct facts *f, uint32_t functions, uint32_t globals, uint32_t types)
{
	while (f->n_functions > functions)
		function_release(&f->functions[--f->n_functions]);
	while (f->n_globals > globals)
		global_release(&f->globals[--f->n_globals]);
	while (f->n_types > types)
		type_release(&f->types[--f->n_types]);
}

static void read_unit(struct facts *f, struct cursor *c)
{
	uint32_t n = read_count(c);
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		vec_room(f->functions, f->n_functions + 1, f->cap_functions);
		f->functions[f->n_functions] = (struct fact_function){.unit = f->n_units};
		read_function(c, &f->functions[f->n_functions++]);
	}
	n = read_count(c);
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		vec_room(f->globals, f->n_globals + 1, f->cap_globals);
		f->globals[f->n_globals] = (struct fact_global){.unit = f->n_units};
		read_global(c, &f->globals[f->n_globals++]);
	}
	n = read_count(c);
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		vec_room(f->types, f->n_types + 1, f->cap_types);
		f->types[f->n_types] = (struct fact_type){0};
		read_type(c, &f->types[f->n_types++]);
	}
}

static void add_unit(struct facts *f, struct fact_unit u)
{
	vec_room(f->units, f->n_units + 1, f->cap_units);
	f->units[f->n_units++] = u;
}

static char *absolute(const char *folder, const char *path)
{
	char *full = path_absolute(folder, path), *clean = path_clean(full);
	if (!clean)
		return full;
	mem_free(full);
	return clean;
}

int facts_add(struct facts *f, const void *data, size_t size, struct err *err)
{
	struct cursor c = {data, (const uint8_t *)data + size, false};
	uint32_t functions = f->n_functions, globals = f->n_globals, types = f->n_types;
	uint64_t magic = cursor_u64(&c);
	cursor_u32(&c);
	char *source = cursor_string(&c), *folder = cursor_string(&c);
	if (magic == FACTS_MAGIC && source && folder)
		read_unit(f, &c);
	bool whole = magic == FACTS_MAGIC && !c.bad && c.p == c.end;
	if (whole)
		add_unit(f, (struct fact_unit){.source = absolute(folder, source), .folder = mem_strdup(folder)});
	else
		cut_to(f, functions, globals, types);
	mem_free(source);
	mem_free(folder);
	return whole ? 0 : err_set(err, "facts of a unit are damaged");
}

void facts_add_native(struct facts *f, const char *source, const char *folder, struct hash code)
{
	add_unit(f, (struct fact_unit){.source = absolute(folder, source),
	                               .folder = mem_strdup(folder),
	                               .native = code,
	                               .is_native = true});
}

// --- all together ---------------------------------------------------------------------------------

// The part of `folder` that `root` has, too, up to a slash.
static void shorten(char *root, const char *folder)
{
	size_t n = 0, cut = 0;
	for (; root[n] && root[n] == folder[n]; n++)
		if (root[n] == '/')
			cut = n;
	if (!root[n] && (!folder[n] || folder[n] == '/'))
		cut = n;
	root[cut] = 0;
}

static void find_root(struct facts *f)
{
	for (uint32_t i = 0; i < f->n_units; i++) {
		char *folder = path_dirname(f->units[i].source);
		if (!f->root)
			f->root = mem_strdup(f->units[i].folder);
		shorten(f->root, f->units[i].folder);
		shorten(f->root, folder);
		mem_free(folder);
	}
	if (!f->root)
		f->root = mem_strdup("");
}

static void make_relative(const struct facts *f, char **path)
{
	char *clean = (*path)[0] == '/' ? path_clean(*path) : NULL;
	const char *below = clean && *f->root ? path_below(clean, f->root) : NULL;
	if (below || clean) {
		char *name = mem_strdup(below ? below : clean);
		mem_free(*path);
		*path = name;
	}
	mem_free(clean);
}

struct seen {
	uint64_t key; // 0: free
	uint32_t n;
};
MAP(seen_map, struct seen);
MAP_FUNCTIONS(seen, struct seen_map, uint64_t, .key, .key, map_hash_number, map_same_number)

static bool is_first(struct seen_map *m, const char *what, const char *name, const char *more)
{
	char *text = mem_printf("%s\n%s\n%s", what, name, more);
	uint64_t key = hash_text(text) | 1;
	mem_free(text);
	return seen_put(m, key)->n++ == 0;
}

// A function of a header is in every unit that includes it; one that is there to be inlined only is another unit's.
static void keep_once(struct facts *f)
{
	struct seen_map seen = {0};
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->n_functions; i++) {
		struct fact_function *x = &f->functions[i];
		bool keeps = !(x->flags & SHAPE_BORROWED) &&
		             is_first(&seen, "function", x->name, x->flags & SHAPE_STATIC ? x->file : "");
		if (keeps)
			f->functions[n++] = *x;
		else
			function_release(x);
	}
	f->n_functions = n;
	n = 0;
	for (uint32_t i = 0; i < f->n_globals; i++) {
		struct fact_global *x = &f->globals[i];
		char *place = mem_printf("%s\n%s", x->function, x->flags & SHAPE_GLOBAL_STATIC ? x->file : "");
		if (is_first(&seen, "global", x->symbol, place))
			f->globals[n++] = *x;
		else
			global_release(x);
		mem_free(place);
	}
	f->n_globals = n;
	n = 0;
	for (uint32_t i = 0; i < f->n_types; i++) {
		struct fact_type *x = &f->types[i];
		if (is_first(&seen, "type", x->name, ""))
			f->types[n++] = *x;
		else
			type_release(x);
	}
	f->n_types = n;
	seen_release(&seen);
}

void facts_finish(struct facts *f)
{
	find_root(f);
	for (uint32_t i = 0; i < f->n_functions; i++)
		make_relative(f, &f->functions[i].file);
	for (uint32_t i = 0; i < f->n_globals; i++)
		make_relative(f, &f->globals[i].file);
	keep_once(f);
}

int facts_add_reduced(struct facts *f, const void *data, size_t size, struct err *err)
{
	struct facts more = {0};
	if (facts_add(&more, data, size, err) < 0)
		return -1;
	for (uint32_t i = 0; i < more.n_functions; i++) {
		struct fact_function *from = &more.functions[i];
		for (uint32_t k = 0; k < f->n_functions; k++) {
			struct fact_function *to = &f->functions[k];
			if (to->hashes[FACTS_PLAIN] == from->hashes[FACTS_PLAIN] && strcmp(to->name, from->name) == 0)
				to->hashes[FACTS_REDUCED] = from->hashes[FACTS_REDUCED];
		}
	}
	facts_release(&more);
	return 0;
}

void facts_release(struct facts *f)
{
	cut_to(f, 0, 0, 0);
	for (uint32_t i = 0; i < f->n_units; i++) {
		mem_free(f->units[i].source);
		mem_free(f->units[i].folder);
	}
	mem_free(f->units);
	mem_free(f->functions);
	mem_free(f->globals);
	mem_free(f->types);
	mem_free(f->root);
	*f = (struct facts){0};
}
