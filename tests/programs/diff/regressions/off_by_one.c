// args: x
// function: last
#include <stdio.h>
#include <string.h>

static char last(const char *text)
{
#ifdef NEW
	return text[strlen(text)];
#else
	return *text ? text[strlen(text) - 1] : '-';
#endif
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		putchar(last(argv[i]) ? last(argv[i]) : '0');
	putchar('\n');
	return 0;
}
