// inline assembler: labels end there, and the log says so
#include "golden.h"

int main(void)
{
	INPUT(int, a, 7);
	int out, same = a;
	__asm__("leal 1(%1), %0" : "=r"(out) : "r"(a));
	IF(out == 8);
	__asm__("incl %0" : "+m"(same));
	IF(same == 8);
	__asm__ volatile("" ::: "memory");
	IF(a == 7);
	int moved = a;
	__asm__("" : "+r"(moved)); // barriers for the optimiser change nothing
	IF(moved == 7);
	__asm__("" : "+m"(moved));
	IF(moved == 7);
	int x = a + 1, y = a + 2;
	__asm__("" : "+m"(moved), "+r"(x), "+r"(y));
	IF(x == 8);
	IF(y == 9);
	__asm__ goto("" : : "r"(a) : : away);
	IF(a == 7);
away:
	return 0;
}
