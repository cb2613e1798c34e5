// veer: the command line. One file per command; this one only finds it.
#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "config.h"

static const struct command *const commands[] = {&command_run,     &command_replay, &command_path,  &command_solve,
                                                 &command_bitcode, &command_clean,  &command_doctor};

static void help(FILE *out)
{
	fprintf(out, "usage: veer COMMAND [OPTION...] [ARGUMENT...]\n\n"
	             "veer tests C programs. Build yours with CC=veer-cc, then:\n\n");
	for (size_t i = 0; i < OPTIONS_COUNT(commands); i++)
		fprintf(out, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
	fprintf(out, "\n`veer COMMAND --help` tells more; `veer --version` prints the version.\n");
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("veer %s (LLVM %s)\n", CONFIG_VERSION, CONFIG_LLVM_VERSION);
		return 0;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		help(stdout);
		return 0;
	}
	for (size_t i = 0; i < OPTIONS_COUNT(commands); i++)
		if (strcmp(argv[1], commands[i]->name) == 0)
			return commands[i]->run(argc - 1, argv + 1);
	fprintf(stderr, "veer: there is no command '%s'; see veer --help\n", argv[1]);
	return EXIT_USAGE;
}
