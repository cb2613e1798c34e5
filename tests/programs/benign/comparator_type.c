// Comparison functions of the type that suits them.
#include "benign.h"
#include <stdlib.h>
#include <string.h>
static int by_text(char **a, char **b)
{
	return strcmp(*a, *b);
}
static int by_number(int *a, int *b)
{
	return *a < *b ? -1 : *a > *b;
}
int comparator_type(void)
{
	char *words[] = {"pear", "apple", "fig"};
	int numbers[] = {3, 1, 2};
	qsort(words, 3, sizeof *words, (int (*)(const void *, const void *))by_text);
	qsort(numbers, 3, sizeof *numbers, (int (*)(const void *, const void *))by_number);
	printf("%s %s %d %d\n", words[0], words[2], numbers[0], numbers[2]);
	return 0;
}
