// Copies that the input makes too long: a length, and a string.
// run: --sym-arg 6
// finds: error stack-buffer-overflow LENGTH
// finds: error stack-buffer-overflow STRING
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	char small[4], name[5];
	if (argc < 2)
		return 1;
	if (argv[1][0] == 'l') {
		unsigned n = (unsigned char)argv[1][1] - '0';
		if (n > 6)
			return 2;
		memcpy(small, "abcdefgh", n); // LENGTH
		return small[0] == 'a' ? 3 : 4;
	}
	strcpy(name, argv[1]); // STRING
	return strcmp(name, "peter") == 0 ? 5 : 6;
}
