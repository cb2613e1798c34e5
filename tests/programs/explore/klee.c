// A main of the kind that is written for KLEE: objects, assumptions, an assertion that can fail.
// domain: objects 2
// paths: 4
// finds: error assertion BUG
#include <assert.h>
#include <klee/klee.h>

int main(void)
{
	unsigned char a, b;
	klee_make_symbolic(&a, 1, "a");
	klee_make_symbolic(&b, 1, "b");
	klee_assume(a < b);
	klee_assume(b != 200);
	if (a * b == 143) {
		if (a == 11)
			return 1;
		return 2;
	}
	if (a > b)
		return 3;     /* unreachable */
	assert(a + b != 508); // BUG
	return a + b == 509;
}
