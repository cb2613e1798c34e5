// What a function and those that it calls can change: the globals that they name, and whether they write anything else.
#include <string.h>

#include "runtime/fragment/fragment.h"

enum { CLOSURE = 256, KEPT = 16 };

// --- functions --------------------------------------------------------------------------------------

struct calls {
	struct fragment_name v[CLOSURE];
	uint32_t n;
	bool full;
};

static bool add_once(struct fragment_name *v, uint32_t *n, uint32_t most, struct fragment_name name)
{
	for (uint32_t i = 0; i < *n; i++)
		if (v[i].unit == name.unit && v[i].number == name.number)
			return true;
	if (*n == most)
		return false;
	v[(*n)++] = name;
	return true;
}

// Functions that a call through a pointer can come to: of this signature, whose address somebody takes.
static void add_by_signature(struct calls *c, const char *signature)
{
	for (const struct fragment_unit *u = unit_next(NULL); u; u = unit_next(u))
		for (uint32_t i = 0; i < u->shapes->n_functions; i++) {
			const struct shape_function *f = unit_function(u, i);
			if (u->functions[i].address && strcmp(unit_text(u, f->signature), signature) == 0 &&
			    unit_takes(u, f))
				c->full |=
					!add_once(c->v, &c->n, CLOSURE, (struct fragment_name){u->shapes->unit, i, 0});
		}
}

static bool is_reader(const char *name)
{
	static const char *const readers[] = {
#define READER(name) #name,
#include "abi/readers.def"
#undef READER
	};
	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
		if (strcmp(readers[i], name) == 0)
			return true;
	return false;
}

// What the program does not have itself may write wherever pointers lead that it gets.
static void add_callees(struct closure *ret, struct calls *c, const struct fragment_unit *of,
                        const struct shape_function *f)
{
	struct fragment_name found;
	for (uint32_t k = 0; k < f->n_callees; k++) {
		const char *name = unit_text(of, unit_number(of, f->callees + k));
		if (unit_find_function(of, name, &found))
			c->full |= !add_once(c->v, &c->n, CLOSURE, found);
		else if (f->flags & SHAPE_PASSES && !is_reader(name))
			ret->flags |= SHAPE_WRITES | SHAPE_WRITES_TEXT;
	}
	for (uint32_t k = 0; k < f->n_calls; k++)
		add_by_signature(c, unit_text(of, unit_number(of, f->calls + k)));
}

static void collect(struct closure *ret, const struct fragment_unit *u, uint32_t function)
{
	static struct calls calls __attribute__((section(".bss.veer_large")));
	struct fragment_name found;
	calls.v[0] = (struct fragment_name){u->shapes->unit, function, 0};
	calls.n = 1;
	calls.full = false;
	for (uint32_t i = 0; i < calls.n; i++) {
		const struct fragment_unit *of = unit_find(calls.v[i].unit);
		const struct shape_function *f = unit_function(of, calls.v[i].number);
		ret->flags |= f->flags & (SHAPE_WRITES | SHAPE_WRITES_TEXT);
		for (uint32_t k = 0; k < f->n_names; k++)
			if (unit_find_global(of, unit_text(of, unit_number(of, f->names + k)), &found))
				ret->full |= !add_once(ret->globals, &ret->n_globals, CLOSURE_GLOBALS, found);
		add_callees(ret, &calls, of, f);
	}
	ret->full |= calls.full;
}

// --- those that were asked for ----------------------------------------------------------------------

const struct closure *closure_of(const struct fragment_unit *u, uint32_t function)
{
	static struct closure kept[KEPT] __attribute__((section(".bss.veer_large")));
	static uint32_t next;
	for (uint32_t i = 0; i < KEPT; i++)
		if (kept[i].unit == u && kept[i].function == function)
			return &kept[i];
	struct closure *c = &kept[next++ % KEPT];
	memset(c, 0, sizeof *c);
	c->unit = u;
	c->function = function;
	collect(c, u, function);
	return c;
}
