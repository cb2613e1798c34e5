#include "explore/fragment_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "input/fragment.h"

enum { CLOSURE_DEPTH = 8, GLOBALS_BYTES = 1 << 16 }; // calls from the entry, bytes of globals that start as cells

const char *fragment_plan_name(const struct fragment_plan *p, uint32_t function)
{
	return shape_text(&p->shapes->units[p->functions.v[function].unit], fragment_plan_shape(p, function)->name);
}

const char *fragment_plan_file(const struct fragment_plan *p, uint32_t function)
{
	return shape_text(&p->shapes->units[p->functions.v[function].unit], fragment_plan_shape(p, function)->file);
}

// --- functions -----------------------------------------------------------------------------------

const char *fragment_plan_symbol(const struct fragment_plan *p, uint32_t function)
{
	return shape_text(&p->shapes->units[p->functions.v[function].unit], fragment_plan_shape(p, function)->symbol);
}

static const struct fragment_plan *comparing; // qsort has no room for these
static const char *(*comparing_by)(const struct fragment_plan *p, uint32_t function);

static int compare_words(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int r = strcmp(fragment_plan_file(comparing, x), fragment_plan_file(comparing, y));
	return r ? r : strcmp(comparing_by(comparing, x), comparing_by(comparing, y));
}

static uint32_t *sort_by(const struct fragment_plan *p, const char *(*by)(const struct fragment_plan *, uint32_t))
{
	uint32_t *sorted = mem_zero((p->functions.n + 1) * sizeof *sorted);
	for (uint32_t i = 0; i < p->functions.n; i++)
		sorted[i] = i;
	comparing = p;
	comparing_by = by;
	qsort(sorted, p->functions.n, sizeof *sorted, compare_words);
	comparing = NULL;
	return sorted;
}

static uint32_t find_by(const struct fragment_plan *p, const uint32_t *sorted,
                        const char *(*by)(const struct fragment_plan *, uint32_t), const char *file, const char *word)
{
	uint32_t low = 0, high = p->functions.n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2, f = sorted[middle];
		int r = strcmp(fragment_plan_file(p, f), file);
		if (!r)
			r = strcmp(by(p, f), word);
		if (!r)
			return f;
		if (r < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return UINT32_MAX;
}

// Coverage and traces name functions as the linker does, findings as the source does: with `__asm__("name")` these are
// two names.
uint32_t fragment_plan_function(void *plan, const char *file, const char *name)
{
	const struct fragment_plan *p = plan;
	char *tidy = path_tidy(file); // findings name files as compilers do
	uint32_t found = find_by(p, p->by_symbol, fragment_plan_symbol, tidy, name);
	if (found == UINT32_MAX)
		found = find_by(p, p->by_name, fragment_plan_name, tidy, name);
	mem_free(tidy);
	return found;
}

// The number of each function of a unit in the plan; UINT32_MAX: it is not in there.
static uint32_t **number_functions(const struct fragment_plan *p)
{
	uint32_t **numbers = mem_zero((p->shapes->n_units + 1) * sizeof *numbers);
	for (uint32_t u = 0; u < p->shapes->n_units; u++) {
		uint32_t n = p->shapes->units[u].head->n_functions;
		numbers[u] = mem_alloc((n + 1) * sizeof **numbers);
		memset(numbers[u], 0xff, (n + 1) * sizeof **numbers);
	}
	for (uint32_t i = 0; i < p->functions.n; i++) {
		const struct shape_ref at = p->functions.v[i];
		assert(at.unit < p->shapes->n_units && at.number < p->shapes->units[at.unit].head->n_functions);
		assert(numbers[at.unit][at.number] == UINT32_MAX);
		numbers[at.unit][at.number] = i;
	}
	return numbers;
}

static bool can_be_stub(const struct fragment_plan *p, struct shape_ref function)
{
	return !(shape_function(p->shapes, function)->flags & SHAPE_NO_STUB);
}

static uint32_t *add_number(struct fragment_plan *p, size_t *n, size_t *cap, uint32_t number)
{
	vec_room(p->numbers, *n + 1, *cap);
	p->numbers[(*n)++] = number;
	return p->numbers;
}

// Functions of whose address something is made: who calls them is not known.
static void add_roots(struct fragment_plan *p, uint32_t **numbers, uint32_t unit, uint32_t first, uint32_t n)
{
	const struct shape_table *t = &p->shapes->units[unit];
	for (uint32_t i = 0; i < n; i++) {
		struct shape_ref at = shape_find_function(p->shapes, unit, shape_text(t, t->numbers[first + i]));
		uint32_t number = shape_is_somewhere(at) ? numbers[at.unit][at.number] : UINT32_MAX;
		if (number != UINT32_MAX)
			p->progress[number].is_root = true;
	}
}

static void find_roots(struct fragment_plan *p, uint32_t **numbers)
{
	for (uint32_t u = 0; u < p->shapes->n_units; u++) {
		const struct shape_table *t = &p->shapes->units[u];
		for (uint32_t i = 0; i < t->head->n_functions; i++)
			add_roots(p, numbers, u, t->functions[i].addresses, t->functions[i].n_addresses);
		for (uint32_t i = 0; i < t->head->n_globals; i++)
			add_roots(p, numbers, u, t->globals[i].addresses, t->globals[i].n_addresses);
	}
	for (uint32_t i = 0; i < p->functions.n; i++)
		p->progress[i].is_root |= strcmp(fragment_plan_name(p, i), "main") == 0;
}

// The numbers of all functions stand in one array, which moves while it grows: where each has its own is filled in
// last.
static void fill_progress(struct fragment_plan *p)
{
	uint32_t **numbers = number_functions(p);
	size_t n = 0, cap = 0, *callees = mem_zero((p->functions.n + 1) * sizeof *callees),
	       *markers = mem_zero((p->functions.n + 1) * sizeof *markers);
	p->progress = mem_zero((p->functions.n + 1) * sizeof *p->progress);
	for (uint32_t i = 0; i < p->functions.n; i++) {
		struct progressive_function *f = &p->progress[i];
		const struct shape_function *shape = fragment_plan_shape(p, i);
		const struct shape_table *unit = &p->shapes->units[p->functions.v[i].unit];
		struct shape_list called = {0};
		shape_callees(p->shapes, p->functions.v[i], &called);
		callees[i] = n;
		for (uint32_t k = 0; k < called.n; k++) {
			uint32_t callee = numbers[called.v[k].unit][called.v[k].number];
			f->has_stubs |= callee != i && can_be_stub(p, called.v[k]);
			if (callee != UINT32_MAX)
				add_number(p, &n, &cap, callee);
		}
		f->n_callees = (uint32_t)(n - callees[i]);
		shape_list_release(&called);
		markers[i] = n;
		for (uint32_t k = 1; k < shape->markers; k++)
			if (unit->markers[shape->first_marker + k].enters)
				add_number(p, &n, &cap, k);
		f->n_markers = (uint32_t)(n - markers[i]);
		f->enters = !(shape->flags & SHAPE_NEVER);
		f->wanted = shape_matches(p->shapes, p->functions.v[i], p->choice.function, p->choice.file);
		p->n_wanted += f->wanted;
	}
	for (uint32_t i = 0; i < p->functions.n; i++) {
		p->progress[i].callees = p->numbers + callees[i];
		p->progress[i].markers = p->numbers + markers[i];
	}
	find_roots(p, numbers);
	for (uint32_t u = 0; u < p->shapes->n_units; u++)
		mem_free(numbers[u]);
	mem_free(numbers);
	mem_free(callees);
	mem_free(markers);
}

void fragment_plan_init(struct fragment_plan *p, const struct shape_program *shapes, const struct fragment_choice *c)
{
	*p = (struct fragment_plan){.shapes = shapes, .choice = *c};
	shape_breadth_first(shapes, &p->functions);
	fill_progress(p);
	p->by_name = sort_by(p, fragment_plan_name);
	p->by_symbol = sort_by(p, fragment_plan_symbol);
}

void fragment_plan_release(struct fragment_plan *p)
{
	shape_list_release(&p->functions);
	mem_free(p->progress);
	mem_free(p->numbers);
	mem_free(p->by_name);
	mem_free(p->by_symbol);
	chains_free(p->chains);
	*p = (struct fragment_plan){0};
}

// --- first inputs --------------------------------------------------------------------------------

struct names {
	struct fragment_name *v;
	size_t n;
};

static void add_name(const struct fragment_plan *p, struct names *names, struct shape_ref r)
{
	names->v = mem_resize(names->v, (names->n + 1) * sizeof *names->v);
	names->v[names->n++] = (struct fragment_name){.unit = p->shapes->units[r.unit].head->unit, .number = r.number};
}

// The nearest globals that can be written. What real callees name counts, what stubs do not.
static void choose_globals(const struct fragment_plan *p, const struct plan_fragment *f, struct names *ret)
{
	struct shape_list all = {0};
	uint64_t bytes = 0;
	shape_closure(p->shapes, p->functions.v[f->function], f->phase == PHASE_EXT ? CLOSURE_DEPTH : 0, &all);
	for (uint32_t i = 0; i < all.n; i++) {
		const struct shape_global *g = shape_global(p->shapes, all.v[i]);
		uint64_t size = p->shapes->units[all.v[i].unit].types[g->type].size;
		if ((g->flags & (SHAPE_GLOBAL_CONST | SHAPE_GLOBAL_LITERAL)) || !size || bytes + size > GLOBALS_BYTES)
			continue;
		bytes += size;
		add_name(p, ret, all.v[i]);
	}
	shape_list_release(&all);
}

static void choose_stubs(const struct fragment_plan *p, const struct plan_fragment *f, struct names *ret)
{
	struct shape_list called = {0};
	if (f->phase != PHASE_STUB && f->phase != PHASE_INT)
		return;
	shape_callees(p->shapes, p->functions.v[f->function], &called);
	for (uint32_t i = 0; i < called.n; i++)
		if (can_be_stub(p, called.v[i]) && !shape_is(called.v[i], p->functions.v[f->function]))
			add_name(p, ret, called.v[i]);
	shape_list_release(&called);
}

void fragment_plan_first(void *plan, const struct plan_fragment *f, struct input *ret)
{
	const struct fragment_plan *p = plan;
	struct names globals = {0}, stubs = {0};
	assert(f->phase != PHASE_INP && f->function < p->functions.n);
	choose_globals(p, f, &globals);
	choose_stubs(p, f, &stubs);
	const struct shape_ref at = p->functions.v[f->function];
	const struct fragment entry = {.unit = p->shapes->units[at.unit].head->unit,
	                               .function = at.number,
	                               .marker = f->marker,
	                               .depth = p->choice.depth,
	                               .object_max = p->choice.object_max,
	                               .globals = globals.v,
	                               .n_globals = globals.n,
	                               .stubs = stubs.v,
	                               .n_stubs = stubs.n};
	input_add(ret, INPUT_ARGUMENT, NULL, "fragment", 8);
	fragment_set(ret, &entry);
	mem_free(globals.v);
	mem_free(stubs.v);
}

// --- possible findings ---------------------------------------------------------------------------

int fragment_plan_assess(void *plan, const struct possible_evidence *e, struct possible *p, struct err *err)
{
	struct fragment_plan *of = plan;
	struct shape_ref function;
	if (possible_assess(p, of->shapes, e, &function, err) < 0)
		return -1;
	if (!of->chains)
		of->chains = chains_new(of->shapes);
	strv_release(&p->callers);
	chains_to(of->chains, function, &p->callers);
	return 0;
}
