// A combination lock: a wrong turn starts again, and says nothing.
#include "bomb.h"

int main(int argc, char **argv)
{
	static const char code[] = "4711081547";
	int position = 0, need = LEVEL == 1 ? 5 : 10;
	if (argc < 2)
		return 1;
	for (const char *at = argv[1]; *at; at++) {
		position = (*at == code[position]) ? position + 1 : 0;
		if (position == need)
			bomb();
	}
	return 0;
}
