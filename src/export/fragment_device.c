#include "export/fragment_device.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "export/fragment_writer.h"

// --- words of a case ------------------------------------------------------------------------------

const char *writer_file(const struct writer *w, uint32_t unit, bool is_static)
{
	const struct shape_table *t = &w->s.program->units[unit];
	return is_static ? path_basename(shape_text(t, t->head->file)) : NULL;
}

static const char *shared_key(const struct fragment_unit_file *f, const char *key)
{
	for (size_t i = 0; i < f->copies.n; i++)
		if (strcmp(f->copies.v[i], key) == 0)
			return f->copies.v[i];
	return NULL;
}

// A variable that the unit knows otherwise than the firmware was built with would be another one: that does not
// compile.
const char *writer_field(struct writer *w, const char *name, const char *file, bool function)
{
	const struct fragment_device *d = w->f->suite->device;
	uint32_t address, size;
	if (!d->find(d->opaque, name, file, function, &address, &size)) {
		writer_fail(w, "the firmware has no %s %s of its own: it was inlined, or left out",
		            function ? "function" : "variable", name);
		return NULL;
	}
	char *key = mem_printf("VEER_AT_%s", name);
	if (!fragment_shares(w->f, key)) {
		struct buf text = {0};
		buf_printf(&text, "#define %s (*(__typeof__(%s) *)0x%" PRIx32 "u)\n", key, name,
		           function ? address | 1 : address);
		if (!function)
			buf_printf(&text,
			           "_Static_assert(sizeof(%s) == %" PRIu32 ", \"the firmware has another %s\");\n",
			           name, size, name);
		fragment_share(w->f, key, &text);
		buf_release(&text);
	}
	strv_push(&w->f->used, key);
	const char *shared = shared_key(w->f, key);
	mem_free(key);
	return shared;
}

static int by_callee(const void *a, const void *b)
{
	const struct fragment_call *x = a, *y = b;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

char *writer_field_callee(struct writer *w, const struct fragment_call *calls, size_t n)
{
	const struct fragment_device *d = w->f->suite->device;
	const char *name = shape_text(w->t, w->fn->name), *reason = NULL;
	const char *file = writer_file(w, w->s.function.unit, w->fn->flags & SHAPE_STATIC);
	uint32_t address, size;
	if (!n) {
		const char *field = writer_field(w, name, file, true);
		return field ? mem_strdup(field) : NULL;
	}
	if (!d->find(d->opaque, name, file, true, &address, &size)) {
		writer_fail(w, "the firmware has no function %s of its own: it was inlined, or left out", name);
		return NULL;
	}
	struct buf stubs = {0}, text = {0};
	struct fragment_call *sorted = mem_alloc(n * sizeof *sorted);
	memcpy(sorted, calls, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_callee);
	for (size_t i = 0; i < n; i++)
		buf_printf(&stubs, " %s", sorted[i].name);
	char *label =
		mem_printf("veer_copy_%08" PRIx32 "_%08x", address, (unsigned)hash_bytes(stubs.data, stubs.len).low);
	if (!fragment_shares(w->f, label)) {
		buf_printf(&text, "extern __typeof__(%s) %s;\n", name, label);
		if (!d->copy(d->opaque, address, sorted, n, label, &text, &reason))
			writer_fail(w, "%s", reason);
		else
			fragment_share(w->f, label, &text);
	}
	strv_push(&w->f->used, label);
	mem_free(sorted);
	buf_release(&stubs);
	buf_release(&text);
	return label;
}

void writer_static(const struct writer *w, struct buf *out)
{
	if (w->f->suite->device)
		buf_printf(out, "static VEER_CASE(%s) ", w->c->id);
	else
		buf_addstr(out, "static ");
}

void writer_field_text(struct writer *w, const struct state_leaf *leaf, const char *base)
{
	const struct state_part *p = &w->s.cells[leaf->cell].part;
	buf_printf(&w->setup, "\tmemcpy((char *)&%s%s, ", base, leaf->path);
	state_c_string(p->data + leaf->offset, leaf->size, &w->setup);
	buf_printf(&w->setup, ", %" PRIu64 ");\n", leaf->size);
}

void writer_trigger(struct writer *w)
{
	const char *number = w->c->id + strcspn(w->c->id, "0123456789");
	if (w->f->suite->device)
		buf_printf(&w->call, "\tVEER_TRIGGER_ON(%s);\n", number);
}

// --- a file -----------------------------------------------------------------------------------------

void fragment_device_head(const char *source, struct buf *out)
{
	buf_printf(out,
	           "/* Training runs of %s, made by veer infer plan. The source is here for its types; what runs are\n"
	           " * functions of the firmware, where they lie (VEER_AT_...), or copies of their machine code. */\n"
	           "#include \"%s\"\n\n#include \"veer_training.h\"\n\n",
	           path_basename(source), source);
}

void fragment_device_tail(const char *name, const struct strv *ids, struct buf *out)
{
	for (size_t i = 0; i < ids->n; i++)
		buf_printf(out, "VEER_RUN_OF(%s)\n", ids->v[i]);
	buf_printf(out, "extern const struct veer_run veer_runs_%s[];\nconst struct veer_run veer_runs_%s[] = {\n",
	           name, name);
	for (size_t i = 0; i < ids->n; i++)
		buf_printf(out, "\tVEER_RUN(%s, %s),\n", ids->v[i] + strcspn(ids->v[i], "0123456789"), ids->v[i]);
	buf_addstr(out, "\t{0, 0, 0, 0}};\n");
}

// --- the Makefile -----------------------------------------------------------------------------------

// Of the options that the program was compiled with for this machine, those that say what its source means.
static void add_options(struct buf *out, const struct strv *options)
{
	static const char *const kept[] = {"-I", "-D", "-U", "-std=", "-include", "-iquote", "-isystem", "-idirafter"};
	for (size_t i = 0; i < options->n; i++)
		for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
			const char *o = options->v[i];
			if (strncmp(o, kept[k], strlen(kept[k])) != 0)
				continue;
			fragment_make_word(out, o);
			if (strcmp(o, kept[k]) == 0 && i + 1 < options->n)
				fragment_make_word(out, options->v[++i]);
			break;
		}
}

void fragment_device_makefile(const struct fragment_make_test *files, size_t n, const char *compiler, const char *flags,
                              struct buf *out)
{
	buf_printf(out,
	           "# Training runs, made by veer infer plan: make\n#\n"
	           "# CC, CFLAGS: the compiler of the device, and the options that the firmware is compiled with;\n"
	           "# -DVEER_TRIGGER_ON(run)=... and -DVEER_TRIGGER_OFF()=... set a pin.\n"
	           "CC = %s\nCFLAGS = %s\nLIBS = $(if $(findstring clang,$(CC)),,-lgcc)\nHERE := $(dir $(abspath "
	           "$(lastword $(MAKEFILE_LIST))))\n"
	           "OBJECTS = objects/firmware.o objects/training.o",
	           compiler, flags);
	for (size_t i = 0; i < n; i++)
		buf_printf(out, " objects/%s.o", files[i].name);
	buf_addstr(out, "\nMORE = -w -ffunction-sections -fdata-sections\n\n"
	                "training.elf: $(OBJECTS) training.ld\n"
	                "\t$(CC) $(CFLAGS) -nostdlib -nostartfiles -T training.ld -Wl,--gc-sections -o $@ $(OBJECTS) "
	                "$(LIBS)\n\n"
	                "objects/firmware.o: firmware.S\n\t@mkdir -p objects\n"
	                "\tcd $(HERE) && $(CC) $(CFLAGS) -c firmware.S -o $@\n\n"
	                "objects/training.o: training.c veer_training.h\n\t@mkdir -p objects\n"
	                "\t$(CC) $(CFLAGS) $(MORE) -fno-builtin -c training.c -o $@\n\n"
	                "clean:\n\trm -rf objects training.elf\n\n.PHONY: clean\n\n");
	for (size_t i = 0; i < n; i++) {
		const struct fragment_source *s = files[i].source;
		buf_printf(out, "objects/%s.o: %s.c veer_training.h", files[i].name, files[i].name);
		fragment_make_prerequisite(out, s->path);
		buf_addstr(out, "\n\t@mkdir -p $(HERE)objects\n\tcd");
		fragment_make_word(out, s->cwd);
		buf_addstr(out, " && $(CC)");
		add_options(out, &s->options);
		buf_printf(out, " $(CFLAGS) $(MORE) -I $(HERE) -c $(HERE)%s.c -o $(HERE)objects/%s.o\n\n",
		           files[i].name, files[i].name);
	}
}
