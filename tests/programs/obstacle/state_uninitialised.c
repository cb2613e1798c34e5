// Memory that is used before it has a value other than what the caller left there.
#include "bomb.h"
#include <string.h>

static int __attribute__((noinline)) leave(const char *text)
{
	volatile char room[64];
	for (int i = 0; i < 64; i++)
		room[i] = text[i % 4];
	return room[0];
}

int main(int argc, char **argv)
{
	if (argc < 2 || strlen(argv[1]) < 4)
		return 1;
	leave(argv[1]);
	char *block = malloc(32);
	if (!block)
		return 1;
	memcpy(block, argv[1], 4);
	if (LEVEL == 2)
		block = realloc(block, 4096);
	if (block && !memcmp(block, "heap", 4))
		bomb();
	free(block);
	return 0;
}
