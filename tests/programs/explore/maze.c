// A maze: each byte of standard input is a step; a wrong one ends the game.
// run: --sym-stdin 6
// domain: stdin 6 wasdx
// paths: 196
#include <stdio.h>
#include <unistd.h>

static const char maze[5][8] = {"+-+---+", "| |  #|", "|   --|", "| |   |", "+-+---+"};

int main(void)
{
	char steps[6];
	int x = 1, y = 1;
	ssize_t n = read(0, steps, sizeof steps);
	for (ssize_t i = 0; i < n; i++) {
		switch (steps[i]) {
		case 'w': y--; break;
		case 's': y++; break;
		case 'a': x--; break;
		case 'd': x++; break;
		default: return 2;
		}
		if (maze[y][x] == '#') {
			puts("out");
			return 0;
		}
		if (maze[y][x] != ' ')
			return 1;
	}
	return 3;
}
