#include "base/cachedir.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

char *cachedir_root(void)
{
	const char *own = getenv("VEER_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (own && *own) {
		char *cwd = path_cwd();
		char *path = path_absolute(cwd, own);
		mem_free(cwd);
		return path;
	}
	if (xdg && xdg[0] == '/')
		return mem_printf("%s/veer", xdg);
	if (home && home[0] == '/')
		return mem_printf("%s/.cache/veer", home);
	return mem_printf("/tmp/veer-cache-%u", (unsigned)getuid());
}
