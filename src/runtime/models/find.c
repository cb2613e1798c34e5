// First and last places in a text, as expressions:
//
//	first   hit(0) ? base : end(0) ? none : hit(1) ? base + 1 : end(1) ? none : ...
//	last    there is one behind i ? that : hit(i) ? base + i : none
//
// A chain ends where the outcome is certain, or some way behind where it was decided in
// this run: then the path says that it is decided before that.
#include <ctype.h>
#include <locale.h>
#include <string.h>

#include "runtime/models/model.h"

enum { LABELLED_MAX = 4096 }; // bytes in a chain that are symbolic
enum { BEHIND = 512 };        // bytes that are looked at behind the place found in this run
enum { ROUND = 256 };         // chains over the same text end at the same places, so they share nodes

static bool is_certain(struct sym c)
{
	return c.value && !c.l;
}

static struct sym ends(const struct model_search *s, uint64_t i)
{
	return s->stops ? sym_is(model_string_byte(&s->text, i), 0) : sym_constant(1, 0);
}

struct extent {
	uint64_t n;   // places that are looked at
	bool cut;     // there are more
	bool out;     // there are none: what is behind is out of the object
	bool too_far; // the outcome of this run was not reached
};

static struct extent extent(const struct model_search *s, bool all)
{
	struct extent e = {0};
	uint64_t labelled = 0, stop = UINT64_MAX;
	for (; e.n < s->text.bytes; e.n++) {
		struct sym hit = s->hit(s, e.n), end = ends(s, e.n);
		e.cut = e.n >= stop && ((uint64_t)s->text.at + e.n) % ROUND == 0;
		e.too_far = labelled > LABELLED_MAX && stop == UINT64_MAX;
		if (e.cut || e.too_far)
			return e;
		labelled += (hit.l || end.l) * (1 + s->effort);
		if ((is_certain(hit) && !all) || is_certain(end)) {
			e.n++;
			return e;
		}
		if (((hit.value && !all) || end.value) && stop == UINT64_MAX)
			stop = e.n + BEHIND;
	}
	e.out = s->text.open;
	return e;
}

// The result, and when the chain was cut, a condition of the path; that a text ends in its
// object, too, has to be so.
static struct sym finish(const struct model_search *s, struct sym r, struct extent e)
{
	struct sym decided = e.cut || e.out ? sym_not(sym_is(r, s->base + e.n)) : sym_constant(1, 1);
	if (e.cut)
		rt_concrete(s->site, decided.l, decided.value, REASON_LENGTH);
	else if (decided.l)
		rt_check(CHECK_TEXT_END, s->site, decided.l, decided.value);
	if (s->text.labelled)
		rt_position(r.l);
	return r;
}

static struct sym too_far(const struct model_search *s)
{
	rt_unmodelled(s->site, s->name);
	return sym_constant(64, s->real);
}

struct sym model_first(const struct model_search *s)
{
	if (!rt_on)
		return sym_constant(64, s->real);
	struct extent e = extent(s, false);
	if (e.too_far)
		return too_far(s);
	struct sym none = sym_constant(64, s->none), r = e.cut || e.out ? sym_constant(64, s->base + e.n) : none;
	for (uint64_t i = e.n; i-- > 0;)
		r = sym_choose(s->hit(s, i), sym_constant(64, s->base + i), sym_choose(ends(s, i), none, r));
	return finish(s, r, e);
}

struct sym model_last(const struct model_search *s)
{
	if (!rt_on)
		return sym_constant(64, s->real);
	struct extent e = extent(s, true);
	if (e.too_far)
		return too_far(s);
	struct sym any = sym_constant(1, e.cut || e.out), at = sym_constant(64, s->base + e.n);
	for (uint64_t i = e.n; i-- > 0;) {
		struct sym later = sym_and(sym_not(ends(s, i)), any);
		at = sym_choose(later, at, sym_constant(64, s->base + i));
		any = sym_or(s->hit(s, i), later);
	}
	return finish(s, sym_choose(any, at, sym_constant(64, s->none)), e);
}

static struct sym is_end(const struct model_search *s, uint64_t i)
{
	return sym_is(model_string_byte(&s->text, i), 0);
}

// What has no end among the bytes that are known is as long as these.
struct sym model_length(struct site *site, const char *name, const struct model_string *s)
{
	struct model_search search = {
		.site = site, .name = name, .text = *s, .hit = is_end, .none = s->bytes, .real = s->length};
	model_reads(site, s->at, s->memory > s->length ? s->length + 1 : s->memory);
	return s->labelled ? model_first(&search) : sym_constant(64, s->length);
}

// --- case -------------------------------------------------------------------------------------

struct sym model_fold(struct sym c)
{
	struct sym upper = sym_binary(OP_ULT, sym_binary(OP_SUB, c, sym_constant(8, 'A')), sym_constant(8, 26));
	return sym_choose(upper, sym_binary(OP_ADD, c, sym_constant(8, 32)), c);
}

static bool is_letter(uint64_t c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

struct sym model_same(struct sym a, struct sym b, bool fold)
{
	if (!fold)
		return sym_equal(a, b);
	if (!a.l) {
		struct sym c = a;
		a = b;
		b = c;
	}
	if (b.l)
		return sym_equal(model_fold(a), model_fold(b));
	if (!is_letter(b.value))
		return sym_equal(a, b);
	return sym_is(sym_or(a, sym_constant(8, 32)), b.value | 32);
}

bool model_folds_ascii_in(const void *locale)
{
	const __int32_t *lower = ((const struct __locale_struct *)locale)->__ctype_tolower;
	for (int c = 0; c < 256; c++)
		if (lower[c] != (c >= 'A' && c <= 'Z' ? c + 32 : c))
			return false;
	return true;
}

bool model_folds_ascii(void)
{
	const __int32_t *lower = *__ctype_tolower_loc();
	struct __locale_struct current = {.__ctype_tolower = lower};
	return model_folds_ascii_in(&current);
}
