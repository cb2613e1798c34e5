// setjmp, longjmp, and recursion that the input bounds.
#include <klee/klee.h>
#include <setjmp.h>

static jmp_buf out;

static int down(int n, int stop)
{
	if (n == stop)
		longjmp(out, n + 1);
	if (n == 0)
		return 7;
	return down(n - 1, stop);
}

int main(void)
{
	unsigned char in[2];
	klee_make_symbolic(in, sizeof in, "in");
	if (in[0] > 5)
		return 1;
	int r = setjmp(out);
	if (r == 3)
		return 2;
	if (r)
		return 3;
	return down(in[0], in[1]);
}
