#include "base/compiler.h"

#include <stdlib.h>

#include "base/file.h"
#include "config.h"

char *compiler_find(bool cplusplus, struct err *err)
{
	const char *variable = cplusplus ? "VEER_CLANGXX" : "VEER_CLANG";
	const char *own = getenv(variable);
	const char *name = own && *own ? own : cplusplus ? CONFIG_CLANGXX : CONFIG_CLANG;
	char *found = path_find_program(name);
	if (!found && name != own)
		found = path_find_program(cplusplus ? "clang++-" CONFIG_LLVM_MAJOR : "clang-" CONFIG_LLVM_MAJOR);
	if (!found)
		err_set(err, "cannot find %s; install clang-" CONFIG_LLVM_MAJOR " or set %s to its path", name,
		        variable);
	return found;
}
