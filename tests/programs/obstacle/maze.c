// A maze: the position is the state, every branch is known after a few steps.
#include "bomb.h"

#if LEVEL == 1
#define WIDTH 11
static const char *const map[] = {
	"+-+---+---+", "| |     |#|", "| | --+ | |", "| |   | | |", "| +-- | | |", "|     |   |", "+-----+---+",
};
#else
#define WIDTH 21
static const char *const map[] = {
	"+-------------------+", "|   |       |       |", "| | | +---+ | +---+ |", "| | | |   | |     | |",
	"| | | | | | +---+ | |", "| |   | |       | | |", "| +---+ +-----+ | | |", "|     |       | | |#|",
	"+---- +------ | | +-|", "|             |     |", "+-------------------+",
};
#endif

int main(int argc, char **argv)
{
	int x = 1, y = 1;
	if (argc < 2)
		return 1;
	for (int i = 0; argv[1][i] && i < 80; i++) {
		int old_x = x, old_y = y;
		switch (argv[1][i]) {
		case 'w': y--; break;
		case 's': y++; break;
		case 'a': x--; break;
		case 'd': x++; break;
		default: return 1;
		}
		if (map[y][x] == '#')
			bomb();
		if (map[y][x] != ' ')
			x = old_x, y = old_y;
	}
	return 0;
}
