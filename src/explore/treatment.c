#include "explore/treatment.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

struct reading {
	struct treatments *all;
	int64_t snapshot;
	struct scope_parts parts; // of that test
	uint64_t *symbolic;       // positions of each that were
	bool has;
};

static struct treatment *find_or_add(struct treatments *all, const struct scope_part *part)
{
	for (size_t i = 0; i < all->n; i++)
		if (input_is_same(all->v[i].of, part->of))
			return &all->v[i];
	vec_room(all->v, all->n + 1, all->cap);
	all->v[all->n] = (struct treatment){.of = part->of, .group = part->group};
	all->v[all->n].of.name = mem_strdup(part->of.name);
	return &all->v[all->n++];
}

static void end_test(struct reading *r)
{
	for (size_t i = 0; r->has && i < r->parts.n; i++) {
		const struct scope_part *part = &r->parts.v[i];
		uint64_t n = r->symbolic[i];
		if (part->unread)
			continue;
		struct treatment *t = find_or_add(r->all, part);
		bool whole = n > part->size;
		t->tests++;
		t->whole += whole;
		t->partly += !whole && n;
		t->concrete += !n;
		t->group = part->group > t->group ? part->group : t->group;
		t->size = part->size > t->size ? part->size : t->size;
		t->symbolic = !whole && n > t->symbolic ? n : t->symbolic;
	}
	if (r->has) {
		scope_parts_release(&r->parts);
		mem_free(r->symbolic);
	}
	r->has = false;
}

static int take_scope(void *opaque, const struct stored_scope *t)
{
	struct reading *r = opaque;
	struct err ignored;
	if (!t->number) {
		end_test(r);
		r->snapshot = t->snapshot;
		r->has = scope_parts_decode(&r->parts, t->parts.data, t->parts.len, &ignored) == 0;
		r->symbolic = r->has ? mem_zero((r->parts.n + 1) * sizeof *r->symbolic) : NULL;
	}
	for (size_t i = 0; r->has && r->snapshot == t->snapshot && (!t->number || t->level >= 0) && i < r->parts.n; i++)
		r->symbolic[i] += scope_overlap(&r->parts, i, t->from, t->to);
	return 0;
}

static int in_order(const void *x, const void *y)
{
	const struct treatment *a = x, *b = y;
	bool p = a->whole < a->tests, q = b->whole < b->tests;
	if (p != q)
		return p ? -1 : 1;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return a->of.type.kind != b->of.type.kind ? (a->of.type.kind < b->of.type.kind ? -1 : 1)
	                                          : strcmp(a->of.name, b->of.name);
}

int treatments_read(struct store *s, struct treatments *ret, struct err *err)
{
	struct reading r = {.all = ret};
	*ret = (struct treatments){0};
	int result = store_each_scope(s, take_scope, &r, err);
	end_test(&r);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof *ret->v, in_order);
	for (size_t i = 0; i < ret->n; i++)
		ret->whole += ret->v[i].whole == ret->v[i].tests;
	if (result < 0)
		treatments_release(ret);
	return result;
}

void treatments_release(struct treatments *t)
{
	for (size_t i = 0; i < t->n; i++)
		mem_free((char *)t->v[i].of.name);
	mem_free(t->v);
	*t = (struct treatments){0};
}

const char *treatment_word(const struct treatment *t)
{
	return t->whole == t->tests ? "whole" : t->whole || t->partly ? "windows" : "concrete";
}

char *treatments_sum(const struct treatments *t)
{
	size_t windows = 0, alike = 0, outside = 0, large = 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct treatment *x = &t->v[i];
		const char *word = treatment_word(x);
		windows += strcmp(word, "windows") == 0;
		if (strcmp(word, "concrete") != 0)
			continue;
		alike += x->group == SCOPE_ALIKE;
		outside += x->group == SCOPE_OUTSIDE;
		large += x->group == SCOPE_OWN;
	}
	struct buf out = {0};
	buf_printf(&out,
	           "of %zu input file%s (and standard input) %zu symbolic as a whole, %zu in part, window by window",
	           t->n, t->n == 1 ? "" : "s", t->whole, windows);
	if (alike + outside + large)
		buf_printf(&out, ", %zu concrete so far", alike + outside + large);
	const size_t counts[] = {alike, outside, large};
	static const char *const words[] = {"read alike by most tests", "outside the tests' folders", "large"};
	const char *before = " (";
	for (size_t i = 0; i < 3; i++)
		if (counts[i]) {
			buf_printf(&out, "%s%zu %s", before, counts[i], words[i]);
			before = ", ";
		}
	if (alike + outside + large)
		buf_addch(&out, ')');
	return buf_steal(&out);
}

char *treatment_line(const struct treatment *t)
{
	static const char *const why[] = {"large", "outside the tests' folders", "read alike by most tests"};
	struct buf out = {0};
	char *label = input_source_label(t->of);
	buf_printf(&out, "%s, %" PRIu64 " bytes, %s, in %u test%s:", label, t->size, why[t->group], t->tests,
	           t->tests == 1 ? "" : "s");
	mem_free(label);
	const char *before = " ";
	if (t->whole) {
		buf_printf(&out, " symbolic as a whole in %u", t->whole);
		before = ", ";
	}
	if (t->partly) {
		buf_printf(&out, "%s%" PRIu64 " bytes symbolic so far, window by window, in %u", before, t->symbolic,
		           t->partly);
		before = ", ";
	}
	if (t->concrete)
		buf_printf(&out, "%sconcrete in %u", before, t->concrete);
	return buf_steal(&out);
}
