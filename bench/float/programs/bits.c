// The same number as a float and as bits.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <veer.h>

int main(void)
{
	float f;
	uint32_t u;
	veer_make_symbolic(&f, sizeof f, "f");
	memcpy(&u, &f, sizeof u);
	unsigned exponent = u >> 23 & 255, fraction = u & 0x7fffff;
	if (exponent == 255)
		puts(fraction ? "nan" : "infinity");
	else if (exponent == 0)
		puts(fraction ? "subnormal" : "zero");
	if (u >> 31 && f > -2 && f < -1)
		puts("between -2 and -1");
	if (f == 1.5f && fraction != 0x400000)
		puts("never");
	if ((u & 0xffff) == 0xbeef && f > 100 && f < 200)
		puts("marked");
	return 0;
}
