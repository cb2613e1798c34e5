// Inside of steady*.c.
#ifndef VEER_RUNTIME_SERVE_STEADY_H
#define VEER_RUNTIME_SERVE_STEADY_H

#include "runtime/serve/serve.h"

#define OPEN __attribute__((visibility("default")))

// libc's function of that name.
#define NEXT(name)                                                                                                     \
	(*(typeof(name) *)({                                                                                           \
		static void *known;                                                                                    \
		steady_next(&known, #name);                                                                            \
	}))
void *steady_next(void **known, const char *name);

void steady_fill(void *data, size_t size); // with random numbers

#endif
