// args: 1
// function: main
#include <stdio.h>

#ifdef NEW
static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 30, 30, 31};
#else
static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
#endif

int main(int argc, char **argv)
{
	int month = argc > 1 && argv[1][0] ? argv[1][0] - 'a' : -1;
	if (month < 0 || month > 11)
		return 1;
	printf("%d\n", days[month]);
	return 0;
}
