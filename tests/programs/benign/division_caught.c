// SIGFPE is counted on, although nobody needs the quotient.
#include "benign.h"
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf back;
static void on_trap(int signal)
{
	siglongjmp(back, signal);
}
int division_caught(void)
{
	int zero = 0;
	signal(SIGFPE, on_trap);
	if (sigsetjmp(back, 1) == 0) {
		int x = 1 / zero;
		(void)x;
		printf("no trap\n");
	} else {
		printf("trap\n");
	}
	if (sigsetjmp(back, 1) == 0) {
		int y = 5 % input(0);
		(void)y;
		printf("no trap\n");
	} else {
		printf("trap\n");
	}
	return 0;
}
