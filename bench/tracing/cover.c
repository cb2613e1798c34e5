// What coverage costs veer after each run: bench-cover PROGRAM prints the path of its variant `explored`; with the
// content of that variant's section veer_cover as second argument, how long it takes to read the table of what is
// counted, and to add up a run that came to a tenth of it.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "abi/cover.h"
#include "base/file.h"
#include "base/mem.h"
#include "coverage/cover.h"
#include "variants/build.h"

enum { READS = 20, RUNS = 2000, PAGE = 4096 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static char *find_variant(const char *program, struct err *err)
{
	struct cache cache;
	struct toolchain tools;
	char *variant = NULL;
	if (cache_open(&cache, err) < 0 || toolchain_find(&tools, err) < 0)
		return NULL;
	struct builder builder = {.cache = &cache, .tools = &tools, .variant = "explored"};
	if (build_program(&builder, program, &variant, err) != BUILD_OK)
		variant = NULL;
	toolchain_release(&tools);
	cache_close(&cache);
	return variant;
}

// Every tenth counter, others than in the run before.
static uint64_t set_some(struct buf *image, unsigned run)
{
	struct cover_unit *head;
	uint64_t counters = 0;
	for (size_t at = 0; at + sizeof *head <= image->len;) {
		head = (struct cover_unit *)(image->data + at);
		if (head->magic != COVER_MAGIC)
			break;
		for (uint32_t k = run % 10; k < head->count; k += 10)
			image->data[at + sizeof *head + k] = 1;
		counters += head->count;
		at += (sizeof *head + head->count + PAGE - 1) / PAGE * PAGE;
	}
	return counters;
}

static int measure(const char *variant, struct buf *image, struct err *err)
{
	double best_read = 0, best_run = 0;
	struct cover *cover = NULL;
	uint64_t counters = 0;
	for (int i = 0; i < READS; i++) {
		if (cover)
			cover_free(cover);
		cover = cover_new();
		double start = now();
		if (cover_add(cover, variant, err) < 0)
			return -1;
		double took = now() - start;
		best_read = i && best_read < took ? best_read : took;
	}
	for (unsigned i = 0; i < RUNS; i++) {
		counters = set_some(image, i);
		double start = now();
		cover_merge(cover, image->data, image->len);
		double took = now() - start;
		best_run = i && best_run < took ? best_run : took;
	}
	cover_free(cover);
	printf("%llu counters in %zu pages: the table is read in %.1f ms, a run added up in %.2f us\n",
	       (unsigned long long)counters, image->len / PAGE, best_read / 1e3, best_run);
	return 0;
}

int main(int argc, char **argv)
{
	struct err err = {.text = "usage: bench-cover PROGRAM [COUNTERS]"};
	struct buf image = {0};
	char *variant = argc > 1 ? find_variant(argv[1], &err) : NULL;
	int r = variant ? 0 : -1;
	if (variant && argc == 2)
		puts(variant);
	else if (variant)
		r = file_read(argv[2], &image, &err) < 0 ? -1 : measure(variant, &image, &err);
	if (r < 0)
		fprintf(stderr, "%s\n", err.text);
	mem_free(variant);
	buf_release(&image);
	return r < 0;
}
