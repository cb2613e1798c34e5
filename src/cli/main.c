// veer: the command line. One file per command; this one only finds it.
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "config.h"

// Nobody who reads it afterwards knows that something is missing: the status says so.
static int finish(int status)
{
	if ((fflush(stdout) == EOF || ferror(stdout)) && status == 0)
		return cli_fail("cannot write to standard output");
	return status;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		help_all(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("veer %s (LLVM %s)\n", CONFIG_VERSION, CONFIG_LLVM_VERSION);
		return finish(0);
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		help_all(stdout);
		return finish(0);
	}
	const struct command *c = command_find(argv[1]);
	if (c && c->run)
		return finish(c->run(argc - 1, argv + 1));
	cli_line(stderr, "veer: there is no command '%s'; see veer --help", argv[1]);
	return EXIT_USAGE;
}
