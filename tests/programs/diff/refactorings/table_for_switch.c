// args: b
#include <stdio.h>

static const char *color(char c)
{
#ifdef NEW
	static const struct {
		char letter;
		const char *name;
	} all[] = {{'r', "red"}, {'g', "green"}, {'b', "blue"}};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].letter == c)
			return all[i].name;
	return "none";
#else
	switch (c) {
	case 'r': return "red";
	case 'g': return "green";
	case 'b': return "blue";
	default: return "none";
	}
#endif
}

int main(int argc, char **argv)
{
	puts(color(argc > 1 ? argv[1][0] : 0));
	return 0;
}
