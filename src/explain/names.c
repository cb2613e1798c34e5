#include "explain/names.h"

#include <stdbool.h>
#include <string.h>

#include "base/file.h"

static bool ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);
	return m <= n && strcmp(path + n - m, end) == 0 && (m == n || path[n - m - 1] == '/');
}

static bool is_only(const char *name, const char *path, char *const *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ends_with(all[i], name) && !ends_with(all[i], path) && !ends_with(path, all[i]))
			return false;
	return true;
}

const char *names_short(const char *path, char *const *all, size_t n)
{
	const char *name = path_basename(path);
	if (!*name ||
	    strncmp(path, "libc/", 5) == 0) // veer's models of it: nobody should look for these in the program
		return path;
	while (name > path && !is_only(name, path, all, n)) {
		name--; // the slash
		while (name > path && name[-1] != '/')
			name--;
	}
	return name;
}
