// Annotated sources of the HTML report: what ran before, what runs now, what never did.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/html.h"
#include "report/source.h"

enum { PAGE_BYTES = 12 << 20 }; // of sources; a program can have more than a browser likes

// Those below the root first: others are the system's.
static bool is_below(const struct report *r, const char *file)
{
	char *name = source_relative(r->root, file);
	bool below = *name != '/';
	mem_free(name);
	return below;
}

struct order {
	const struct report *report;
	const struct covered_file *file;
	size_t findings;
};

static int by_interest(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	int below = is_below(y->report, y->file->name) - is_below(x->report, x->file->name);
	if (x->findings != y->findings)
		return x->findings < y->findings ? 1 : -1;
	return below ? below : strcmp(x->file->name, y->file->name);
}

static size_t count_findings(const struct report *r, const char *file)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++)
		n += strcmp(r->v[i].finding.file, file) == 0;
	return n;
}

// How many edges the line has, and how many of them ran.
static void edges_of(const struct covered_file *f, size_t *at, uint32_t line, size_t *ret_covered, size_t *ret_all)
{
	*ret_covered = *ret_all = 0;
	while (*at < f->n_edges && f->edges[*at].line < line)
		++*at;
	for (; *at < f->n_edges && f->edges[*at].line == line; ++*at) {
		++*ret_all;
		*ret_covered += f->edges[*at].after;
	}
}

static void finding_links(struct buf *out, const struct report *r, const char *file, uint32_t line)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].finding.line == line && strcmp(r->v[i].finding.file, file) == 0)
			buf_printf(out, "  <a href=\"#%s\">%s</a>", r->v[i].id, r->v[i].id);
}

static void show_line(struct buf *out, const struct report *r, const struct covered_file *f, uint32_t line,
                      const struct covered_line *c, const struct source *s, size_t *edge)
{
	static const char *const classes[] = {"", " both", " new", " never"};
	static const char *const marks[] = {"", "\xe2\x9c\x93", "+", "\xe2\x9c\x97"};
	static const char *const said[] = {"", "covered before", "newly covered", "not covered"};
	int kind = !c ? 0 : c->before ? 1 : c->after ? (r->before ? 2 : 1) : 3;
	struct buf text = {0};
	size_t covered, all;
	source_line(s, line, &text);
	buf_printf(out, "<span class=\"row%s\"><span class=\"no\">%" PRIu32 "</span><span class=\"mark\">",
	           classes[kind], line);
	if (kind)
		buf_printf(out, "<span aria-hidden=\"true\">%s</span><span class=\"sr\">%s</span>", marks[kind],
		           said[kind]);
	buf_addstr(out, "</span> ");
	html_bytes(out, text.data, text.len);
	edges_of(f, edge, line, &covered, &all);
	if (all)
		buf_printf(out, "  <span class=\"sides\">%zu/%zu</span>", covered, all);
	finding_links(out, r, f->name, line);
	buf_addstr(out, "</span>\n");
	buf_release(&text);
}

static void counts(struct buf *out, const struct report *r, const struct covered_file *f)
{
	buf_printf(out, "<span class=\"counts\">%" PRIu32 " of %" PRIu32 " lines, %" PRIu32 " of %" PRIu32 " branches",
	           f->after.lines.covered, f->after.lines.total, f->after.edges.covered, f->after.edges.total);
	if (r->before)
		buf_printf(out, "; before %" PRIu32 " and %" PRIu32, f->before.lines.covered, f->before.edges.covered);
	buf_addstr(out, "</span>");
}

// False: the source is not here.
static bool show_file(struct buf *out, const struct report *r, const struct covered_file *f)
{
	struct source s;
	size_t at = 0, edge = 0;
	source_read(&s, f->name);
	if (!s.n) {
		source_release(&s);
		return false;
	}
	buf_addstr(out, "<details class=\"file\"><summary><span class=\"place\">");
	html_file(out, r, f->name);
	buf_addstr(out, "</span> ");
	counts(out, r, f);
	buf_addstr(out,
	           "</summary>\n<div class=\"box\" tabindex=\"0\" role=\"group\" aria-label=\"Source with coverage\">");
	for (uint32_t line = 1; line <= s.n; line++) {
		while (at < f->n_lines && f->lines[at].line < line)
			at++;
		show_line(out, r, f, line, at < f->n_lines && f->lines[at].line == line ? &f->lines[at] : NULL, &s,
		          &edge);
	}
	buf_addstr(out, "</div></details>\n");
	source_release(&s);
	return true;
}

void html_sources(struct buf *out, const struct report *r, const struct covered *c)
{
	struct order *order = mem_zero((c->n + 1) * sizeof *order);
	size_t from = out->len, left = 0;
	for (size_t i = 0; i < c->n; i++)
		order[i] = (struct order){r, &c->v[i], count_findings(r, c->v[i].name)};
	if (c->n)
		qsort(order, c->n, sizeof *order, by_interest);
	buf_addstr(out, "<section aria-labelledby=\"sources\"><h2 id=\"sources\">Sources</h2>\n");
	if (!c->n)
		buf_addstr(out,
		           "<p>Coverage is not known: the programs are not here, or were built again since.</p>\n");
	else
		buf_printf(
			out,
			"<p class=\"legend\"><span aria-hidden=\"true\">\xe2\x9c\x93</span> covered%s<span "
			"aria-hidden=\"true\">\xe2\x9c\x97</span> never covered; at the end of a line: how many of its "
			"branches' edges were taken.</p>\n",
			r->before ? " by the tests, <span aria-hidden=\"true\">+</span> newly covered, " : ", ");
	for (size_t i = 0; i < c->n; i++)
		if (out->len - from > PAGE_BYTES || !show_file(out, r, order[i].file))
			left++;
	if (left)
		buf_printf(
			out,
			"<p class=\"muted\">%zu more file%s not shown: the source is not here, or there are too many. "
			"<code>veer report --format lcov</code> has all of them.</p>\n",
			left, left == 1 ? " is" : "s are");
	buf_addstr(out, "</section>\n");
	mem_free(order);
}
