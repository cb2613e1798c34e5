// A library of a hostile program, not built by veer: what the loader runs of it.
#include <stddef.h>

#include "before.h"

BEFORE(before_library)
BEFORE(before_resolver)

__attribute__((constructor)) static void constructor(void)
{
	attack_before_library();
}

static int zero(void)
{
	return 0;
}

static int (*resolve(void))(void)
{
	attack_before_resolver();
	return zero;
}

int library_value(void) __attribute__((ifunc("resolve")));

const struct before *library_state(int number)
{
	return number == 0 ? &before_library : number == 1 ? &before_resolver : NULL;
}
