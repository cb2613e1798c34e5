// A state machine in a switch.
#include "bomb.h"

int main(int argc, char **argv)
{
	int state = 0;
	if (argc < 2)
		return 1;
	for (const char *at = argv[1]; *at; at++)
		switch (state) {
		case 0: state = *at == 'h' ? 1 : 0; break;
		case 1: state = *at == 'a' ? 2 : *at == 'h' ? 1 : 0; break;
		case 2: state = *at == 'l' ? 3 : 0; break;
		case 3: state = *at == 't' ? 4 : 3; break;
		case 4:
			if (LEVEL == 1)
				bomb();
			state = *at == '!' ? 5 : 0;
			break;
		case 5:
			if (*at == 'h')
				bomb();
			state = 0;
			break;
		}
	return 0;
}
