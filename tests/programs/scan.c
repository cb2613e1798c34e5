// Standard input scanned with the given format, by libc and then, from the start again, by
// what a program calls: both must give the same, and stop at the same place.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static char expected[3][64], got[3][64];

int main(int argc, char **argv)
{
	int (*real)(FILE *, const char *, ...) =
		(int (*)(FILE *, const char *, ...))dlsym(RTLD_DEFAULT, "__isoc99_fscanf");
	if (argc < 2)
		return 2;
	errno = 0;
	int r = real(stdin, argv[1], expected[0], expected[1], expected[2]), error = errno;
	long at = ftell(stdin);
	rewind(stdin);
	errno = 0;
	int g = fscanf(stdin, argv[1], got[0], got[1], got[2]), got_error = errno;
	long got_at = ftell(stdin);
	int number;
	memcpy(&number, got[0], sizeof number);
	if (number == 1234567)
		puts("that number");
	printf("%s %d\n",
	       r == g && error == got_error && at == got_at && !memcmp(expected, got, sizeof got) ? "same" : "differs",
	       g);
	return 0;
}
