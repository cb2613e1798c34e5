/* distance: 0 */
// Figure 1 of "make test-zesti". The number comes as text in the first argument, or, as the function gets it in the
// paper, as it is in memory: four bytes of standard input.
#include <stdio.h>
#include <stdlib.h>

int v[100];

static void f(int x)
{
	if (x > 99)
		x = 99;
	v[x] = 0; /* bug: global-buffer-overflow segv */
}

int main(int argc, char **argv)
{
	int x;
	if (argc > 1)
		x = atoi(argv[1]);
	else if (fread(&x, sizeof x, 1, stdin) != 1)
		return 1;
	f(x);
	puts("cleared");
	return 0;
}
