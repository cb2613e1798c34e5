// A case as C: its cells as objects, what cannot be initialised as statements, the call, what came of it.
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "export/export.h"
#include "export/fragment_writer.h"

// --- objects --------------------------------------------------------------------------------------

uint32_t writer_local_type(const struct writer *w, struct shape_ref type)
{
	const struct shape_table *t = w->t;
	if (!shape_is_somewhere(type))
		return 0;
	const struct shape_type *is = state_type(&w->s, type);
	for (uint32_t i = 1; i < t->head->n_types; i++)
		if (type.unit == w->s.function.unit ? i == type.number : t->types[i].hash == is->hash)
			return t->types[i].kind != SHAPE_VOID && t->types[i].kind != SHAPE_FUNCTION &&
			                       t->types[i].size && t->types[i].name
			               ? i
			               : 0;
	return 0;
}

static void note_rest(const struct state_leaf *leaf, void *opaque)
{
	*(bool *)opaque |= leaf->matters && (leaf->kind == STATE_RAW || leaf->is_flexible);
}

static void choose_form(struct writer *w, uint32_t cell)
{
	struct object *o = &w->objects[cell];
	const struct state_cell *c = &w->s.cells[cell];
	bool rest = false;
	o->type = c->kind ? writer_local_type(w, c->type) : 0;
	o->count = c->count ? c->count : 1;
	if (c->kind == STATE_FRAME || c->kind == STATE_GLOBAL || c->kind == STATE_SYSTEM)
		return;
	if (c->kind == STATE_OBJECT &&
	    strcmp(shape_text(state_table(&w->s, c->type), state_type(&w->s, c->type)->name), "struct _IO_FILE") == 0)
		writer_fail(w, "a file is made up, which is no data of C");
	uint64_t each = o->type ? w->t->types[o->type].size : 0;
	state_walk(&w->s, cell, note_rest, &rest);
	o->form = !o->type ? FORM_BYTES : rest || o->count * each < c->part.size ? FORM_UNION : FORM_PLAIN;
}

bool writer_address(struct writer *w, uint32_t cell, struct buf *out)
{
	const struct object *o = &w->objects[cell];
	const struct state_cell *c = &w->s.cells[cell];
	if (c->kind == STATE_FRAME)
		return false;
	if (c->kind == STATE_GLOBAL) {
		buf_printf(out, "(void *)&%s", writer_global(w, cell));
		return !w->reason;
	}
	switch (o->form) {
	case FORM_PLAIN: buf_printf(out, "%s%s_%u", o->count > 1 ? "" : "&", w->c->id, cell); break;
	case FORM_UNION: buf_printf(out, o->count > 1 ? "%s_%u.object" : "&%s_%u.object", w->c->id, cell); break;
	case FORM_BYTES: buf_printf(out, "(void *)%s_%u.bytes", w->c->id, cell); break;
	}
	return true;
}

static bool is_scalar(const struct writer *w, uint32_t type)
{
	enum shape_kind kind = w->t->types[type].kind;
	return kind == SHAPE_INTEGER || kind == SHAPE_FLOAT || kind == SHAPE_ENUM || kind == SHAPE_POINTER;
}

// An object that the input has no bytes for: it has to be somewhere, and is all zeros.
static bool untouched(struct writer *w, const struct state_leaf *pointer, struct buf *out)
{
	uint32_t of = state_type(&w->s, pointer->type)->of;
	struct shape_ref to = {pointer->type.unit, of};
	if (state_type(&w->s, to)->kind == SHAPE_FUNCTION)
		return false;
	uint32_t type = writer_local_type(w, to);
	char *name = mem_printf("%s_untouched_%u", w->c->id, w->untouched++);
	writer_static(w, &w->early);
	if (type && is_scalar(w, type) && fragment_declare(w->t, type, NULL, name, &w->early)) {
		buf_addstr(&w->early, "[64];\n");
		buf_addstr(out, name);
	} else if (type && fragment_declare(w->t, type, NULL, name, &w->early)) {
		buf_addstr(&w->early, ";\n");
		buf_printf(out, "&%s", name);
	} else {
		buf_printf(&w->early, "union {\n\tlong double align;\n\tunsigned char bytes[64];\n} %s;\n", name);
		buf_printf(out, "(void *)%s.bytes", name);
	}
	mem_free(name);
	return true;
}

static bool address(const struct state_leaf *pointer, uint32_t target, struct buf *out, void *opaque)
{
	return writer_target(opaque, pointer, target, out);
}

bool writer_target(struct writer *w, const struct state_leaf *pointer, uint32_t target, struct buf *out)
{
	if (target == STATE_UNTOUCHED)
		return untouched(w, pointer, out);
	const struct shape_type *to = &state_table(&w->s, pointer->type)->types[state_type(&w->s, pointer->type)->of];
	const struct state_cell *c = &w->s.cells[target];
	bool same = c->kind && to->hash == state_type(&w->s, c->type)->hash;
	if (!same && w->objects[target].form != FORM_BYTES && to->kind != SHAPE_VOID)
		buf_addstr(out, "(void *)");
	return writer_address(w, target, out);
}

// Bytes that no initialiser can name, set before the call.
static void set_rest(const struct state_leaf *leaf, void *opaque)
{
	struct writer *w = opaque;
	const struct state_part *p = &w->s.cells[leaf->cell].part;
	uint64_t base = leaf->offset - w->rest_offset;
	if (w->f->suite->device) {
		writer_fail(w, "bytes of no type, or an array without a size: on the device they lie elsewhere");
		return;
	}
	if (leaf->kind == STATE_POINTER) {
		struct buf at = {0};
		uint32_t target = state_target(&w->s, leaf);
		if (target != STATE_NULL && target != STATE_KEPT && address(leaf, target, &at, w))
			buf_printf(&w->setup,
			           "\tmemcpy((char *)&%s + %" PRIu64 ", &(const void *){%s}, sizeof(void *));\n",
			           w->rest, base, at.data);
		buf_release(&at);
		return;
	}
	for (uint64_t i = 0; i < leaf->size;) {
		uint64_t n = 0;
		while (i + n < leaf->size && n < 64 && (!p->mask || p->mask[leaf->offset + i + n]))
			n++;
		if (n) {
			buf_printf(&w->setup, "\tmemcpy((char *)&%s + %" PRIu64 ", ", w->rest, base + i);
			state_c_string(p->data + leaf->offset + i, n, &w->setup);
			buf_printf(&w->setup, ", %" PRIu64 ");\n", n);
		}
		i += n ? n : 1;
	}
}

// A union has a tag, by which the definition names what a declaration before it has said.
static void add_union(const struct writer *w, uint32_t cell, bool declared, struct buf *out)
{
	const struct object *o = &w->objects[cell];
	uint64_t size = w->s.cells[cell].part.size;
	struct buf type = {0};
	buf_printf(out, "union %s_%u_bytes", w->c->id, cell);
	if (declared)
		return;
	if (o->form == FORM_BYTES) {
		buf_addstr(out, " {\n\tlong double align;\n");
	} else {
		fragment_declare(w->t, o->type, NULL, "object", &type);
		buf_printf(out, " {\n\t%s", type.data);
		if (o->count > 1)
			buf_printf(out, "[%" PRIu64 "]", o->count);
		buf_addstr(out, ";\n");
	}
	buf_printf(out, "\tunsigned char bytes[%" PRIu64 "];\n}", size ? size : 1);
	buf_release(&type);
}

static void declare_object(const struct writer *w, uint32_t cell, bool declared, struct buf *out)
{
	const struct object *o = &w->objects[cell];
	char *name = mem_printf("%s_%u", w->c->id, cell);
	writer_static(w, out);
	if (o->form == FORM_PLAIN) {
		fragment_declare(w->t, o->type, NULL, name, out);
		if (o->count > 1)
			buf_printf(out, "[%" PRIu64 "]", o->count);
	} else {
		add_union(w, cell, declared, out);
		buf_printf(out, " %s", name);
	}
	mem_free(name);
}

static void define_object(struct writer *w, uint32_t cell)
{
	const struct object *o = &w->objects[cell];
	struct buf value = {0};
	char *name = mem_printf("%s_%u", w->c->id, cell);
	const struct state_c how = {.address = address, .rest = set_rest, .opaque = w};
	w->rest = name;
	w->rest_offset = 0;
	const char *place = w->s.cells[cell].part.name;
	if (o->form == FORM_BYTES) {
		writer_set_leaves(w, cell, name);
	} else {
		state_c_initialiser(&w->s, cell, NULL, &how, &value);
	}
	buf_add(&w->definitions, w->early.data, w->early.len);
	buf_clear(&w->early);
	declare_object(w, cell, o->is_forward, &w->definitions);
	if (value.len && o->form == FORM_UNION)
		buf_printf(&w->definitions,
		           is_scalar(w, o->type) && o->count == 1 ? " = {.object = %s}" : " = {.object = {%s}}",
		           value.data);
	else if (value.len)
		buf_printf(&w->definitions, is_scalar(w, o->type) && o->count == 1 ? " = %s" : " = {%s}", value.data);
	buf_addstr(&w->definitions, ";");
	if (strlen(place) < 80) {
		buf_addstr(&w->definitions, " /* ");
		export_commented(&w->definitions, place, strlen(place));
		buf_addstr(&w->definitions, " */");
	}
	buf_addch(&w->definitions, '\n');
	buf_release(&value);
	mem_free(name);
}

// What a stub gives; of its globals, those that it changes.
static bool is_given(const struct writer *w, uint32_t cell)
{
	const struct state_cell *c = &w->s.cells[cell];
	if (c->kind == STATE_SYSTEM)
		return false; // the stub has the values themselves
	const char *call = c->kind == STATE_RESULT ? strchr(c->part.name, '#') : NULL;
	return call && (call[strcspn(call, ".:")] != ':' || writer_must_set(w, cell));
}

// The cells that the test makes are those that something leads to.
static bool is_root(const struct writer *w, uint32_t cell)
{
	enum state_kind kind = w->s.cells[cell].kind;
	return kind == STATE_FRAME || kind == STATE_GLOBAL || kind == STATE_SYSTEM || is_given(w, cell);
}

static bool is_object(const struct writer *w, uint32_t cell)
{
	enum state_kind kind = w->s.cells[cell].kind;
	return kind != STATE_FRAME && kind != STATE_GLOBAL && kind != STATE_SYSTEM;
}

static void note_target(const struct state_leaf *leaf, void *opaque)
{
	struct writer *w = opaque;
	uint32_t target = leaf->kind == STATE_POINTER && leaf->matters ? state_target(&w->s, leaf) : STATE_NULL;
	if (target >= w->s.n)
		return;
	w->more |= !w->objects[target].is_used && !is_root(w, target);
	w->objects[target].is_used = true;
	w->objects[target].is_forward |= target > leaf->cell && is_object(w, leaf->cell);
}

static void find_used(struct writer *w)
{
	for (uint32_t i = 0; i < w->s.n; i++)
		w->objects[i].is_used |= is_given(w, i);
	do {
		w->more = false;
		for (uint32_t i = 0; i < w->s.n; i++)
			if (is_root(w, i) || w->objects[i].is_used)
				state_walk(&w->s, i, note_target, w);
	} while (w->more);
}

static void define_objects(struct writer *w)
{
	w->objects = mem_zero((w->s.n + 1) * sizeof *w->objects);
	for (uint32_t i = 0; i < w->s.n; i++)
		choose_form(w, i);
	find_used(w);
	for (uint32_t i = 0; i < w->s.n; i++)
		if (w->objects[i].is_forward && is_object(w, i)) {
			declare_object(w, i, false, &w->definitions);
			buf_addstr(&w->definitions, ";\n");
		}
	for (uint32_t i = 0; i < w->s.n; i++)
		if (is_object(w, i) && w->objects[i].is_used)
			define_object(w, i);
}

// --- globals --------------------------------------------------------------------------------------

// Why the test cannot name the global; NULL: it can. The caller frees.
static char *unnamed(const struct writer *w, uint32_t cell)
{
	struct shape_ref at = w->s.cells[cell].at;
	const struct shape_table *t = &w->s.program->units[at.unit];
	const struct shape_global *g = &t->globals[at.number];
	const char *name = shape_text(t, g->name);
	if (g->flags & SHAPE_GLOBAL_LOCAL)
		return mem_printf("%s, a static variable of %s, cannot be set from outside", name,
		                  shape_text(t, g->function));
	if (g->flags & SHAPE_GLOBAL_STATIC && at.unit != w->s.function.unit)
		return mem_printf("%s is static in another unit", name);
	if (at.unit != w->s.function.unit && !writer_knows_global(w, shape_text(t, g->symbol)))
		return mem_printf("%s is not declared in the unit", name);
	return NULL;
}

bool writer_can_name(const struct writer *w, uint32_t cell)
{
	char *why = unnamed(w, cell);
	mem_free(why);
	return !why;
}

const char *writer_global(struct writer *w, uint32_t cell)
{
	struct shape_ref at = w->s.cells[cell].at;
	const struct shape_table *t = &w->s.program->units[at.unit];
	char *why = unnamed(w, cell);
	if (why)
		writer_fail(w, "%s", why);
	mem_free(why);
	const char *name = shape_text(t, t->globals[at.number].name);
	const char *file = writer_file(w, at.unit, t->globals[at.number].flags & SHAPE_GLOBAL_STATIC);
	if (w->in_field && !w->reason)
		name = writer_field(w, name, file, false);
	return name ? name : "";
}

struct setter {
	struct writer *w;
	const char *base;
	bool raw; // bytes at offsets, not members
};

static void set_leaf(const struct state_leaf *leaf, void *opaque)
{
	struct setter *set = opaque;
	struct writer *w = set->w;
	struct buf value = {0};
	uint32_t target = leaf->kind == STATE_POINTER ? state_target(&w->s, leaf) : STATE_NULL;
	if (!leaf->matters || (leaf->kind == STATE_POINTER && target == STATE_KEPT))
		return;
	w->rest = set->base;
	w->rest_offset = 0;
	if (w->f->suite->device && leaf->kind == STATE_TEXT && !set->raw) {
		writer_field_text(w, leaf, set->base);
		return;
	}
	if (set->raw || leaf->kind == STATE_RAW || leaf->kind == STATE_TEXT || leaf->is_flexible) {
		set_rest(leaf, w);
		return;
	}
	if (leaf->kind == STATE_NUMBER)
		state_c_number(&w->s, leaf, &value);
	else if (target == STATE_NULL || !address(leaf, target, &value, w))
		buf_addstr(&value, "0");
	buf_printf(&w->setup, "\t%s%s = %s;\n", set->base, leaf->path, value.data);
	buf_release(&value);
}

void writer_set_leaves(struct writer *w, uint32_t cell, const char *base)
{
	struct setter set = {.w = w, .base = base, .raw = w->s.cells[cell].kind != STATE_GLOBAL};
	state_walk(&w->s, cell, set_leaf, &set);
}

struct setting {
	const struct writer *w;
	bool any;
};

// A pointer that stays what it is initialised with needs no statement.
static void note_set(const struct state_leaf *leaf, void *opaque)
{
	struct setting *set = opaque;
	bool stays = leaf->kind == STATE_POINTER && state_target(&set->w->s, leaf) == STATE_KEPT;
	set->any |= leaf->matters && !stays;
}

bool writer_must_set(const struct writer *w, uint32_t cell)
{
	struct setting set = {.w = w};
	state_walk(&w->s, cell, note_set, &set);
	return set.any;
}

static void set_globals(struct writer *w)
{
	for (uint32_t i = 0; i < w->s.n && !w->reason; i++) {
		if (w->s.cells[i].kind != STATE_GLOBAL)
			continue;
		if (writer_must_set(w, i) || w->objects[i].is_used)
			writer_set_leaves(w, i, writer_global(w, i));
	}
}

// --- the frame ------------------------------------------------------------------------------------

static uint32_t frame_cell(const struct writer *w)
{
	for (uint32_t i = 0; i < w->s.n; i++)
		if (w->s.cells[i].kind == STATE_FRAME)
			return i;
	return UINT32_MAX;
}

// A variable for a field of the frame, with its value. `prefix`: what stands before the declaration.
void writer_variable(struct writer *w, const char *prefix, const struct shape_field *field, const char *name)
{
	struct buf value = {0}, declaration = {0};
	const struct state_c how = {.address = address, .rest = set_rest, .opaque = w};
	uint32_t cell = frame_cell(w);
	w->rest = name;
	w->rest_offset = (uint64_t)field->offset;
	if (cell != UINT32_MAX)
		state_c_initialiser(&w->s, cell, field, &how, &value);
	buf_add(&w->definitions, w->early.data, w->early.len);
	buf_clear(&w->early);
	if (!fragment_declare(w->t, field->type, field, name, &declaration))
		writer_fail(w, "the type of %s has no name", name);
	bool scalar = is_scalar(w, field->type);
	buf_printf(&w->variables, "%s%s = ", prefix, buf_str(&declaration));
	buf_printf(&w->variables, scalar ? "%s;\n" : "{%s};\n", value.len ? value.data : "0");
	buf_release(&value);
	buf_release(&declaration);
}

static void declare_parameters(struct writer *w)
{
	for (uint32_t i = 0; i < w->fn->parameters; i++) {
		char *name = fragment_parameter_name(w->t, w->fn, i);
		writer_variable(w, "\t", &shape_fields(w->t, w->fn->frame)[i], name);
		mem_free(name);
	}
}

// --- the whole ------------------------------------------------------------------------------------

void writer_fail(struct writer *w, const char *format, ...)
{
	if (w->reason)
		return;
	va_list args;
	char text[300];
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	w->reason = mem_strdup(text);
}

bool writer_knows_global(const struct writer *w, const char *symbol)
{
	for (uint32_t i = 0; i < w->t->head->n_globals; i++)
		if (strcmp(shape_text(w->t, w->t->globals[i].symbol), symbol) == 0)
			return true;
	return false;
}

// Unless a parameter or a variable has this name.
static const char *result_name(const struct writer *w)
{
	bool taken = false;
	for (uint32_t i = 0; i < w->t->types[w->fn->frame].n; i++) {
		const struct shape_field *f = &shape_fields(w->t, w->fn->frame)[i];
		taken |= strcmp(shape_text(w->t, f->name), "result") == 0;
	}
	return taken ? "veer_result" : "result";
}

static void write_call(struct writer *w, const char *callee)
{
	uint32_t result = w->t->types[w->fn->type].of;
	writer_trigger(w);
	buf_addch(&w->call, '\t');
	if (result && w->has_result) {
		fragment_declare(w->t, result, NULL, w->result, &w->call);
		buf_addstr(&w->call, " = ");
	} else if (result) {
		buf_addstr(&w->call, "(void)");
	}
	buf_printf(&w->call, "%s(", callee);
	for (uint32_t i = 0; i < w->fn->parameters; i++) {
		char *name = fragment_parameter_name(w->t, w->fn, i);
		buf_printf(&w->call, "%s%s", i ? ", " : "", name);
		mem_free(name);
	}
	buf_addstr(&w->call, ");\n");
	if (w->f->suite->device)
		buf_addstr(&w->call, "\tVEER_TRIGGER_OFF();\n");
}

static void comment(const struct writer *w, struct buf *out)
{
	struct buf text = {0};
	state_print(&w->s, &text);
	const char *name = shape_text(w->t, w->fn->name);
	buf_addstr(out, "/* ");
	export_commented(out, name, strlen(name));
	if (w->s.entry.marker)
		buf_printf(out, ", from line %u on", w->t->markers[w->fn->first_marker + w->s.entry.marker].line);
	if (w->cut && w->cut != FRAGMENT_COUNT)
		buf_addstr(out, ". It ends before a statement that would end the program");
	if (w->c->bug)
		buf_addstr(out, ". Possible: ");
	if (w->c->bug)
		export_commented(out, w->c->bug, strlen(w->c->bug));
	buf_addch(out, '\n');
	for (size_t at = 0, size; at < text.len; at += size + 1) {
		const char *line = text.data + at, *end = memchr(line, '\n', text.len - at);
		size = end ? (size_t)(end - line) : text.len - at;
		buf_addstr(out, " *   ");
		export_commented(out, line, size);
		buf_addch(out, '\n');
	}
	buf_addstr(out, " */\n");
	buf_release(&text);
}

static void release(struct writer *w)
{
	state_release(&w->s);
	mem_free(w->objects);
	buf_release(&w->early);
	buf_release(&w->definitions);
	buf_release(&w->variables);
	buf_release(&w->setup);
	buf_release(&w->call);
	buf_release(&w->before);
	buf_release(&w->after);
	buf_release(&w->checks);
}

static void add(struct buf *out, const struct buf *part)
{
	buf_add(out, part->data, part->len);
}

// The test's function, and, of one that ends early, what it looks at then.
static void write_functions(const struct writer *w, struct buf *out)
{
	const bool is_cut = w->cut && w->cut != FRAGMENT_COUNT;
	if (is_cut) {
		buf_printf(out, "static void %s_end(void)\n{\n", w->c->id);
		add(out, &w->after);
		add(out, &w->checks);
		buf_addstr(out, "}\n\n");
	}
	comment(w, out);
	buf_printf(out, "static void %s(void)\n{\n", w->c->id);
	add(out, &w->variables);
	add(out, &w->setup);
	add(out, &w->before);
	if (is_cut)
		buf_printf(out, "\tveer_cut = %u;\n\tveer_end = %s_end;\n", w->cut, w->c->id);
	add(out, &w->call);
	add(out, &w->after);
	if (w->cut == FRAGMENT_COUNT)
		buf_addstr(out, "\t*veer_marks = 0; /* It comes back. */\n");
	else if (is_cut && w->seen)
		buf_addstr(out, "\tassert(!\"it ends before\");\n");
	else if (!w->cut)
		add(out, &w->checks);
	buf_addstr(out, "}\n\n");
}

int fragment_case_write(struct fragment_unit_file *f, const struct fragment_case *c, uint32_t cut,
                        const struct fragment_seen *seen, struct buf *out, char **reason)
{
	struct writer w = {.f = f, .c = c, .cut = cut, .seen = seen};
	struct err err;
	*reason = NULL;
	if (state_read(&w.s, f->suite->shapes, c->entry, c->entry_size, c->parts, c->n, &err) < 0) {
		*reason = mem_strdup(err.text);
		return -1;
	}
	w.t = &w.s.program->units[w.s.function.unit];
	w.fn = shape_function(w.s.program, w.s.function);
	if (!w.fn->type)
		writer_fail(&w, "the type of %s is not known", shape_text(w.t, w.fn->name));
	w.result = result_name(&w);
	w.in_field = f->suite->device && !w.s.entry.marker;
	define_objects(&w);
	set_globals(&w);
	declare_parameters(&w);
	char *callee = w.reason ? NULL : writer_callee(&w);
	if (!w.reason)
		writer_system(&w);
	if (!w.reason && !f->suite->device)
		writer_expect(&w);
	if (!w.reason) {
		write_call(&w, callee);
		add(out, &w.definitions);
		write_functions(&w, out);
	}
	mem_free(callee);
	*reason = w.reason;
	int expectations = w.reason ? -1 : (int)w.expectations;
	release(&w);
	return expectations;
}
