// Variables that are not volatile, changed between setjmp and longjmp.
#include "benign.h"
#include <setjmp.h>
static jmp_buf back;
__attribute__((noinline)) static void leave(int n)
{
	longjmp(back, n);
}
int longjmp_locals(void)
{
	int tries = 0, list[2] = {0, 0};
	char *state = "first";
	switch (setjmp(back)) {
	case 0: break;
	case 1: list[0]++; break;
	default: printf("%d %s %d %d\n", tries, state, list[0], list[1]); return tries;
	}
	tries++;
	list[1] += tries;
	if (tries < 3)
		leave(1);
	state = "last";
	leave(2);
	return 0;
}
