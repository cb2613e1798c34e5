/* distance: 2 */
// Figure 4 of "make test-zesti", with the same ways in as Figure 1.
#include <stdio.h>
#include <stdlib.h>

int v[100];

static void f(int x)
{
	if (x > 99) {
		if (x > 199)
			return;
		x = 99;
	}
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
