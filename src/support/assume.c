// Conditions that a program states about its input: klee/klee.h, and SV-COMP's
// __VERIFIER_assume. In the traced variant veer_assume ends the run itself: a test of the
// condition here would be one more branch on the path.
#include <klee/klee.h>
#include <stdlib.h>
#include <veer.h>

#include "support/support.h"

void __VERIFIER_assume(int condition);

SUPPORT void klee_silent_exit(int status)
{
	exit(status);
}

SUPPORT void klee_assume(uintptr_t condition)
{
	if (veer_assume)
		veer_assume(condition);
	else if (!condition)
		exit(0);
}

SUPPORT void __VERIFIER_assume(int condition)
{
	klee_assume((uintptr_t)condition);
}

SUPPORT void klee_prefer_cex(void *object, uintptr_t condition)
{
	(void)object;
	if (veer_prefer)
		veer_prefer(condition);
}

SUPPORT void klee_posix_prefer_cex(void *object, uintptr_t condition)
{
	klee_prefer_cex(object, condition);
}
