#include "cli/commands.h"

#include <string.h>

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "cli/commands.def"
#undef COMMAND
};

const size_t n_commands = OPTIONS_COUNT(commands);

const struct command compiler_command = {
	.name = "veer-cc",
	.usage = "[OPTION OF CLANG...] FILE...",
	.summary = "compile C so that veer can work with it",
	.details = "A drop-in compiler: what it writes is what clang writes for the same command line, and bitcode of\n"
		   "the same source in a section of its own, `.veer_bc`, which programs do not load. The linker puts\n"
		   "these sections together, so a program or shared library carries what veer needs.\n\n"
		   "`veer-c++` is the same for C++ and for links: C++ parts run natively in variants. Options that\n"
		   "only gcc knows are dropped with a warning. `veer.h` and `klee/klee.h` are found by themselves.\n"
		   "To have it under the names cc, gcc and clang, put `lib/veer/wrappers` first in PATH.\n\n"
		   "  ./configure CC=veer-cc && make\n"
		   "  make CC=veer-cc\n"
		   "  cmake -DCMAKE_C_COMPILER=veer-cc .\n"
		   "  CC=veer-cc meson setup build\n",
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < n_commands; i++)
		if (strcmp(name, commands[i]->name) == 0)
			return commands[i];
	return strcmp(name, compiler_command.name) == 0 ? &compiler_command : NULL;
}

bool command_is_program(const struct command *command)
{
	return command == &compiler_command;
}
