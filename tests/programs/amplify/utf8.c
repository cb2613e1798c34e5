/* clean */
// Prints the code points of a file in UTF-8, and "bad" with the place for each byte that does not belong there.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Returns the number of bytes, 0 if they are no character.
static size_t decode(const uint8_t *s, size_t size, uint32_t *ret)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n;
	uint32_t v;
	if (s[0] < 0x80) {
		n = 1;
		v = s[0];
	} else if (s[0] >= 0xc2 && s[0] < 0xe0) {
		n = 2;
		v = s[0] & 0x1f;
	} else if (s[0] >= 0xe0 && s[0] < 0xf0) {
		n = 3;
		v = s[0] & 0x0f;
	} else if (s[0] >= 0xf0 && s[0] < 0xf5) {
		n = 4;
		v = s[0] & 0x07;
	} else {
		return 0;
	}
	if (n > size)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (s[i] & 0x3f);
	}
	if (v < least[n] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
		return 0;
	*ret = v;
	return n;
}

static uint8_t *read_all(FILE *f, size_t *ret_size)
{
	size_t size = 0, room = 16;
	uint8_t *data = malloc(room);
	while (data) {
		size += fread(data + size, 1, room - size, f);
		if (size < room)
			break;
		room *= 2;
		uint8_t *larger = realloc(data, room);
		if (!larger)
			free(data);
		data = larger;
	}
	*ret_size = size;
	return data;
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	size_t size;
	if (!f) {
		fprintf(stderr, "usage: utf8 FILE\n");
		return 2;
	}
	uint8_t *data = read_all(f, &size);
	fclose(f);
	if (!data)
		return 2;
	int status = 0;
	for (size_t i = 0; i < size;) {
		uint32_t v;
		size_t n = decode(data + i, size - i, &v);
		if (n) {
			printf("%04x\n", (unsigned)v);
		} else {
			printf("bad at %zu\n", i);
			status = 1;
			n = 1;
		}
		i += n;
	}
	free(data);
	return status;
}
