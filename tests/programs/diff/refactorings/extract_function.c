// args: a1
#include <ctype.h>
#include <stdio.h>

#ifdef NEW
static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}
#endif

static int words(const char *p)
{
	int n = 0, inside = 0;
	for (; *p; p++) {
#ifdef NEW
		int now = is_word(*p);
#else
		int now = isalnum((unsigned char)*p) || *p == '_';
#endif
		n += now && !inside;
		inside = now;
	}
	return n;
}

int main(int argc, char **argv)
{
	printf("%d\n", words(argc > 1 ? argv[1] : ""));
	return 0;
}
