// args: a1
// function: unescape
// Text with escapes, as printf(1) has them.
#include <stdio.h>

static int octal(const char **p)
{
	int value = 0;
	for (int i = 0; i < 3 && **p >= '0' && **p <= '7'; i++)
		value = value * 8 + *(*p)++ - '0';
	return value & 255;
}

static int unescape(const char **p)
{
	int c = *(*p)++;
	switch (c) {
	case 'n': return '\n';
	case 't': c = '\t';
#ifndef NEW
		break;
#endif
	case '\\': c = '\\'; break;
	case '0': return octal(p);
	case '\0': --*p; return '\\';
	default: putchar('\\');
	}
	return c;
}

static void print(const char *p)
{
	while (*p) {
		if (*p != '\\') {
			putchar(*p++);
			continue;
		}
		p++;
		putchar(unescape(&p));
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		print(argv[i]);
		putchar(i + 1 < argc ? ' ' : '\n');
	}
	return 0;
}
