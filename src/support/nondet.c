// Values that the software verification competitions leave open: any value of a type.
// In the first run it is 0; natively too, unless KTEST_FILE says otherwise.
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <veer.h>

#include "support/support.h"

// Other tools have other names for such objects, and do not all say how large they are: where values are given by a
// file, also to the sanitized variant (which has no labels to ask for), the program says it.
INSIDE static void any(void *data, size_t size, const char *name)
{
	if (veer_make_symbolic && (veer_is_symbolic || !getenv("KTEST_FILE")))
		veer_make_symbolic(data, size, name);
	else
		veer_support_take(data, size, NULL);
}

#define NONDET(name, type)                                                                                             \
	type __VERIFIER_nondet_##name(void);                                                                           \
	SUPPORT type __VERIFIER_nondet_##name(void)                                                                    \
	{                                                                                                              \
		type x = 0;                                                                                            \
		any(&x, sizeof x, "nondet_" #name);                                                                    \
		return x;                                                                                              \
	}
#include "support/nondet.def"
#undef NONDET

bool __VERIFIER_nondet_bool(void);
bool __VERIFIER_nondet__Bool(void);
void __VERIFIER_nondet_memory(void *data, size_t size);

// Every byte stands for a truth value, so no input has to be ruled out.
INSIDE static bool any_bool(const char *name)
{
	unsigned char x = 0;
	any(&x, sizeof x, name);
	return x & 1;
}

SUPPORT bool __VERIFIER_nondet_bool(void)
{
	return any_bool("nondet_bool");
}

SUPPORT bool __VERIFIER_nondet__Bool(void)
{
	return any_bool("nondet__Bool");
}

SUPPORT void __VERIFIER_nondet_memory(void *data, size_t size)
{
	any(data, size, "nondet_memory");
}
