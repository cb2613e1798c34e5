// Segments that no input leads to, beside those that some do.
#include <string.h>

// 4 segments: both questions have the same answer.
int twice(int a)
{
	int r = 0;
	if (a > 5)
		r = 1;
	if (a > 5)
		r += 2;
	return r;
}

// Likewise, and only a solver sees that they are the same.
int shifted(unsigned char a)
{
	int r = 0;
	if (a > 5)
		r = 1;
	if (a + 1 > 6)
		r += 2;
	return r;
}

// 5: the second `octal` is what the first one was. What strchr decides on the way belongs to no segment.
int digits(const char *text, int octal)
{
	if (octal && strchr(text, '8'))
		return 1;
	if (octal)
		return 2;
	return 0;
}

int seen;

__attribute__((noinline)) int measure(int x)
{
	seen += x;
	return x & 3;
}

// No call returns more than 3; a stub does.
int rounds(int n)
{
	int found = 0;
	for (int i = 0; i < n; i++)
		if (measure(i) > 7)
			found = i;
	return found;
}

int main(int argc, char **argv)
{
	return twice(argc) + shifted((unsigned char)argc) + digits(argv[0], argc > 1) + rounds(argc);
}
