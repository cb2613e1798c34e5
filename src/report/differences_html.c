// Differences as a page: for each, the input, what both versions did, and their sources side by side. As the page of
// other campaigns it needs nothing else, and trusts nothing that it shows.
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "config.h"
#include "report/differences.h"
#include "report/html.h"

static const char style[] =
#include "page.css.inc"
	;
static const char script[] =
#include "page.js.inc"
	;

static const char *const sides[] = {"Old", "New"};

static void code(struct buf *out, const char *text)
{
	buf_addstr(out, "<code>");
	html_text(out, text);
	buf_addstr(out, "</code>");
}

// --- the table ------------------------------------------------------------------------------------

static void row(struct buf *out, const struct difference_view *x)
{
	buf_printf(
		out,
		"<tr data-level=\"%s\" data-id=\"%s\"><th scope=\"row\" data-label=\"Difference\" data-sort=\"%s\"><a "
		"href=\"#%s\">%s</a></th><td data-label=\"Kind\"><span class=\"badge %s\">%s</span></td><td "
		"data-label=\"Class\">%s</td><td data-label=\"Function\">",
		x->level, x->id, x->id + 1, x->id, x->id, x->level, x->kind, x->class);
	code(out, x->function);
	buf_addstr(out, "</td><td data-label=\"Place\">");
	code(out, x->file);
	buf_addstr(out, "</td><td data-label=\"What\">");
	html_text(out, x->why);
	buf_printf(out, "%s</td><td class=\"number\" data-label=\"Inputs\">%" PRIu32 "</td></tr>\n",
	           x->accepted ? " (accepted)" : "", x->inputs);
}

static void table(struct buf *out, const struct difference_views *v)
{
	static const char *const columns[] = {"Difference", "Kind", "Class", "Function", "Place", "What"};
	buf_addstr(out, "<section aria-labelledby=\"findings\"><h2 id=\"findings\">Differences</h2>\n");
	if (!v->n)
		buf_addstr(out, "<p class=\"empty\">None was found.</p>\n");
	else
		buf_addstr(
			out,
			"<div class=\"tools\" hidden><label for=\"search\">Filter <input id=\"search\" type=\"search\" "
			"autocomplete=\"off\" spellcheck=\"false\"></label>\n<output id=\"shown\" "
			"aria-live=\"polite\"></output></div>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
			"aria-label=\"Table of differences\"><table id=\"findings-table\"><caption>The most serious "
			"first.</caption>\n<thead><tr>");
	for (size_t i = 0; v->n && i < sizeof columns / sizeof *columns; i++)
		buf_printf(out, "<th scope=\"col\"><button type=\"button\">%s</button></th>", columns[i]);
	if (v->n)
		buf_addstr(
			out,
			"<th scope=\"col\" class=\"number\"><button type=\"button\">Inputs</button></th></tr></thead>\n"
			"<tbody>\n");
	for (uint32_t i = 0; i < v->n; i++)
		row(out, &v->v[i]);
	buf_addstr(out, v->n ? "</tbody></table></div></section>\n" : "</section>\n");
}

// --- a difference ---------------------------------------------------------------------------------

static bool is_changed(const struct view_side *s, uint32_t line)
{
	for (uint32_t i = 0; i < s->n_lines; i++)
		if (s->lines[i] == line)
			return true;
	return false;
}

static void source(struct buf *out, const struct view_side *s, int which)
{
	static const char *const classes[] = {" was", " now"}, *const marks[] = {"\xe2\x88\x92", "+"};
	uint32_t line = s->line;
	if (!*s->source) {
		buf_printf(out, "<p class=\"muted\">%s</p>\n",
		           *s->file ? "The source is not here." : "This version does not have the function.");
		return;
	}
	buf_addstr(out, "<p class=\"partname\">");
	code(out, s->file);
	buf_addstr(out, "</p>\n<div class=\"box\" tabindex=\"0\" role=\"group\" aria-label=\"Source\">");
	for (const char *p = s->source; *p; line++) {
		size_t n = strcspn(p, "\n");
		bool changed = is_changed(s, line);
		buf_printf(out,
		           "<span class=\"row%s\"><span class=\"no\">%" PRIu32 "</span><span class=\"mark\">%s</span> ",
		           changed ? classes[which] : "", line, changed ? marks[which] : "");
		html_bytes(out, p, n);
		buf_addstr(out, "</span>\n");
		p += n + (p[n] == '\n');
	}
	buf_addstr(out, "</div>\n");
}

static void lines(struct buf *out, const char *class, const char *text)
{
	buf_addstr(out, "<div class=\"box\" tabindex=\"0\" role=\"group\" aria-label=\"Text\">");
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");
		buf_printf(out, "<span class=\"row%s\">", class);
		html_bytes(out, p, n);
		buf_addstr(out, "</span>\n");
		p += n + (p[n] == '\n');
	}
	buf_addstr(out, "</div>\n");
}

static void version(struct buf *out, const struct difference_views *v, const struct view_side *s, int which)
{
	static const char *const classes[] = {" was", " now"};
	buf_printf(out, "<div class=\"version\"><h4>%s, ", sides[which]);
	html_text(out, v->names[which]);
	buf_addstr(out, "</h4>\n<p class=\"sentence\">");
	html_text(out, *s->end ? s->end : "It was not run again for this page.");
	if (*s->end && !s->size)
		buf_addstr(out, "; prints nothing");
	buf_addstr(out, "</p>\n");
	if (*s->end && s->size)
		lines(out, classes[which], s->output);
	source(out, s, which);
	buf_addstr(out, "</div>\n");
}

static void difference(struct buf *out, const struct difference_report *r, const struct difference_view *x)
{
	buf_printf(out, "<details class=\"finding\" id=\"%s\"%s><summary><h3>%s <span class=\"badge %s\">%s</span> ",
	           x->id, x->accepted ? "" : " open", x->id, x->level, x->kind);
	html_text(out, x->function);
	buf_addstr(out, "</h3></summary>\n<div class=\"body\"><p class=\"sentence\">");
	html_text(out, x->kind_text);
	buf_addstr(out, ": ");
	html_text(out, x->why);
	buf_addstr(out, "</p>\n<h4>The smallest input that shows it</h4>\n");
	lines(out, "", x->input);
	buf_addstr(out, "<div class=\"versions\">\n");
	for (int which = 0; which < CHANGE_SIDES; which++)
		version(out, r->views, &x->side[which], which);
	buf_printf(out, "</div>\n<p class=\"muted\">%" PRIu32 " input%s show%s it. ", x->inputs,
	           x->inputs == 1 ? "" : "s", x->inputs == 1 ? "s" : "");
	if (*x->change) {
		buf_addstr(out, "Of the change: ");
		html_text(out, x->change);
		buf_addch(out, '.');
	}
	buf_addstr(out, "</p>\n<pre class=\"command\">");
	html_text(out, r->folder);
	buf_addch(out, '/');
	html_text(out, x->reproduce);
	buf_addstr(out, "</pre></div></details>\n");
}

// --- the page -------------------------------------------------------------------------------------

static void functions(struct buf *out, const struct difference_views *v)
{
	static const char *const words[] = {"different", "undecided", "same"};
	buf_addstr(out, "<section aria-labelledby=\"functions\"><h2 id=\"functions\">Changed functions</h2>\n<ul "
	                "class=\"limits\">\n");
	for (int k = 0; k < 3; k++)
		for (uint32_t i = 0; i < v->n_functions; i++) {
			const struct function_view *f = &v->functions[i];
			if (strcmp(f->verdict, words[k]) != 0)
				continue;
			buf_printf(out, "<li>%s: ", f->verdict);
			code(out, f->name);
			buf_addstr(out, ", ");
			code(out, f->file);
			buf_printf(out, ":%" PRIu32 ": ", f->line);
			html_text(out, f->reason);
			buf_addstr(out, "</li>\n");
		}
	buf_addstr(out, "</ul></section>\n");
}

static void head(struct buf *out, const struct difference_report *r)
{
	const struct difference_views *v = r->views;
	struct buf count = {0};
	differences_count_text(v, &count);
	buf_addstr(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	                "'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
	                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>veer: ");
	buf_printf(out,
	           "%s</title>\n<style>\n%s</style></head>\n<body><a class=\"skip\" href=\"#findings\">To the "
	           "differences</a>\n<header class=\"top\"><p class=\"brand\">veer</p><h1>%s</h1>\n<p "
	           "class=\"lead\">Between ",
	           buf_str(&count), style, buf_str(&count));
	code(out, v->names[CHANGE_OLD]);
	buf_addstr(out, " and ");
	code(out, v->names[CHANGE_NEW]);
	buf_printf(out,
	           ", on %" PRIu32 " inputs that execute a change: %" PRIu32 " functions different, %" PRIu32
	           " not decided, %" PRIu32 " the same.</p>\n</header>\n<main>\n",
	           v->n_inputs, difference_views_count(v, "different"), difference_views_count(v, "undecided"),
	           difference_views_count(v, "same"));
	buf_release(&count);
}

void report_differences_html(const struct difference_report *r, struct buf *out)
{
	const struct difference_views *v = r->views;
	head(out, r);
	table(out, v);
	if (v->n)
		buf_addstr(out, "<section aria-labelledby=\"details\"><h2 id=\"details\">Each difference</h2>\n");
	for (uint32_t i = 0; i < v->n; i++)
		difference(out, r, &v->v[i]);
	if (v->n)
		buf_addstr(out, "</section>\n");
	functions(out, v);
	buf_printf(out,
	           "</main>\n<footer><p>Made by veer " CONFIG_VERSION
	           ". This page needs no network.</p></footer>\n<script>\n%s</script>\n</body></html>\n",
	           script);
}
