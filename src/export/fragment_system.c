// Functions of the system in tests (shape/system.h). All arguments and results of these are integers or addresses,
// which are passed alike, so one prototype does for each: the test needs no header that declares them.
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "export/fragment_writer.h"

static const char dispatch[] =
	"/* Calls of functions of the system ask the test, while what it tests runs. */\n"
	"static int veer_runs;\n"
	"__attribute__((unused)) static long veer_nothing(const long *a)\n{\n\t(void)a;\n\treturn 0;\n}\n"
	"#define VEER_SYSTEM(name) \\\n"
	"\tstatic long (*system_##name)(const long *a); \\\n"
	"\tlong __real_##name(long a, long b, long c, long d, long e, long f); \\\n"
	"\tlong __wrap_##name(long a, long b, long c, long d, long e, long f); \\\n"
	"\tlong __wrap_##name(long a, long b, long c, long d, long e, long f) \\\n\t{ \\\n"
	"\t\tconst long all[] = {a, b, c, d, e, f}; \\\n"
	"\t\treturn veer_runs && system_##name ? system_##name(all) : __real_##name(a, b, c, d, e, f); \\\n\t}\n";

static void share_dispatch(struct writer *w, const char *name)
{
	char *key = mem_printf("system %s", name);
	struct buf text = {0};
	if (!fragment_shares(w->f, "system")) {
		const struct buf shared = {.data = (char *)dispatch, .len = sizeof dispatch - 1};
		fragment_share(w->f, "system", &shared);
	}
	if (!fragment_shares(w->f, key)) {
		buf_printf(&text, "VEER_SYSTEM(%s)\n", name);
		fragment_share(w->f, key, &text);
		strv_push(&w->f->wraps, name);
	}
	strv_push(&w->f->used, "system");
	strv_push(&w->f->used, key);
	buf_release(&text);
	mem_free(key);
}

// --- what a call does -------------------------------------------------------------------------------

struct effect {
	struct writer *w;
	struct buf *out;
};

static void write_bytes(const struct effect *e, const struct state_leaf *leaf)
{
	enum { LINE = 64 };
	const struct state_part *p = &e->w->s.cells[leaf->cell].part;
	const unsigned argument = e->w->s.cells[leaf->cell].of->out;
	for (uint64_t i = 0; i < leaf->size;) {
		uint64_t n = 0;
		while (i + n < leaf->size && n < LINE && (!p->mask || p->mask[leaf->offset + i + n]))
			n++;
		if (n) {
			buf_printf(e->out, "\t\tmemcpy((char *)a[%u] + %" PRIu64 ", ", argument - 1, leaf->offset + i);
			state_c_string(p->data + leaf->offset + i, n, e->out);
			buf_printf(e->out, ", %" PRIu64 ");\n", n);
		}
		i += n ? n : 1;
	}
}

static void write_effect(const struct state_leaf *leaf, void *opaque)
{
	const struct effect *e = opaque;
	const char *call = strchr(e->w->s.cells[leaf->cell].part.name, '#'), *what = call + strcspn(call, ".:");
	struct buf value = {0};
	if (!leaf->matters)
		return;
	if (*what == '.') {
		write_bytes(e, leaf);
	} else if (leaf->kind == STATE_NUMBER && (*what || state_bits(&e->w->s, leaf))) {
		state_c_number(&e->w->s, leaf, &value);
		buf_printf(e->out, "\t\t%s = %s;\n", *what ? "errno" : "result", value.data);
	} else if (leaf->kind == STATE_POINTER) {
		uint32_t target = state_target(&e->w->s, leaf);
		if (target != STATE_NULL && writer_target(e->w, leaf, target, &value))
			buf_printf(e->out, "\t\tresult = (long)%s;\n", value.data);
	}
	buf_release(&value);
}

static uint32_t last_call(const struct writer *w, const struct system_call *of)
{
	uint32_t last = 0;
	for (uint32_t i = 0; i < w->s.n; i++)
		if (w->s.cells[i].kind == STATE_SYSTEM && w->s.cells[i].of == of && w->s.cells[i].call > last)
			last = w->s.cells[i].call;
	return last;
}

// The case's own function in the place of one of the system. False: it would do nothing.
static bool write_stub(struct writer *w, const struct system_call *of, uint32_t last)
{
	struct buf text = {0};
	const struct effect e = {w, &text};
	bool any = false;
	buf_printf(&text,
	           "static long %s_%s(const long *a)\n{\n\tstatic unsigned calls;\n\tlong result = 0;\n\t(void)a;\n",
	           w->c->id, of->name);
	buf_addstr(&text, "\tswitch (++calls) {\n");
	for (uint32_t call = 1; call <= last; call++) {
		size_t empty = text.len;
		buf_printf(&text, "\tcase %u:\n", call);
		size_t had = text.len;
		for (uint32_t i = 0; i < w->s.n; i++)
			if (w->s.cells[i].kind == STATE_SYSTEM && w->s.cells[i].of == of && w->s.cells[i].call == call)
				state_walk(&w->s, i, write_effect, (void *)&e);
		if (text.len == had)
			text.len = empty;
		else
			buf_addstr(&text, "\t\tbreak;\n");
		any |= text.len > empty;
	}
	buf_addstr(&text, "\t}\n\treturn result;\n}\n");
	if (!any) {
		buf_release(&text);
		return false;
	}
	buf_add(&w->definitions, w->early.data, w->early.len);
	buf_clear(&w->early);
	buf_add(&w->definitions, text.data, text.len);
	buf_release(&text);
	return true;
}

// --- which ------------------------------------------------------------------------------------------

// Those that the entered function, or what it calls, names.
static void find_called(const struct writer *w, bool *called)
{
	struct shape_list all = {0};
	shape_reach(w->s.program, w->s.function, &all);
	for (uint32_t i = 0; i < all.n; i++) {
		const struct shape_table *t = &w->s.program->units[all.v[i].unit];
		const struct shape_function *f = shape_function(w->s.program, all.v[i]);
		for (uint32_t k = 0; k < f->n_callees; k++) {
			const char *symbol = shape_text(t, t->numbers[f->callees + k]);
			for (uint32_t n = 0; n < system_calls(); n++)
				called[n] |=
					strcmp(system_call(n)->name, symbol) == 0 &&
					!shape_is_somewhere(shape_find_function(w->s.program, all.v[i].unit, symbol));
		}
	}
	shape_list_release(&all);
}

void writer_system(struct writer *w)
{
	bool *called = mem_zero(system_calls() + 1), any = false;
	find_called(w, called);
	for (uint32_t n = 0; n < system_calls(); n++) {
		const struct system_call *of = system_call(n);
		uint32_t last = last_call(w, of);
		if (!last && !called[n])
			continue;
		if (w->f->suite->device) {
			if (last)
				writer_fail(w, "it calls %s of the system, and what that gives is made up", of->name);
			continue;
		}
		share_dispatch(w, of->name);
		if (last && write_stub(w, of, last))
			buf_printf(&w->setup, "\tsystem_%s = %s_%s;\n", of->name, w->c->id, of->name);
		else
			buf_printf(&w->setup, "\tsystem_%s = veer_nothing;\n", of->name);
		any = true;
	}
	if (any) {
		buf_addstr(&w->setup, "\tveer_runs = 1;\n");
		buf_addstr(&w->after, "\tveer_runs = 0;\n");
	}
	mem_free(called);
}
