#include "benign.h"

int matrix_as_vector(void)
{
	int m[3][4], *v = &m[0][0], s = 0;
	for (int i = 0; i < 12; i++)
		v[i] = i;
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 4; j++)
			s = s * 3 + m[i][j];
	printf("%d %d\n", s, m[0][4 + input(1)]);
	return 0;
}
