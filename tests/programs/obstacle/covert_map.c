// The input goes through memory that a child shares with its parent.
#include "bomb.h"
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	*shared = 1;
	pid_t child = fork();
	if (child == 0) {
#if LEVEL == 1
		*shared = atoi(argv[1]);
#else
		for (const char *at = argv[1]; *at; at++)
			*shared = *shared * 7 + *at;
#endif
		_exit(0);
	}
	waitpid(child, NULL, 0);
	if (*shared == (LEVEL == 1 ? 4242 : 7 * (7 * (7 + 'a') + 'c') + 'k'))
		bomb();
	return 0;
}
