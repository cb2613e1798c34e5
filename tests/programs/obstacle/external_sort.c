// libc sorts and searches, with a callback.
#include "bomb.h"
#include <string.h>

static int compare(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

int main(int argc, char **argv)
{
	if (argc < 2 || strlen(argv[1]) < 5)
		return 1;
	char text[6];
	memcpy(text, argv[1], 5);
	text[5] = '\0';
	qsort(text, 5, 1, compare);
#if LEVEL == 1
	if (!strcmp(text, "begin"))
		bomb();
#else
	char key = argv[1][0];
	char *found = bsearch(&key, text, 5, 1, compare);
	if (found == text + 3 && !strcmp(text, "eilnv"))
		bomb();
#endif
	return 0;
}
