/* distance: 0 */
// Prints the notes of a file: each has a header of three numbers (size of the name, size of the description, kind),
// then name and description. Copied to a block of the size that the file's own header states.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct note {
	uint8_t name_size, text_size, kind;
};

static const char magic[4] = "NOTE";

static int fail(const char *name, const char *what)
{
	fprintf(stderr, "notes: %s: %s\n", name, what);
	return 1;
}

// The largest note comes first in the file's header, so that one block is enough for all of them.
static int print(const char *name, FILE *f)
{
	char head[5];
	if (fread(head, 1, sizeof head, f) != sizeof head || memcmp(head, magic, sizeof magic) != 0)
		return fail(name, "not a file of notes");
	size_t largest = (unsigned char)head[4];
	char *block = malloc(largest + 1);
	if (!block)
		return fail(name, "out of memory");
	struct note n;
	while (fread(&n, sizeof n, 1, f) == 1) {
		char text[512];
		size_t size = (size_t)n.name_size + n.text_size;
		if (fread(text, 1, size, f) != size) {
			free(block);
			return fail(name, "cut off");
		}
		text[size] = 0;
		memcpy(block, text, size + 1); /* bug: heap-buffer-overflow */
		printf("%u %.*s: %s\n", n.kind, (int)n.name_size, block, block + n.name_size);
	}
	free(block);
	return 0;
}

int main(int argc, char **argv)
{
	int status = 0;
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		if (!f) {
			status = fail(argv[i], "cannot be opened");
			continue;
		}
		status |= print(argv[i], f);
		fclose(f);
	}
	return status;
}
