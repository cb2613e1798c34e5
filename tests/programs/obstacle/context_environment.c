// The argument names a variable of the environment.
#include "bomb.h"
#include <string.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	const char *value = getenv(argv[1]);
#if LEVEL == 1
	if (value)
		bomb();
#else
	if (value && strchr(value, '/'))
		bomb();
#endif
	return 0;
}
