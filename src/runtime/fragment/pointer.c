// What a pointer in a cell can lead to: an object of its own, nothing, or another cell of the same type that is there
// already. One byte of the input says which; what that byte can be depends on the path alone.
#include <stdio.h>
#include <string.h>

#include "runtime/fragment/fragment.h"
#include "runtime/fragment/left.h"

enum { ALIASES = 4, OPTIONS = ALIASES + 3 };

struct options {
	struct option v[OPTIONS];
	unsigned n;
};

static void add(struct options *o, unsigned value, uint64_t address, const char *name)
{
	o->v[o->n++] = (struct option){(uint8_t)value, address, name};
}

static bool is_complete(struct type t)
{
	return t.is->size && t.is->kind != SHAPE_VOID && t.is->kind != SHAPE_FUNCTION;
}

// Those that were touched, or that another pointer beside this one leads to. The latest.
static void add_aliases(struct options *o, const struct pointer *p)
{
	uint32_t own = (uint32_t)(p->in - cells), found = 0;
	for (uint32_t i = n_cells; i-- > 0 && found < ALIASES;) {
		struct cell *c = &cells[i];
		bool there = c->made || c == p->in || (c->owner == own && c->wanted);
		if (!there || c->kind == CELL_FRAME || c->kind == CELL_STREAM || c->type.is->hash != p->to.is->hash ||
		    !is_complete(p->to))
			continue;
		if (cell_number(c) + FRAGMENT_CELL >= FRAGMENT_KEEP)
			continue;
		add(o, FRAGMENT_CELL + c->number, c->at, c->name);
		found++;
	}
}

// An object of its own: "*PLACE".
static struct cell *add_new(struct options *o, const struct pointer *p)
{
	char name[CELL_NAME];
	uint32_t own = (uint32_t)(p->in - cells);
	if (p->in->depth >= fragment->depth || (size_t)snprintf(name, sizeof name, "*%s", p->place) >= sizeof name) {
		place_partial();
		return NULL;
	}
	if (outside_is(p->to)) {
		uint64_t at = outside_make(p, name);
		if (at)
			add(o, FRAGMENT_NEW, at, "");
		return NULL;
	}
	struct cell *c = cell_add(CELL_OBJECT, name, p->to, own);
	if (c)
		c->size = cell_size(c);
	if (!c || !place_reserve(c)) {
		place_partial();
		return NULL;
	}
	add(o, FRAGMENT_NEW, c->at, "");
	return c;
}

// Functions of that type whose address is taken, in the order of units.
static void add_functions(struct options *o, const struct pointer *p)
{
	struct taken f;
	for (uint32_t i = 0; i <= ALIASES && unit_taken(p->to.is->hash, i, &f); i++)
		add(o, i ? FRAGMENT_CELL + i - 1 : FRAGMENT_NEW, (uint64_t)f.address, f.name);
	if (!o->n || unit_taken(p->to.is->hash, ALIASES + 1, &f))
		place_partial();
}

uint8_t pointer_make(const struct pointer *p)
{
	struct options o = {0};
	struct options aliases = {0};
	if (p->to.is->kind != SHAPE_FUNCTION && place_defers(p))
		return p->given;
	struct cell *own = NULL;
	if (p->to.is->kind == SHAPE_FUNCTION) {
		add_functions(&o, p);
	} else {
		add_aliases(&aliases, p); // before its own
		own = add_new(&o, p);
	}
	add(&o, FRAGMENT_NULL, 0, "null");
	if (p->now)
		add(&o, FRAGMENT_KEEP, p->now, "as it is");
	for (unsigned i = 0; i < aliases.n; i++)
		o.v[o.n++] = aliases.v[i];
	unsigned chosen = 0;
	for (unsigned i = 0; i < o.n; i++)
		if (o.v[i].value == p->given)
			chosen = i;
	if (own)
		own->wanted = o.v[chosen].value == FRAGMENT_NEW;
	memcpy((void *)(p->in->at + p->offset), &o.v[chosen].address, sizeof o.v[chosen].address);
	if (p->to.is->kind == SHAPE_FUNCTION)
		left_leads(p->place, o.v[chosen].name);
	label_pointer(p, o.v, o.n, (uint8_t)chosen);
	return o.v[chosen].value;
}
