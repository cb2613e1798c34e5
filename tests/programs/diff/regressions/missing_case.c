// args: a
// function: weight
#include <stdio.h>

static int weight(char c)
{
	switch (c) {
	case 'a': return 1;
	case 'b': return 3;
#ifndef NEW
	case 'q': return 10;
#endif
	default: return 0;
	}
}

int main(int argc, char **argv)
{
	int sum = 0;
	for (const char *p = argc > 1 ? argv[1] : ""; *p; p++)
		sum += weight(*p);
	printf("%d\n", sum);
	return 0;
}
