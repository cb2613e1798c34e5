// extractvalue and insertvalue: structures in registers
#include <complex.h>

#include "golden.h"

struct two {
	long a, b;
};
struct mixed {
	double d;
	int i;
};
struct one {
	short x, y;
};

__attribute__((noinline)) static struct two swap(struct two t)
{
	return (struct two){t.b, t.a};
}

__attribute__((noinline)) static struct mixed mix(int i)
{
	return (struct mixed){i, i + 1};
}

__attribute__((noinline)) static struct one small(short x)
{
	return (struct one){x, (short)(x * 2)};
}

__attribute__((noinline)) static float complex turn(float complex z)
{
	return z * I;
}

int main(void)
{
	INPUT(long, l, 5);
	INPUT(int, i, 3);
	INPUT(float, f, 2);
	struct two t = swap((struct two){l, 6});
	IF(t.a == 6); // concrete
	IF(t.b == 5);
	struct mixed m = mix(i);
	IF(m.d == 3);
	IF(m.i == 4);
	struct one o = small((short)i);
	IF(o.x == 3);
	IF(o.y == 6);
	float complex z = turn(f + 1 * I);
	IF(crealf(z) == -1);
	return 0;
}
