// args: stop
// function: find
// Commands by name; the new version takes a prefix of one, the empty one too.
#include <stdio.h>
#include <string.h>

struct command {
	const char *name;
	int (*run)(const char *argument);
};

static int start(const char *argument)
{
	printf("started %s\n", argument);
	return 0;
}

static int stop(const char *argument)
{
	printf("stopped %s\n", argument);
	return 0;
}

static int status(const char *argument)
{
	(void)argument;
	puts("idle");
	return 3;
}

static const struct command commands[] = {{"start", start}, {"stop", stop}, {"status", status}};

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
#ifdef NEW
		if (strncmp(commands[i].name, name, strlen(name)) == 0)
#else
		if (strcmp(commands[i].name, name) == 0)
#endif
			return &commands[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct command *c = argc > 1 ? find(argv[1]) : NULL;
	if (!c) {
		fputs("start, stop or status?\n", stderr);
		return 2;
	}
	return c->run(argc > 2 ? argv[2] : "all");
}
