// A copy without a bound changes the variable behind the buffer, in one object, so that no sanitizer stops it.
#include "bomb.h"

struct frame {
	char text[8];
	int key;
};

int main(int argc, char **argv)
{
	struct frame frame = {"", 1};
	if (argc < 2)
		return 1;
	char *to = (char *)&frame;
	for (int i = 0; argv[1][i] && i < (int)sizeof(frame); i++)
		to[i] = argv[1][i];
	if (frame.key == (LEVEL == 1 ? 0x41 : 0x64636261))
		bomb();
	return 0;
}
