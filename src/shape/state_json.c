#include <string.h>

#include "shape/state.h"

// A string of JSON; what is not printable ASCII by its number.
static void add_string(struct buf *out, const char *text, size_t size)
{
	buf_addch(out, '"');
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c < ' ' || c > '~')
			buf_printf(out, "\\u%04x", c);
		else
			buf_addch(out, (char)c);
	}
	buf_addch(out, '"');
}

static void add_text(struct buf *out, const char *text)
{
	add_string(out, text, strlen(text));
}

struct writer {
	const struct state *s;
	struct buf *out;
	bool any;
};

static const char *type_name(const struct state *s, const struct state_leaf *leaf)
{
	if (!shape_is_somewhere(leaf->type))
		return "";
	const struct shape_table *t = state_table(s, leaf->type);
	return leaf->field && leaf->field->spelling && leaf->kind != STATE_TEXT
	               ? shape_text(t, leaf->field->spelling)
	               : shape_text(t, state_type(s, leaf->type)->name);
}

static void add_leaf(const struct state_leaf *leaf, void *opaque)
{
	static const char *const kinds[] = {"number", "text", "pointer", "bytes"};
	struct writer *w = opaque;
	struct buf value = {0};
	if (!leaf->matters)
		return;
	buf_addstr(w->out, w->any ? ", {\"place\": " : "{\"place\": ");
	w->any = true;
	add_text(w->out, leaf->place);
	buf_printf(w->out, ", \"kind\": \"%s\", \"type\": ", kinds[leaf->kind]);
	add_text(w->out, type_name(w->s, leaf));
	buf_addstr(w->out, ", \"value\": ");
	state_print_value(w->s, leaf, &value);
	add_string(w->out, buf_str(&value), value.len);
	buf_addch(w->out, '}');
	buf_release(&value);
}

static void add_cell(const struct state *s, uint32_t cell, struct buf *out)
{
	static const char *const kinds[] = {"untyped", "frame", "global", "object", "result", "system"};
	const struct state_cell *c = &s->cells[cell];
	struct writer w = {.s = s, .out = out};
	buf_addstr(out, "{\"name\": ");
	add_text(out, c->part.name);
	buf_printf(out, ", \"kind\": \"%s\", \"type\": ", kinds[c->kind]);
	add_text(out, c->kind ? shape_text(state_table(s, c->type), state_type(s, c->type)->name) : "");
	buf_printf(out, ", \"size\": %zu, \"values\": [", c->part.size);
	state_walk(s, cell, add_leaf, &w);
	buf_addstr(out, "]}");
}

static void add_names(const struct state *s, uint32_t first, uint32_t n, bool global, struct buf *out)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct fragment_name *name = &s->names[first + i];
		uint32_t unit = shape_unit(s->program, name->unit);
		const struct shape_table *t = unit == UINT32_MAX ? NULL : &s->program->units[unit];
		uint32_t count = t ? global ? t->head->n_globals : t->head->n_functions : 0;
		buf_addstr(out, i ? ", " : "");
		add_text(out, name->number >= count ? "?"
		              : global              ? shape_text(t, t->globals[name->number].name)
		                                    : shape_text(t, t->functions[name->number].name));
	}
}

void state_json(const struct state *s, struct buf *out)
{
	const struct shape_table *t = &s->program->units[s->function.unit];
	const struct shape_function *f = shape_function(s->program, s->function);
	buf_addstr(out, "{\"function\": ");
	add_text(out, shape_text(t, f->name));
	buf_addstr(out, ", \"file\": ");
	add_text(out, shape_text(t, f->file));
	buf_printf(out, ", \"marker\": %u, \"line\": %u, \"globals\": [", s->entry.marker,
	           t->markers[f->first_marker + s->entry.marker].line);
	add_names(s, 0, s->entry.n_globals, true, out);
	buf_addstr(out, "], \"stubs\": [");
	add_names(s, s->entry.n_globals, s->entry.n_stubs, false, out);
	buf_addstr(out, "], \"cells\": [");
	for (uint32_t i = 0; i < s->n; i++) {
		buf_addstr(out, i ? ", " : "");
		add_cell(s, i, out);
	}
	buf_addstr(out, "]}");
}
