#include "report/coverage.h"

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

// What is gone through, in the order of files and lines; the second time, for `before`, everything is there already.
struct pass {
	struct covered *covered;
	bool before;
	size_t file, item; // where the last one was
};

static void add_file(void *opaque, const char *file, struct cover_totals t)
{
	struct pass *p = opaque;
	struct covered *c = p->covered;
	if (p->before) {
		if (p->file < c->n && strcmp(c->v[p->file].name, file) == 0)
			c->v[p->file++].before = t;
		return;
	}
	vec_more(c->v, c->n);
	c->v[c->n++] = (struct covered_file){.name = mem_strdup(file), .after = t};
}

// The file, which comes at or behind the last one; NULL: it has no lines.
static struct covered_file *go_to(struct pass *p, const char *file)
{
	struct covered *c = p->covered;
	size_t at = p->file;
	while (at < c->n && strcmp(c->v[at].name, file) != 0)
		at++;
	if (at == c->n)
		return NULL;
	if (at != p->file)
		p->item = 0;
	p->file = at;
	return &c->v[at];
}

static void add_line(void *opaque, const char *file, uint32_t line, bool covered)
{
	struct pass *p = opaque;
	struct covered_file *f = go_to(p, file);
	if (f && p->before && p->item < f->n_lines) {
		f->lines[p->item++].before = covered;
	} else if (f && !p->before) {
		vec_more(f->lines, f->n_lines);
		f->lines[f->n_lines++] = (struct covered_line){.line = line, .after = covered};
	}
}

static void add_edge(void *opaque, const char *file, uint32_t line, uint32_t column, uint32_t which, bool covered)
{
	struct pass *p = opaque;
	struct covered_file *f = go_to(p, file);
	if (f && p->before && p->item < f->n_edges) {
		f->edges[p->item++].before = covered;
	} else if (f && !p->before) {
		vec_more(f->edges, f->n_edges);
		f->edges[f->n_edges++] =
			(struct covered_edge){.line = line, .column = column, .which = which, .after = covered};
	}
}

static void add_function(void *opaque, const char *file, const char *name, uint32_t line, struct cover_totals t)
{
	struct pass *p = opaque;
	struct covered_file *f = go_to(p, file);
	if (f && p->before && p->item < f->n_functions) {
		f->functions[p->item++].before = t.functions.covered > 0;
	} else if (f && !p->before) {
		vec_more(f->functions, f->n_functions);
		f->functions[f->n_functions++] = (struct covered_function){
			.name = mem_strdup(name), .line = line, .after = t.functions.covered > 0};
	}
}

static void go_through(struct covered *c, const struct cover *cover, bool before)
{
	struct pass p = {.covered = c, .before = before};
	cover_each_file(cover, add_file, &p);
	p.file = p.item = 0;
	cover_each_line(cover, add_line, &p);
	p.file = p.item = 0;
	cover_each_edge(cover, add_edge, &p);
	p.file = p.item = 0;
	cover_each_function(cover, add_function, &p);
}

void covered_make(struct covered *ret, const struct cover *before, const struct cover *after)
{
	*ret = (struct covered){0};
	go_through(ret, after, false);
	if (before)
		go_through(ret, before, true);
}

void covered_release(struct covered *c)
{
	for (size_t i = 0; i < c->n; i++) {
		for (size_t k = 0; k < c->v[i].n_functions; k++)
			mem_free(c->v[i].functions[k].name);
		mem_free(c->v[i].name);
		mem_free(c->v[i].lines);
		mem_free(c->v[i].edges);
		mem_free(c->v[i].functions);
	}
	mem_free(c->v);
	*c = (struct covered){0};
}
