// The cells of a run. What the input has of them is found by name; it may have others, which this run does not come to.
#include <stdio.h>
#include <string.h>

#include "runtime/fragment/fragment.h"

enum { CELLS = 1024, NAMES = 1 << 16, RAW = 16, STRING = 8, NUMBERS = 4 };

#define LARGE __attribute__((section(".bss.veer_large")))

struct cell cells[CELLS] LARGE;
uint32_t n_cells;
static char names[NAMES] LARGE;
static size_t names_used;
static void *given;
static struct {
	uint32_t offset, number; // of the record, + 1; among those of cells
} by_name[2 * CELLS] LARGE;      // by the hash of their names
static uint64_t given_size;
static uint32_t n_numbers;                       // that are taken: by the input's cells, then by those of the run
static uint32_t by_number[FRAGMENT_CELLS] LARGE; // index of the cell that has it, + 1

// --- what the input has -----------------------------------------------------------------------------

// The next record of a cell.
static const struct object_record *next(const struct object_record *r)
{
	do
		r = object_record_next(given, given_size, r);
	while (r && !r->cell);
	return r;
}

static uint32_t hash_name(const char *name)
{
	uint32_t hash = 2166136261u;
	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return hash % (2 * CELLS);
}

void cells_start(void *records, uint64_t size)
{
	given = records;
	given_size = size;
	for (const struct object_record *r = next(NULL); r && n_numbers < CELLS; r = next(r), n_numbers++) {
		uint32_t at = hash_name((const char *)(r + 1));
		while (by_name[at].offset)
			at = (at + 1) % (2 * CELLS);
		by_name[at].offset = (uint32_t)((const char *)r - (const char *)given) + 1;
		by_name[at].number = n_numbers;
	}
}

void cells_clear(void)
{
	n_cells = 0;
	names_used = 0;
	memset(by_number, 0, sizeof by_number);
}

// Its record, and where that stands among those of cells.
static const struct object_record *find_record(const char *name, uint32_t *ret_number)
{
	for (uint32_t at = hash_name(name); by_name[at].offset; at = (at + 1) % (2 * CELLS)) {
		const struct object_record *r =
			(const struct object_record *)((const char *)given + by_name[at].offset - 1);
		if (strcmp((const char *)(r + 1), name) == 0) {
			*ret_number = by_name[at].number;
			return r;
		}
	}
	return NULL;
}

const uint8_t *cell_given(const struct cell *c, uint64_t *ret_size)
{
	*ret_size = c->record ? c->record->size : 0;
	return c->record ? (const uint8_t *)(c->record + 1) + c->record->name : NULL;
}

// --- cells ------------------------------------------------------------------------------------------

struct cell *cell_add(enum cell_kind kind, const char *name, struct type type, uint32_t owner)
{
	size_t size = strlen(name) + 1;
	if (n_cells == CELLS || size > NAMES - names_used)
		return NULL;
	struct cell *c = &cells[n_cells++];
	uint32_t number;
	*c = (struct cell){.name = memcpy(names + names_used, name, size),
	                   .type = type,
	                   .number = CELL_NONE,
	                   .input = CELL_NONE,
	                   .slot = CELL_NONE,
	                   .kind = (uint8_t)kind,
	                   .owner = owner};
	names_used += size;
	c->depth = owner == CELL_NONE ? 0 : (uint8_t)(cells[owner].depth + 1);
	c->record = find_record(name, &number);
	return c;
}

bool cell_is_string(const struct cell *c)
{
	return c->kind == CELL_OBJECT && c->type.is->flags & SHAPE_CHARACTER;
}

static uint64_t usual_size(const struct cell *c)
{
	const struct shape_type *t = c->type.is;
	if (cell_is_string(c))
		return STRING;
	if (!t->size)
		return c->kind == CELL_OBJECT ? RAW : 0;
	bool number = t->kind == SHAPE_INTEGER || t->kind == SHAPE_FLOAT || t->kind == SHAPE_ENUM;
	return c->kind == CELL_OBJECT && number ? NUMBERS * t->size : t->size;
}

uint64_t cell_size(const struct cell *c)
{
	uint64_t given_now, usual = usual_size(c);
	cell_given(c, &given_now);
	if (c->kind != CELL_OBJECT || !given_now)
		return usual;
	return given_now < fragment->object_max ? given_now : fragment->object_max;
}

uint32_t cell_number(struct cell *c)
{
	uint64_t size;
	if (c->number != CELL_NONE)
		return c->number;
	if (!find_record(c->name, &c->number))
		c->number = n_numbers++;
	if (c->number < FRAGMENT_CELLS)
		by_number[c->number] = (uint32_t)(c - cells) + 1;
	const uint8_t *bytes = cell_given(c, &size);
	c->input = label_input(c, size >= c->size ? bytes : NULL);
	return c->number;
}

struct cell *cell_numbered(uint32_t number)
{
	uint32_t index = number < FRAGMENT_CELLS ? by_number[number] : 0;
	return index ? &cells[index - 1] : NULL;
}
