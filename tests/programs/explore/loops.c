// Loops that the input bounds: Collatz, a count of bits.
// domain: objects 2
// paths: 20
#include <klee/klee.h>

static int collatz(unsigned n)
{
	int steps = 0;
	while (n > 1 && steps < 20) {
		n = n & 1 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

static int bits(unsigned n)
{
	int count = 0;
	for (; n; n &= n - 1)
		count++;
	return count;
}

int main(void)
{
	unsigned char in[2];
	klee_make_symbolic(in, sizeof in, "in");
	if (in[0] < 12)
		return collatz(in[0]) == 9;
	return bits(in[1]) > 5;
}
