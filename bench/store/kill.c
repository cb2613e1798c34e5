// Kills a process that writes a campaign at random moments, opens it again, compares: see tests/unit/store_writer.h.
//
//   bench-store-kill FOLDER [TIMES]     FOLDER must not exist
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "store_writer.h"

int main(int argc, char **argv)
{
	struct err err;
	struct stat st;
	unsigned times = argc > 2 ? (unsigned)atoi(argv[2]) : 100, seed;
	if (argc < 2 || stat(argv[1], &st) == 0) {
		fprintf(stderr, "usage: bench-store-kill FOLDER [TIMES]; the folder must be new\n");
		return 2;
	}
	if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
		seed = 1;
	srandom(seed);
	struct store_writer_sum sum = {0};
	int64_t before = 0, told, more = 0;
	for (unsigned i = 1; i <= times; i++) {
		int inputs = 1 + (int)(random() % 500);
		unsigned wait = (unsigned)(random() % 100000);
		if (store_writer_kill(argv[1], inputs, i % 4 == 0, wait, &told, &err) < 0 ||
		    store_writer_verify(argv[1], &sum, &err) < 0) {
			printf("kill %u (seed %u): %s\n", i, seed, err.text);
			return 1;
		}
		if (sum.inputs < told || sum.inputs < before) {
			printf("kill %u (seed %u): %lld inputs, but %lld were committed\n", i, seed,
			       (long long)sum.inputs, (long long)(told > before ? told : before));
			return 1;
		}
		more += told && sum.inputs > told;
		before = sum.inputs;
	}
	printf("%u kills: nothing lost, nothing half there; %lld inputs, %lld candidates, %lld findings; %lld times "
	       "the "
	       "kill came "
	       "between a commit and the word of it\n",
	       times, (long long)sum.inputs, (long long)sum.candidates, (long long)sum.findings, (long long)more);
	return 0;
}
