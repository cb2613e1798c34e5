// args: @@
// One place of the function releases what it holds; it was three.
#include <stdio.h>
#include <stdlib.h>

static int load(const char *path, unsigned *ret)
{
#ifdef NEW
	int result = -1;
	char *line = NULL;
	FILE *f = fopen(path, "r");
	if (!f)
		goto end;
	result = -2;
	line = malloc(32);
	if (!line || !fgets(line, 32, f))
		goto end;
	result = -3;
	if (sscanf(line, "size %u", ret) == 1)
		result = 0;
end:
	free(line);
	if (f)
		fclose(f);
	return result;
#else
	FILE *f = fopen(path, "r");
	if (!f)
		return -1;
	char *line = malloc(32);
	if (!line) {
		fclose(f);
		return -2;
	}
	if (!fgets(line, 32, f)) {
		free(line);
		fclose(f);
		return -2;
	}
	int n = sscanf(line, "size %u", ret);
	free(line);
	fclose(f);
	return n == 1 ? 0 : -3;
#endif
}

int main(int argc, char **argv)
{
	unsigned size = 0;
	int result = argc > 1 ? load(argv[1], &size) : -1;
	if (result == 0)
		printf("size %u\n", size);
	return -result;
}
