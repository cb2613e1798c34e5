// The input comes back as the exit status of a child.
#include "bomb.h"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	int status;
#if LEVEL == 1
	pid_t child = fork();
	if (child == 0)
		_exit((unsigned char)argv[1][0]);
	waitpid(child, &status, 0);
#else
	char command[64];
	snprintf(command, sizeof(command), "exit %d", atoi(argv[1]));
	status = system(command);
#endif
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		bomb();
	return 0;
}
