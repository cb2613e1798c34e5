#include "solver/check.h"

#include <assert.h>

#include "base/mem.h"
#include "base/vec.h"

void check_init(struct check *c, const struct expr_pool *pool)
{
	*c = (struct check){0};
	tape_init(&c->tape, pool);
}

void check_release(struct check *c)
{
	tape_release(&c->tape);
	mem_free(c->steps);
	mem_free(c->from);
	*c = (struct check){0};
}

void check_add(struct check *c, uint32_t condition)
{
	assert(expr_width(c->tape.pool, condition) == 1);
	if (c->n == c->max) {
		c->max = (uint32_t)vec_capacity(c->n + 1, c->max, sizeof *c->steps);
		c->steps = mem_resize(c->steps, c->max * sizeof *c->steps);
		c->from = mem_resize(c->from, c->max * sizeof *c->from);
	}
	c->from[c->n] = c->tape.n;
	c->steps[c->n++] = tape_add(&c->tape, condition);
}

uint32_t check_set(struct check *c, const uint32_t *conditions, uint32_t n)
{
	uint32_t same = 0;
	while (same < n && same < c->n && c->tape.steps[c->steps[same]].id == conditions[same])
		same++;
	if (same < c->n)
		tape_cut(&c->tape, c->from[same]);
	c->n = same;
	for (uint32_t i = same; i < n; i++)
		check_add(c, conditions[i]);
	assert(c->n == n);
	return same;
}

bool check_one(const struct check *c, uint32_t i)
{
	return c->tape.values[c->steps[i]] != 0;
}

bool check_all(const struct check *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (!check_one(c, i))
			return false;
	return true;
}

bool check_model(struct check *c, const uint8_t *seed, const struct model *m)
{
	tape_load(&c->tape, seed);
	for (uint32_t i = 0; m && i < m->n; i++)
		if (tape_has(&c->tape, m->vars[i]))
			tape_set(&c->tape, m->vars[i], m->values[i]);
	tape_run(&c->tape);
	return check_all(c);
}
