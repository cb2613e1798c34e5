// A variable of the environment.
// options: --sym env:VEER_MODE
// env: VEER_MODE=none
#include <stdlib.h>
#include <string.h>

int main(void)
{
	const char *mode = getenv("VEER_MODE");
	if (!mode)
		return 1; /* unreachable */
	if (strcmp(mode, "fast") == 0)
		return 2;
	if (mode[0] == 'x' && mode[1] == '=' && mode[2] >= '0' && mode[2] <= '9')
		return mode[2] - '0' == 7 ? 3 : 4;
	return 5;
}
