// Modified twice between sequence points: clang goes from left to right.
#include "benign.h"

int unsequenced(void)
{
	int i = input(1), a[4] = {0};
	i = i++ + 1;
	a[i] = i++;
	printf("%d %d %d %d\n", i, a[1], a[2], a[3]);
	return 0;
}
