// The input goes through a file that the program writes and reads again.
#include "bomb.h"
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	char name[] = "/tmp/obstacleXXXXXX";
	int descriptor = mkstemp(name);
	if (descriptor < 0)
		return 1;
	int value = 0;
#if LEVEL == 1
	int written = atoi(argv[1]);
	if (write(descriptor, &written, sizeof(written)) != sizeof(written))
		return 1;
	lseek(descriptor, 0, SEEK_SET);
	if (read(descriptor, &value, sizeof(value)) != sizeof(value))
		return 1;
#else
	FILE *stream = fdopen(descriptor, "w+");
	fprintf(stream, "%d\n", atoi(argv[1]) + 1);
	fclose(stream);
	stream = fopen(name, "r");
	if (fscanf(stream, "%d", &value) != 1)
		value = 0;
	fclose(stream);
#endif
	unlink(name);
	if (value == 7531)
		bomb();
	return 0;
}
