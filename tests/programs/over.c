#include <string.h>
int main(int argc, char **argv)
{
	char small[8];
	if (argc < 2)
		return 1;
	memset(small, 0, 8);
	if (argv[1][0] == 'o')
		small[strlen(argv[1])] = 1;
	return small[0];
}
