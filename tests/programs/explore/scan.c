// Numbers by sscanf.
// run: --sym-arg 4
#include <stdio.h>

int main(int argc, char **argv)
{
	int a, b;
	if (argc < 2)
		return 1;
	int n = sscanf(argv[1], "%d,%d", &a, &b);
	if (n < 1)
		return 2;
	if (n == 1)
		return a == 77 ? 3 : 4;
	if (a + b == 100 && a > b)
		return 5;
	return a == b ? 6 : 7;
}
