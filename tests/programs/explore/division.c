// Divisions that the input can break in both ways, and one that it cannot.
// finds: error division-by-zero ZERO
// finds: error division-overflow SMALLEST
#include <klee/klee.h>

int main(void)
{
	int a;
	signed char b;
	klee_make_symbolic(&a, sizeof a, "a");
	klee_make_symbolic(&b, sizeof b, "b");
	if (b == 0)
		return 100 / a > 3; // ZERO
	if (b == -1)
		return a / b > 5; // SMALLEST
	return a / b == 7;
}
