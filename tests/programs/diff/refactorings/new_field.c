// args: ab=c
// A structure gained a field that is set, and read by nothing that is printed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct setting {
#ifdef NEW
	const char *origin;
#endif
	char *name, *value;
#ifdef NEW
	unsigned line;
#endif
};

static int parse(const char *text, struct setting *s)
{
	const char *equals = strchr(text, '=');
	if (!equals || equals == text)
		return -1;
	s->name = strndup(text, (size_t)(equals - text));
	s->value = strdup(equals + 1);
#ifdef NEW
	s->origin = "arguments";
	s->line = s->line + 1;
#endif
	return s->name && s->value ? 0 : -1;
}

static void setting_release(struct setting *s)
{
	free(s->name);
	free(s->value);
#ifdef NEW
	memset(s, 0, sizeof *s);
#endif
}

int main(int argc, char **argv)
{
	int failed = 0;
	for (int i = 1; i < argc; i++) {
		struct setting s = {.name = NULL};
		if (parse(argv[i], &s) < 0) {
			printf("argument %d is no setting\n", i);
			failed = 1;
		} else {
			printf("%s is '%s'\n", s.name, s.value);
		}
		setting_release(&s);
	}
	return failed;
}
