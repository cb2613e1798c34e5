// What a program may ask about its values: klee/klee.h. Labels are read and dropped in
// memory, which is where the runtime knows them.
#include <errno.h>
#include <klee/klee.h>
#include <veer.h>

#include "support/support.h"

SUPPORT unsigned klee_is_symbolic(uintptr_t n)
{
	return veer_is_symbolic && veer_is_symbolic(&n, sizeof n);
}

SUPPORT unsigned klee_is_replay(void)
{
	return !veer_make_symbolic;
}

SUPPORT int klee_get_errno(void)
{
	return errno;
}

#define GET_VALUE(suffix, type)                                                                                        \
	SUPPORT type klee_get_value##suffix(type expr)                                                                 \
	{                                                                                                              \
		if (veer_make_concrete)                                                                                \
			veer_make_concrete(&expr, sizeof expr);                                                        \
		return expr;                                                                                           \
	}
GET_VALUE(f, float)
GET_VALUE(d, double)
GET_VALUE(l, long)
GET_VALUE(ll, long long)
GET_VALUE(_i32, int32_t)
GET_VALUE(_i64, int64_t)
