// benign NAME 0123456789: runs one of the programs, which cases.def lists.
#include <string.h>

#include "benign.h"

static const char *digits;

int input(int n)
{
	return digits[n] - '0';
}

void *null(void)
{
	static void *nothing;
	return nothing;
}

#define CASE(name) int name(void);
#include "cases.def"
#undef CASE

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {
#define CASE(name) {#name, name},
#include "cases.def"
#undef CASE
	};
	if (argc != 3)
		return 100;
	digits = argv[2];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (strcmp(cases[i].name, argv[1]) == 0)
			return cases[i].run();
	return 101;
}
