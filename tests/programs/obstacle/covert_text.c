// The input becomes text and a number again.
#include "bomb.h"
#include <stdio.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	char text[64];
	int value = 0;
#if LEVEL == 1
	snprintf(text, sizeof(text), "%d", atoi(argv[1]) * 2);
	value = atoi(text);
#else
	snprintf(text, sizeof(text), "[%x:%s]", (unsigned char)argv[1][0], argv[1] + 1);
	unsigned first;
	if (sscanf(text, "[%x:%d]", &first, &value) != 2 || first != 'z')
		value = 0;
#endif
	if (value == 8642)
		bomb();
	return 0;
}
