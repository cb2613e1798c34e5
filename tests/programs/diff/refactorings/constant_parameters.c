// args: hello
// const where it belongs, and a loop over indices in place of pointers.
#include <stdio.h>
#include <string.h>

#ifdef NEW
#define CONST const
#else
#define CONST
#endif

struct alphabet {
	CONST char *letters;
	size_t n;
};

static int place(CONST struct alphabet *CONST a, CONST char c)
{
#ifdef NEW
	for (size_t i = 0; i < a->n; i++)
		if (a->letters[i] == c)
			return (int)i;
	return -1;
#else
	char *found = memchr(a->letters, c, a->n);
	return found ? (int)(found - a->letters) : -1;
#endif
}

static void rotate(CONST struct alphabet *a, CONST char *text, CONST int by)
{
#ifdef NEW
	for (size_t i = 0; text[i] != '\0'; i++) {
		const int at = place(a, text[i]);
		putchar(at >= 0 ? a->letters[((size_t)at + (size_t)by) % a->n] : text[i]);
	}
#else
	for (; *text; text++) {
		int at = place(a, *text);
		if (at < 0)
			putchar(*text);
		else
			putchar(a->letters[(at + by) % (int)a->n]);
	}
#endif
	putchar('\n');
}

int main(int argc, char **argv)
{
	static char letters[] = "abcdefghijklmnopqrstuvwxyz";
	struct alphabet a = {letters, sizeof letters - 1};
	rotate(&a, argc > 1 ? argv[1] : "", 13);
	return 0;
}
