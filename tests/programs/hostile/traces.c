// Attacks on the memory that a run shares with veer: its trace, its coverage, what it was given.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hostile.h"

struct range {
	unsigned char *at;
	size_t size;
};

// Mappings that can be written to and are shared, or are of veer's files.
static size_t shared(struct range *ret, size_t most)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], mode[8];
	unsigned long from, to;
	size_t n = 0;
	while (maps && n < most && fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) == 3 && mode[1] == 'w' &&
		    (mode[3] == 's' || strstr(line, "memfd:")))
			ret[n++] = (struct range){(unsigned char *)from, to - from};
	if (maps)
		fclose(maps);
	return n;
}

enum { RANGES = 64, SOME = 1 << 20 };

static void fill(unsigned char byte)
{
	struct range all[RANGES];
	size_t n = shared(all, RANGES);
	for (size_t i = 0; i < n; i++)
		memset(all[i].at, byte, all[i].size < SOME ? all[i].size : SOME);
	_exit(HELD);
}

ATTACK(traces_ones)
{
	(void)at;
	fill(0xff);
}

ATTACK(traces_zeros)
{
	(void)at;
	fill(0);
}

ATTACK(traces_random)
{
	(void)at;
	struct range all[RANGES];
	size_t n = shared(all, RANGES);
	uint32_t x = 2463534242u;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < all[i].size && k < SOME; k++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			all[i].at[k] = (unsigned char)x;
		}
	_exit(HELD);
}

// One word of each header after the other becomes as large as it gets, or slightly larger than it was.
static void words(uint64_t value, bool add)
{
	struct range all[RANGES];
	size_t n = shared(all, RANGES);
	for (size_t i = 0; i < n; i++) {
		uint64_t *word = (uint64_t *)all[i].at;
		for (size_t k = 1; k < 64 && 8 * k < all[i].size; k++) // the magic stays
			word[k] = add ? word[k] + value : value;
	}
	_exit(HELD);
}

ATTACK(traces_lengths)
{
	(void)at;
	words(UINT64_MAX / 2, false);
}

ATTACK(traces_counts)
{
	(void)at;
	words(UINT64_C(0x0000ffff0000ffff), true);
}

ATTACK(traces_one_more)
{
	(void)at;
	words(UINT64_C(0x0000000100000001), true);
}

// Nodes and events that refer to themselves and to what is not there.
ATTACK(traces_events)
{
	(void)at;
	struct range all[RANGES];
	size_t n = shared(all, RANGES);
	for (size_t i = 0; i < n; i++) {
		uint32_t *word = (uint32_t *)all[i].at;
		size_t end = all[i].size / 4 < SOME ? all[i].size / 4 : SOME;
		for (size_t k = 1024; k < end; k++)
			word[k] = (uint32_t)(k % 3 ? k : 0x00200020);
	}
	_exit(HELD);
}

ATTACK(traces_removed)
{
	(void)at;
	struct range all[RANGES];
	size_t n = shared(all, RANGES);
	for (size_t i = 0; i < n; i++)
		madvise(all[i].at, all[i].size, MADV_REMOVE);
	_exit(HELD);
}

ATTACK(traces_unmapped)
{
	(void)at;
	struct range all[RANGES];
	size_t n = shared(all, RANGES);
	for (size_t i = 0; i < n; i++)
		mprotect(all[i].at, all[i].size, PROT_NONE);
	for (size_t i = 0; i < n; i++)
		munmap(all[i].at, all[i].size);
	_exit(HELD);
}

// Goes on writing while veer reads.
ATTACK(traces_later)
{
	(void)at;
	struct range all[RANGES];
	size_t n = shared(all, RANGES);
	if (fork() == 0) {
		setsid();
		alarm(10);
		for (int round = 0; round < 100000; round++)
			for (size_t i = 0; i < n; i++)
				((volatile uint64_t *)all[i].at)[8 + round % 32] = (uint64_t)round << 20;
	}
	_exit(HELD);
}

// As many events as a run can make.
ATTACK(traces_endless)
{
	(void)at;
	static volatile unsigned sum;
	unsigned char data[16] = {0};
	(void)!pread(0, data, sizeof data, 0);
	for (unsigned i = 0; i < 40000000; i++)
		if ((unsigned)data[i % 16] + i % 7 > 3)
			sum += data[i % 16];
	_exit(HELD);
}
