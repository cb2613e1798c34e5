#include "benign.h"
#include <stdint.h>
int misaligned_store(void)
{
	unsigned char b[40] = {0}, *p = b + input(3);
	*(uint16_t *)p = 0x1234;
	*(uint32_t *)(p + 2) = 0x89abcdef;
	*(uint64_t *)(p + 6) = 0x0102030405060708;
	*(double *)(p + 14) = 1.5;
	for (int i = 0; i < 40; i++)
		printf("%02x", b[i]);
	printf("\n");
	return 0;
}
