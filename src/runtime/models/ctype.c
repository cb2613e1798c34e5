// Classes of characters. What libc does is known exactly: an access to the locale's table,
// which has entries from -128 to 255.
#include <ctype.h>
#include <locale.h>

#include "runtime/models/chars.h"

enum { LOWEST = -128, HIGHEST = 255, ENTRIES = HIGHEST - LOWEST + 1 };

// An index outside of the table is an error of the program.
static void check_index(struct site *site, struct sym c, const unsigned short *table)
{
	uint64_t base = (uint64_t)(table + LOWEST), address = (uint64_t)(table + (int)c.value);
	struct rt_object o;
	if (!rt_object_find(base, &o))
		o = (struct rt_object){
			.kind = OBJECT_GLOBAL, .base = base, .size = ENTRIES * sizeof *table, .name = "table"};
	struct sym offset = sym_binary(OP_MUL, sym_extend_signed(c, 64), sym_constant(64, sizeof *table));
	struct sym place = sym_binary(OP_ADD, offset, sym_constant(64, (uint64_t)table));
	if (place.l)
		rt_check_bounds(site, place.l, address, sizeof *table, &o);
}

static struct sym class_of(struct site *site, struct sym c, const unsigned short *table, unsigned mask)
{
	int x = (int)c.value;
	struct sym result = sym_constant(32, table[x] & mask);
	if (!c.l)
		return result;
	check_index(site, c, table);
	if (x < LOWEST || x > HIGHEST) {
		rt_concrete(site, c.l, c.value, REASON_ARGUMENT);
		return result;
	}
	struct rt_range r = rt_range(c.l);
	int low = r.low < LOWEST ? LOWEST : (int)r.low, high = r.high > HIGHEST ? HIGHEST : (int)r.high;
	uint32_t value[ENTRIES];
	for (int i = low; i <= high; i++)
		value[i - low] = table[i] & mask;
	return chars_function(c, (uint32_t)low, (uint32_t)(high - low + 1), value, false);
}

// The other case of a letter; all that is not in the table is its own.
static struct sym case_of(struct sym c, const int *table)
{
	int x = (int)c.value;
	bool inside = x >= LOWEST && x <= HIGHEST;
	if (!c.l)
		return sym_constant(32, inside ? (uint32_t)table[x] : (uint32_t)x);
	struct rt_range r = rt_range(c.l);
	int low = r.low < LOWEST ? LOWEST : (int)r.low, high = r.high > HIGHEST ? HIGHEST : (int)r.high;
	if (low > high)
		return c;
	uint32_t value[ENTRIES];
	for (int i = low; i <= high; i++)
		value[i - low] = (uint32_t)table[i];
	// Outside, values as if the table went on: x itself, or something that is not taken.
	struct sym known = inside ? c : sym_constant(32, (uint32_t)low);
	struct sym in =
		chars_function(sym_of(c.l, 32, known.value), (uint32_t)low, (uint32_t)(high - low + 1), value, true);
	if (low == r.low && high == r.high)
		return in;
	return sym_choose(chars_within(c, (uint32_t)LOWEST, (uint32_t)HIGHEST), in, c);
}

#define CLASS(name, mask)                                                                                              \
	MODEL(int, name, int c)                                                                                        \
	{                                                                                                              \
		ENTER(name, 1);                                                                                        \
		struct sym r = class_of(site, chars_argument(arg[0], 32, (uint32_t)c), *__ctype_b_loc(), mask);        \
		return GIVE(name, (int)r.value, r.l);                                                                  \
	}                                                                                                              \
	MODEL(int, name##_l, int c, locale_t l)                                                                        \
	{                                                                                                              \
		ENTER(name##_l, 2);                                                                                    \
		rt_concrete(site, arg[1], (uint64_t)l, REASON_ARGUMENT);                                               \
		struct sym r = class_of(site, chars_argument(arg[0], 32, (uint32_t)c), l->__ctype_b, mask);            \
		return GIVE(name##_l, (int)r.value, r.l);                                                              \
	}

CLASS(isalnum, _ISalnum)
CLASS(isalpha, _ISalpha)
CLASS(isblank, _ISblank)
CLASS(iscntrl, _IScntrl)
CLASS(isdigit, _ISdigit)
CLASS(isgraph, _ISgraph)
CLASS(islower, _ISlower)
CLASS(isprint, _ISprint)
CLASS(ispunct, _ISpunct)
CLASS(isspace, _ISspace)
CLASS(isupper, _ISupper)
CLASS(isxdigit, _ISxdigit)

MODEL(int, isctype, int c, int mask)
{
	ENTER(isctype, 2);
	rt_concrete(site, arg[1], (uint32_t)mask, REASON_ARGUMENT);
	struct sym r = class_of(site, chars_argument(arg[0], 32, (uint32_t)c), *__ctype_b_loc(), (unsigned)mask);
	return GIVE(isctype, (int)r.value, r.l);
}

#define CASE(name)                                                                                                     \
	MODEL(int, name, int c)                                                                                        \
	{                                                                                                              \
		ENTER(name, 1);                                                                                        \
		struct sym r = case_of(chars_argument(arg[0], 32, (uint32_t)c), *__ctype_##name##_loc());              \
		return GIVE(name, (int)r.value, r.l);                                                                  \
	}                                                                                                              \
	MODEL(int, name##_l, int c, locale_t l)                                                                        \
	{                                                                                                              \
		ENTER(name##_l, 2);                                                                                    \
		rt_concrete(site, arg[1], (uint64_t)l, REASON_ARGUMENT);                                               \
		struct sym r = case_of(chars_argument(arg[0], 32, (uint32_t)c), l->__ctype_##name);                    \
		return GIVE(name##_l, (int)r.value, r.l);                                                              \
	}

CASE(tolower)
CASE(toupper)

#undef isascii
#undef toascii

MODEL(int, isascii, int c)
{
	ENTER(isascii, 1);
	struct sym x = chars_argument(arg[0], 32, (uint32_t)c);
	struct sym r = sym_extend(sym_binary(OP_ULT, x, sym_constant(32, 0x80)), 32);
	return GIVE(isascii, (int)r.value, r.l);
}

MODEL(int, toascii, int c)
{
	ENTER(toascii, 1);
	struct sym r = sym_and(chars_argument(arg[0], 32, (uint32_t)c), sym_constant(32, 0x7f));
	return GIVE(toascii, (int)r.value, r.l);
}

// --- locales, whose tables the macros read ------------------------------------------------------

MODEL(locale_t, newlocale, int mask, const char *name, locale_t base)
{
	ENTER(newlocale, 3);
	locale_t r = newlocale(mask, name, base);
	if (r)
		chars_concrete_string(site, name);
	rt_object_locale(r);
	return r;
}

MODEL(locale_t, duplocale, locale_t l)
{
	ENTER(duplocale, 1);
	locale_t r = duplocale(l);
	rt_object_locale(r);
	return r;
}
