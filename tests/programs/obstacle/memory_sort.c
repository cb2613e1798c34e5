// The program's own sort of input bytes.
#include "bomb.h"
#include <string.h>

int main(int argc, char **argv)
{
	int n = LEVEL == 1 ? 4 : 6;
	if (argc < 2 || (int)strlen(argv[1]) < n)
		return 1;
	char text[8];
	memcpy(text, argv[1], (size_t)n);
	for (int i = 1; i < n; i++)
		for (int j = i; j > 0 && text[j - 1] > text[j]; j--) {
			char swapped = text[j];
			text[j] = text[j - 1];
			text[j - 1] = swapped;
		}
	if (!memcmp(text, "adeilr", (size_t)n) && argv[1][0] == 'l' - (LEVEL == 1 ? 3 : 0))
		bomb();
	return 0;
}
