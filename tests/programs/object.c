// An object that the program makes symbolic itself, and one value that it does not like.
#include <klee/klee.h>
#include <stdlib.h>

int main(void)
{
	unsigned x = 0, y = 0;
	klee_make_symbolic(&x, sizeof x, "x");
	klee_make_symbolic(&y, sizeof y, "y");
	klee_assume(y != 7);
	if (x == 0x64636261 && y != 1)
		abort(); // HERE
	return 0;
}
