// Names of files that are opened or looked at: what is there is there under that name only,
// so when it succeeds, the name is a condition of the path.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/models/model.h"

char *__realpath_chk(const char *path, char *to, size_t room);

// What the system has under other names is not known: it is listed with the functions without a model.
static const char NAMES[] = "names of files";

void model_keep_name(struct site *site, const char *path)
{
	struct sym same = sym_constant(1, 1);
	size_t n = strlen(path) + 1;
	if (!rt_on || !rt_any((uint64_t)path, n))
		return;
	for (size_t i = 0; i < n; i++)
		same = sym_and(same, sym_is(sym_byte(path + i), (unsigned char)path[i]));
	rt_concrete(site, same.l, 1, REASON_NAME);
	rt_unmodelled(site, NAMES);
}

// The folder the program runs in is there for every program, wherever it runs. Other names are not tried: what is there
// may not be there tomorrow.
void model_miss_name(struct site *site, const char *path)
{
	static const char there[] = ".";
	struct sym same = sym_constant(1, 1);
	int error = errno;
	struct model_string s = {0};
	if (rt_on && error == ENOENT && path)
		s = model_string(path, sizeof there);
	if (s.labelled && s.bytes == sizeof there) {
		for (size_t i = 0; i < sizeof there; i++)
			same = sym_and(same, sym_is(model_string_byte(&s, i), (unsigned char)there[i]));
		rt_concrete(site, same.l, 0, REASON_NAME);
	}
	if (s.labelled)
		rt_unmodelled(site, NAMES);
	errno = error;
}

static mode_t mode_of(int flags, va_list list)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

static int opened(struct site *site, int folder, const char *path, int flags, mode_t mode)
{
	struct stat was;
	bool old = rt_source_opening(folder, path, flags, &was);
	int r = openat(folder, path, flags, mode);
	if (old)
		rt_source_opened(r, &was);
	if (r >= 0)
		model_keep_name(site, path);
	else
		model_miss_name(site, path);
	return r;
}

MODEL(int, open, const char *path, int flags, ...)
{
	ENTER(open, 2);
	rt_concrete(site, arg[0], (uint64_t)path, REASON_ARGUMENT);
	va_list list;
	va_start(list, flags);
	int r = opened(site, AT_FDCWD, path, flags, mode_of(flags, list));
	va_end(list);
	return r;
}

MODEL(int, openat, int folder, const char *path, int flags, ...)
{
	ENTER(openat, 3);
	rt_concrete(site, arg[1], (uint64_t)path, REASON_ARGUMENT);
	va_list list;
	va_start(list, flags);
	int r = opened(site, folder, path, flags, mode_of(flags, list));
	va_end(list);
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

// What it writes is a name that the system gives: no labels. After a failure that may be
// anything up to PATH_MAX bytes; what did not change keeps its labels.
static char *resolve(struct site *site, const char *path, label path_label, char *to, label to_label, size_t room)
{
	char was[PATH_MAX];
	struct rt_object o;
	size_t n = sizeof was; // as much as there must be, or is
	if (rt_on && to && rt_object_find((uint64_t)to, &o) && o.base + o.size - (uint64_t)to < n)
		n = o.base + o.size - (uint64_t)to;
	bool labelled = rt_on && to && rt_any((uint64_t)to, n);
	rt_concrete(site, path_label, (uint64_t)path, REASON_ARGUMENT);
	rt_concrete(site, to_label, (uint64_t)to, REASON_ARGUMENT);
	if (labelled)
		memcpy(was, to, n);
	char *r = room == SIZE_MAX ? realpath(path, to) : __realpath_chk(path, to, room);
	if (r)
		model_keep_name(site, path);
	for (size_t i = 0, end = labelled && r ? strlen(r) + 1 : 0; labelled && i < n; i++)
		if (i < end || to[i] != was[i])
			rt_clear((uint64_t)to + i, 1);
	return r;
}

MODEL(char *, realpath, const char *path, char *to)
{
	ENTER(realpath, 2);
	return resolve(site, path, arg[0], to, arg[1], SIZE_MAX);
}

MODEL(char *, __realpath_chk, const char *path, char *to, size_t room)
{
	ENTER(__realpath_chk, 3);
	return resolve(site, path, arg[0], to, arg[1], room);
}

MODEL(char *, canonicalize_file_name, const char *path)
{
	ENTER(canonicalize_file_name, 1);
	return resolve(site, path, arg[0], NULL, 0, SIZE_MAX);
}
