// Comparing memory and strings: one expression for the result instead of a branch for
// every byte,
//
//	all bytes are equal ? 0 : the first that differ are less ? -1 : 1
//
// so that `strcmp(s, "key") == 0` is s[0] == 'k' && s[1] == 'e' && ...
#include <langinfo.h>
#include <string.h>
#include <strings.h>

#include "runtime/models/model.h"

int strcasecmp_l(const char *a, const char *b, locale_t locale);
int strncasecmp_l(const char *a, const char *b, size_t n, locale_t locale);

enum { LABELLED_MAX = 4096 }; // pairs of bytes that are symbolic

struct comparison {
	struct site *site;
	const char *name; // of the function
	struct model_string a, b;
	bool memory; // not ended by a terminator
	bool fold;
	int real;
};

struct pair {
	struct sym a, b;
	struct sym same, ends; // ends: given that they are the same
};

static struct pair pair_at(const struct comparison *c, uint64_t i)
{
	struct pair p = {.a = model_string_byte(&c->a, i), .b = model_string_byte(&c->b, i)};
	p.same = model_same(p.a, p.b, c->fold);
	p.ends = c->memory ? sym_constant(1, 0) : sym_is(p.b.l ? p.a : p.b, 0);
	return p;
}

static bool is_certain(struct sym x, bool value)
{
	return !x.l && x.value == value;
}

// How many pairs are compared. *ret_cut: there are more than an expression should have; returns 0
// when they mattered in this run.
static uint64_t extent(const struct comparison *c, bool *ret_cut)
{
	uint64_t n = c->a.bytes < c->b.bytes ? c->a.bytes : c->b.bytes, labelled = 0;
	bool decided = false;
	*ret_cut = false;
	for (uint64_t i = 0; i < n; i++) {
		struct pair p = pair_at(c, i);
		if (is_certain(p.same, false) || is_certain(p.ends, true))
			return i + 1;
		decided |= !p.same.value || p.ends.value;
		labelled += p.same.l || p.ends.l;
		if (labelled > LABELLED_MAX) {
			*ret_cut = true;
			return decided ? i + 1 : 0;
		}
	}
	return n;
}

// What libc's functions return beside the sign is their own business: the result is -1, 0
// or 1, but what it was in this run.
static struct sym with_sign(int real, struct sym equal, struct sym less)
{
	uint64_t up = real > 0 ? (uint64_t)real : 1, down = real < 0 ? (uint64_t)real : (uint64_t)-1;
	return sym_choose(equal, sym_constant(32, 0), sym_choose(less, sym_constant(32, down), sym_constant(32, up)));
}

static label compare(const struct comparison *c)
{
	bool cut;
	if (!rt_on || !(c->a.labelled || c->b.labelled))
		return 0;
	uint64_t n = extent(c, &cut);
	if (cut && !n) {
		rt_unmodelled(c->site, c->name);
		return 0;
	}
	struct sym equal = sym_constant(1, 1), less = sym_constant(1, 0), undecided = sym_constant(1, 1);
	for (uint64_t i = n; i-- > 0;) {
		struct pair p = pair_at(c, i);
		struct sym a = c->fold ? model_fold(p.a) : p.a, b = c->fold ? model_fold(p.b) : p.b;
		struct sym on = sym_and(p.same, sym_not(p.ends));
		less = sym_or(sym_binary(OP_ULT, a, b), sym_and(on, less));
		equal = sym_and(p.same, sym_or(p.ends, equal));
		if (cut)
			undecided = sym_and(on, undecided);
	}
	if (cut)
		rt_concrete(c->site, undecided.l, undecided.value, REASON_LENGTH);
	return with_sign(c->real, equal, less).l;
}

// --- memory ------------------------------------------------------------------------------------

MODEL(int, memcmp, const void *a, const void *b, size_t n)
{
	ENTER(memcmp, 3);
	int r = memcmp(a, b, n);
	rt_concrete(site, arg[0], (uint64_t)a, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)b, REASON_ARGUMENT);
	rt_check_room(site, arg[2], n, (uint64_t)a);
	rt_check_room(site, arg[2], n, (uint64_t)b);
	rt_concrete(site, arg[2], n, REASON_LENGTH);
	struct comparison c = {site, "memcmp", model_memory(a, n), model_memory(b, n), true, false, r};
	return GIVE(memcmp, r, compare(&c));
}

// --- strings -------------------------------------------------------------------------------------

// Both are read up to the first byte that decides.
static void check_reads(struct site *site, const char *a, const char *b, size_t limit, bool fold)
{
	size_t same = 0;
	if (!rt_sized)
		return;
	while (same < limit && a[same] && (fold ? !strncasecmp(a + same, b + same, 1) : a[same] == b[same]))
		same++;
	model_reads(site, a, same + (same < limit));
	model_reads(site, b, same + (same < limit));
}

// At most `limit` bytes of two strings.
static label compare_strings(struct site *site, const char *name, const char *a, const char *b, size_t limit, bool fold,
                             int real)
{
	if (!rt_on)
		return 0;
	struct comparison c = {site, name, model_string(a, limit), model_string(b, limit), false, fold, real};
	check_reads(site, a, b, limit, fold);
	return compare(&c);
}

#define TAKE_TWO()                                                                                                     \
	rt_concrete(site, arg[0], (uint64_t)a, REASON_ARGUMENT);                                                       \
	rt_concrete(site, arg[1], (uint64_t)b, REASON_ARGUMENT)

MODEL(int, strcmp, const char *a, const char *b)
{
	ENTER(strcmp, 2);
	int r = strcmp(a, b);
	TAKE_TWO();
	return GIVE(strcmp, r, compare_strings(site, "strcmp", a, b, SIZE_MAX, false, r));
}

MODEL(int, strncmp, const char *a, const char *b, size_t n)
{
	ENTER(strncmp, 3);
	int r = strncmp(a, b, n);
	TAKE_TWO();
	rt_concrete(site, arg[2], n, REASON_LENGTH);
	return GIVE(strncmp, r, compare_strings(site, "strncmp", a, b, n, false, r));
}

// What depends on a locale that is not known here is reported.
static void not_modelled(struct site *site, const char *name, const char *a, const char *b)
{
	if (rt_on && (rt_any((uint64_t)a, strlen(a) + 1) || rt_any((uint64_t)b, strlen(b) + 1)))
		rt_unmodelled(site, name);
}

static label compare_folded(struct site *site, const char *name, const char *a, const char *b, size_t limit, bool known,
                            int real)
{
	if (known)
		return compare_strings(site, name, a, b, limit, true, real);
	struct model_string x = model_string(a, limit), y = model_string(b, limit);
	if (x.labelled || y.labelled)
		rt_unmodelled(site, name);
	return 0;
}

MODEL(int, strcasecmp, const char *a, const char *b)
{
	ENTER(strcasecmp, 2);
	int r = strcasecmp(a, b);
	TAKE_TWO();
	return GIVE(strcasecmp, r, compare_folded(site, "strcasecmp", a, b, SIZE_MAX, model_folds_ascii(), r));
}

MODEL(int, strncasecmp, const char *a, const char *b, size_t n)
{
	ENTER(strncasecmp, 3);
	int r = strncasecmp(a, b, n);
	TAKE_TWO();
	rt_concrete(site, arg[2], n, REASON_LENGTH);
	return GIVE(strncasecmp, r, compare_folded(site, "strncasecmp", a, b, n, model_folds_ascii(), r));
}

MODEL(int, strcasecmp_l, const char *a, const char *b, locale_t locale)
{
	ENTER(strcasecmp_l, 2);
	int r = strcasecmp_l(a, b, locale);
	TAKE_TWO();
	return GIVE(strcasecmp_l, r,
	            compare_folded(site, "strcasecmp_l", a, b, SIZE_MAX, model_folds_ascii_in(locale), r));
}

MODEL(int, strncasecmp_l, const char *a, const char *b, size_t n, locale_t locale)
{
	ENTER(strncasecmp_l, 3);
	int r = strncasecmp_l(a, b, n, locale);
	TAKE_TWO();
	rt_concrete(site, arg[2], n, REASON_LENGTH);
	return GIVE(strncasecmp_l, r, compare_folded(site, "strncasecmp_l", a, b, n, model_folds_ascii_in(locale), r));
}

MODEL(int, strcoll, const char *a, const char *b)
{
	ENTER(strcoll, 2);
	int r = strcoll(a, b);
	TAKE_TWO();
	if (model_collates_bytes())
		return GIVE(strcoll, r, compare_strings(site, "strcoll", a, b, SIZE_MAX, false, r));
	not_modelled(site, "strcoll", a, b);
	return r;
}
