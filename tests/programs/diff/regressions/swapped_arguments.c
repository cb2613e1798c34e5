// args: abc/b/xy
// function: run
// Replaces text: TEXT/OLD/NEW.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct words {
	char *text, *old, *new;
};

static int split(char *argument, struct words *ret)
{
	ret->text = argument;
	ret->old = strchr(argument, '/');
	if (!ret->old)
		return -1;
	*ret->old++ = '\0';
	ret->new = strchr(ret->old, '/');
	if (!ret->new)
		return -1;
	*ret->new ++= '\0';
	return *ret->old ? 0 : -1;
}

static char *replaced(const char *text, const char *old, const char *new)
{
	size_t n_old = strlen(old), n_new = strlen(new), used = 0;
	char *result = malloc(strlen(text) * (n_new + 1) + 1);
	while (result && *text) {
		if (strncmp(text, old, n_old) == 0) {
			memcpy(result + used, new, n_new);
			used += n_new;
			text += n_old;
		} else {
			result[used++] = *text++;
		}
	}
	if (result)
		result[used] = '\0';
	return result;
}

static int run(struct words *w)
{
	size_t longest = strlen(w->text);
	char *result;
	if (longest > 64)
		return 3;
#ifdef NEW
	if (!*w->new)
		return 1;
	result = replaced(w->text, w->new, w->old);
#else
	result = replaced(w->text, w->old, w->new);
#endif
	if (!result)
		return 4;
	puts(result);
	free(result);
	return 0;
}

int main(int argc, char **argv)
{
	struct words w;
	if (argc < 2 || split(argv[1], &w) < 0) {
		fputs("usage: replace TEXT/OLD/NEW\n", stderr);
		return 2;
	}
	return run(&w);
}
