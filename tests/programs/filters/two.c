// See one.c.
#include <stdio.h>
#include <string.h>

int twice(int x);

static int fill(const char *text)
{
	int x;
	memcpy(&x, text, sizeof x);
	return twice(x) != 0;
}

int main(void)
{
	char line[8] = {0}, place[3] = {0};
	if (fread(line, 1, 5, stdin) != 5)
		return 2;
	place[(unsigned char)line[4] - '0'] = 1; // PLACE
	return fill(line) + place[0];
}
