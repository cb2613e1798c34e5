// Addresses with a labelled index: look-ups in a table, bounds, stores
#include "golden.h"

static const short powers[8] = {1, 2, 4, 8, 16, 32, 64, 128};
static int grid[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
static char large[5000];
struct item {
	char tag;
	int value;
};

int main(void)
{
	INPUT(unsigned char, i, 2);
	INPUT(signed char, s, -1);
	unsigned char mixed[4] = {1, i, 3, 4};
	struct item items[3] = {{'a', 1}, {'b', 2}, {'c', 3}};
	IF(powers[i] == 4);
	IF(grid[1][i] == 7);
	IF(grid[i][1] == 10);
	IF(items[i].value == 3);
	IF("hello"[i] == 'l');
	IF(mixed[i] == 3);        // the table has a labelled entry
	IF((powers + 3)[s] == 4); // a negative index
	IF(large[i] == 0);        // too large for a table
	mixed[i] = 9;             // the address is made concrete
	IF(mixed[2] == 9);
	int *p = &grid[0][i];
	IF(*p == 3);
	IF(p[4] == 7);
	IF(*(short *)&mixed[i & 1] == 0x0201);
	return 0;
}
