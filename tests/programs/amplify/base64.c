/* clean */
// Encodes standard input as base64, or decodes it (-d); lines end after WIDTH characters.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 76 };

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static int8_t value[256]; // -1: no digit

static void make_table(void)
{
	memset(value, -1, sizeof value);
	for (int i = 0; i < 64; i++)
		value[(unsigned char)digits[i]] = (int8_t)i;
}

static void put(char c, int *column)
{
	putchar(c);
	if (++*column == WIDTH) {
		putchar('\n');
		*column = 0;
	}
}

static void encode(void)
{
	uint8_t in[3];
	int column = 0;
	for (size_t n; (n = fread(in, 1, sizeof in, stdin)) > 0;) {
		uint32_t bits = (uint32_t)in[0] << 16;
		if (n > 1)
			bits |= (uint32_t)in[1] << 8;
		if (n > 2)
			bits |= in[2];
		for (size_t i = 0; i < 4; i++)
			put(i <= n ? digits[bits >> (18 - 6 * i) & 63] : '=', &column);
	}
	if (column)
		putchar('\n');
}

static int bad(void)
{
	fprintf(stderr, "base64: invalid input\n");
	return 1;
}

// The next character that is no newline.
static int next(void)
{
	int c;
	while ((c = getchar()) == '\n')
		;
	return c;
}

static int decode(void)
{
	int c;
	while ((c = next()) != EOF) {
		uint32_t bits = 0;
		unsigned n = 0;
		for (; n < 4 && c != EOF && value[c] >= 0; c = ++n < 4 ? next() : 0)
			bits = bits << 6 | (uint32_t)value[c];
		if (n < 2)
			return bad();
		for (unsigned i = n; i < 4; i++, c = i < 4 ? next() : 0) {
			if (c != '=')
				return bad();
			bits <<= 6;
		}
		for (unsigned i = 0; i + 1 < n; i++)
			putchar((int)(bits >> (16 - 8 * i) & 255));
	}
	return 0;
}

int main(int argc, char **argv)
{
	make_table();
	if (argc > 1 && strcmp(argv[1], "-d") == 0)
		return decode();
	encode();
	return 0;
}
