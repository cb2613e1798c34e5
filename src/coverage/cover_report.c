// What is covered: by file, by function, line by line and edge by edge, each in the order of the source.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "coverage/cover_internal.h"

struct cover_totals cover_totals(const struct cover *c)
{
	return c->totals;
}

static void count(struct cover_count *c, struct cover_mark m)
{
	c->total += m.real;
	c->covered += m.real && m.covered;
}

// What each file, or each function, has; the caller frees.
static struct cover_totals *sums(const struct cover *c, bool by_file)
{
	struct cover_totals *t = mem_zero((by_file ? c->files.n : c->functions.n) * sizeof *t + 1);
	for (uint32_t i = 0; i < c->lines.n; i++)
		count(&t[by_file ? c->lines.v[i].file : c->lines.v[i].function].lines, c->lines.v[i].mark);
	for (uint32_t i = 0; i < c->edges.n; i++) {
		uint32_t f = c->edges.v[i].function;
		count(&t[by_file ? c->functions.v[f].file : f].edges, c->edges.v[i].mark);
	}
	for (uint32_t i = 0; i < c->segments.n; i++) {
		uint32_t f = c->segments.v[i].function;
		count(&t[by_file ? c->functions.v[f].file : f].segments, c->segments.v[i].mark);
	}
	for (uint32_t i = 0; i < c->functions.n; i++)
		count(&t[by_file ? c->functions.v[i].file : i].functions, c->functions.v[i].mark);
	return t;
}

struct place {
	const char *file;
	uint32_t line, index;
};

static int by_place(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	int r = strcmp(p->file, q->file);
	return r                    ? r
	       : p->line != q->line ? (p->line > q->line) - (p->line < q->line)
	                            : (p->index > q->index) - (p->index < q->index);
}

void cover_each_file(const struct cover *c, void (*each)(void *opaque, const char *file, struct cover_totals t),
                     void *opaque)
{
	struct cover_totals *t = sums(c, true);
	struct place *order = mem_zero(c->files.n * sizeof *order + 1);
	for (uint32_t i = 0; i < c->files.n; i++)
		order[i] = (struct place){c->files.v[i], 0, i};
	qsort(order, c->files.n, sizeof *order, by_place);
	for (uint32_t i = 0; i < c->files.n; i++)
		if (t[order[i].index].lines.total)
			each(opaque, order[i].file, t[order[i].index]);
	mem_free(order);
	mem_free(t);
}

void cover_each_function(const struct cover *c,
                         void (*each)(void *opaque, const char *file, const char *name, uint32_t line,
                                      struct cover_totals t),
                         void *opaque)
{
	struct cover_totals *t = sums(c, false);
	struct place *order = mem_zero(c->functions.n * sizeof *order + 1);
	for (uint32_t i = 0; i < c->functions.n; i++)
		order[i] = (struct place){c->files.v[c->functions.v[i].file], c->functions.v[i].line, i};
	qsort(order, c->functions.n, sizeof *order, by_place);
	for (uint32_t i = 0; i < c->functions.n; i++)
		if (c->functions.v[order[i].index].mark.real)
			each(opaque, order[i].file, c->texts.v[c->functions.v[order[i].index].name], order[i].line,
			     t[order[i].index]);
	mem_free(order);
	mem_free(t);
}

void cover_each_line(const struct cover *c, void (*each)(void *opaque, const char *file, uint32_t line, bool covered),
                     void *opaque)
{
	struct place *order = mem_zero(c->lines.n * sizeof *order + 1);
	for (uint32_t i = 0; i < c->lines.n; i++)
		order[i] = (struct place){c->files.v[c->lines.v[i].file], c->lines.v[i].line, i};
	qsort(order, c->lines.n, sizeof *order, by_place);
	for (uint32_t i = 0; i < c->lines.n; i++)
		if (c->lines.v[order[i].index].mark.real)
			each(opaque, order[i].file, order[i].line, c->lines.v[order[i].index].mark.covered);
	mem_free(order);
}

void cover_each_edge(const struct cover *c,
                     void (*each)(void *opaque, const char *file, uint32_t line, uint32_t column, uint32_t which,
                                  bool covered),
                     void *opaque)
{
	struct place *order = mem_zero(c->edges.n * sizeof *order + 1);
	for (uint32_t i = 0; i < c->edges.n; i++)
		order[i] = (struct place){c->files.v[c->edges.v[i].file], c->edges.v[i].line, i};
	qsort(order, c->edges.n, sizeof *order, by_place);
	for (uint32_t i = 0; i < c->edges.n; i++) {
		const struct cover_edge *s = &c->edges.v[order[i].index];
		if (s->mark.real)
			each(opaque, order[i].file, s->line, s->column, s->which, s->mark.covered);
	}
	mem_free(order);
}

uint32_t cover_segments(const struct cover *c)
{
	return c->segments.n;
}

bool cover_has_segment(const struct cover *c, uint32_t i)
{
	return c->segments.v[i].mark.covered;
}

bool cover_get_segment(const struct cover *c, uint32_t i, struct cover_segment *ret)
{
	const struct segment_mark *s = &c->segments.v[i];
	const struct cover_function *f = &c->functions.v[s->function];
	if (!s->mark.real || s->number >= segments_count(f->segments))
		return false;
	*ret = (struct cover_segment){.file = c->files.v[f->file],
	                              .function = c->texts.v[f->name],
	                              .line = f->line,
	                              .number = s->number,
	                              .covered = s->mark.covered,
	                              .all = f->segments};
	return true;
}

void cover_each_segment(const struct cover *c, void (*each)(void *opaque, const struct cover_segment *segment),
                        void *opaque)
{
	struct place *order = mem_zero(c->segments.n * sizeof *order + 1);
	for (uint32_t i = 0; i < c->segments.n; i++) {
		const struct cover_function *f = &c->functions.v[c->segments.v[i].function];
		order[i] = (struct place){c->files.v[f->file], f->line, i};
	}
	qsort(order, c->segments.n, sizeof *order, by_place);
	for (uint32_t i = 0; i < c->segments.n; i++) {
		struct cover_segment s;
		if (cover_get_segment(c, order[i].index, &s))
			each(opaque, &s);
	}
	mem_free(order);
}

const char *cover_file_name(const struct cover *c, uint32_t file)
{
	return c->files.v[file];
}

static void print_place(struct buf *out, const struct segment_place *p)
{
	static const char *const kinds[] = {"entry", "loop", "label", "split"};
	buf_printf(out, "%s %u", kinds[p->kind], p->line);
	if (p->column)
		buf_printf(out, ":%u", p->column);
}

void cover_print_segment(const struct cover *c, const struct cover_segment *segment, struct buf *out)
{
	struct segment s = segments_get(segment->all, segment->number);
	buf_printf(out, "%s:%u %s segment %u %s: ", segment->file, segment->line, segment->function, segment->number,
	           segment->covered ? "covered" : "not");
	print_place(out, &s.from);
	buf_addstr(out, " -> ");
	if (s.end == SEGMENT_MARKER)
		print_place(out, &s.to);
	else
		buf_addstr(out, s.end == SEGMENT_EXIT ? "exit" : "computed goto");
	buf_addch(out, ':');
	for (uint32_t i = 0, last = 0; i < s.n; i++) {
		if (s.lines[i].line == last || strcmp(c->files.v[s.lines[i].file], segment->file) != 0)
			continue;
		last = s.lines[i].line;
		buf_printf(out, " %u", last);
	}
	if (segments_infeasible(segment->all, segment->number))
		buf_addstr(out, segment->covered ? " [infeasible, but covered]" : " [infeasible]");
	mem_free(s.lines);
}

void cover_count_print(struct buf *out, struct cover_count n)
{
	char text[32];
	snprintf(text, sizeof text, "%u/%u", n.covered, n.total);
	buf_printf(out, "%13s", text);
	if (n.total)
		buf_printf(out, " %5.1f%%", 100.0 * n.covered / n.total);
	else
		buf_addstr(out, "      -");
}

struct printer {
	struct buf *out;
	bool segments; // some are counted
};

static void print_totals(void *opaque, const char *name, struct cover_totals t)
{
	const struct printer *p = opaque;
	struct buf *out = p->out;
	cover_count_print(out, t.lines);
	cover_count_print(out, t.edges);
	cover_count_print(out, t.functions);
	if (p->segments)
		cover_count_print(out, t.segments);
	buf_addstr(out, "  ");
	utf8_clean(out, name, strlen(name));
	buf_addch(out, '\n');
}

void cover_print_files(const struct cover *c, struct buf *out)
{
	struct printer p = {out, c->totals.segments.total > 0};
	buf_printf(out, "%20s%20s%20s", "lines", "branches", "functions");
	if (p.segments)
		buf_printf(out, "%20s", "segments");
	buf_addstr(out, "  file\n");
	cover_each_file(c, print_totals, &p);
	print_totals(&p, "all", c->totals);
}
