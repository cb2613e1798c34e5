// args: k
#include <stdio.h>

static int is_vowel(char c)
{
#ifdef NEW
	return c == 'u' || c == 'o' || c == 'i' || c == 'e' || c == 'a';
#else
	return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u';
#endif
}

int main(int argc, char **argv)
{
	int n = 0;
	for (const char *p = argc > 1 ? argv[1] : ""; *p; p++)
		n += is_vowel(*p);
	printf("%d\n", n);
	return n;
}
