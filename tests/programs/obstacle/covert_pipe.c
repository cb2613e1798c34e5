// The input goes through a pipe; at level 2 a child sends it.
#include "bomb.h"
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	int ends[2], value = atoi(argv[1]), received = 0;
	if (pipe(ends) != 0)
		return 1;
#if LEVEL == 1
	if (write(ends[1], &value, sizeof(value)) != sizeof(value))
		return 1;
#else
	pid_t child = fork();
	if (child == 0) {
		value *= 3;
		_exit(write(ends[1], &value, sizeof(value)) != sizeof(value));
	}
	waitpid(child, NULL, 0);
#endif
	if (read(ends[0], &received, sizeof(received)) != sizeof(received))
		return 1;
	if (received == 7530)
		bomb();
	return 0;
}
