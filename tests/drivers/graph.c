// For tests/e2e/search.sh: what the table of a program's code says of its branches and switches, in their order.
//
//   test-graph PROGRAM
#include <stdio.h>

#include "abi/graph.h"
#include "base/mem.h"
#include "coverage/graph.h"
#include "variants/build.h"

static void print(const struct graph *g)
{
	static const char *const kinds[] = {"branch", "switch", "call"};
	static const char *const flags[] = {"loop",      "stays",   "nested", "integer",
	                                    "character", "pointer", "local",  "body"};
	for (uint32_t i = 0; i < g->n_points; i++) {
		const struct graph_point *p = &g->points[i];
		if (p->kind == GRAPH_CALL)
			continue;
		printf("%s %s", g->functions[p->function].name, kinds[p->kind]);
		for (int k = 0; 1 << k < GRAPH_FLAGS; k++)
			if (p->flags >> k & 1)
				printf(" %s", flags[k]);
		printf("%s\n", p->external ? " external" : "");
	}
}

int main(int argc, char **argv)
{
	struct err err = {"one argument"};
	struct cache cache;
	struct toolchain tools;
	struct graph g;
	char *variant = NULL;
	if (argc != 2 || cache_open(&cache, &err) < 0 || toolchain_find(&tools, &err) < 0) {
		printf("failed: %s\n", err.text);
		return 1;
	}
	struct builder builder = {.cache = &cache, .tools = &tools, .variant = "explored"};
	struct cover *cover = cover_new();
	int r = build_program(&builder, argv[1], &variant, &err) == BUILD_OK ? cover_add(cover, variant, &err) : -1;
	graph_init(&g, cover);
	if (r == 0)
		r = graph_add(&g, variant, &err);
	graph_finish(&g);
	if (r == 0)
		print(&g);
	else
		printf("failed: %s\n", err.text);
	graph_release(&g);
	cover_free(cover);
	mem_free(variant);
	toolchain_release(&tools);
	cache_close(&cache);
	return r == 0 ? 0 : 1;
}
