// args: 7
// function: place
// Columns of a grid: an argument of a macro lost its parentheses.
#include <stdio.h>
#include <stdlib.h>

#ifdef NEW
#define ROUND_UP(x, to) ((x + to - 1) / to * to)
#else
#define ROUND_UP(x, to) (((x) + (to) - 1) / (to) * (to))
#endif

struct place {
	int x, y;
};

static struct place place(int number, int columns, int wide)
{
	int width = ROUND_UP(columns, wide ? 4 : 2);
	return (struct place){.x = number % width, .y = number / width};
}

int main(int argc, char **argv)
{
	int wide = argc > 1 && argv[1][0] == 'w';
	int number = argc > 1 ? atoi(argv[1] + wide) : -1;
	if (number < 0 || number > 1000)
		return 2;
	struct place p = place(number, 6, wide);
	printf("%d %d\n", p.x, p.y);
	return 0;
}
