// What tells KLEE how to explore. A run here has one path, which has no need of it.
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/support.h"

SUPPORT void klee_set_forking(unsigned enable)
{
	(void)enable;
}

SUPPORT void klee_mark_global(void *object)
{
	(void)object;
}

SUPPORT void klee_open_merge(void)
{
}

SUPPORT void klee_close_merge(void)
{
}

// Going on would run another program than the one that was written.
SUPPORT void klee_alias_function(const char *fn_name, const char *new_fn_name)
{
	fprintf(stderr,
	        "error: klee_alias_function(\"%s\", \"%s\"): functions cannot be exchanged at run time; "
	        "link with -Wl,--wrap=%s instead\n",
	        fn_name, new_fn_name, fn_name);
	abort();
}
