// For tests/e2e/explore.sh: the lines of a program that no run of a campaign reached, and how many sides of branches.
//
//   test-covered DIR PROGRAM
#include <stdio.h>

#include "base/mem.h"
#include "coverage/cover.h"
#include "store/store.h"
#include "variants/build.h"

static int restore(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n)
{
	cover_restore(opaque, unit, bytes, n);
	return 0;
}

static void print_line(void *opaque, const char *file, uint32_t line, bool covered)
{
	(void)opaque, (void)file;
	if (!covered)
		printf("line %u\n", line);
}

static int print(struct store *store, const char *program, struct err *err)
{
	struct cache cache;
	struct toolchain tools;
	char *variant = NULL;
	if (cache_open(&cache, err) < 0 || toolchain_find(&tools, err) < 0)
		return -1;
	struct builder builder = {.cache = &cache, .tools = &tools, .variant = "explored"};
	struct cover *cover = cover_new();
	int r = build_program(&builder, program, &variant, err) == BUILD_OK ? cover_add(cover, variant, err) : -1;
	if (r == 0)
		r = store_each_cover(store, restore, cover, err);
	if (r == 0) {
		cover_each_line(cover, print_line, NULL);
		struct cover_totals t = cover_totals(cover);
		printf("sides %u\n", t.edges.total - t.edges.covered);
	}
	mem_free(variant);
	cover_free(cover);
	toolchain_release(&tools);
	cache_close(&cache);
	return r;
}

int main(int argc, char **argv)
{
	struct err err;
	struct store *store = argc == 3 ? store_open_read(argv[1], &err) : NULL;
	if (!store || print(store, argv[2], &err) < 0) {
		printf("failed: %s\n", argc == 3 ? err.text : "two arguments");
		return 1;
	}
	store_close(store);
	return 0;
}
