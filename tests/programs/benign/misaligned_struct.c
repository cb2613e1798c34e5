// A header that is laid over a buffer; 16 bytes that are copied at once.
#include "benign.h"
#include <stdint.h>
struct header {
	uint32_t a;
	uint16_t b, c;
	uint64_t d;
};
int misaligned_struct(void)
{
	unsigned char b[64];
	for (int i = 0; i < 64; i++)
		b[i] = (unsigned char)i;
	struct header *h = (struct header *)(b + input(1)), copy = *h;
	h[1] = copy;
	h[1].a++;
	printf("%x %x %llx %x\n", copy.a, copy.c, (unsigned long long)copy.d, h[1].a);
	return 0;
}
