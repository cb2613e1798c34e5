// A jump through a table of functions that the input indexes.
#include "bomb.h"

static void nothing(void)
{
}
static int armed;
static void arm(void)
{
	armed++;
}

int main(int argc, char **argv)
{
	static void (*const table[])(void) = {nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing,
	                                      nothing, nothing, nothing, nothing, nothing, arm,     nothing, nothing};
	if (argc < 2)
		return 1;
	for (const char *at = argv[1]; *at; at++)
		table[LEVEL == 1 ? *at & 15 : (*at * 7 + 3) & 15]();
	if (armed == (LEVEL == 1 ? 1 : 3))
		bomb();
	return 0;
}
