// Says what it was given; its conditions depend on all of it.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char in[100];
	const char *v = getenv("V");
	printf("%s %s", argv[0], program_invocation_short_name);
	for (int i = 1; i < argc; i++)
		printf(" <%s>", argv[i]);
	printf(" V=%s\n", v ? v : "none");
	ssize_t n = read(0, in, sizeof in);
	printf("in <%.*s>\n", (int)(n > 0 ? n : 0), in);
	FILE *f = fopen("data", "r");
	int c = f ? getc(f) : EOF;
	printf("file %c\n", c == EOF ? '-' : c);
	if (f)
		fclose(f);
	if (argc > 1 && argv[1][0] == 'a')
		puts("a!");
	if (n > 0 && in[0] == 'x')
		puts("x!");
	if (v && v[0] == 'v')
		puts("v!");
	if (c == 'd')
		puts("d!");
	for (int fd = 3; fd < 1024; fd++)
		if (lseek(fd, 0, SEEK_CUR) >= 0 || errno != EBADF)
			printf("descriptor %d\n", fd);
	return argc;
}
