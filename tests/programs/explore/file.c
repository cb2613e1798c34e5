// A file's header, by way of stdio.
// options: --sym stdin
// run: @@
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	unsigned char head[6];
	FILE *f = fopen(argv[argc - 1], "rb");
	if (!f)
		return 1; /* unreachable */
	size_t n = fread(head, 1, sizeof head, f);
	fclose(f);
	if (n < sizeof head)
		return 2;
	if (memcmp(head, "VEER", 4) != 0)
		return 3;
	switch (head[4] << 8 | head[5]) {
	case 0x0100: return 4;
	case 0x0200: return 5;
	case 0x0201: return 6;
	default: return 7;
	}
}
