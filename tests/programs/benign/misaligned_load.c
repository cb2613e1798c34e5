// Numbers out of a packet.
#include "benign.h"
#include <stdint.h>
int misaligned_load(void)
{
	unsigned char b[32];
	for (int i = 0; i < 32; i++)
		b[i] = (unsigned char)(i * 7 + input(1));
	unsigned char *p = b + input(1);
	printf("%x %x %llx\n", *(uint16_t *)p, *(uint32_t *)(p + 2), (unsigned long long)*(uint64_t *)(p + 4));
	uint32_t sum = 0;
	for (uint32_t *q = (uint32_t *)p; q < (uint32_t *)p + 7; q++)
		sum += *q;
	printf("%x\n", sum);
	return 0;
}
