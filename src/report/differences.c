#include "report/differences.h"

#include <string.h>

#include "base/utf8.h"

static const struct difference_format formats[] = {
#define DIFFERENCE_FORMAT(name, file, function, what) {#name, file, function, what},
#include "report/difference_formats.def"
};

const struct difference_format *difference_format(const char *name)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

void difference_format_names(struct buf *out)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		buf_printf(out, "%s%s", i ? ", " : "", formats[i].name);
}

void differences_count_text(const struct difference_views *v, struct buf *out)
{
	uint32_t accepted = v->n - difference_views_reported(v);
	buf_printf(out, "%u difference%s", v->n, v->n == 1 ? "" : "s");
	if (accepted)
		buf_printf(out, ", %u of them accepted", accepted);
}

// --- text -----------------------------------------------------------------------------------------

static void clean(struct buf *out, const char *text)
{
	utf8_clean(out, text, strlen(text));
}

static void indented(struct buf *out, const char *text)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");
		buf_addstr(out, "    ");
		utf8_clean(out, p, n);
		buf_addch(out, '\n');
		p += n + (p[n] == '\n');
	}
}

static void text_difference(const struct difference_report *r, const struct difference_view *x, struct buf *out)
{
	static const char *const words[] = {"old", "new"};
	buf_printf(out, "\n%s %s, %s in ", x->id, x->class, x->kind);
	clean(out, x->function);
	buf_addstr(out, ", ");
	clean(out, x->file);
	if (x->line)
		buf_printf(out, ":%u", x->line);
	buf_addstr(out, x->accepted ? " (accepted)\n  " : "\n  ");
	clean(out, x->why);
	buf_addstr(out, "\n  input\n");
	indented(out, x->input);
	for (int side = 0; side < CHANGE_SIDES; side++) {
		const struct view_side *s = &x->side[side];
		if (!*s->end)
			continue;
		buf_printf(out, "  %s: %s\n", words[side], s->end);
		indented(out, s->output);
	}
	buf_printf(out, "  %u input%s show%s it; %s/%s\n", x->inputs, x->inputs == 1 ? "" : "s",
	           x->inputs == 1 ? "s" : "", r->folder, x->reproduce);
}

void report_differences_text(const struct difference_report *r, struct buf *out)
{
	static const char *const words[] = {"different", "undecided", "same"};
	const struct difference_views *v = r->views;
	differences_count_text(v, out);
	buf_addstr(out, " between ");
	clean(out, v->names[CHANGE_OLD]);
	buf_addstr(out, " and ");
	clean(out, v->names[CHANGE_NEW]);
	buf_printf(out, "; %u inputs compared\n", v->n_inputs);
	for (uint32_t i = 0; i < v->n; i++)
		text_difference(r, &v->v[i], out);
	buf_addstr(out, "\nchanged functions\n");
	for (int k = 0; k < 3; k++)
		for (uint32_t i = 0; i < v->n_functions; i++) {
			const struct function_view *f = &v->functions[i];
			if (strcmp(f->verdict, words[k]) != 0)
				continue;
			buf_printf(out, "  %-9s  ", f->verdict);
			clean(out, f->name);
			buf_addstr(out, "  ");
			clean(out, f->file);
			buf_printf(out, ":%u: ", f->line);
			clean(out, f->reason);
			buf_addch(out, '\n');
		}
	if (v->n_noise)
		buf_printf(out, "%u of %u inputs were left out: a version runs them differently each time\n",
		           v->n_noise, v->n_inputs);
}
