// Four neighbours: the compiler may take them for a vector.
#include "benign.h"

int misaligned_array(void)
{
	char b[80];
	int *p = (int *)(b + input(1));
	for (int i = 0; i < 16; i++)
		p[i] = i * i;
	int s = 0;
	for (int i = 0; i < 16; i += 4)
		s += p[i] + p[i + 1] + p[i + 2] + p[i + 3];
	p[0] = 0, p[1] = 0, p[2] = 0, p[3] = 0;
	printf("%d %d\n", s, p[3] + p[4]);
	return 0;
}
