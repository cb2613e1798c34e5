// char name[1] at the end of a structure that is allocated larger.
#include "benign.h"
#include <stdlib.h>
#include <string.h>
struct named {
	int length;
	char name[1];
};
int trailing_array(void)
{
	const char *text = "struct hack";
	size_t n = strlen(text);
	struct named *p = malloc(sizeof *p + n);
	p->length = (int)n;
	strcpy(p->name, text);
	for (size_t i = 0; i < n; i++)
		p->name[i] ^= 0x20;
	printf("%d %s %c\n", p->length, p->name, p->name[input(8)]);
	free(p);
	return 0;
}
