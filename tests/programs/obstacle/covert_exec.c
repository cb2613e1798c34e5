// The program executes itself: the input is an argument, at level 2 a variable of the environment.
#include "bomb.h"
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc == 3) {
		const char *value = LEVEL == 1 ? argv[2] : getenv("OBSTACLE");
		if (value && !strcmp(value, "inner"))
			bomb();
		return 0;
	}
	if (argc != 2)
		return 1;
	setenv("OBSTACLE", argv[1], 1);
	execl("/proc/self/exe", argv[0], "again", LEVEL == 1 ? argv[1] : "x", (char *)NULL);
	return 1;
}
