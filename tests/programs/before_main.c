// Runs code as early as a program can, which tries what a hostile one would; main() crashes if it could.
// usage: veer-cc -DCANARY='"PATH"' before_main.c libbefore.so (of before_main_library.c)
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "before_main.h"

int library(void);

extern int wrote;

static void before(void)
{
	touch_canary("p");
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = before;

// Can somebody else's memory be written to? The fork server's would change all runs to come.
static int opens_others(void)
{
	DIR *proc = opendir("/proc");
	int n = 0;
	for (struct dirent *e; proc && (e = readdir(proc));) {
		char path[300];
		if (atoi(e->d_name) <= 0 || atoi(e->d_name) == getpid())
			continue;
		snprintf(path, sizeof path, "/proc/%s/mem", e->d_name);
		n += open(path, O_RDWR) >= 0;
	}
	return n;
}

int main(void)
{
	int c = getchar();
	if (c == 'w' && wrote)
		abort();
	if (c == 'm' && opens_others())
		__builtin_trap();
	return library();
}
