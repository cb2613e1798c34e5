// An address that outlives its object, compared but not used.
#include "benign.h"

__attribute__((noinline)) static char *low(char **out)
{
	char here = 1;
	*out = &here;
	return *out;
}
int address_of_local(void)
{
	char *a, *b = low(&a), here;
	printf("%d %d %d\n", a == b, a == &here, a != NULL);
	return 0;
}
