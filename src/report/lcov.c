// Coverage as lcov's .info, with branches: 1 for what ran, 0 for what did not. How often is not counted.
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "report/coverage.h"
#include "report/report.h"

static void add_functions(struct buf *out, const struct covered_file *f, bool before)
{
	for (size_t i = 0; i < f->n_functions; i++) {
		const struct covered_function *x = &f->functions[i];
		char *name = utf8_cleaned(x->name);
		buf_printf(out, "FN:%" PRIu32 ",%s\nFNDA:%d,%s\n", x->line, name, before ? x->before : x->after, name);
		mem_free(name);
	}
}

// The edges of a branch that never ran have a dash in place of 0.
static void add_edges(struct buf *out, const struct covered_file *f, bool before)
{
	size_t covered = 0;
	for (size_t i = 0; i < f->n_edges; i++) {
		const struct covered_edge *s = &f->edges[i];
		size_t first = i, last = i;
		bool any = false;
		while (first && f->edges[first - 1].line == s->line && f->edges[first - 1].column == s->column)
			first--;
		while (last < f->n_edges && f->edges[last].line == s->line && f->edges[last].column == s->column)
			last++;
		for (size_t k = first; k < last; k++)
			any |= before ? f->edges[k].before : f->edges[k].after;
		const char *taken = (before ? s->before : s->after) ? "1" : any ? "0" : "-";
		buf_printf(out, "BRDA:%" PRIu32 ",%" PRIu32 ",%zu,%s\n", s->line, s->column, i - first, taken);
		covered += *taken == '1';
	}
	buf_printf(out, "BRF:%zu\nBRH:%zu\n", f->n_edges, covered);
}

static void add_lines(struct buf *out, const struct covered_file *f, bool before)
{
	for (size_t i = 0; i < f->n_lines; i++)
		buf_printf(out, "DA:%" PRIu32 ",%d\n", f->lines[i].line,
		           before ? f->lines[i].before : f->lines[i].after);
}

static int write(const struct report *r, bool before, struct buf *out, struct err *err)
{
	struct covered c;
	if (!r->after || (before && !r->before))
		return err_set(err, "coverage is not known: the programs cannot be built or run again");
	covered_make(&c, r->before, r->after);
	for (size_t i = 0; i < c.n; i++) {
		const struct covered_file *f = &c.v[i];
		const struct cover_totals *t = before ? &f->before : &f->after;
		buf_printf(out, "TN:%s\nSF:", before ? "before" : "after");
		utf8_clean(out, f->name, strlen(f->name));
		buf_addch(out, '\n');
		add_functions(out, f, before);
		buf_printf(out, "FNF:%" PRIu32 "\nFNH:%" PRIu32 "\n", t->functions.total, t->functions.covered);
		add_edges(out, f, before);
		add_lines(out, f, before);
		buf_printf(out, "LF:%" PRIu32 "\nLH:%" PRIu32 "\nend_of_record\n", t->lines.total, t->lines.covered);
	}
	covered_release(&c);
	return 0;
}

int report_lcov(const struct report *r, struct buf *out, struct err *err)
{
	return write(r, false, out, err);
}

int report_lcov_before(const struct report *r, struct buf *out, struct err *err)
{
	return write(r, true, out, err);
}
