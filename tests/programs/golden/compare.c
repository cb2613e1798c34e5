// the predicates of icmp
#include "golden.h"

int main(void)
{
	INPUT(int, a, -1);
	INPUT(unsigned, u, 5);
	char object[4];
	char *p = object + 1;
	veer_make_symbolic(&u, sizeof u, "v");
	IF(a == 5);
	IF(a != 5);
	IF(a < 5);
	IF(a <= 5);
	IF(a > 5);
	IF(a >= 5);
	IF(u < 5);
	IF(u <= 5);
	IF(u > 5);
	IF(u >= 5);
	IF(5 < u);
	IF((unsigned)a > u);
	IF(a == a); // does not depend on a
	IF(p + u % 2 == object + 2);
	IF(p + u % 2 > object + 2);
	return 0;
}
