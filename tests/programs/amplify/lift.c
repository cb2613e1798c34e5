/* distance: 3 */
// One line has to become another: whether it is a command is asked once for each command.
// Simulates a lift: reads commands from the file named in the first argument, one in a line: "call N", "up", "down",
// "open", "close", "where".
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOORS = 5 };

static int floor_now, is_open;
static unsigned moves;

static void move(int by)
{
	assert(!is_open); /* bug: assertion */
	int to = floor_now + by;
	if (to < 0 || to >= FLOORS) {
		puts("no such floor");
		return;
	}
	floor_now = to;
	moves++;
}

static void call(int to)
{
	is_open = 0;
	if (to < 0 || to >= FLOORS) {
		puts("no such floor");
		return;
	}
	while (floor_now != to)
		move(floor_now < to ? 1 : -1);
}

static int command(const char *line)
{
	if (strncmp(line, "call ", 5) == 0) {
		call(atoi(line + 5));
	} else if (strcmp(line, "up") == 0) {
		move(1);
	} else if (strcmp(line, "down") == 0) {
		move(-1);
	} else if (strcmp(line, "open") == 0) {
		is_open = 1;
	} else if (strcmp(line, "close") == 0) {
		is_open = 0;
	} else if (strcmp(line, "where") == 0) {
		printf("floor %d, %s\n", floor_now, is_open ? "open" : "closed");
	} else {
		printf("unknown command: %s\n", line);
		return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	char line[32];
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	int status = 0;
	if (!f) {
		fprintf(stderr, "usage: lift FILE\n");
		return 2;
	}
	while (fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = 0;
		if (*line && *line != '#' && !command(line))
			status = 1;
	}
	printf("%u moves\n", moves);
	fclose(f);
	return status;
}
