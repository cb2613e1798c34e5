#include "firmware/likeness.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/random.h"

enum { SEGMENTS_MAX = 1 << 16 };

void likeness_init(struct likeness *a, const struct program *firmware, const struct program *other)
{
	*a = (struct likeness){.firmware = firmware, .other = other, .function = CODE_NONE};
}

void likeness_release(struct likeness *a)
{
	mem_free(a->entries);
	a->entries = NULL;
}

static uint64_t shape_of(const struct program *p, uint32_t function, uint32_t number, uint32_t *blocks)
{
	uint64_t h = 0;
	const uint32_t n = program_segment(p, function, number, blocks);
	for (uint32_t i = 0; i < n; i++)
		h = random_scatter(h + p->blocks[blocks[i]].shape);
	return h;
}

static int by_shape(const void *a, const void *b)
{
	const struct likeness_entry *x = a, *y = b;
	return x->shape < y->shape ? -1 : x->shape > y->shape;
}

static void read_function(struct likeness *a, uint32_t function)
{
	const struct code_function *f = &a->firmware->functions[function];
	const uint32_t n = f->marking.segments < SEGMENTS_MAX ? f->marking.segments : SEGMENTS_MAX;
	uint32_t *blocks = mem_zero((f->n + 1) * sizeof *blocks);
	a->entries = mem_resize(a->entries, (n + 1) * sizeof *a->entries);
	a->n = n;
	a->function = function;
	for (uint32_t i = 0; i < n; i++)
		a->entries[i] = (struct likeness_entry){shape_of(a->firmware, function, i, blocks), function, i, false};
	qsort(a->entries, n, sizeof *a->entries, by_shape);
	for (uint32_t i = 0; i + 1 < n; i++)
		if (a->entries[i].shape == a->entries[i + 1].shape)
			a->entries[i].many = a->entries[i + 1].many = true;
	mem_free(blocks);
}

bool likeness_find(struct likeness *a, const char *name, uint32_t function, uint32_t number, uint32_t *ret_function,
                   uint32_t *ret_number)
{
	const uint32_t to = program_find(a->firmware, name, 0);
	if (to == CODE_NONE)
		return false;
	if (to != a->function)
		read_function(a, to);
	uint32_t *blocks = mem_zero((a->other->functions[function].n + 1) * sizeof *blocks);
	const struct likeness_entry key = {.shape = shape_of(a->other, function, number, blocks)};
	const struct likeness_entry *e = bsearch(&key, a->entries, a->n, sizeof key, by_shape);
	mem_free(blocks);
	if (!e || e->many)
		return false;
	*ret_function = e->function;
	*ret_number = e->number;
	return true;
}
