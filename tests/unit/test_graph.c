// The graph of a program made by hand (program.h), and tables as a damaged file has them.
#include "coverage/graph.h"

#include "abi/graph.h"
#include "program.h"
#include "test.h"

static struct program p;

static uint32_t edge(int point, unsigned way)
{
	return graph_edge_of(&p.graph, graph_find(&p.graph, graph_name(PROGRAM_UNIT, (uint32_t)point)), way);
}

static void is_as_it_was_made(void)
{
	program_init(&p);
	const struct graph *g = &p.graph;
	CHECK_INT(3, g->n_functions);
	CHECK_INT(SMALL + 1, g->n_points);
	CHECK_INT(PROGRAM_EDGES + 1, g->n_edges); // and that of the call
	CHECK_INT(7, g->functions[0].edges);
	CHECK_INT(12, g->functions[1].edges);
	CHECK_STR("small", g->functions[2].name);
	CHECK_INT(GRAPH_NONE, graph_find(g, 1));
	CHECK_INT(GRAPH_NONE, graph_find(g, 0));
	CHECK_INT(GRAPH_NONE, edge(MAIN_LOOP, 2));
	CHECK_INT(6, g->edges[edge(MAIN_SWITCH, 2)].cover);
	CHECK(g->points[MAIN_IF].external && !g->points[MAIN_LOOP].external);
	CHECK(!g->points[SMALL].external); // main is the program's
	program_release(&p);
}

static void before(void)
{
	program_init(&p);
	CHECK(graph_is_before(&p.graph, edge(MAIN_LOOP, 1), MAIN_IF));
	CHECK(!graph_is_before(&p.graph, edge(MAIN_LOOP, 0), MAIN_IF));
	CHECK(!graph_is_before(&p.graph, edge(MAIN_IF, 1), MAIN_SWITCH));
	CHECK(!graph_is_before(&p.graph, edge(MAIN_LOOP, 1), MAIN_LOOP));
	program_release(&p);
}

static uint8_t bits[4];

static void cover_all_but(int which)
{
	memset(bits, 0xff, sizeof bits);
	if (which >= 0)
		bits[which / 8] &= (uint8_t)~(1u << which % 8);
}

static void distances(void)
{
	program_init(&p);
	uint32_t d[PROGRAM_EDGES + 1];
	cover_all_but(-1);
	graph_distances(&p.graph, bits, d);
	for (int i = 0; i <= PROGRAM_EDGES; i++)
		CHECK_INT(UINT32_MAX, d[i]);
	cover_all_but(7); // the first of big
	graph_distances(&p.graph, bits, d);
	CHECK_INT(0, d[edge(BIG, 0)]);
	CHECK_INT(UINT32_MAX, d[edge(BIG + 1, 0)]);
	CHECK_INT(1, d[edge(MAIN_IF, 1)]);
	CHECK_INT(1, d[edge(MAIN_SWITCH, 2)]);
	CHECK_INT(2, d[edge(MAIN_IF, 0)]);   // by case 2
	CHECK_INT(2, d[edge(MAIN_LOOP, 1)]); // by `if`
	CHECK_INT(3, d[edge(MAIN_CALL, 0)]);
	CHECK_INT(UINT32_MAX, d[edge(MAIN_LOOP, 0)]);
	program_release(&p);
}

static void twice(void)
{
	program_init(&p);
	struct bytes section = program_graph();
	struct err err;
	CHECK_INT(0, graph_add_section(&p.graph, section.data, section.size, &err)); // it is there
	CHECK_INT(SMALL + 1, p.graph.n_points);
	program_release(&p);
}

// Whatever is wrong with it, it is refused or harmless.
static void damaged(void)
{
	struct bytes good = program_graph();
	for (size_t i = 0; i < good.size; i++)
		for (int change = 0; change < 4; change++) {
			static const uint8_t with[] = {0, 1, 0x7f, 0xff};
			struct bytes bad = test_bytes(good.data, change == 3 ? i : good.size);
			struct graph g;
			struct err err;
			uint32_t d[4096];
			if (i < bad.size)
				bad.data[i] = with[change];
			program_init(&p);
			graph_init(&g, p.cover);
			if (graph_add_section(&g, bad.data, bad.size, &err) == 0) {
				graph_finish(&g);
				CHECK(g.n_edges < 4096);
				graph_distances(&g, (const uint8_t[8]){0}, d);
				for (uint32_t at = 0; at < g.n_points; at++)
					graph_is_before(&g, 0, at);
			}
			graph_release(&g);
			program_release(&p);
		}
}

static const struct test tests[] = {TEST(is_as_it_was_made), TEST(before), TEST(distances), TEST(twice), TEST(damaged)};

TEST_MAIN("graph")
