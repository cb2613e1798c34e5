// The input goes through the environment of the process.
#include "bomb.h"
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
#if LEVEL == 1
	setenv("OBSTACLE", argv[1], 1);
#else
	static char entry[128];
	snprintf(entry, sizeof(entry), "OBSTACLE=%s", argv[1]);
	putenv(entry);
#endif
	const char *value = getenv("OBSTACLE");
	if (value && !strcmp(value, "sesame"))
		bomb();
	return 0;
}
