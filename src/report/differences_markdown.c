// A comment on a merge request. What comes from programs and sources stands in code only, where it is neither markup
// nor mentions anybody.
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "report/differences.h"

// A service takes comments of 64 KB and more.
enum { DIFFERENCES_MOST = 10, FUNCTIONS_MOST = 40, TEXT_MOST = 1500, SPAN_MOST = 200 };

static size_t longest_run(const char *text, size_t n)
{
	size_t longest = 0, run = 0;
	for (size_t i = 0; i < n; i++) {
		run = text[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void ticks(struct buf *out, size_t n)
{
	while (n--)
		buf_addch(out, '`');
}

// Code within a line.
static void code(struct buf *out, const char *text)
{
	struct buf clean = {0};
	size_t n = strnlen(text, SPAN_MOST);
	utf8_clean(&clean, text, n);
	size_t fence = longest_run(buf_str(&clean), clean.len) + 1;
	bool pad = clean.len && (clean.data[0] == '`' || clean.data[clean.len - 1] == '`');
	ticks(out, fence);
	buf_printf(out, pad || !clean.len ? " %s " : "%s", buf_str(&clean));
	ticks(out, fence);
	buf_release(&clean);
}

// Lines of code.
static void block(struct buf *out, const char *text)
{
	size_t n = strnlen(text, TEXT_MOST), fence = longest_run(text, n) + 1;
	fence = fence < 3 ? 3 : fence;
	ticks(out, fence);
	buf_addstr(out, "text\n");
	for (size_t at = 0; at < n;) {
		size_t size = strcspn(text + at, "\n");
		size = size < n - at ? size : n - at;
		utf8_clean(out, text + at, size);
		buf_addch(out, '\n');
		at += size + 1;
	}
	if (text[n])
		buf_addstr(out, "...\n");
	ticks(out, fence);
	buf_addch(out, '\n');
}

static void side(struct buf *out, const struct difference_report *r, const struct view_side *s, int which)
{
	if (!*s->end)
		return;
	buf_addstr(out, which == CHANGE_OLD ? "\nOld, " : "\nNew, ");
	code(out, r->views->names[which]);
	buf_printf(out, ": %s%s\n", s->end, s->size ? ", prints" : ", prints nothing");
	if (s->size)
		block(out, s->output);
}

static void difference(struct buf *out, const struct difference_report *r, const struct difference_view *x)
{
	buf_printf(out, "\n#### %s (%s): %s", x->id, x->class, x->kind_text);
	if (strcmp(x->function, "?") != 0) {
		buf_addstr(out, ", in ");
		code(out, x->function);
		buf_addstr(out, ", ");
		char *place = x->line ? mem_printf("%s:%u", x->file, x->line) : mem_strdup(x->file);
		code(out, place);
		mem_free(place);
	}
	buf_addstr(out, "\n\nInput:\n");
	block(out, x->input);
	side(out, r, &x->side[CHANGE_OLD], CHANGE_OLD);
	side(out, r, &x->side[CHANGE_NEW], CHANGE_NEW);
	buf_printf(out, "\n%u input%s show%s it", x->inputs, x->inputs == 1 ? "" : "s", x->inputs == 1 ? "s" : "");
	char *script = mem_printf("%s/%s", r->folder, x->reproduce);
	buf_addstr(out, "; to run both versions: ");
	code(out, script);
	buf_addch(out, '\n');
	mem_free(script);
}

static void function(struct buf *out, const struct function_view *f)
{
	char *place = mem_printf("%s:%u", f->file, f->line);
	buf_printf(out, "- %s: ", f->verdict);
	code(out, f->name);
	buf_addstr(out, ", ");
	code(out, place);
	buf_addstr(out, ": ");
	code(out, f->reason);
	buf_addch(out, '\n');
	mem_free(place);
}

static void functions(struct buf *out, const struct difference_views *v)
{
	static const char *const words[] = {"different", "undecided", "same"};
	uint32_t shown = 0;
	buf_printf(out,
	           "\n<details><summary>Changed functions: %u different, %u not decided, %u the same; %u inputs "
	           "compared</summary>\n\n",
	           difference_views_count(v, "different"), difference_views_count(v, "undecided"),
	           difference_views_count(v, "same"), v->n_inputs);
	for (int k = 0; k < 3; k++)
		for (uint32_t i = 0; i < v->n_functions; i++)
			if (strcmp(v->functions[i].verdict, words[k]) == 0 && shown++ < FUNCTIONS_MOST)
				function(out, &v->functions[i]);
	if (shown > FUNCTIONS_MOST)
		buf_printf(out, "- and %u more\n", shown - FUNCTIONS_MOST);
	buf_addstr(out, "\n</details>\n");
}

void report_differences_markdown(const struct difference_report *r, struct buf *out)
{
	const struct difference_views *v = r->views;
	uint32_t reported = difference_views_reported(v), shown = 0;
	buf_addstr(out, "### veer: ");
	if (!v->n_functions)
		buf_addstr(out, "no difference in code");
	else if (!reported)
		buf_addstr(out, "no difference found");
	else
		buf_printf(out, "%u difference%s", reported, reported == 1 ? "" : "s");
	buf_addstr(out, " between ");
	code(out, v->names[CHANGE_OLD]);
	buf_addstr(out, " and ");
	code(out, v->names[CHANGE_NEW]);
	if (r->label) {
		buf_addstr(out, " of ");
		code(out, r->label);
	}
	buf_addch(out, '\n');
	for (uint32_t i = 0; i < v->n; i++)
		if (!v->v[i].accepted && shown++ < DIFFERENCES_MOST)
			difference(out, r, &v->v[i]);
	if (shown > DIFFERENCES_MOST)
		buf_printf(out, "\nand %u more\n", shown - DIFFERENCES_MOST);
	if (v->n > reported)
		buf_printf(out, "\n%u more accepted by the baseline\n", v->n - reported);
	if (v->n_functions)
		functions(out, v);
	buf_addch(out, '\n');
}
