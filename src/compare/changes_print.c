// changes.txt.
#include <string.h>

#include "base/utf8.h"
#include "compare/changes.h"

static void print_lines(const struct changed_function *f, int side, struct buf *out)
{
	enum { SHOWN = 12 };
	struct buf lines = {0};
	uint32_t n = 0;
	code_changes_lines(f, side, &lines, &n);
	for (uint32_t i = 0; i < n && i < SHOWN; i++) {
		uint32_t line;
		memcpy(&line, lines.data + i * sizeof line, sizeof line);
		buf_printf(out, "%s%u", i ? ", " : "", line);
	}
	buf_addstr(out, n > SHOWN ? ", ..." : "");
	buf_release(&lines);
}

static void print_function(const struct changed_function *f, struct buf *out)
{
	const struct fact_function *own = change_function(f);
	utf8_part(out, "  %-10s %s  %s:%u", change_word(f->kind), own->name, own->file, own->line);
	if (f->renamed)
		utf8_part(out, ", was %s", f->side[CHANGE_OLD]->name);
	if (f->retyped)
		buf_addstr(out, ", of another type");
	if (f->because)
		utf8_part(out, ": %s", f->because);
	if (f->kind == CHANGE_CODE || f->kind == CHANGE_MESSAGE) {
		buf_addstr(out, "; lines ");
		print_lines(f, CHANGE_OLD, out);
		buf_addstr(out, " -> ");
		print_lines(f, CHANGE_NEW, out);
	}
	buf_addch(out, '\n');
}

static void print_functions(const struct code_changes *c, struct buf *out)
{
	buf_printf(out, "functions: %u of %u can behave differently\n", code_changes_count(c), c->n_functions);
	for (int kind = CHANGE_KINDS - 1; kind > CHANGE_NONE; kind--)
		for (uint32_t i = 0; i < c->n_functions; i++)
			if (c->functions[i].kind == (enum change_kind)kind)
				print_function(&c->functions[i], out);
}

static void print_data(const struct code_changes *c, struct buf *out)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->n_globals; i++)
		n += c->globals[i].kind != CHANGE_NONE;
	buf_printf(out, "data: %u of %u\n", n, c->n_globals);
	for (uint32_t i = 0; i < c->n_globals; i++) {
		const struct changed_global *g = &c->globals[i];
		const struct fact_global *own = g->side[CHANGE_NEW] ? g->side[CHANGE_NEW] : g->side[CHANGE_OLD];
		if (g->kind != CHANGE_NONE)
			utf8_line(out, "  %-10s %s%s%s  %s:%u", g->kind == CHANGE_CODE ? "value" : change_word(g->kind),
			          own->function, *own->function ? "." : "", own->name, own->file, own->line);
	}
}

static const struct fact_field *find_field(const struct fact_type *t, const char *name)
{
	for (uint32_t i = 0; t && i < t->n_fields; i++)
		if (strcmp(t->fields[i].name, name) == 0)
			return &t->fields[i];
	return NULL;
}

static void print_fields(const struct changed_type *t, struct buf *out)
{
	const struct fact_type *old = t->side[CHANGE_OLD], *new = t->side[CHANGE_NEW];
	for (uint32_t i = 0; old && new && i < new->n_fields; i++) {
		const struct fact_field *now = &new->fields[i], *was = find_field(old, now->name);
		if (!was)
			utf8_line(out, "    + %s %s", now->spelling, now->name);
		else if (strcmp(was->spelling, now->spelling) != 0)
			utf8_line(out, "    %s: %s -> %s", now->name, was->spelling, now->spelling);
	}
	for (uint32_t i = 0; old && new && i < old->n_fields; i++)
		if (!find_field(new, old->fields[i].name))
			utf8_line(out, "    - %s %s", old->fields[i].spelling, old->fields[i].name);
}

static void print_types(const struct code_changes *c, struct buf *out)
{
	buf_printf(out, "types: %u of %u\n", c->n_types, c->facts[CHANGE_NEW]->n_types);
	for (uint32_t i = 0; i < c->n_types; i++) {
		const struct changed_type *t = &c->types[i];
		utf8_line(out, "  %-10s %s", change_word(t->kind),
		          t->side[CHANGE_NEW] ? t->side[CHANGE_NEW]->name : t->side[CHANGE_OLD]->name);
		print_fields(t, out);
	}
}

static void print_renamed(const struct code_changes *c, struct buf *out)
{
	for (uint32_t i = 0; i < c->n_functions; i++)
		if (c->functions[i].renamed)
			utf8_line(out, "renamed: %s -> %s", c->functions[i].side[CHANGE_OLD]->name,
			          c->functions[i].side[CHANGE_NEW]->name);
	for (uint32_t i = 0; i < c->n_globals; i++)
		if (c->globals[i].renamed)
			utf8_line(out, "renamed: %s -> %s", c->globals[i].side[CHANGE_OLD]->name,
			          c->globals[i].side[CHANGE_NEW]->name);
}

static void print_entries(const struct code_changes *c, uint32_t distance, struct buf *out)
{
	if (!code_changes_count(c))
		return;
	buf_addstr(out, "entries, by how many calls they are away from a change:\n");
	for (uint32_t calls = 0; calls <= distance; calls++)
		for (uint32_t i = 0; i < c->n_functions; i++) {
			const struct changed_function *f = &c->functions[i];
			if (f->calls == calls && f->side[CHANGE_OLD] && f->side[CHANGE_NEW] && !f->retyped)
				utf8_line(out, "  %u %s", calls, f->side[CHANGE_NEW]->name);
		}
	for (uint32_t i = 0; i < c->n_functions; i++)
		if (c->functions[i].calls > distance && c->functions[i].side[CHANGE_NEW] &&
		    strcmp(c->functions[i].side[CHANGE_NEW]->name, "main") == 0)
			buf_addstr(out, c->functions[i].calls == CHANGE_FAR ? "  no call leads from main to a change\n"
			                                                    : "  main\n");
}

void code_changes_print(const struct code_changes *c, uint32_t distance, struct buf *out)
{
	if (!code_changes_any(c))
		buf_addstr(out, "no difference in code\n");
	print_functions(c, out);
	print_data(c, out);
	print_types(c, out);
	print_renamed(c, out);
	for (size_t i = 0; i < c->natives.n; i++)
		utf8_line(out, "without bitcode, and different: %s", c->natives.v[i]);
	print_entries(c, distance, out);
}
