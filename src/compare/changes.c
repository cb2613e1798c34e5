#include "compare/changes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "compare/pairs.h"

static const struct {
	const char *word, *text;
	bool runs;
} kinds[] = {
#define CHANGE_KIND(name, word, runs, text) {word, text, runs},
#include "compare/change_kinds.def"
#undef CHANGE_KIND
};

const char *change_word(enum change_kind kind)
{
	assert(kind < CHANGE_KINDS);
	return kinds[kind].word;
}

const char *change_text(enum change_kind kind)
{
	assert(kind < CHANGE_KINDS);
	return kinds[kind].text;
}

bool change_runs(enum change_kind kind)
{
	assert(kind < CHANGE_KINDS);
	return kinds[kind].runs;
}

const struct fact_function *change_function(const struct changed_function *f)
{
	return f->side[CHANGE_NEW] ? f->side[CHANGE_NEW] : f->side[CHANGE_OLD];
}

// --- types ----------------------------------------------------------------------------------------

static bool same_fields(const struct fact_type *a, const struct fact_type *b)
{
	if (a->size != b->size || a->kind != b->kind || a->n_fields != b->n_fields)
		return false;
	for (uint32_t i = 0; i < a->n_fields; i++)
		if (strcmp(a->fields[i].name, b->fields[i].name) != 0 || a->fields[i].offset != b->fields[i].offset ||
		    strcmp(a->fields[i].spelling, b->fields[i].spelling) != 0)
			return false;
	return true;
}

struct numbered {
	const char *text; // NULL: free
	uint32_t number;
};
MAP(numbers, struct numbered);
MAP_FUNCTIONS(numbers, struct numbers, const char *, .text, .text, map_hash_text, map_same_text)

static void find_types(struct code_changes *c)
{
	const struct facts *old = c->facts[CHANGE_OLD], *new = c->facts[CHANGE_NEW];
	struct numbers index = {0};
	bool *seen = mem_zero((old->n_types + 1) * sizeof *seen);
	c->types = mem_zero((old->n_types + new->n_types + 1) * sizeof *c->types);
	for (uint32_t i = 0; i < old->n_types; i++)
		numbers_put(&index, old->types[i].name)->number = i;
	for (uint32_t i = 0; i < new->n_types; i++) {
		const struct numbered *x = numbers_get(&index, new->types[i].name);
		const struct fact_type *before = x ? &old->types[x->number] : NULL;
		if (x)
			seen[x->number] = true;
		if (!before || !same_fields(before, &new->types[i]))
			c->types[c->n_types++] = (struct changed_type){.side = {before, &new->types[i]},
			                                               .kind = before ? CHANGE_LAYOUT : CHANGE_ADDED};
	}
	for (uint32_t i = 0; i < old->n_types; i++)
		if (!seen[i])
			c->types[c->n_types++] =
				(struct changed_type){.side = {&old->types[i]}, .kind = CHANGE_DELETED};
	mem_free(seen);
	numbers_release(&index);
}

// Whether a type has a member that the other version has at another place of it.
static bool has_moved_members(const struct code_changes *c)
{
	for (uint32_t i = 0; i < c->n_types; i++) {
		const struct fact_type *old = c->types[i].side[CHANGE_OLD], *new = c->types[i].side[CHANGE_NEW];
		for (uint32_t k = 0; old && new && k < old->n_fields; k++)
			for (uint32_t m = 0; m < new->n_fields; m++)
				if (strcmp(old->fields[k].name, new->fields[m].name) == 0 &&
				    old->fields[k].offset != new->fields[m].offset)
					return true;
	}
	return false;
}

// --- functions ------------------------------------------------------------------------------------

static bool same_hash(const struct fact_function *a, const struct fact_function *b, enum facts_hash kind)
{
	return a->hashes[kind] && a->hashes[kind] == b->hashes[kind];
}

// Code that is equal byte for byte uses other members where members changed places.
static enum change_kind compare_functions(const struct pairs *p, bool moved, const struct fact_function *a,
                                          const struct fact_function *b)
{
	bool symbols = pairs_same_symbols(p, &a->symbols, &b->symbols);
	if (symbols && same_hash(a, b, FACTS_PLAIN))
		return moved && a->hashes[FACTS_NAMED] != b->hashes[FACTS_NAMED] ? CHANGE_MEMBERS : CHANGE_NONE;
	if (same_hash(a, b, FACTS_NAMED))
		return CHANGE_LAYOUT;
	if (same_hash(a, b, FACTS_REDUCED))
		return CHANGE_REDUCED;
	return symbols && same_hash(a, b, FACTS_SILENT) ? CHANGE_MESSAGE : CHANGE_CODE;
}

// Functions of the system to which the bytes of an object are what counts, not its members.
static bool moves_bytes(const struct facts *f)
{
	static const char *const names[] = {"fread", "fwrite", "memcmp",   "mmap", "pread", "pwrite",
	                                    "read",  "recv",   "recvfrom", "send", "write"};
	bool found = false;
	for (uint32_t i = 0; i < f->n_functions; i++)
		for (size_t k = 0; k < f->functions[i].callees.n; k++)
			for (size_t m = 0; m < sizeof names / sizeof *names; m++)
				found |= strcmp(f->functions[i].callees.v[k], names[m]) == 0;
	return found;
}

static void find_functions(struct code_changes *c, const struct pairs *p)
{
	const struct facts *old = p->old, *new = p->new;
	bool moved = has_moved_members(c), raw = moved && moves_bytes(new);
	c->functions = mem_zero((old->n_functions + new->n_functions + 1) * sizeof *c->functions);
	for (uint32_t i = 0; i < new->n_functions; i++) {
		struct changed_function *f = &c->functions[c->n_functions++];
		uint32_t of = p->functions[i];
		*f = (struct changed_function){
			.side = {of == PAIRS_NONE ? NULL : &old->functions[of], &new->functions[i]},
			.kind = CHANGE_ADDED};
		if (of == PAIRS_NONE)
			continue;
		f->kind = compare_functions(p, moved, f->side[0], f->side[1]);
		if (f->kind == CHANGE_LAYOUT && raw)
			f->kind = CHANGE_RAW;
		f->renamed = strcmp(f->side[0]->name, f->side[1]->name) != 0;
		f->retyped = f->side[0]->type != f->side[1]->type;
	}
	for (uint32_t i = 0; i < old->n_functions; i++)
		if (!p->paired_functions[i])
			c->functions[c->n_functions++] =
				(struct changed_function){.side = {&old->functions[i]}, .kind = CHANGE_DELETED};
}

// --- data -----------------------------------------------------------------------------------------

static enum change_kind compare_globals(const struct pairs *p, bool moved, const struct fact_global *a,
                                        const struct fact_global *b)
{
	bool symbols = pairs_same_symbols(p, &a->symbols, &b->symbols);
	if (symbols && a->plain == b->plain)
		return moved && a->named != b->named ? CHANGE_CODE : CHANGE_NONE;
	return a->named == b->named ? CHANGE_LAYOUT : CHANGE_CODE;
}

static void find_globals(struct code_changes *c, const struct pairs *p)
{
	const struct facts *old = p->old, *new = p->new;
	bool moved = has_moved_members(c);
	c->globals = mem_zero((old->n_globals + new->n_globals + 1) * sizeof *c->globals);
	for (uint32_t i = 0; i < new->n_globals; i++) {
		struct changed_global *g = &c->globals[c->n_globals++];
		uint32_t of = p->globals[i];
		*g = (struct changed_global){.side = {of == PAIRS_NONE ? NULL : &old->globals[of], &new->globals[i]},
		                             .kind = CHANGE_ADDED};
		if (of == PAIRS_NONE)
			continue;
		g->kind = compare_globals(p, moved, g->side[0], g->side[1]);
		g->renamed = strcmp(g->side[0]->name, g->side[1]->name) != 0;
	}
	for (uint32_t i = 0; i < old->n_globals; i++)
		if (!p->paired_globals[i])
			c->globals[c->n_globals++] =
				(struct changed_global){.side = {&old->globals[i]}, .kind = CHANGE_DELETED};
}

struct name {
	const char *text; // NULL: free
	const char *because;
};
MAP(names, struct name);
MAP_FUNCTIONS(names, struct names, const char *, .text, .text, map_hash_text, map_same_text)

// Symbols of globals whose value changed, and of those that lead there by an address in their initialiser.
static struct names changed_data(const struct code_changes *c, int side)
{
	struct names all = {0};
	for (uint32_t i = 0; i < c->n_globals; i++)
		if (c->globals[i].kind == CHANGE_CODE)
			names_put(&all, c->globals[i].side[side]->symbol)->because = c->globals[i].side[side]->name;
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < c->n_globals; i++) {
			const struct fact_global *g = c->globals[i].side[side];
			const struct name *to = NULL;
			for (size_t k = 0; g && k < g->names.n && !to; k++)
				to = names_get(&all, g->names.v[k]);
			if (!to || names_get(&all, g->symbol))
				continue;
			const char *because = to->because; // which `put` moves
			names_put(&all, g->symbol)->because = because;
			more = true;
		}
	}
	return all;
}

static void find_readers(struct code_changes *c)
{
	struct names data = changed_data(c, CHANGE_NEW);
	for (uint32_t i = 0; i < c->n_functions; i++) {
		struct changed_function *f = &c->functions[i];
		const struct fact_function *own = f->side[CHANGE_NEW];
		if (change_runs(f->kind) || !own || !f->side[CHANGE_OLD])
			continue;
		for (size_t k = 0; k < own->globals.n; k++) {
			const struct name *found = names_get(&data, own->globals.v[k]);
			if (!found)
				continue;
			f->kind = CHANGE_DATA;
			f->because = found->because;
			break;
		}
	}
	names_release(&data);
}

// --- blocks ---------------------------------------------------------------------------------------

struct tally {
	uint64_t hash; // 0: free
	int64_t left;
};
MAP(tallies, struct tally);
MAP_FUNCTIONS(tallies, struct tallies, uint64_t, .hash, .hash, map_hash_number, map_same_number)

static uint64_t hash_of(const struct fact_block *b, bool around)
{
	uint64_t hash = around ? b->around : b->own;
	return hash ? hash : 1;
}

// Blocks that the other one has not, or not as often. Returns how many there are.
static uint32_t find_alone(const struct fact_function *f, const struct fact_function *other, bool around, bool *ret)
{
	struct tallies all = {0};
	uint32_t n = 0;
	for (uint32_t i = 0; i < other->n_blocks; i++)
		tallies_put(&all, hash_of(&other->blocks[i], around))->left++;
	for (uint32_t i = 0; i < f->n_blocks; i++) {
		struct tally *x = tallies_put(&all, hash_of(&f->blocks[i], around));
		ret[i] = x->left-- <= 0;
		n += ret[i];
	}
	tallies_release(&all);
	return n;
}

static void find_blocks(struct changed_function *f)
{
	const struct fact_function *a = f->side[CHANGE_OLD], *b = f->side[CHANGE_NEW];
	uint32_t alone = 0;
	for (int side = 0; side < CHANGE_SIDES; side++)
		if (f->side[side])
			f->blocks[side] = mem_zero((f->side[side]->n_blocks + 1) * sizeof(bool));
	for (int around = 0; a && b && f->kind != CHANGE_DATA && !alone && around < 2; around++)
		alone = find_alone(a, b, around, f->blocks[CHANGE_OLD]) +
		        find_alone(b, a, around, f->blocks[CHANGE_NEW]);
	for (int side = 0; side < CHANGE_SIDES && !alone; side++)
		for (uint32_t i = 0; f->side[side] && i < f->side[side]->n_blocks; i++)
			f->blocks[side][i] = true;
}

static int by_number(const void *x, const void *y)
{
	const uint32_t *a = x, *b = y;
	return *a < *b ? -1 : *a > *b;
}

void code_changes_lines(const struct changed_function *f, int side, struct buf *ret, uint32_t *ret_n)
{
	const struct fact_function *own = f->side[side];
	VEC(uint32_t) all = {0};
	for (uint32_t i = 0; own && f->blocks[side] && i < own->n_blocks; i++)
		for (uint32_t k = 0; f->blocks[side][i] && k < own->blocks[i].n_lines; k++)
			vec_push(&all, own->blocks[i].lines[k]);
	if (all.n)
		qsort(all.v, all.n, sizeof *all.v, by_number);
	*ret_n = 0;
	for (size_t i = 0; i < all.n; i++)
		if (!i || all.v[i] != all.v[i - 1]) {
			buf_u32(ret, all.v[i]);
			++*ret_n;
		}
	vec_release(&all);
}

// --- all of it ------------------------------------------------------------------------------------

static bool has_native(const struct facts *f, const struct fact_unit *u)
{
	for (uint32_t i = 0; i < f->n_units; i++)
		if (f->units[i].is_native && map_same_digest(f->units[i].native, u->native))
			return true;
	return false;
}

static void find_natives(struct code_changes *c)
{
	for (int side = 0; side < CHANGE_SIDES; side++)
		for (uint32_t i = 0; i < c->facts[side]->n_units; i++) {
			const struct fact_unit *u = &c->facts[side]->units[i];
			if (u->is_native && !has_native(c->facts[!side], u))
				strv_push_once(&c->natives, u->source);
		}
}

void code_changes_find(struct code_changes *ret, const struct facts *old, const struct facts *new)
{
	struct pairs p;
	*ret = (struct code_changes){.facts = {old, new}};
	pairs_find(&p, old, new);
	find_types(ret);
	find_functions(ret, &p);
	find_globals(ret, &p);
	find_readers(ret);
	find_natives(ret);
	for (uint32_t i = 0; i < ret->n_functions; i++)
		if (ret->functions[i].kind != CHANGE_NONE)
			find_blocks(&ret->functions[i]);
	pairs_release(&p);
}

uint32_t code_changes_count(const struct code_changes *c)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->n_functions; i++)
		n += change_runs(c->functions[i].kind);
	return n;
}

bool code_changes_any(const struct code_changes *c)
{
	bool any = c->natives.n > 0;
	for (uint32_t i = 0; i < c->n_globals && !any; i++)
		any = c->globals[i].kind == CHANGE_CODE;
	return any || code_changes_count(c) > 0;
}

void code_changes_release(struct code_changes *c)
{
	for (uint32_t i = 0; i < c->n_functions; i++)
		for (int side = 0; side < CHANGE_SIDES; side++)
			mem_free(c->functions[i].blocks[side]);
	mem_free(c->functions);
	mem_free(c->globals);
	mem_free(c->types);
	strv_release(&c->natives);
	*c = (struct code_changes){0};
}
