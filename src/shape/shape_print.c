#include <inttypes.h>
#include <string.h>

#include "shape/shape.h"

static const char *const kinds[SHAPE_KINDS] = {
	[SHAPE_VOID] = "incomplete", [SHAPE_INTEGER] = "integer", [SHAPE_FLOAT] = "float",
	[SHAPE_ENUM] = "enum",       [SHAPE_POINTER] = "pointer", [SHAPE_STRUCT] = "struct",
	[SHAPE_UNION] = "union",     [SHAPE_ARRAY] = "array",     [SHAPE_FUNCTION] = "function",
};

struct word {
	uint32_t flag;
	const char *text;
};

static const struct word type_words[] = {{SHAPE_SIGNED, "signed"},
                                         {SHAPE_CHARACTER, "character"},
                                         {SHAPE_BOOL, "bool"},
                                         {SHAPE_CONST, "const"},
                                         {SHAPE_VARIADIC, "variadic"},
                                         {SHAPE_FRAME, "frame"},
                                         {0, NULL}};
static const struct word function_words[] = {
	{SHAPE_STATIC, "static"},         {SHAPE_ADDRESS, "address-taken"},
	{SHAPE_ENTRY_ONLY, "entry-only"}, {SHAPE_NEVER, "never"},
	{SHAPE_NO_STUB, "no-stub"},       {SHAPE_BORROWED, "borrowed"},
	{SHAPE_WRITES, "writes"},         {SHAPE_WRITES_TEXT, "writes-text"},
	{SHAPE_PASSES, "passes"},         {0, NULL},
};
static const struct word global_words[] = {
	{SHAPE_GLOBAL_STATIC, "static"},
	{SHAPE_GLOBAL_CONST, "const"},
	{SHAPE_GLOBAL_THREAD, "thread"},
	{SHAPE_GLOBAL_LOCAL, "local"},
	{SHAPE_GLOBAL_LITERAL, "literal"},
	{SHAPE_GLOBAL_ADDRESSES, "addresses"},
	{0, NULL},
};
static const char *const marker_kinds[] = {"entry", "loop", "label", "split"};

static void print_words(struct buf *out, const struct word *words, uint32_t flags)
{
	for (; words->text; words++)
		if (flags & words->flag)
			buf_printf(out, " %s", words->text);
}

static void print_ref(struct buf *out, const struct shape_table *t, uint32_t type)
{
	const char *name = shape_text(t, t->types[type].name);
	if (!type)
		buf_addstr(out, "void");
	else if (*name)
		buf_printf(out, "`%s`", name);
	else
		buf_printf(out, "#%u", type);
}

static void print_list(struct buf *out, const struct shape_table *t, const char *what, uint32_t first, uint32_t n)
{
	if (n)
		buf_printf(out, "    %s:", what);
	for (uint32_t i = 0; i < n; i++)
		buf_printf(out, "%s %s", i ? "," : "", shape_text(t, t->numbers[first + i]));
	if (n)
		buf_addch(out, '\n');
}

static void print_field(struct buf *out, const struct shape_table *t, const struct shape_field *f, bool placed)
{
	buf_addstr(out, "    ");
	if (placed)
		buf_printf(out, "%" PRId64, f->offset);
	if (f->bits)
		buf_printf(out, ".%u:%u", f->bit, f->bits);
	buf_printf(out, "%s%s ", placed ? " " : "", *shape_text(t, f->name) ? shape_text(t, f->name) : "-");
	print_ref(out, t, f->type);
	if (f->spelling && strcmp(shape_text(t, f->spelling), shape_text(t, t->types[f->type].name)) != 0)
		buf_printf(out, " as `%s`", shape_text(t, f->spelling));
	buf_addch(out, '\n');
}

static void print_type(struct buf *out, const struct shape_table *t, uint32_t number)
{
	const struct shape_type *type = &t->types[number];
	buf_printf(out, "  %s ", kinds[type->kind]);
	print_ref(out, t, number);
	buf_printf(out, " size %" PRIu64 " align %u", type->size, type->align);
	print_words(out, type_words, type->flags);
	if (type->kind == SHAPE_POINTER || type->kind == SHAPE_ARRAY || type->kind == SHAPE_FUNCTION ||
	    type->kind == SHAPE_ENUM) {
		buf_addstr(out, " of ");
		print_ref(out, t, type->of);
	}
	if (type->kind == SHAPE_ARRAY)
		buf_printf(out, " count %u", type->count);
	buf_addch(out, '\n');
	for (uint32_t i = 0; i < type->n; i++) {
		const struct shape_field *f = &t->fields[type->first + i];
		if (type->kind == SHAPE_ENUM)
			buf_printf(out, "    %s = %" PRId64 "\n", shape_text(t, f->name), f->offset);
		else
			print_field(out, t, f, type->kind != SHAPE_FUNCTION);
	}
}

static void print_function(struct buf *out, const struct shape_table *t, const struct shape_function *f)
{
	buf_printf(out, "  %s %s:%u-%u", shape_text(t, f->name), shape_text(t, f->file), f->line, f->last_line);
	print_words(out, function_words, f->flags);
	buf_printf(out, " %s", shape_text(t, f->signature));
	if (f->type) {
		buf_addch(out, ' ');
		print_ref(out, t, f->type);
	}
	if (f->symbol != f->name)
		buf_printf(out, " symbol %s", shape_text(t, f->symbol));
	if (f->reason)
		buf_printf(out, " (%s)", shape_text(t, f->reason));
	buf_printf(out, "\n    parameters: %u of %u\n", f->parameters, t->types[f->frame].n);
	print_list(out, t, "calls", f->callees, f->n_callees);
	print_list(out, t, "calls through pointers", f->calls, f->n_calls);
	print_list(out, t, "names", f->names, f->n_names);
	print_list(out, t, "takes addresses", f->addresses, f->n_addresses);
	for (uint32_t i = 0; i < f->markers; i++) {
		const struct shape_marker *m = &t->markers[f->first_marker + i];
		buf_printf(out, "    marker %u: %s at %u:%u%s", i, marker_kinds[m->kind], m->line, m->column,
		           m->enters ? "" : " (no entry)");
		for (uint32_t k = 0; k < m->n_live; k++)
			buf_printf(out, "%s %s", k ? "," : "; live:",
			           shape_text(t, shape_fields(t, f->frame)[t->numbers[m->live + k]].name));
		buf_addch(out, '\n');
	}
}

static void print_global(struct buf *out, const struct shape_table *t, const struct shape_global *g)
{
	buf_printf(out, "  %s ", shape_text(t, g->name));
	print_ref(out, t, g->type);
	print_words(out, global_words, g->flags);
	if (g->symbol != g->name)
		buf_printf(out, " symbol %s", shape_text(t, g->symbol));
	if (g->function)
		buf_printf(out, " of %s", shape_text(t, g->function));
	if (g->line)
		buf_printf(out, " %s:%u", shape_text(t, g->file), g->line);
	buf_addch(out, '\n');
	print_list(out, t, "takes addresses", g->addresses, g->n_addresses);
	print_list(out, t, "names", g->names, g->n_names);
}

void shape_print(const struct shape_program *p, struct buf *out)
{
	for (uint32_t u = 0; u < p->n_units; u++) {
		const struct shape_table *t = &p->units[u];
		buf_printf(out, "unit %s in %s\n types\n", shape_text(t, t->head->file),
		           shape_text(t, t->head->directory));
		for (uint32_t i = 1; i < t->head->n_types; i++)
			print_type(out, t, i);
		buf_addstr(out, " functions\n");
		for (uint32_t i = 0; i < t->head->n_functions; i++)
			print_function(out, t, &t->functions[i]);
		buf_addstr(out, " globals\n");
		for (uint32_t i = 0; i < t->head->n_globals; i++)
			print_global(out, t, &t->globals[i]);
	}
}
