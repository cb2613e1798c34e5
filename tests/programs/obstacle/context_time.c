// The clock decides, and the input says which instant it has to be.
#include "bomb.h"
#include <time.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	time_t now = time(NULL);
	int digit = argv[1][0] - '0';
#if LEVEL == 1
	if (now % 10 == digit)
		bomb();
#else
	struct tm *parts = gmtime(&now);
	if (parts->tm_sec % 10 == digit && parts->tm_wday == argv[1][1] - '0')
		bomb();
#endif
	return 0;
}
