// A file that is read in pieces until there is nothing more: whether there is depends on how far the read before went.
// run: --sym-stdin 8
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char text[64];
	size_t n = 0, more;
	ssize_t last;
	while ((more = fread(text + n, 1, 5, stdin)))
		n += more;
	if (n == 6)
		puts("six");
	lseek(0, 1, SEEK_SET);
	for (n = 0; (last = read(0, text + n, 4)) > 0;)
		n += (size_t)last;
	return n == 5;
}
