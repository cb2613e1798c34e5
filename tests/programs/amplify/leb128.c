/* distance: 1 */
// Decodes numbers of variable length (LEB128) from standard input; -s: with a sign.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t decode_unsigned(const uint8_t **at)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;
	do {
		byte = *(*at)++; /* bug: heap-buffer-overflow */
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static int64_t decode_signed(const uint8_t **at, const uint8_t *end)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte = 0;
	while (*at < end) {
		byte = *(*at)++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			break;
	}
	if (shift < 64 && (byte & 0x40))
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

static uint8_t *read_all(size_t *ret_size)
{
	uint8_t *data = NULL;
	size_t size = 0, room = 0;
	for (int c; (c = getchar()) != EOF;) {
		if (size == room) {
			room = room ? 2 * room : 8;
			data = realloc(data, room);
			if (!data)
				exit(2);
		}
		data[size++] = (uint8_t)c;
	}
	*ret_size = size;
	return size ? realloc(data, size) : data;
}

int main(int argc, char **argv)
{
	int is_signed = argc > 1 && strcmp(argv[1], "-s") == 0;
	size_t size;
	uint8_t *data = read_all(&size);
	const uint8_t *at = data;
	while (data && at < data + size)
		if (is_signed)
			printf("%lld\n", (long long)decode_signed(&at, data + size));
		else
			printf("%llu\n", (unsigned long long)decode_unsigned(&at));
	free(data);
	return 0;
}
