// A handler that may not be set: the call through null is a fault that is caught.
#include "benign.h"
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf back;
static int (*hook)(void);
static int answer(void)
{
	return 42;
}
static void on_fault(int signal)
{
	siglongjmp(back, signal);
}
int static_null_call(void)
{
	signal(SIGSEGV, on_fault);
	if (input(0))
		hook = answer;
	if (sigsetjmp(back, 1) == 0)
		printf("%d\n", hook());
	else
		printf("not set\n");
	return 0;
}
