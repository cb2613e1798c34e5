// Functions of libm for a runtime that is not linked with it: a program that calls one has libm, mostly; for one that
// lost it because only models call it now, it is loaded.
#ifndef VEER_RUNTIME_TRACE_LIBM_H
#define VEER_RUNTIME_TRACE_LIBM_H

#include <math.h>

void *rt_libm(const char *name); // never NULL: a run without libm ends here, with a message

#define LIBM_REAL(name)                                                                                                \
	__extension__({                                                                                                \
		static __typeof__(&name) real_;                                                                        \
		if (!real_)                                                                                            \
			real_ = (__typeof__(&name))rt_libm(#name);                                                     \
		real_;                                                                                                 \
	})

#endif
