// Comparing memory and strings: one expression for the result instead of a branch for
// every byte.
#include <string.h>
#include <strings.h>

#include "runtime/models/model.h"

// What libc's functions return beside the sign is their own business: the result is -1, 0
// or 1 times what it was in this run.
static struct sym signs(int real, struct sym a, struct sym b, struct sym otherwise)
{
	uint64_t up = real > 0 ? (uint64_t)real : 1, down = real < 0 ? (uint64_t)real : (uint64_t)-1;
	struct sym less = sym_binary(OP_ULT, a, b), same = sym_equal(a, b);
	return sym_choose(same, otherwise, sym_choose(less, sym_constant(32, down), sym_constant(32, up)));
}

MODEL(int, memcmp, const void *a, const void *b, size_t n)
{
	ENTER(memcmp, 3);
	int r = memcmp(a, b, n);
	rt_concrete(site, arg[0], (uint64_t)a, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)b, REASON_ARGUMENT);
	rt_concrete(site, arg[2], n, REASON_LENGTH);
	struct sym result = sym_constant(32, 0);
	if (!rt_on || !(rt_any((uint64_t)a, n) || rt_any((uint64_t)b, n)))
		return r;
	for (size_t i = n; i-- > 0;)
		result = signs(r, sym_byte((const char *)a + i), sym_byte((const char *)b + i), result);
	return GIVE(memcmp, r, result.l);
}

// At most `limit` bytes of two strings.
static label compare(const char *a, const char *b, size_t limit, int real)
{
	struct model_string x = model_string(a, limit), y = model_string(b, limit);
	uint64_t n = x.bytes < y.bytes ? x.bytes : y.bytes;
	struct sym result = sym_constant(32, 0), zero = sym_constant(32, 0);
	if (!x.labelled && !y.labelled)
		return 0;
	for (uint64_t i = n; i-- > 0;) {
		struct sym p = model_string_byte(&x, i), q = model_string_byte(&y, i);
		result = signs(real, p, q, sym_choose(sym_is(p, 0), zero, result));
	}
	return result.l;
}

MODEL(int, strcmp, const char *a, const char *b)
{
	ENTER(strcmp, 2);
	int r = strcmp(a, b);
	rt_concrete(site, arg[0], (uint64_t)a, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)b, REASON_ARGUMENT);
	return GIVE(strcmp, r, compare(a, b, SIZE_MAX, r));
}

MODEL(int, strncmp, const char *a, const char *b, size_t n)
{
	ENTER(strncmp, 3);
	int r = strncmp(a, b, n);
	rt_concrete(site, arg[0], (uint64_t)a, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)b, REASON_ARGUMENT);
	rt_concrete(site, arg[2], n, REASON_LENGTH);
	return GIVE(strncmp, r, compare(a, b, n, r));
}
