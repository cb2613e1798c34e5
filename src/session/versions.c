#include "session/versions.h"

#include <elf.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "session/results.h"

// --- facts ----------------------------------------------------------------------------------------

struct reading {
	struct facts *facts;
	const struct code_changes *changes; // of the pass for reduced code
	int side;
};

static int take_unit(void *opaque, const struct frame *unit, const char *path, struct err *err)
{
	const struct reading *r = opaque;
	struct buf data = {0};
	if (!path) {
		facts_add_native(r->facts, unit->source, unit->cwd, unit->hash);
		return 0;
	}
	int result = file_read(path, &data, err);
	if (result == 0)
		result = r->changes ? facts_add_reduced(r->facts, data.data, data.len, err)
		                    : facts_add(r->facts, data.data, data.len, err);
	buf_release(&data);
	return result;
}

// Only functions whose code differs are worth being reduced.
static bool wants_unit(void *opaque, const struct frame *unit)
{
	const struct reading *r = opaque;
	char *full = path_absolute(unit->cwd, unit->source), *source = path_clean(full);
	bool wanted = false;
	for (uint32_t i = 0; i < r->changes->n_functions && source && !wanted; i++) {
		const struct changed_function *f = &r->changes->functions[i];
		const struct fact_function *own = f->side[r->side];
		bool differs = f->kind == CHANGE_CODE || f->kind == CHANGE_MESSAGE;
		wanted = differs && own && strcmp(r->facts->units[own->unit].source, source) == 0;
	}
	mem_free(full);
	mem_free(source);
	return wanted;
}

static int read_facts(struct versions *v, const struct builder *b, int side, const char *program, bool reduced,
                      struct err *err)
{
	struct reading r = {.facts = &v->facts[side], .changes = reduced ? &v->changes : NULL, .side = side};
	const struct build_facts how = {
		.reduced = reduced, .wants = reduced ? wants_unit : NULL, .take = take_unit, .opaque = &r};
	if (build_facts(b, program, &how, err) != BUILD_OK)
		return -1;
	if (!reduced)
		facts_finish(r.facts);
	return 0;
}

// --- both -----------------------------------------------------------------------------------------

static int read_machine(const char *path, unsigned *ret, struct err *err)
{
	struct file_map map;
	if (file_map(path, &map, err) < 0)
		return -1;
	bool is_program = map.size >= sizeof(Elf64_Ehdr) && memcmp(map.data, ELFMAG, SELFMAG) == 0;
	*ret = is_program ? ((const Elf64_Ehdr *)map.data)->e_machine : 0;
	file_unmap(&map);
	return 0;
}

static int check_machines(const char *const programs[CHANGE_SIDES], struct err *err)
{
	unsigned machine[CHANGE_SIDES];
	for (int side = 0; side < CHANGE_SIDES; side++)
		if (read_machine(programs[side], &machine[side], err) < 0)
			return -1;
	return machine[0] == machine[1] || !machine[0] || !machine[1]
	               ? 0
	               : err_set(err,
	                         "cannot compare %s with %s: they are for different processors; "
	                         "build both for one",
	                         programs[0], programs[1]);
}

static bool has_common(const struct code_changes *c)
{
	for (uint32_t i = 0; i < c->n_functions; i++)
		if (c->functions[i].side[CHANGE_OLD] && c->functions[i].side[CHANGE_NEW])
			return true;
	return false;
}

static bool needs_reduced(const struct code_changes *c)
{
	for (uint32_t i = 0; i < c->n_functions; i++)
		if (c->functions[i].kind == CHANGE_CODE || c->functions[i].kind == CHANGE_MESSAGE)
			return true;
	return false;
}

static int find_changes(struct versions *v, const struct builder *b, const char *const programs[CHANGE_SIDES],
                        struct err *err)
{
	code_changes_find(&v->changes, &v->facts[CHANGE_OLD], &v->facts[CHANGE_NEW]);
	if (!needs_reduced(&v->changes))
		return 0;
	for (int side = 0; side < CHANGE_SIDES; side++)
		if (read_facts(v, b, side, programs[side], true, err) < 0)
			return -1;
	code_changes_release(&v->changes);
	code_changes_find(&v->changes, &v->facts[CHANGE_OLD], &v->facts[CHANGE_NEW]);
	return 0;
}

int versions_read(struct versions *ret, const struct builder *b, const char *const programs[CHANGE_SIDES],
                  struct err *err)
{
	*ret = (struct versions){0};
	if (check_machines(programs, err) < 0)
		return -1;
	for (int side = 0; side < CHANGE_SIDES; side++)
		if (read_facts(ret, b, side, programs[side], false, err) < 0)
			return -1;
	if (find_changes(ret, b, programs, err) < 0)
		return -1;
	if (!has_common(&ret->changes))
		return err_set(err,
		               "cannot compare %s with %s: they have no function in common; give two versions of "
		               "one program",
		               programs[0], programs[1]);
	code_changes_find_entries(&ret->changes);
	return 0;
}

void versions_release(struct versions *v)
{
	code_changes_release(&v->changes);
	for (int side = 0; side < CHANGE_SIDES; side++)
		facts_release(&v->facts[side]);
}

// --- results.json ---------------------------------------------------------------------------------

static void field(struct buf *out, const char *name, const char *text, const char *end)
{
	buf_printf(out, "\"%s\": ", name);
	json_string(out, text, strlen(text));
	buf_addstr(out, end);
}

static void begin(struct buf *out)
{
	buf_addstr(out, out->data[out->len - 1] == '[' ? "\n   {" : ",\n   {");
}

static void lines(struct buf *out, const char *name, const struct changed_function *f, int side)
{
	struct buf all = {0};
	uint32_t n = 0;
	code_changes_lines(f, side, &all, &n);
	buf_printf(out, ", \"%s\": [", name);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t line;
		memcpy(&line, all.data + i * sizeof line, sizeof line);
		buf_printf(out, "%s%u", i ? ", " : "", line);
	}
	buf_addch(out, ']');
	buf_release(&all);
}

static void functions(const struct code_changes *c, struct buf *out)
{
	buf_addstr(out, "\"functions\": [");
	for (uint32_t i = 0; i < c->n_functions; i++) {
		const struct changed_function *f = &c->functions[i];
		if (f->kind == CHANGE_NONE)
			continue;
		begin(out);
		field(out, "name", change_function(f)->name, ", ");
		field(out, "file", change_function(f)->file, ", ");
		field(out, "change", change_word(f->kind), "");
		if (f->because) {
			buf_addstr(out, ", ");
			field(out, "because", f->because, "");
		}
		lines(out, "old_lines", f, CHANGE_OLD);
		lines(out, "new_lines", f, CHANGE_NEW);
		buf_addch(out, '}');
	}
	buf_addstr(out, "]");
}

static void data(const struct code_changes *c, struct buf *out)
{
	buf_addstr(out, ",\n  \"data\": [");
	for (uint32_t i = 0; i < c->n_globals; i++) {
		const struct changed_global *g = &c->globals[i];
		const struct fact_global *own = g->side[CHANGE_NEW] ? g->side[CHANGE_NEW] : g->side[CHANGE_OLD];
		if (g->kind == CHANGE_NONE)
			continue;
		begin(out);
		field(out, "name", own->name, ", ");
		field(out, "file", own->file, ", ");
		field(out, "change", g->kind == CHANGE_CODE ? "value" : change_word(g->kind), "}");
	}
	buf_addstr(out, "]");
}

static void types(const struct code_changes *c, struct buf *out)
{
	buf_addstr(out, ",\n  \"types\": [");
	for (uint32_t i = 0; i < c->n_types; i++) {
		const struct changed_type *t = &c->types[i];
		const struct fact_type *own = t->side[CHANGE_NEW] ? t->side[CHANGE_NEW] : t->side[CHANGE_OLD];
		begin(out);
		field(out, "name", own->name, ", ");
		field(out, "change", change_word(t->kind), "}");
	}
	buf_addstr(out, "]");
}

static void renamed_one(struct buf *out, const char *from, const char *to)
{
	begin(out);
	field(out, "from", from, ", ");
	field(out, "to", to, "}");
}

static void renamed(const struct code_changes *c, struct buf *out)
{
	buf_addstr(out, ",\n  \"renamed\": [");
	for (uint32_t i = 0; i < c->n_functions; i++)
		if (c->functions[i].renamed)
			renamed_one(out, c->functions[i].side[CHANGE_OLD]->name,
			            c->functions[i].side[CHANGE_NEW]->name);
	for (uint32_t i = 0; i < c->n_globals; i++)
		if (c->globals[i].renamed)
			renamed_one(out, c->globals[i].side[CHANGE_OLD]->name, c->globals[i].side[CHANGE_NEW]->name);
	buf_addstr(out, "]");
}

void versions_json(const struct code_changes *c, struct buf *out)
{
	buf_addch(out, '{');
	functions(c, out);
	data(c, out);
	types(c, out);
	renamed(c, out);
	buf_addch(out, '}');
}
