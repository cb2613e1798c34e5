// Text, and arrays whose length is another parameter or a terminator: objects grow as far as they are read.
#include <ctype.h>

#include "brute.h"

int word(const char *s)
{
	return D(strcmp(s, "ab") == 0) ? 1 : 2;
}

int letters(const char *s)
{
	if (D(s[0] == 'x'))
		return D(s[3] == 'y') ? 1 : 2;
	return 3;
}

// Each character is a decision, up to the end.
// options length: -x 8
int length(const char *s)
{
	int n = 0;
	while (D(s[n]))
		n++;
	return n;
}

// options sum: -x 32
int sum(const int *a, unsigned n)
{
	int s = 0;
	for (unsigned i = 0; D(i < n); i++) {
		s += a[i];
		if (i == 6)
			return s;
	}
	return 0;
}

// An index that is not known lies in the object.
// options at: -x 32
int at(const char *a, unsigned i)
{
	if (a[i] == 0)
		;
	return D(i > 20) ? 1 : 0;
}

// libc reads and writes it.
// options fills: -x 64
int fills(char *to)
{
	memset(to, 'x', 12);
	return D(to[13] == 'q') ? 1 : 0;
}

int digits(const char *s)
{
	if (D(isdigit((unsigned char)s[0])))
		return s[0] - '0';
	return -1;
}

// libc's vector code is the first to read it, from before its first byte on.
int measured(const char *s)
{
	if (D(strlen(s) == 3))
		return 1;
	return D(strchr(s, 'x') != NULL) ? 2 : 3;
}

#ifdef BRUTE
int main(void)
{
	TRY(word("ab"));
	TRY(word("b"));
	end_function("word");
	TRY(letters("xaay"));
	TRY(letters("xaaa"));
	TRY(letters("aaaa"));
	end_function("letters");
	char text[9] = "";
	for (int i = 0; i < 8; i++) { // the last of 8 bytes is 0
		TRY(length(text));
		text[i] = 'a';
	}
	end_function("length");
	printf("sum 9\n");   // 0 to 6 numbers, and more; behind the fourth the object has to grow once
	printf("at 2\n");    // the object grows
	printf("fills 3\n"); // memset goes behind the object; then it grows: 2
	TRY(digits("1"));
	TRY(digits("a"));
	end_function("digits");
	TRY(measured("abc"));
	TRY(measured("x"));
	TRY(measured(""));
	end_function("measured");
	return 0;
}
#else
int main(void)
{
	return 0;
}
#endif
