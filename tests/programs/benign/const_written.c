// const objects whose memory can be written.
#include "benign.h"

static const int in_data __attribute__((section(".data.benign"))) = 5;
int const_written(void)
{
	const int local = 1 + input(0);
	int *p = (int *)&local, *q = (int *)&in_data;
	*p = 2;
	*q = 6;
	printf("%d %d\n", local, in_data);
	return 0;
}
