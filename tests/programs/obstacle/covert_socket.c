// The input goes through a pair of sockets.
#include "bomb.h"
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return 1;
	char line[64] = "";
#if LEVEL == 1
	if (send(ends[0], argv[1], strlen(argv[1]) + 1, 0) < 0 || recv(ends[1], line, sizeof(line) - 1, 0) < 0)
		return 1;
#else
	FILE *out = fdopen(ends[0], "w"), *in = fdopen(ends[1], "r");
	fprintf(out, "<%s>\n", argv[1]);
	fclose(out);
	if (!fgets(line, sizeof(line), in))
		return 1;
	memmove(line, line + 1, sizeof(line) - 1);
	line[strcspn(line, ">")] = '\0';
#endif
	if (!strcmp(line, "open it"))
		bomb();
	return 0;
}
