/* distance: 0 */
// Reads packets from standard input and prints what they carry: a kind, a length of two bytes, then so many bytes.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 64, DATA = 1, PING = 2, END = 3 };

static int fail(const char *what)
{
	fprintf(stderr, "packet: %s\n", what);
	return 1;
}

static int read_length(const uint8_t *p)
{
	return (int16_t)(p[0] | p[1] << 8);
}

static void print_data(const uint8_t *p, int length)
{
	char text[LARGEST + 1];
	memcpy(text, p, (size_t)length); /* bug: negative-size-param */
	text[length] = 0;
	printf("data %s\n", text);
}

// Returns the packet's size, 0 for the last one, -1 when it is wrong.
static int packet(const uint8_t *p, size_t left)
{
	if (left < 3)
		return -fail("no header");
	int length = read_length(p + 1);
	if (length > LARGEST || length > (int)left - 3)
		return -fail("too long");
	switch (p[0]) {
	case DATA: print_data(p + 3, length); break;
	case PING: puts("ping"); break;
	case END: return 0;
	default: return -fail("unknown kind");
	}
	return 3 + length;
}

int main(void)
{
	static uint8_t data[1024];
	size_t size = fread(data, 1, sizeof data, stdin), at = 0;
	while (at < size) {
		int n = packet(data + at, size - at);
		if (n < 0)
			return 1;
		if (n == 0)
			return 0;
		at += (size_t)n;
	}
	return fail("no end");
}
