// Names of files that are opened or looked at: what is there is there under that name only,
// so when it succeeds, the name is a condition of the path.
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "runtime/models/model.h"

void model_keep_name(struct site *site, const char *path)
{
	struct sym same = sym_constant(1, 1);
	size_t n = strlen(path) + 1;
	if (!rt_on || !rt_any((uint64_t)path, n))
		return;
	for (size_t i = 0; i < n; i++)
		same = sym_and(same, sym_is(sym_byte(path + i), (unsigned char)path[i]));
	rt_concrete(site, same.l, 1, REASON_NAME);
}

static mode_t mode_of(int flags, va_list list)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

MODEL(int, open, const char *path, int flags, ...)
{
	ENTER(open, 2);
	rt_concrete(site, arg[0], (uint64_t)path, REASON_ARGUMENT);
	va_list list;
	va_start(list, flags);
	int r = open(path, flags, mode_of(flags, list));
	va_end(list);
	if (r >= 0)
		model_keep_name(site, path);
	return r;
}

MODEL(int, openat, int folder, const char *path, int flags, ...)
{
	ENTER(openat, 3);
	rt_concrete(site, arg[1], (uint64_t)path, REASON_ARGUMENT);
	va_list list;
	va_start(list, flags);
	int r = openat(folder, path, flags, mode_of(flags, list));
	va_end(list);
	if (r >= 0)
		model_keep_name(site, path);
	return r;
}

MODEL(DIR *, opendir, const char *path)
{
	ENTER(opendir, 1);
	rt_concrete(site, arg[0], (uint64_t)path, REASON_ARGUMENT);
	DIR *r = opendir(path);
	if (r)
		model_keep_name(site, path);
	return r;
}

MODEL(int, access, const char *path, int mode)
{
	ENTER(access, 2);
	rt_concrete(site, arg[0], (uint64_t)path, REASON_ARGUMENT);
	int r = access(path, mode);
	if (r == 0)
		model_keep_name(site, path);
	return r;
}

MODEL(int, chdir, const char *path)
{
	ENTER(chdir, 1);
	rt_concrete(site, arg[0], (uint64_t)path, REASON_ARGUMENT);
	int r = chdir(path);
	if (r == 0)
		model_keep_name(site, path);
	return r;
}
