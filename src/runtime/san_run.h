// Where the sanitized variant finds its folder RUN: the kernel tells a program the path it was started as, which is
// RUN/x/N/NAME when veer started it. No variable, no descriptor and no argument has to pass through a harness.
#ifndef VEER_RUNTIME_SAN_RUN_H
#define VEER_RUNTIME_SAN_RUN_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/launch.h"

// RUN/name in `path`; false when the program was not started that way. Calls nothing that a sanitizer intercepts:
// it is used before they are ready.
static inline bool san_run_path(char path[PATH_MAX], const char *name)
{
	const char *started_as = (const char *)getauxval(AT_EXECFN);
	size_t n = 0, slashes = 0;
	if (!started_as || started_as[0] != '/')
		return false;
	while (started_as[n] && n < PATH_MAX - 32)
		n++;
	if (started_as[n])
		return false;
	while (n && slashes < 3)
		slashes += started_as[--n] == '/';
	if (!n)
		return false;
	for (size_t i = 0; i < n; i++)
		path[i] = started_as[i];
	path[n++] = '/';
	for (size_t i = 0; i == 0 || name[i - 1]; i++)
		path[n + i] = name[i];
	return true;
}

// Whether this is a fork server of the oracle, which explores and therefore wants to know more than `veer run`: all
// that ends a run, told apart from what is no error. RUN/given may be a link to a descriptor that is closed by now.
static inline bool san_is_oracle(void)
{
	char path[PATH_MAX];
	struct stat st;
	int saved = errno;
	bool is = san_run_path(path, LAUNCH_FILE) &&
	          syscall(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
	errno = saved;
	return is;
}

extern char san_reports[PATH_MAX]; // where reports go: RUN/reports, or empty. Runs may see RUN no more.
void san_take_signals(void);

#endif
