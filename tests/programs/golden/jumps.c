// computed goto, setjmp and longjmp
#include <setjmp.h>

#include "golden.h"

static jmp_buf env;

__attribute__((noinline)) static void leave(int x)
{
	longjmp(env, x);
}

int main(void)
{
	INPUT(int, a, 1);
	static void *const targets[] = {&&first, &&second};
	goto *targets[a & 1];
first:
	taken = 100;
second:
	IF(a == 1);
	volatile int kept = a;
	int back = setjmp(env);
	if (back == 0) {
		kept += a;
		leave(a + 1);
	}
	IF(kept == 2);
	IF(back == 2);
	if ((back = setjmp(env)) == 0)
		leave(a - 1); // 0 arrives as 1
	IF(back == 1);
	IF(setjmp(env) == 0); // concrete again
	return 0;
}
