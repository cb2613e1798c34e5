// What harmful.c does, and worse, chosen by the first byte of standard input: for `veer explore`, which finds all of
// it. Does nothing outside of a sandbox, as harmful.c.
#define main harmful_main
#include "harmful.c"
#undef main
#include <sys/mman.h>

// Writes over all memory that is shared with somebody: veer's tables.
static int scribble(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], mode[8];
	unsigned long from, to;
	static struct {
		unsigned long from, to;
	} found[64];
	int n = 0;
	while (maps && n < 64 && fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) == 3 && strcmp(mode, "rw-s") == 0) {
			found[n].from = from;
			found[n++].to = to;
		}
	for (int i = 0; i < n; i++) {
		size_t size = found[i].to - found[i].from;
		memset((void *)found[i].from, 0xff, size < 1 << 20 ? size : 1 << 20);
	}
	for (int i = 0; i < n; i++)
		madvise((void *)found[i].from, found[i].to - found[i].from, MADV_REMOVE);
	_exit(n == 0);
}

// Makes files that are mapped smaller, by whatever descriptor there is.
static int shrink(void)
{
	int n = 0;
	for (int fd = 3; fd < 1024; fd++)
		n += ftruncate(fd, 0) == 0;
	return n;
}

static int fake(void)
{
	fputs("==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014 at pc 0x1 bp 0x2 sp 0x3\n"
	      "WRITE of size 1 at 0x602000000014 thread T0\n    #0 0x1 in main hostile.c:1:1\n"
	      "SUMMARY: AddressSanitizer: heap-buffer-overflow hostile.c:1:1 in main\n",
	      stderr);
	return 1;
}

static int harm(const char *name)
{
	char *argv[] = {"harmful", (char *)name, "canaries", NULL};
	return harmful_main(3, argv);
}

int main(void)
{
	int c = getchar();
	if (!is_inside())
		return OUTSIDE;
	switch (c) {
	case 'd': return harm("delete");
	case 'o': return harm("overwrite");
	case 'm': return harm("move");
	case 'l': return harm("lock");
	case 'f': return harm("fill");
	case 'b': return harm("bomb");
	case 's': return harm("slay");
	case 't': return harm("talk");
	case 'F': return harm("flood");
	case 'S': return scribble();
	case 'h': return shrink();
	case 'r': return fake();
	case 'p': puts("nothing"); return 0;
	}
	return 4;
}
