// Says which bytes of its input are symbolic, one way of reading after the other: a letter for each that is, a dot for
// each that is not.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <veer.h>

static void show(const char *what, const char *p, size_t n)
{
	printf("%s ", what);
	for (size_t i = 0; i < n; i++)
		putchar(veer_is_symbolic && veer_is_symbolic(p + i, 1) ? 's' : '.');
	putchar('\n');
}

static void show_number(const char *what, off_t size)
{
	show(what, (const char *)&size, 1);
}

int main(int argc, char **argv)
{
	char data[32];
	struct stat st;
	for (int i = 1; i < argc; i++)
		show("argument", argv[i], strlen(argv[i]));
	ssize_t n = read(0, data, sizeof data);
	show("stdin", data, n > 0 ? (size_t)n : 0);
	int fd = open("data", O_RDONLY);
	if (fd < 0 || fstat(fd, &st) < 0)
		return 1;
	show_number("length", st.st_size);
	n = pread(fd, data, 5, 2); // pieces that begin and end inside
	show("pread", data, n > 0 ? (size_t)n : 0);
	char *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map != MAP_FAILED)
		show("mmap", map, (size_t)st.st_size);
	close(fd);
	FILE *f = fopen("data", "r");
	if (!f)
		return 1;
	show("fread", data, fread(data, 1, sizeof data, f));
	int c = getc(f);
	show("end", (const char *)&c, 1);
	rewind(f);
	for (n = 0; n < (ssize_t)sizeof data && (c = getc(f)) != EOF; n++)
		data[n] = (char)c;
	show("getc", data, (size_t)n);
	fclose(f);
	return 0;
}
