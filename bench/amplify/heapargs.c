// For LD_PRELOAD: puts the arguments and variables of a program into heap blocks of their size, so that a build with
// AddressSanitizer sees reads past their ends. On the stack, where the kernel puts them, the next string follows.
#include <stdlib.h>
#include <string.h>

static void move(char **strings)
{
	for (; *strings; strings++) {
		size_t size = strlen(*strings) + 1;
		char *block = malloc(size);
		if (block)
			*strings = memcpy(block, *strings, size);
	}
}

__attribute__((constructor)) static void start(int argc, char **argv, char **envp)
{
	(void)argc;
	move(argv);
	move(envp);
}
