// Dates by libc.
#include "bomb.h"
#include <time.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	struct tm parts = {.tm_year = 100, .tm_mon = 1, .tm_mday = atoi(argv[1])};
	time_t instant = mktime(&parts);
#if LEVEL == 1
	if (instant != -1 && parts.tm_wday == 3 && parts.tm_mon == 2)
		bomb();
#else
	char text[32];
	strftime(text, sizeof(text), "%j", &parts);
	if (instant != -1 && atoi(text) == 300 && parts.tm_year == 104)
		bomb();
#endif
	return 0;
}
