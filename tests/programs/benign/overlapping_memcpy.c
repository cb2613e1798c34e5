#include "benign.h"
#include <string.h>
__attribute__((noinline)) static void up(char *p, size_t n)
{
	memcpy(p + 8, p, n); // far enough to be right in any order by eights
}
int overlapping_memcpy(void)
{
	char b[32] = "abcdefghijklmnop", c[16] = "same";
	up(b, 8 + (size_t)input(0));
	memcpy(c, c + input(0), sizeof c);
	printf("%s %s\n", b, c);
	return 0;
}
