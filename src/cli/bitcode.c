// veer bitcode: the whole program as one LLVM module, for other tools.
#include <stdio.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/options.h"
#include "session/tools.h"
#include "variants/build.h"

struct bitcode_options {
	const char *output;
};

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct bitcode_options, output), "FILE",
         "output file (default PROGRAM.bc, here)"},
};

static int run(int argc, char **argv)
{
	struct bitcode_options o = {0};
	struct err err;
	// The program may stand before or after the options.
	const char *program = NULL;
	if (argc > 1 && argv[1][0] != '-') {
		program = argv[1];
		argv++;
		argc--;
	}
	int first = options_parse(&command_bitcode, argc, argv, &o, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_bitcode, err.text);
	if (!program && first < argc)
		program = argv[first++];
	if (!program || first < argc)
		return cli_usage_error(&command_bitcode, program ? "one program at a time" : "which program?");
	char *output = o.output ? mem_strdup(o.output) : mem_printf("%s.bc", path_basename(program));
	struct session_tools tools = {0};
	bool written = session_tools_find(&tools, &err) == 0 &&
	               build_bitcode(&tools.native, program, output, &err) == BUILD_OK;
	session_tools_release(&tools);
	mem_free(output);
	return written ? 0 : cli_fail(err.text);
}

const struct command command_bitcode = {
	.name = "bitcode",
	.usage = "PROGRAM [-o FILE]",
	.summary = "write the linked LLVM bitcode of a program built by veer-cc",
	.details = "The bitcode is unoptimised, has debug information, and carries sanitizer checks as traps.\n"
		   "Assembler and C++ parts of the program are not in it.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
