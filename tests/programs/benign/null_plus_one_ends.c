// m4's search path: one past a null pointer, then the loop ends by the null pointer.
#include "benign.h"
#include <string.h>
int null_plus_one_ends(void)
{
	char text[] = "a:bc:d", *path = text, *end;
	do {
		end = strchr(path, ':');
		if (end)
			*end = 0;
		printf("[%s]", path);
		path = end + 1;
	} while (end);
	printf("\n");
	return 0;
}
