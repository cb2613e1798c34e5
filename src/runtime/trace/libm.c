#include "runtime/trace/libm.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "abi/libm_eval.h"

void *rt_libm(const char *name)
{
	static void *library;
	void *function = dlsym(RTLD_NEXT, name);
	if (!function && !library)
		library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
	if (!function && library)
		function = dlsym(library, name);
	if (function)
		return function;
	dprintf(2, "veer: %s: not found in libm; is libm.so.6 there?\n", name);
	abort();
}
