// Characters that are negative, in the range that the C library allows for.
#include "benign.h"
#include <ctype.h>
int isspace_negative(void)
{
	char c = (char)(0x80 + input(9));
	printf("%d %d %d\n", isspace(c) != 0, isalpha(c) != 0, toupper(c) == c);
	return 0;
}
