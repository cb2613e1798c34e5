// assumptions and wishes, where the program states them
#include <klee/klee.h>

#include "golden.h"

void __VERIFIER_assume(int condition);

int main(void)
{
	INPUT(unsigned char, c, 5);
	veer_assume(c > 3);
	veer_assume(c);
	veer_prefer(c == 7);
	klee_assume(c < 9);
	klee_prefer_cex(&c, c == 8);
	__VERIFIER_assume(c != 4);
	int n = klee_range(2, 6, "n");
	IF(n == 3);
	void (*volatile indirect)(uintptr_t) = veer_assume;
	indirect(c != 6);        // its place is not known
	veer_assume(taken == 0); // concrete, and holds
	return 0;
}
