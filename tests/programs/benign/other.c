// Definitions that do not fit the declarations in other files.
#include <stdio.h>

int other_value = 1;

void other_change(void)
{
	other_value = 2;
}

void other_void(int x, int y)
{
	(void)y;
	printf("%d\n", x);
}

unsigned other_three(long a, int b, short c)
{
	return (unsigned)((int)a * 100 + b * 10 + c);
}
