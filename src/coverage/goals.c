#include "coverage/goals.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "coverage/cover_internal.h"

struct goal_of_line {
	uint32_t goal, next; // next: of the same line, plus 1
};

struct goals {
	const struct cover *cover;
	uint32_t n, n_lines;
	uint32_t *first; // by line of the coverage: in `v`, plus 1; 0: none
	VEC(struct goal_of_line) all;
};

struct goals *goals_new(const struct cover *c)
{
	struct goals *g = mem_zero(sizeof *g);
	g->cover = c;
	g->n_lines = c->lines.n;
	g->first = mem_zero((c->lines.n + 1) * sizeof *g->first);
	return g;
}

void goals_free(struct goals *g)
{
	if (!g)
		return;
	vec_release(&g->all);
	mem_free(g->first);
	mem_free(g);
}

static bool ends_with(const char *path, const char *file)
{
	size_t n = strlen(path), size = strlen(file);
	return n >= size && strcmp(path + n - size, file) == 0 && (n == size || path[n - size - 1] == '/');
}

uint32_t goals_add(struct goals *g, const char *file, const uint32_t *lines, uint32_t n)
{
	const struct cover *c = g->cover;
	assert(g->n_lines == c->lines.n);
	for (uint32_t i = 0; i < c->lines.n; i++) {
		bool wanted = false;
		for (uint32_t k = 0; k < n && !wanted; k++)
			wanted = lines[k] == c->lines.v[i].line;
		if (!wanted || !ends_with(c->files.v[c->lines.v[i].file], file))
			continue;
		vec_push(&g->all, ((struct goal_of_line){g->n, g->first[i]}));
		g->first[i] = (uint32_t)g->all.n;
	}
	return g->n++;
}

uint32_t goals_count(const struct goals *g)
{
	return g->n;
}

// What a byte of an image stands for.
static void reach(void *opaque, uint32_t link, uint8_t *bits)
{
	const struct goals *g = opaque;
	if ((link & KIND_MASK) != LINE)
		return;
	for (uint32_t at = g->first[link >> KIND_BITS]; at; at = g->all.v[at - 1].next) {
		uint32_t goal = g->all.v[at - 1].goal;
		bits[goal / 8] |= (uint8_t)(1u << goal % 8);
	}
}

void goals_reached(const struct goals *g, const void *image, size_t size, uint8_t *bits)
{
	cover_each_link(g->cover, image, size, reach, (void *)g, bits);
}
