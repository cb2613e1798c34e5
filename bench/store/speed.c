// What the store costs: transactions of 1,000 inputs (added, later DONE), 5,000 flips and 5,000 counts, as a
// campaign writes in a second. Prints processor time and file size as the campaign gets longer.
//
//   bench-store-speed FOLDER [SECONDS]     FOLDER must not exist
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "base/mem.h"
#include "store/store.h"

#define INPUTS 1000
#define FLIPS 5000
#define SIZE 200

static double cpu(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t next(void)
{
	static uint64_t x = 88172645463325252u;
	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

static void need(int result, const struct err *err)
{
	if (result < 0) {
		fprintf(stderr, "%s\n", err->text);
		exit(1);
	}
}

static void one_second(struct store *s, struct err *err)
{
	struct buf data = {0};
	need(store_begin(s, err), err);
	for (int i = 0; i < INPUTS; i++) {
		buf_clear(&data);
		for (int j = 0; j < SIZE / 8; j++)
			buf_u64(&data, next());
		struct stored_input in = {.parent = 1, .data = data};
		need(store_add_input(s, &in, NULL, err), err);
		in.state = INPUT_DONE;
		in.in_corpus = i % 100 == 0;
		need(store_update_input(s, &in, err), err);
	}
	for (int i = 0; i < FLIPS; i++) {
		struct stored_flip f = {next(), FLIP_UNSAT, 0};
		struct stored_flip got;
		if (!store_get_flip(s, f.path, &got))
			need(store_add_flip(s, &f, err), err);
		need(store_count(s, "queries", 1, err), err);
	}
	need(store_commit(s, err), err);
	buf_release(&data);
}

int main(int argc, char **argv)
{
	struct err err;
	struct stat st;
	int seconds = argc > 2 ? atoi(argv[2]) : 300;
	if (argc < 2 || stat(argv[1], &st) == 0) {
		fprintf(stderr, "usage: bench-store-speed FOLDER [SECONDS]; the folder must be new\n");
		return 2;
	}
	struct store *s = store_open(argv[1], true, &err);
	need(s ? 0 : -1, &err);
	char *path = mem_printf("%s/veer.db", argv[1]);
	printf("| seconds of a campaign | ms of processor time a second | slowest commit, ms | MB "
	       "|\n|---|---|---|---|\n");
	double start = cpu(), slowest = 0;
	for (int i = 1, last = 0, step = 10; i <= seconds; i++) {
		double t = now();
		one_second(s, &err);
		slowest = now() - t > slowest ? now() - t : slowest;
		if (i != last + step && i != seconds)
			continue;
		stat(path, &st);
		printf("| %d-%d | %.1f | %.0f | %.0f |\n", last + 1, i, (cpu() - start) * 1e3 / (i - last),
		       slowest * 1e3, (double)st.st_size / 1e6);
		fflush(stdout);
		last = i;
		step = i;
		start = cpu();
		slowest = 0;
	}
	mem_free(path);
	double t = now();
	store_close(s);
	double closed = now();
	s = store_open(argv[1], false, &err);
	need(s ? 0 : -1, &err);
	double open = now(), busy = cpu();
	struct stored_flip f;
	store_get_flip(s, 0, &f);
	busy = cpu() - busy;
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	printf("\nClosing took %.0f ms, opening %.0f ms, reading the answers %.0f ms of processor time; %.0f MB of "
	       "memory at most.\n",
	       (closed - t) * 1e3, (open - closed) * 1e3, busy * 1e3, (double)u.ru_maxrss / 1e3);
	store_close(s);
	return 0;
}
