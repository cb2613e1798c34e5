#include "base/cachedir.h"

#include <stdlib.h>
#include <sys/stat.h>
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

int cachedir_check(const char *root, struct err *err)
{
	struct stat st;
	if (stat(root, &st) < 0)
		return 0;
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return err_set(err, "%s belongs to another user; set VEER_CACHE_DIR to a folder of your own", root);
	if (st.st_mode & S_IWOTH)
		return err_set(err, "anybody may write to %s; set VEER_CACHE_DIR to a folder of your own", root);
	return 0;
}
