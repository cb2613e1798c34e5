// Stubs of a case, and copies of functions: with calls of the unit's own functions redirected, or with a jump to where
// the case begins.
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "export/fragment_writer.h"

// --- stubs ----------------------------------------------------------------------------------------

static bool stub_at(const struct writer *w, uint32_t number, struct shape_ref *ret)
{
	const struct fragment_name *n = &w->s.names[w->s.entry.n_globals + number];
	ret->unit = shape_unit(w->s.program, n->unit);
	ret->number = n->number;
	return ret->unit != UINT32_MAX && n->number < w->s.program->units[ret->unit].head->n_functions;
}

static bool has_cells(const struct writer *w, struct shape_ref stub)
{
	for (uint32_t i = 0; i < w->s.n; i++)
		if (w->s.cells[i].kind == STATE_RESULT && shape_is(w->s.cells[i].at, stub))
			return true;
	return false;
}

static bool is_called(const struct writer *w, const char *symbol)
{
	for (uint32_t i = 0; i < w->fn->n_callees; i++)
		if (strcmp(shape_text(w->t, w->t->numbers[w->fn->callees + i]), symbol) == 0)
			return true;
	return false;
}

// A global that a stub writes; what is in a unit is known there by its name.
static void add_global(struct writer *w, uint32_t cell, const char *name, struct buf *out)
{
	const struct shape_global *g = NULL;
	if (!writer_must_set(w, cell))
		return;
	for (uint32_t i = 0; i < w->t->head->n_globals; i++)
		if (strcmp(shape_text(w->t, w->t->globals[i].name), name) == 0 &&
		    !(w->t->globals[i].flags & SHAPE_GLOBAL_LOCAL))
			g = &w->t->globals[i];
	if (!g)
		writer_fail(w, "%s is not declared in the unit, and a stub writes it", name);
	if (g && w->in_field)
		name = writer_field(w, name, writer_file(w, w->s.function.unit, g->flags & SHAPE_GLOBAL_STATIC), false);
	if (name)
		buf_printf(out, "\t\tmemcpy((void *)&%s, &%s_%u, sizeof %s);\n", name, w->c->id, cell, name);
}

// An object of the test that a stub writes over; one that nothing leads to is not there.
static void add_object(struct writer *w, uint32_t cell, struct buf *out)
{
	uint32_t object = state_changed(&w->s, cell);
	if (object < w->s.n && w->objects[object].is_used)
		buf_printf(out, "\t\tmemcpy((void *)&%s_%u, &%s_%u, sizeof %s_%u);\n", w->c->id, object, w->c->id, cell,
		           w->c->id, cell);
}

// One cell of a call: what it returns, or writes.
static void add_effect(struct writer *w, uint32_t cell, struct buf *out)
{
	const struct state_cell *c = &w->s.cells[cell];
	const char *more = strpbrk(strchr(c->part.name, '#'), ".:");
	const char *object = w->objects[cell].form == FORM_UNION ? ".object" : "";
	if (!more)
		buf_printf(out, "\t\tveer_result = %s_%u%s;\n", w->c->id, cell, object);
	else if (*more == '.')
		buf_printf(out, "\t\tif (%s)\n\t\t\tmemcpy((void *)%s, &%s_%u, sizeof %s_%u);\n", more + 1, more + 1,
		           w->c->id, cell, w->c->id, cell);
	else if (more[1] == '*')
		add_object(w, cell, out);
	else
		add_global(w, cell, more + 1, out);
}

static void add_calls(struct writer *w, struct shape_ref stub, struct buf *out)
{
	uint32_t last = 0;
	for (uint32_t i = 0; i < w->s.n; i++)
		if (w->s.cells[i].kind == STATE_RESULT && shape_is(w->s.cells[i].at, stub) && w->s.cells[i].call > last)
			last = w->s.cells[i].call;
	if (!last)
		return;
	buf_addstr(out, "\tswitch (++veer_calls) {\n");
	for (uint32_t call = 1; call <= last; call++) {
		buf_printf(out, "\tcase %u:\n", call);
		for (uint32_t i = 0; i < w->s.n; i++)
			if (w->s.cells[i].kind == STATE_RESULT && shape_is(w->s.cells[i].at, stub) &&
			    w->s.cells[i].call == call)
				add_effect(w, i, out);
		buf_addstr(out, "\t\tbreak;\n");
	}
	buf_addstr(out, "\t}\n");
}

// The case's own function in the place of another.
static void write_stub(struct writer *w, struct shape_ref stub)
{
	const struct shape_table *t = &w->s.program->units[stub.unit];
	const struct shape_function *f = &t->functions[stub.number];
	const char *name = shape_text(t, f->name);
	uint32_t result = f->type ? t->types[f->type].of : 0;
	struct buf head = {0}, effects = {0};
	char *call = mem_printf("%s_%s(", w->c->id, name);
	buf_addstr(&head, call);
	mem_free(call);
	if (!fragment_parameters(t, f, true, &head) || !fragment_redirect(w->f, w->s.program, stub))
		writer_fail(w, "calls of %s cannot be replaced in C", name);
	buf_addch(&head, ')');
	buf_addstr(&w->definitions, "static ");
	fragment_declare(t, result, NULL, head.data, &w->definitions);
	buf_addstr(&w->definitions, "\n{\n");
	if (result) {
		buf_addstr(&w->definitions, "\tstatic ");
		fragment_declare(t, result, NULL, "veer_none", &w->definitions);
		buf_addstr(&w->definitions, ";\n\t");
		fragment_declare(t, result, NULL, "veer_result = veer_none", &w->definitions);
		buf_addstr(&w->definitions, ";\n");
	}
	add_calls(w, stub, &effects);
	if (effects.len)
		buf_addstr(&w->definitions, "\tstatic unsigned veer_calls;\n");
	for (uint32_t i = 0; i < f->parameters; i++) {
		char *parameter = fragment_parameter_name(t, f, i);
		buf_printf(&w->definitions, "\t(void)%s;\n", parameter);
		mem_free(parameter);
	}
	buf_add(&w->definitions, effects.data, effects.len);
	buf_addstr(&w->definitions, result ? "\treturn veer_result;\n}\n" : "}\n");
	buf_printf(&w->setup, "\tstub_%s = %s_%s;\n", name, w->c->id, name);
	buf_release(&head);
	buf_release(&effects);
}

// --- copies ---------------------------------------------------------------------------------------

// Statements that give the live variables what the case says, through variables of the file that the test sets.
static void live_variables(struct writer *w, const char *copy, struct buf *declarations, struct buf *set)
{
	const struct shape_marker *m = &w->t->markers[w->fn->first_marker + w->s.entry.marker];
	struct strv names = {0};
	buf_printf(set, "\t%s_enters = 0;\n", copy);
	for (uint32_t i = 0; i < m->n_live; i++) {
		uint32_t number = w->t->numbers[m->live + i];
		const struct shape_field *f = &shape_fields(w->t, w->fn->frame)[number];
		char *name = mem_strdup(shape_text(w->t, f->name)), *variable = mem_printf("%s_%u", copy, number);
		name[strcspn(name, "@")] = 0;
		for (size_t k = 0; k < names.n; k++)
			if (strcmp(names.v[k], name) == 0)
				writer_fail(w, "two variables called %s are alive where it begins", name);
		strv_push(&names, name);
		buf_addstr(declarations, "static ");
		if (!*name || !fragment_declare(w->t, f->type, NULL, variable, declarations))
			writer_fail(w, "a variable that is alive where it begins has no name, or a type without one");
		buf_addstr(declarations, ";\n");
		buf_printf(set, "\tmemcpy((void *)&%s, &%s, sizeof %s);\n", name, variable, variable);
		mem_free(name);
		mem_free(variable);
	}
	strv_release(&names);
}

// The test gives them to the copy.
static void give_variables(struct writer *w, const char *copy)
{
	const struct shape_marker *m = &w->t->markers[w->fn->first_marker + w->s.entry.marker];
	for (uint32_t i = 0; i < m->n_live; i++) {
		uint32_t number = w->t->numbers[m->live + i];
		const struct shape_field *f = &shape_fields(w->t, w->fn->frame)[number];
		if (number < w->fn->parameters) {
			char *name = fragment_parameter_name(w->t, w->fn, number);
			buf_printf(&w->setup, "\tmemcpy(&%s_%u, &%s, sizeof %s);\n", copy, number, name, name);
			mem_free(name);
			continue;
		}
		char *name = mem_strdup(shape_text(w->t, f->name));
		for (char *p = name; *p; p++)
			*p = *p == '@' ? '_' : *p;
		struct shape_field plain = *f;
		plain.spelling = 0; // without const
		writer_variable(w, "\t", &plain, name);
		buf_printf(&w->setup, "\tmemcpy(&%s_%u, &%s, sizeof %s);\n", copy, number, name, name);
		mem_free(name);
	}
	buf_printf(&w->setup, "\t%s_enters = 1;\n", copy);
}

// A stub comes back where the function itself never does.
static const char quiet[] = "#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wuninitialized\"\n"
			    "#pragma GCC diagnostic ignored \"-Wreturn-type\"\n"
			    "#pragma GCC diagnostic ignored \"-Wimplicit-fallthrough\"\n"
			    "#pragma GCC diagnostic ignored \"-Wdeclaration-after-statement\"\n"
			    "#ifndef __clang__\n#pragma GCC diagnostic ignored \"-Wmaybe-uninitialized\"\n"
			    "#pragma GCC diagnostic ignored \"-Wswitch-unreachable\"\n#endif\n";

static void write_copy(struct writer *w, const char *copy, const struct strv *own)
{
	struct buf declarations = {0}, set = {0}, body = {0}, head = {0};
	char *flag = mem_printf("%s_enters", copy);
	const char *reason = NULL;
	if (w->s.entry.marker)
		live_variables(w, copy, &declarations, &set);
	struct fragment_copy c = {.text = w->f->text,
	                          .name = shape_text(w->t, w->fn->name),
	                          .line = w->fn->line,
	                          .marker = w->s.entry.marker ? &w->t->markers[w->fn->first_marker + w->s.entry.marker]
	                                                      : NULL,
	                          .flag = flag,
	                          .set = buf_str(&set),
	                          .mark = w->cut ? "veer_at();\n" : NULL};
	if (!w->reason && !fragment_copy_body(&c, &body, &reason))
		writer_fail(w, "%s", reason);
	char *call = mem_printf("%s(", copy);
	buf_addstr(&head, call);
	mem_free(call);
	if (!fragment_parameters(w->t, w->fn, true, &head))
		writer_fail(w, "a parameter has a type without a name");
	buf_addch(&head, ')');
	struct buf text = {0}, *out = &text;
	if (!w->reason) {
		if (w->s.entry.marker)
			buf_printf(out, "static int %s;\n", flag);
		buf_add(out, declarations.data, declarations.len);
		buf_addstr(out, quiet);
		for (size_t i = 0; i < own->n; i++)
			buf_printf(out, "#define %s veer_call_%s\n", own->v[i], own->v[i]);
		buf_addstr(out, "__attribute__((unused)) static ");
		fragment_declare(w->t, w->t->types[w->fn->type].of, NULL, head.data, out);
		buf_printf(out, "\n%s\n", body.data);
		for (size_t i = 0; i < own->n; i++)
			buf_printf(out, "#undef %s\n", own->v[i]);
		buf_addstr(out, "#pragma GCC diagnostic pop\n\n");
		fragment_share(w->f, copy, &text);
	}
	mem_free(flag);
	buf_release(&text);
	buf_release(&declarations);
	buf_release(&set);
	buf_release(&body);
	buf_release(&head);
}

// What the marks of copies do.
static const char marks[] =
	"static unsigned veer_own_marks, *veer_marks = &veer_own_marks, veer_cut;\nstatic void (*veer_end)(void);\n\n"
	"/* Stands before the statements of copies: a test ends before one that it would not survive. */\n"
	"__attribute__((unused)) static void veer_at(void)\n{\n\tif (++*veer_marks == veer_cut) {\n\t\tveer_end();\n"
	"\t\t_exit(0);\n\t}\n}\n\n";

static void share_marks(struct writer *w)
{
	const struct buf text = {.data = (char *)marks, .len = sizeof marks - 1};
	if (!fragment_shares(w->f, "marks"))
		fragment_share(w->f, "marks", &text);
	strv_push(&w->f->used, "marks");
}

struct calls {
	struct fragment_call *v;
	size_t n, cap;
};

// In the firmware, a call of the stub.
static void field_call(struct writer *w, struct shape_ref stub, struct calls *calls)
{
	const struct shape_table *t = &w->s.program->units[stub.unit];
	const struct shape_function *f = &t->functions[stub.number];
	const struct fragment_device *d = w->f->suite->device;
	const char *name = shape_text(t, f->name);
	uint32_t address, size;
	if (!d->find(d->opaque, name, writer_file(w, stub.unit, f->flags & SHAPE_STATIC), true, &address, &size)) {
		writer_fail(w, "the firmware has no function %s of its own, so calls of it cannot be replaced", name);
		return;
	}
	const struct fragment_call call = {address, name, mem_printf("veer_call_%s", name)};
	vec_push(calls, call);
}

char *writer_callee(struct writer *w)
{
	struct calls calls = {0};
	const char *name = shape_text(w->t, w->fn->name);
	struct strv own = {0}; // stubs of the unit itself
	struct buf key = {0};
	for (uint32_t i = 0; i < w->s.entry.n_stubs && !w->reason; i++) {
		struct shape_ref stub;
		if (!stub_at(w, i, &stub))
			continue;
		const struct shape_table *t = &w->s.program->units[stub.unit];
		const struct shape_function *f = &t->functions[stub.number];
		if (!has_cells(w, stub) && !is_called(w, shape_text(t, f->symbol)))
			continue;
		bool by_copy = stub.unit == w->s.function.unit || fragment_is_variadic(t, f) || w->f->suite->device;
		if (by_copy && !is_called(w, shape_text(t, f->symbol))) {
			writer_fail(w, "%s is called by another function, and stubbed", shape_text(t, f->name));
			continue;
		}
		write_stub(w, stub);
		if (by_copy)
			strv_push(&own, shape_text(t, f->name));
		if (w->in_field)
			field_call(w, stub, &calls);
	}
	if (w->in_field) {
		char *field = w->reason ? NULL : writer_field_callee(w, calls.v, calls.n);
		for (size_t i = 0; i < calls.n; i++)
			mem_free((void *)calls.v[i].to);
		vec_release(&calls);
		strv_release(&own);
		return field;
	}
	buf_printf(&key, "%s %u", name, w->s.entry.marker);
	for (size_t i = 0; i < own.n; i++)
		buf_printf(&key, " %s", own.v[i]);
	if (w->cut) {
		buf_addstr(&key, " marks");
		share_marks(w);
	}
	char *callee = NULL;
	if (!w->reason && !own.n && !w->s.entry.marker && !w->cut) {
		callee = mem_strdup(name);
	} else if (!w->reason) {
		callee = mem_printf("veer_%s_%08x", name, (unsigned)hash_bytes(key.data, key.len).low);
		if (!fragment_shares(w->f, callee))
			write_copy(w, callee, &own);
		strv_push(&w->f->used, callee);
		if (w->s.entry.marker && !w->reason)
			give_variables(w, callee);
	}
	strv_release(&own);
	buf_release(&key);
	return callee;
}
