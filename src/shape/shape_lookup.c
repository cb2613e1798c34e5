#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "shape/shape_internal.h"

// A sorted table: keys, then what they name in the order of units.
struct entry {
	uint64_t key;
	struct shape_ref ref;
};

struct entries {
	struct entry *v;
	size_t n, cap;
};

struct shape_index {
	struct entries functions, globals; // by symbol
	struct entries types;              // by hash
	struct entries complete;           // by name
	struct entries units;              // by their names
	struct entries signatures;         // functions whose address is taken
	struct shape_ref *targets;         // those in their order
};

static uint64_t key_of(const char *text)
{
	return hash_bytes(text, strlen(text)).low;
}

static void push(struct entries *e, uint64_t key, uint32_t unit, uint32_t number)
{
	vec_push(e, (struct entry){key, {unit, number}});
}

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->ref.unit != y->ref.unit)
		return x->ref.unit < y->ref.unit ? -1 : 1;
	return x->ref.number < y->ref.number ? -1 : x->ref.number > y->ref.number;
}

static void sort(struct entries *e)
{
	if (e->n)
		qsort(e->v, e->n, sizeof *e->v, compare);
}

// The first entry of the key, and how many there are.
static const struct entry *find(const struct entries *e, uint64_t key, size_t *ret_n)
{
	size_t low = vec_lower(e, key, key);
	*ret_n = 0;
	while (low + *ret_n < e->n && e->v[low + *ret_n].key == key)
		(*ret_n)++;
	return *ret_n ? &e->v[low] : NULL;
}

static bool is_tag(const struct shape_type *t)
{
	return (t->kind == SHAPE_STRUCT || t->kind == SHAPE_UNION || t->kind == SHAPE_ENUM) &&
	       !(t->flags & SHAPE_FRAME);
}

static void index_unit(struct shape_index *x, const struct shape_program *p, uint32_t unit, struct strv *taken)
{
	const struct shape_table *t = &p->units[unit];
	push(&x->units, t->head->unit, unit, 0);
	for (uint32_t i = 0; i < t->head->n_functions; i++) {
		const struct shape_function *f = &t->functions[i];
		push(&x->functions, key_of(shape_text(t, f->symbol)), unit, i);
		for (uint32_t k = 0; k < f->n_addresses; k++)
			strv_push(taken, shape_text(t, t->numbers[f->addresses + k]));
	}
	for (uint32_t i = 0; i < t->head->n_globals; i++) {
		const struct shape_global *g = &t->globals[i];
		push(&x->globals, key_of(shape_text(t, g->symbol)), unit, i);
		for (uint32_t k = 0; k < g->n_addresses; k++)
			strv_push(taken, shape_text(t, t->numbers[g->addresses + k]));
	}
	for (uint32_t i = 0; i < t->head->n_types; i++) {
		push(&x->types, t->types[i].hash, unit, i);
		if (is_tag(&t->types[i]) && t->types[i].name)
			push(&x->complete, key_of(shape_text(t, t->types[i].name)), unit, i);
	}
}

// Functions whose address is taken, in their own unit or in another one.
static void index_targets(struct shape_index *x, const struct shape_program *p, const struct strv *taken)
{
	struct entries names = {0};
	for (size_t i = 0; i < taken->n; i++)
		push(&names, key_of(taken->v[i]), 0, 0);
	sort(&names);
	for (uint32_t u = 0; u < p->n_units; u++)
		for (uint32_t i = 0; i < p->units[u].head->n_functions; i++) {
			const struct shape_table *t = &p->units[u];
			const struct shape_function *f = &t->functions[i];
			size_t n;
			bool is_taken = f->flags & SHAPE_ADDRESS;
			if (!is_taken && !(f->flags & SHAPE_STATIC))
				is_taken = find(&names, key_of(shape_text(t, f->symbol)), &n) != NULL;
			if (is_taken && !(f->flags & SHAPE_BORROWED))
				push(&x->signatures, key_of(shape_text(t, f->signature)), u, i);
		}
	mem_free(names.v);
	sort(&x->signatures);
	x->targets = mem_zero((x->signatures.n + 1) * sizeof *x->targets);
	for (size_t i = 0; i < x->signatures.n; i++)
		x->targets[i] = x->signatures.v[i].ref;
}

struct shape_index *shape_index_make(const struct shape_program *p)
{
	struct shape_index *x = mem_zero(sizeof *x);
	struct strv taken = {0};
	for (uint32_t u = 0; u < p->n_units; u++)
		index_unit(x, p, u, &taken);
	index_targets(x, p, &taken);
	strv_release(&taken);
	sort(&x->functions);
	sort(&x->globals);
	sort(&x->types);
	sort(&x->complete);
	sort(&x->units);
	return x;
}

void shape_index_drop(struct shape_program *p)
{
	struct shape_index *x = p->index;
	if (!x)
		return;
	mem_free(x->functions.v);
	mem_free(x->globals.v);
	mem_free(x->types.v);
	mem_free(x->complete.v);
	mem_free(x->units.v);
	mem_free(x->signatures.v);
	mem_free(x->targets);
	mem_free(x);
	p->index = NULL;
}

uint32_t shape_targets(const struct shape_program *p, const char *signature, const struct shape_ref **ret)
{
	size_t n;
	const struct entry *first = find(&p->index->signatures, key_of(signature), &n);
	*ret = first ? p->index->targets + (first - p->index->signatures.v) : NULL;
	return (uint32_t)n;
}

uint32_t shape_unit(const struct shape_program *p, uint64_t unit)
{
	size_t n;
	const struct entry *e = find(&p->index->units, unit, &n);
	return e ? e->ref.unit : UINT32_MAX;
}

// The best of those of a symbol, by `rank`: 0 is none at all.
static struct shape_ref best(const struct shape_program *p, const struct entries *e, const char *symbol, uint32_t unit,
                             unsigned (*rank)(const struct shape_table *, uint32_t number, bool own,
                                              const char *symbol))
{
	size_t n;
	const struct entry *all = find(e, key_of(symbol), &n);
	struct shape_ref found = SHAPE_NOWHERE;
	unsigned most = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned r = rank(&p->units[all[i].ref.unit], all[i].ref.number, all[i].ref.unit == unit, symbol);
		if (r > most) {
			most = r;
			found = all[i].ref;
		}
	}
	return found;
}

static unsigned rank_function(const struct shape_table *t, uint32_t number, bool own, const char *symbol)
{
	const struct shape_function *f = &t->functions[number];
	if (strcmp(shape_text(t, f->symbol), symbol) != 0 || (f->flags & SHAPE_STATIC && !own))
		return 0;
	return f->flags & SHAPE_STATIC ? 3 : f->flags & SHAPE_BORROWED ? 1 : 2;
}

static unsigned rank_global(const struct shape_table *t, uint32_t number, bool own, const char *symbol)
{
	const struct shape_global *g = &t->globals[number];
	if (strcmp(shape_text(t, g->symbol), symbol) != 0 || (g->flags & SHAPE_GLOBAL_STATIC && !own))
		return 0;
	return g->flags & SHAPE_GLOBAL_STATIC ? 3 : g->type ? 2 : 1;
}

struct shape_ref shape_find_function(const struct shape_program *p, uint32_t unit, const char *symbol)
{
	return best(p, &p->index->functions, symbol, unit, rank_function);
}

struct shape_ref shape_find_global(const struct shape_program *p, uint32_t unit, const char *symbol)
{
	return best(p, &p->index->globals, symbol, unit, rank_global);
}

struct shape_ref shape_find_type(const struct shape_program *p, uint64_t hash)
{
	size_t n;
	const struct entry *e = find(&p->index->types, hash, &n);
	return e ? e->ref : SHAPE_NOWHERE;
}

struct shape_ref shape_find_complete(const struct shape_program *p, const char *name)
{
	size_t n;
	const struct entry *all = find(&p->index->complete, key_of(name), &n);
	for (size_t i = 0; i < n; i++) {
		const struct shape_table *t = &p->units[all[i].ref.unit];
		if (strcmp(shape_text(t, t->types[all[i].ref.number].name), name) == 0)
			return all[i].ref;
	}
	return SHAPE_NOWHERE;
}

struct shape_ref shape_complete(const struct shape_program *p, struct shape_ref type)
{
	const struct shape_table *t = &p->units[type.unit];
	const struct shape_type *own = &t->types[type.number];
	if (own->kind != SHAPE_VOID || !own->name)
		return type;
	struct shape_ref found = shape_find_complete(p, shape_text(t, own->name));
	return shape_is_somewhere(found) ? found : type;
}

bool shape_matches(const struct shape_program *p, struct shape_ref function, const char *name, const char *file)
{
	const struct shape_table *t = &p->units[function.unit];
	const struct shape_function *f = &t->functions[function.number];
	if (name && fnmatch(name, shape_text(t, f->name), 0) != 0 && fnmatch(name, shape_text(t, f->symbol), 0) != 0)
		return false;
	for (const char *at = shape_text(t, f->file); file && at;) {
		if (fnmatch(file, at, 0) == 0)
			return true;
		at = strchr(at, '/');
		at = at ? at + 1 : NULL;
	}
	return !file;
}
