// Declared here with a result that the definition does not have, and without parameters.
#include "benign.h"

extern int other_void();
extern int other_three();
int unused_result_type(void)
{
	other_void(5);
	printf("%d\n", other_three(1, 2, 3));
	return 0;
}
