// Declared const here, defined and changed elsewhere.
#include "benign.h"

extern const int other_value;
extern void other_change(void);
int const_elsewhere(void)
{
	int before = other_value;
	other_change();
	printf("%d %d\n", before, other_value);
	return 0;
}
