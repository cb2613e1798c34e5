// A file that is opened to be changed was there before: what it holds is input.
/* distance: 0 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int sizes[] = {1, 2, 4, 8};

static int check(unsigned kind)
{
	if (kind > 4)
		return 1;
	printf("size %d\n", sizes[kind]); /* bug: global-buffer-overflow */
	return 0;
}

// As a library does that wants to know whether it may write.
static int probe(const char *path, const char *mode)
{
	FILE *f = fopen(path, mode);
	return !f || fclose(f);
}

int main(int argc, char **argv)
{
	unsigned char head[4];
	const char *path = argv[2];
	if (argc < 3)
		return 2;
	if (strcmp(argv[1], "descriptor") == 0) {
		int fd = open(path, O_RDWR | O_APPEND);
		if (fd < 0 || write(fd, "end", 3) != 3 || pread(fd, head, 4, 0) != 4)
			return 1;
		close(fd);
		return check(head[2]);
	}
	if (probe(path, argv[1]))
		return 1;
	FILE *f = fopen(path, strcmp(argv[1], "r+") == 0 ? "r+" : "r");
	if (!f || fread(head, 1, 4, f) != 4)
		return 1;
	fclose(f);
	return check(head[2]);
}
