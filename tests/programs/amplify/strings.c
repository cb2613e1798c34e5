/* distance: 0 */
// Prints entries of a string table. Where an entry begins is not compared with the table's size.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char table[] = "\0.text\0.data\0.symtab\0.strtab";

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	unsigned at = 0;
	for (const char *p = argv[1]; *p >= '0' && *p <= '9'; p++)
		at = at * 10 + (unsigned)(*p - '0');
	char *copy = malloc(sizeof table);
	if (!copy || at > 99)
		return 3;
	memcpy(copy, table, sizeof table);
	printf("%u: %s\n", at, copy + at); /* bug: heap-buffer-overflow */
	free(copy);
	return 0;
}
