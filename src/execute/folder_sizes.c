#include "execute/folder_sizes.h"

#include <string.h>
#include <unistd.h>

#include "abi/folder_sizes.h"
#include "base/mem.h"

enum { TEXT_MAX = 64 << 10 }; // the kernel takes a variable of 128 KB

static bool has_preload(char **env)
{
	for (; *env; env++)
		if (strncmp(*env, "LD_PRELOAD=", 11) == 0)
			return true;
	return false;
}

static char *list_of(const struct snapshot *s)
{
	struct buf out = {0};
	buf_addstr(&out, FOLDER_SIZES_VARIABLE "=");
	for (size_t i = 0; i < s->n && out.len < TEXT_MAX; i++)
		if (s->v[i].kind == SNAPSHOT_FOLDER && !strchr(s->v[i].path, '\n'))
			buf_printf(&out, "%llu %s\n", (unsigned long long)s->v[i].size, s->v[i].path);
	return buf_steal(&out);
}

char **folder_sizes_send(const struct snapshot *s, char **env, const char *tools)
{
	bool any = false;
	size_t n = 0;
	char *library = mem_printf("%s/" FOLDER_SIZES_LIBRARY, tools);
	for (size_t i = 0; i < s->n; i++)
		any = any || s->v[i].kind == SNAPSHOT_FOLDER;
	if (!any || has_preload(env) || strpbrk(library, ": \t") || access(library, R_OK) < 0) {
		mem_free(library);
		return NULL;
	}
	while (env[n])
		n++;
	char **v = mem_alloc((n + 3) * sizeof *v);
	memcpy(v, env, n * sizeof *v);
	v[n] = mem_printf("LD_PRELOAD=%s", library);
	v[n + 1] = list_of(s);
	v[n + 2] = NULL;
	mem_free(library);
	return v;
}
