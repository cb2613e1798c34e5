#include "compare/pairs.h"

#include <assert.h>
#include <string.h>

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"

// --- by key ---------------------------------------------------------------------------------------

struct slot {
	uint64_t key; // 0: free
	uint32_t number, times;
};
MAP(slots, struct slot);
MAP_FUNCTIONS(slots, struct slots, uint64_t, .key, .key, map_hash_number, map_same_number)

// A way to name functions or globals. 0: it has no name of that kind.
typedef uint64_t (*key_of)(const struct facts *f, uint32_t number);

static uint64_t key(const char *a, const char *b, const char *c)
{
	char *text = mem_printf("%s\n%s\n%s", a, b, c);
	uint64_t hash = hash_text(text) | 1;
	mem_free(text);
	return hash;
}

static uint64_t function_full(const struct facts *f, uint32_t i)
{
	const struct fact_function *x = &f->functions[i];
	return x->flags & SHAPE_STATIC ? key(x->name, "static", x->file) : key(x->name, "", "");
}

static uint64_t function_in_file(const struct facts *f, uint32_t i)
{
	const struct fact_function *x = &f->functions[i];
	return key(x->name, "", path_basename(x->file));
}

static uint64_t function_name(const struct facts *f, uint32_t i)
{
	return key(f->functions[i].name, "", "");
}

static uint64_t global_full(const struct facts *f, uint32_t i)
{
	const struct fact_global *x = &f->globals[i];
	return x->flags & SHAPE_GLOBAL_STATIC ? key(x->name, x->function, x->file) : key(x->symbol, "", "");
}

static uint64_t global_in_file(const struct facts *f, uint32_t i)
{
	const struct fact_global *x = &f->globals[i];
	return key(x->name, x->function, path_basename(x->file));
}

static uint64_t global_name(const struct facts *f, uint32_t i)
{
	return key(f->globals[i].name, f->globals[i].function, "");
}

// Only what has the same code, and is not so small that many have it.
static uint64_t function_code(const struct facts *f, uint32_t i)
{
	const struct fact_function *x = &f->functions[i];
	return hash_mix(x->hashes[FACTS_PLAIN], x->type) | 1;
}

static uint64_t global_value(const struct facts *f, uint32_t i)
{
	return hash_mix(f->globals[i].plain, f->globals[i].type) | 1;
}

// What is paired: functions or globals.
struct side {
	const struct facts *old, *new;
	uint32_t n_old, n_new;
	uint32_t *of;
	bool *paired;
};

// Pairs what is left over and has a key that no other left over has. Calls `accepts`, if there is one, before.
static uint32_t pair_by(struct side *s, key_of name, bool (*accepts)(void *, uint32_t old, uint32_t new), void *opaque)
{
	struct slots old = {0}, new = {0};
	uint32_t found = 0;
	for (uint32_t i = 0; i < s->n_old; i++)
		if (!s->paired[i]) {
			struct slot *x = slots_put(&old, name(s->old, i));
			x->number = i;
			x->times++;
		}
	for (uint32_t i = 0; i < s->n_new; i++)
		if (s->of[i] == PAIRS_NONE)
			slots_put(&new, name(s->new, i))->times++;
	for (uint32_t i = 0; i < s->n_new; i++) {
		if (s->of[i] != PAIRS_NONE)
			continue;
		uint64_t own = name(s->new, i);
		const struct slot *x = slots_get(&old, own);
		if (!x || x->times != 1 || slots_get(&new, own)->times != 1 ||
		    (accepts && !accepts(opaque, x->number, i)))
			continue;
		s->of[i] = x->number;
		s->paired[x->number] = true;
		found++;
	}
	slots_release(&old);
	slots_release(&new);
	return found;
}

// --- names that changed ---------------------------------------------------------------------------

bool pairs_same_symbols(const struct pairs *p, const struct strv *old, const struct strv *new)
{
	if (old->n != new->n)
		return false;
	for (size_t i = 0; i < old->n; i++) {
		bool same = strcmp(old->v[i], new->v[i]) == 0;
		for (size_t k = 0; k < p->from.n && !same; k++)
			same = strcmp(old->v[i], p->from.v[k]) == 0 && strcmp(new->v[i], p->to.v[k]) == 0;
		if (!same)
			return false;
	}
	return true;
}

static void note(struct pairs *p, const char *from, const char *to)
{
	if (strcmp(from, to) != 0) {
		strv_push(&p->from, from);
		strv_push(&p->to, to);
	}
}

static bool accepts_function(void *opaque, uint32_t old, uint32_t new)
{
	struct pairs *p = opaque;
	const struct fact_function *a = &p->old->functions[old], *b = &p->new->functions[new];
	if (strcmp(a->name, "main") == 0 || !pairs_same_symbols(p, &a->symbols, &b->symbols))
		return false;
	note(p, a->symbol, b->symbol);
	return true;
}

static bool accepts_global(void *opaque, uint32_t old, uint32_t new)
{
	struct pairs *p = opaque;
	const struct fact_global *a = &p->old->globals[old], *b = &p->new->globals[new];
	if (!pairs_same_symbols(p, &a->symbols, &b->symbols))
		return false;
	note(p, a->symbol, b->symbol);
	return true;
}

// Symbols of statics that moved to another function or file have other names, too.
static void note_all(struct pairs *p)
{
	for (uint32_t i = 0; i < p->new->n_globals; i++)
		if (p->globals[i] != PAIRS_NONE)
			note(p, p->old->globals[p->globals[i]].symbol, p->new->globals[i].symbol);
}

static struct side side_of(struct pairs *p, bool functions)
{
	struct side s = {.old = p->old, .new = p->new};
	s.n_old = functions ? p->old->n_functions : p->old->n_globals;
	s.n_new = functions ? p->new->n_functions : p->new->n_globals;
	s.of = mem_zero((s.n_new + 1) * sizeof *s.of);
	s.paired = mem_zero((s.n_old + 1) * sizeof *s.paired);
	for (uint32_t i = 0; i < s.n_new; i++)
		s.of[i] = PAIRS_NONE;
	return s;
}

void pairs_find(struct pairs *ret, const struct facts *old, const struct facts *new)
{
	static const key_of functions[] = {function_full, function_in_file, function_name},
			    globals[] = {global_full, global_in_file, global_name};
	*ret = (struct pairs){.old = old, .new = new};
	struct side f = side_of(ret, true), g = side_of(ret, false);
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		pair_by(&f, functions[i], NULL, NULL);
		pair_by(&g, globals[i], NULL, NULL);
	}
	ret->functions = f.of;
	ret->paired_functions = f.paired;
	ret->globals = g.of;
	ret->paired_globals = g.paired;
	note_all(ret);
	// A function that calls another one with a new name has the same symbols only once that is known.
	while (pair_by(&g, global_value, accepts_global, ret) + pair_by(&f, function_code, accepts_function, ret))
		;
}

void pairs_release(struct pairs *p)
{
	mem_free(p->functions);
	mem_free(p->globals);
	mem_free(p->paired_functions);
	mem_free(p->paired_globals);
	strv_release(&p->from);
	strv_release(&p->to);
}
