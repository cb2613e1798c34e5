// A variable of a block that has its value from the iteration before.
#include "benign.h"

int uninitialised_loop(void)
{
	for (int i = 0; i < 5; i++) {
		int n;
		if (i == input(0))
			n = 10;
		else
			n++;
		printf("%d ", n);
	}
	printf("\n");
	return 0;
}
