// Writes nonsense over the trace it is recorded in. Found through /proc, as any
// program could; argument: where to start, step.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "veer.h"

static unsigned char in[64];

int main(int argc, char **argv)
{
	unsigned long from, to, start = strtoul(argv[1], NULL, 10), step = strtoul(argv[2], NULL, 10);
	char line[512];
	int n = 0;
	if (veer_make_symbolic)
		veer_make_symbolic(in, sizeof in, "in");
	for (int i = 0; i < 64; i++)
		if (in[i] * 3 + i == argc)
			n++;
	FILE *maps = fopen("/proc/self/maps", "r");
	while (maps && fgets(line, sizeof line, maps))
		if (strstr(line, "veer-trace") && sscanf(line, "%lx-%lx", &from, &to) == 2)
			for (unsigned long at = from + start; at < to && at < from + start + 4000000; at += step)
				*(volatile unsigned char *)at = (unsigned char)(at * 167 >> 3 | 1);
	printf("%d\n", n);
	_Exit(0);
}
