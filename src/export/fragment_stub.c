// Types and parameters as C declares them, and functions that take the place of others.
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "export/fragment_internal.h"

// --- declarations ---------------------------------------------------------------------------------

static void add_type(const char *spelling, const char *name, struct buf *out)
{
	size_t n = strlen(spelling);
	if (strpbrk(spelling, "([")) // an array, or a pointer to a function
		buf_printf(out, "__typeof__(%s)%s%s", spelling, *name ? " " : "", name);
	else
		buf_printf(out, "%s%s%s", spelling, *name && spelling[n - 1] != '*' ? " " : "", name);
}

// `restrict` is no word of every C.
static char *portable(const char *spelling)
{
	struct buf out = {0};
	for (const char *p = spelling; *p;) {
		bool word = strncmp(p, "restrict", 8) == 0 && !isalnum((unsigned char)p[8]) && p[8] != '_' &&
		            (p == spelling || (!isalnum((unsigned char)p[-1]) && p[-1] != '_'));
		buf_addstr(&out, word ? "__restrict" : "");
		if (word)
			p += 8;
		else
			buf_addch(&out, *p++);
	}
	return buf_steal(&out);
}

bool fragment_declare(const struct shape_table *t, uint32_t type, const struct shape_field *field, const char *name,
                      struct buf *out)
{
	const char *spelling = field && field->spelling ? shape_text(t, field->spelling) : "";
	if (!*spelling)
		spelling = type ? shape_text(t, t->types[type].name) : "void";
	if (!*spelling)
		return false;
	char *text = portable(spelling);
	add_type(text, name, out);
	mem_free(text);
	return true;
}

char *fragment_parameter_name(const struct shape_table *t, const struct shape_function *f, uint32_t parameter)
{
	const struct shape_field *p = &shape_fields(t, f->frame)[parameter];
	return p->name ? mem_strdup(shape_text(t, p->name)) : mem_printf("unnamed_%u", parameter + 1);
}

bool fragment_is_variadic(const struct shape_table *t, const struct shape_function *f)
{
	return t->types[f->type].flags & SHAPE_VARIADIC;
}

bool fragment_parameters(const struct shape_table *t, const struct shape_function *f, bool named, struct buf *out)
{
	if (!f->parameters)
		buf_addstr(out, "void");
	for (uint32_t i = 0; i < f->parameters; i++) {
		const struct shape_field *p = &shape_fields(t, f->frame)[i];
		char *name = named ? fragment_parameter_name(t, f, i) : mem_strdup("");
		buf_addstr(out, i ? ", " : "");
		bool good = fragment_declare(t, p->type, p, name, out);
		mem_free(name);
		if (!good)
			return false;
	}
	if (fragment_is_variadic(t, f) && f->parameters)
		buf_addstr(out, ", ...");
	return true;
}

// --- redirection ----------------------------------------------------------------------------------

static void add_arguments(const struct shape_table *t, const struct shape_function *f, struct buf *out)
{
	for (uint32_t i = 0; i < f->parameters; i++) {
		char *name = fragment_parameter_name(t, f, i);
		buf_printf(out, "%s%s", i ? ", " : "", name);
		mem_free(name);
	}
}

// Calls of NAME come to `entry`, which asks the test's own function, if it has one, or goes on to `real`.
static bool add_dispatch(const struct shape_table *t, const struct shape_function *f, const char *entry,
                         const char *real, bool external, bool used, struct buf *out)
{
	const char *name = shape_text(t, f->name);
	uint32_t result = t->types[f->type].of;
	struct buf head = {0}, types = {0};
	char *call = mem_printf("%s(", entry);
	buf_addstr(&head, call);
	mem_free(call);
	bool good = fragment_parameters(t, f, true, &head) && fragment_parameters(t, f, false, &types);
	buf_addch(&head, ')');
	struct buf pointer = {0};
	buf_printf(&pointer, "(*stub_%s)(%s)", name, buf_str(&types));
	const char *spelled = result ? shape_text(t, t->types[result].name) : "void";
	good = good && *spelled && !strpbrk(spelled, "([");
	buf_printf(out, "static %s %s;\n", spelled, pointer.data);
	if (external)
		buf_printf(out, "%s %s(%s);\n%s %s;\n%s %s\n{\n", spelled, real, types.data, spelled, head.data,
		           spelled, head.data);
	else
		buf_printf(out, "__attribute__((%s)) static %s %s\n{\n", used ? "used, noinline" : "unused", spelled,
		           head.data);
	if (fragment_is_variadic(t, f)) { // only copies that have the stub call it: arguments cannot be passed on
		buf_printf(out, "\tif (!stub_%s)\n\t\tabort();\n\t%sstub_%s(", name, result ? "return " : "", name);
		add_arguments(t, f, out);
		buf_addstr(out, ");\n}\n\n");
	} else {
		buf_printf(out, "\tif (stub_%s)\n\t\t%sstub_%s(", name, result ? "return " : "", name);
		add_arguments(t, f, out);
		buf_printf(out, ");\n\telse\n\t\t%s%s(", result ? "return " : "", real);
		add_arguments(t, f, out);
		buf_addstr(out, ");\n}\n\n");
	}
	buf_release(&head);
	buf_release(&types);
	buf_release(&pointer);
	return good;
}

bool fragment_shares(const struct fragment_unit_file *f, const char *key)
{
	for (size_t i = 0; i < f->copies.n; i++)
		if (strcmp(f->copies.v[i], key) == 0)
			return true;
	return false;
}

void fragment_share(struct fragment_unit_file *f, const char *key, const struct buf *text)
{
	strv_push(&f->copies, key);
	strv_pushf(&f->pieces, "%zu %s", f->shared.len, key);
	buf_add(&f->shared, text->data, text->len);
}

bool fragment_redirect(struct fragment_unit_file *f, const struct shape_program *p, struct shape_ref stub)
{
	const struct shape_table *t = &p->units[stub.unit];
	const struct shape_function *is = &t->functions[stub.number];
	const char *name = shape_text(t, is->name);
	bool device = f->suite->device,
	     external = t->head->unit != f->source->unit && !fragment_is_variadic(t, is) && !device;
	if (!is->type || is->symbol != is->name || (t->head->unit != f->source->unit && is->flags & SHAPE_STATIC) ||
	    (fragment_is_variadic(t, is) && !is->parameters))
		return false;
	char *key = mem_printf("stub %s", name), *entry = mem_printf(external ? "__wrap_%s" : "veer_call_%s", name);
	char *real = external ? mem_printf("__real_%s", name) : mem_strdup(name);
	struct buf text = {0};
	bool there = fragment_shares(f, key), good = there || add_dispatch(t, is, entry, real, external, device, &text);
	if (good && !there) {
		fragment_share(f, key, &text);
		if (external)
			strv_push(&f->wraps, name);
	}
	strv_push(&f->used, key);
	buf_release(&text);
	mem_free(key);
	mem_free(entry);
	mem_free(real);
	return good;
}
