// args: 12
#include <stdio.h>

static unsigned sum(const char *p)
{
	unsigned s = 0;
#ifdef NEW
	while (*p != '\0') {
		s = 31 * s + (unsigned char)p[0];
		p++;
	}
#else
	for (int i = 0; p[i]; i++)
		s = s * 31 + (unsigned char)p[i];
#endif
	return s;
}

int main(int argc, char **argv)
{
	printf("%u\n", sum(argc > 1 ? argv[1] : ""));
	return 0;
}
