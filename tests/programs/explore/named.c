// A file by its name in the working folder, of four bytes at most: also where runs see it elsewhere.
// run: A --sym-files 1 4
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	char text[16];
	FILE *f = argc == 2 && strcmp(argv[1], "A") == 0 ? fopen("A", "rb") : NULL;
	if (!f)
		return 1;
	size_t n = fread(text, 1, sizeof text, f);
	fclose(f);
	if (n > 4)
		return 2; /* unreachable */
	return n == 4 && memcmp(text, "VEER", 4) == 0 ? 3 : 4;
}
