// The child of a fork decides; its abort is the child's.
#include "bomb.h"
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	int value = atoi(argv[1]), status = 0;
	pid_t child = fork();
	if (child == 0) {
#if LEVEL == 1
		_exit(value == 2468);
#else
		pid_t grandchild = fork();
		if (grandchild == 0)
			_exit(value * 3 == 7404);
		waitpid(grandchild, &status, 0);
		_exit(WEXITSTATUS(status));
#endif
	}
	waitpid(child, &status, 0);
	if (WEXITSTATUS(status) == 1)
		bomb();
	return 0;
}
