// arrays of variable length, alloca
#include "golden.h"

int main(void)
{
	INPUT(unsigned char, n, 4);
	INPUT(int, a, 7);
	int vla[n + 1];
	vla[2] = a;
	IF(vla[2] == 7);
	IF(sizeof vla == 20);
	char *p = __builtin_alloca(n);
	p[1] = (char)a;
	IF(p[1] == 7);
	for (int i = 0; i < 2; i++) {
		int fresh[n];
		if (i == 0)
			fresh[0] = a;
		else
			fresh[0] = 7;
		IF(fresh[0] == 7);
	}
	return 0;
}
