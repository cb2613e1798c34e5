// Reading through null with a handler for it: the access takes place.
#include "benign.h"
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf back;
static void on_fault(int signal)
{
	siglongjmp(back, signal);
}
int read_handled_null(void)
{
	signal(SIGSEGV, on_fault);
	int caught = sigsetjmp(back, 1);
	if (!caught) {
		volatile int *p = null();
		printf("%d\n", *p);
	}
	printf("%s\n", caught == SIGSEGV ? "caught" : "not caught");
	return 0;
}
