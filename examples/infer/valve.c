// A controller of a heating valve: reads temperatures, a line each, and prints what the valve does.
#include <stdio.h>
#include <stdlib.h>

enum state { CLOSED, OPEN, STUCK };

__attribute__((noinline)) static int smoothed(int *history, int n, int value)
{
	int sum = 0;
	for (int i = n - 1; i > 0; i--) {
		history[i] = history[i - 1];
		sum += history[i];
	}
	history[0] = value;
	return (sum + value) / n;
}

__attribute__((noinline)) static enum state control(enum state now, int temperature, int target, int *moves)
{
	if (now == STUCK)
		return STUCK;
	if (now == CLOSED && temperature < target - 5)
		now = OPEN;
	else if (now == OPEN && temperature > target + 5)
		now = CLOSED;
	else
		return now;
	if (++*moves > 12)
		now = STUCK;
	return now;
}

static unsigned checksum(const char *s)
{
	unsigned sum = 0;
	for (; *s; s++)
		sum = (sum << 5 ^ sum >> 3) + (unsigned char)*s;
	return sum & 0xffff;
}

int main(void)
{
	static const char *const names[] = {"closed", "open", "stuck"};
	char line[64];
	int history[4] = {200, 200, 200, 200}, target = 210, moves = 0;
	enum state state = CLOSED;
	while (fgets(line, sizeof line, stdin)) {
		if (line[0] == 't') {
			target = atoi(line + 1);
			continue;
		}
		if (line[0] == '#') {
			printf("check %x\n", checksum(line));
			continue;
		}
		enum state next = control(state, smoothed(history, 4, atoi(line)), target, &moves);
		if (next != state)
			printf("%s\n", names[next]);
		state = next;
	}
	return state == STUCK;
}
