// A library of a hostile program, not built by veer: what the loader runs of it.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "before_main.h"

int wrote; // to what only veer is to write

__attribute__((constructor)) static void construct(void)
{
	touch_canary("c");
	for (int fd = 3; fd < 64; fd++) {
		char link[32], name[64] = "";
		snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
		if (readlink(link, name, sizeof name - 1) < 0 || !strstr(name, "veer-given"))
			continue;
		void *given = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		wrote |= given != MAP_FAILED || pwrite(fd, "x", 1, 0) > 0 || ftruncate(fd, 0) == 0;
	}
}

static int zero(void)
{
	return 0;
}

static int (*resolve(void))(void)
{
	touch_canary("i");
	return zero;
}

int library(void) __attribute__((ifunc("resolve")));

#ifdef AUDIT
unsigned la_version(unsigned version)
{
	touch_canary("a");
	return version;
}
#endif
