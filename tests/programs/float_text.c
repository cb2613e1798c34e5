// Numbers in text, and floats printed as text: each kind fails on one value, which only its text leads to.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[100];

static int printed(const char *number) // "-14.50"
{
	snprintf(text, sizeof text, "%.2f", strtod(number, NULL));
	return strcmp(text, "-12.35") == 0;
}

static int general(const char *number) // "1.5e8"
{
	sprintf(text, "%g", strtod(number, NULL));
	return strcmp(text, "2.5e+08") == 0;
}

static int scientific(const char *number) // "1.500"
{
	sprintf(text, "<%+12.3Le>", strtold(number, NULL));
	return strcmp(text, "<  +7.125e+00>") == 0;
}

static int there_and_back(const char *number) // "1.5"
{
	sprintf(text, "%.17g", strtod(number, NULL));
	return strtod(text, NULL) == 7.5;
}

static int hexadecimal(const char *number) // "0x1.8p3"
{
	return strtod(number, NULL) == 0x1.8p97;
}

static int many_digits(const char *number) // "0.12345678901234567890123456"
{
	return strtod(number, NULL) == 0.25;
}

static int scanned(const char *number) // "1.0e13 -1.5"
{
	float f;
	double d;
	return sscanf(number, "%e %lg", &f, &d) == 2 && f == 2e10f && d == -2.5;
}

int main(int argc, char **argv)
{
	if (argc > 1 && KIND(argv[1]))
		abort();
	return 0;
}
