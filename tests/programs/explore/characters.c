// Characters one by one until the end: words and lines of a text.
// run: --sym-stdin 3
// domain: stdin 3 a\12\40
// paths: 40
#include <stdio.h>

int main(void)
{
	int c, words = 0, lines = 0, inside = 0;
	while ((c = getchar()) != EOF) {
		if (c == '\n')
			lines++;
		if (c == ' ' || c == '\n') {
			inside = 0;
		} else if (!inside) {
			inside = 1;
			words++;
		}
	}
	if (words == 2)
		puts("two");
	return lines;
}
