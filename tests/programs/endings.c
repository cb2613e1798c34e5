// Ends in the way that the first letter of its argument says.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile int sum;
static int *volatile nowhere;

static void scribble(void)
{
	static char line[1000];
	unsigned long from, to;
	FILE *f = fopen("/proc/self/maps", "r");
	while (f && fgets(line, sizeof line, f))
		if (strstr(line, "veer-trace") && sscanf(line, "%lx-%lx", &from, &to) == 2)
			memset((void *)from, 0xff, 1 << 20);
}

// Where the parent is process 1, which then is the worker, nobody else's processes can be seen.
static void kill_others(void)
{
	for (int pid = 2; getppid() == 1 && pid < getpid(); pid++)
		kill(pid, SIGKILL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	char *p;
	switch (how[0]) {
	case 'e': // reads one past the end of the argument
		for (size_t i = 0; i <= strlen(how) + 1; i++)
			sum += how[i];
		break;
	case 'o':
		sum = 0x7fffffff;
		sum += argc;
		break;
	case 's': *nowhere = 1; break;
	case 'a': abort();
	case 'h':
		p = malloc(4);
		p[argc + 2] = 1;
		sum = p[argc + 2];
		break;
	case 't':
		for (;;)
			sum ^= 1;
	case 'f':
		for (;;)
			puts("flood");
	case 'm':
		for (;;) {
			p = malloc(1 << 20);
			memset(p, 1, 1 << 20);
			sum += p[sum & 1];
		}
	case 'p': kill(getppid(), SIGKILL); return 7;
	case 'k': kill_others(); return 8;
	case 'w': scribble(); break;
	case 'd':
		if (fork() == 0) {
			sleep(60);
			_exit(0);
		}
		return 9; // leaves a process
	case 'c': return getpid() & 0xff;
	case 'x': exit(how[1]);
	case 'i': raise(SIGTERM);
	}
	return 3;
}
