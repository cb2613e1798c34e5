// args: aaa
// function: count
#include <stdio.h>

static int count(const char *p)
{
	int n = 0;
	while (*p) {
		if (*p == '\\' && p[1])
			p++;
#ifdef NEW
		else if (*p == '%')
			continue;
#endif
		p++;
		n++;
	}
	return n;
}

int main(int argc, char **argv)
{
	printf("%d\n", count(argc > 1 ? argv[1] : ""));
	return 0;
}
