#include "sandbox/hidden.h"

#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "input/variables.h"

static const char *const below_home[] = {
#define HIDDEN(path, what) path,
#include "sandbox/hidden.def"
#undef HIDDEN
};

static void add(struct strv *ret, const char *path)
{
	char real[PATH_MAX];
	if (!*path || !realpath(path, real) || strcmp(real, "/") == 0)
		return;
	for (size_t i = 0; i < ret->n; i++)
		if (strcmp(ret->v[i], real) == 0)
			return;
	strv_push(ret, real);
}

static void add_home(struct strv *ret, const char *home)
{
	for (size_t i = 0; home && home[0] == '/' && i < sizeof below_home / sizeof *below_home; i++) {
		char *path = mem_printf("%s/%s", home, below_home[i]);
		add(ret, path);
		mem_free(path);
	}
}

void hidden_paths(struct strv *ret)
{
	const struct passwd *user = getpwuid(getuid());
	add_home(ret, getenv("HOME"));
	add_home(ret, user ? user->pw_dir : NULL);
	const char *more = getenv(HIDDEN_VARIABLE);
	char *copy = mem_strdup(more ? more : ""), *rest = copy;
	for (char *path; (path = strsep(&rest, ":"));)
		add(ret, path);
	mem_free(copy);
}

void hidden_variables(void)
{
	char **to = environ;
	for (char **from = environ; from && *from; from++)
		if (!variable_is_secret(*from))
			*to++ = *from;
	if (to)
		*to = NULL;
}

void hidden_describe(struct buf *paths, struct buf *variables)
{
	struct strv found = {0};
	hidden_paths(&found);
	for (size_t i = 0; i < found.n; i++)
		buf_printf(paths, "%s%s", i ? ", " : "", found.v[i]);
	if (!found.n)
		buf_addstr(paths, "nothing of what is hidden by default is there");
	strv_release(&found);
	for (char **e = environ; e && *e; e++)
		if (variable_is_secret(*e))
			buf_printf(variables, "%s%.*s", variables->len ? ", " : "", (int)strcspn(*e, "="), *e);
	if (!variables->len)
		buf_addstr(variables, "none is set that looks like a secret");
}
