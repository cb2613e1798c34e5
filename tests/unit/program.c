#include "program.h"

#include "abi/cover.h"
#include "abi/graph.h"
#include "base/hash.h"
#include "test.h"

static struct bytes out;

static void put(unsigned v)
{
	out.data[out.size++] = (uint8_t)v;
}

static void string(const char *s)
{
	put((unsigned)strlen(s));
	memcpy(out.data + out.size, s, strlen(s));
	out.size += strlen(s);
}

static size_t begin(size_t head)
{
	out = (struct bytes){test_alloc(4096), head};
	memset(out.data, 0, 4096);
	return head;
}

static struct bytes end(struct cover_sites head)
{
	head.unit = PROGRAM_UNIT;
	head.size = (uint32_t)(out.size - sizeof head);
	memcpy(out.data, &head, sizeof head);
	return out;
}

// --- counters -------------------------------------------------------------------------------------

static void items(const char *function, unsigned line, unsigned branches, unsigned cases)
{
	string(function);
	put(0);
	put(0);
	put(line);
	put(branches + cases);
	for (unsigned i = 0; i < branches + cases; i++) {
		put(i < branches ? COVER_BRANCH : COVER_CASE);
		put(0);
		put(line + (i < branches ? i : branches));
		put(1);
	}
}

static struct bytes cover_section(void)
{
	begin(sizeof(struct cover_sites));
	put(1);
	string("a.c");
	put(3);
	items("main", 1, 2, 3);
	items("big", 20, 6, 0);
	items("small", 40, 1, 0);
	return end((struct cover_sites){.magic = COVER_MAGIC, .count = PROGRAM_EDGES});
}

// --- the graph ------------------------------------------------------------------------------------

enum { NAME_MAIN, NAME_BIG, NAME_SMALL, NAME_STRLEN };

// A point or none (-1), a function or none.
static void next(int point, int function)
{
	put(point >= 0);
	if (point >= 0)
		put((unsigned)point);
	put(function >= 0);
	if (function >= 0)
		put((unsigned)function);
}

static void point(enum graph_kind kind, unsigned flags, int from, unsigned edge, int result, unsigned edges)
{
	put(kind);
	put((flags & 0x7f) | (flags > 0x7f ? 0x80 : 0));
	if (flags > 0x7f)
		put(flags >> 7);
	put((unsigned)(from + 1));
	put(edge);
	put(result >= 0);
	if (result >= 0)
		put((unsigned)result);
	put(edges);
}

static void edge(int byte, unsigned way, int to, int function)
{
	put((unsigned)(byte + 1));
	put(way);
	next(to, function);
}

static void function(unsigned name, int first, unsigned points)
{
	put(name);
	put(0);
	next(first, -1);
	put(points);
}

struct bytes program_graph(void)
{
	begin(sizeof(struct cover_sites));
	put(4);
	string("main");
	string("big");
	string("small");
	string("strlen");
	put(3);
	function(NAME_MAIN, MAIN_LOOP, 4);
	point(GRAPH_BRANCH, GRAPH_LOOP | GRAPH_STAYS | GRAPH_INTEGER | GRAPH_CHARACTER | GRAPH_LOCAL, -1, 0, -1, 2);
	edge(0, 0, -1, NAME_SMALL);
	edge(1, 1, MAIN_IF, -1);
	point(GRAPH_BRANCH, GRAPH_NESTED | GRAPH_BODY | GRAPH_INTEGER, MAIN_LOOP, 1, NAME_STRLEN, 2);
	edge(2, 0, MAIN_SWITCH, -1);
	edge(3, 1, MAIN_SWITCH, NAME_BIG);
	point(GRAPH_SWITCH, GRAPH_NESTED | GRAPH_BODY | GRAPH_POINTER, MAIN_LOOP, 1, -1, 3);
	edge(4, 0, MAIN_LOOP, -1);
	edge(5, 1, MAIN_LOOP, -1);
	edge(6, 2, MAIN_LOOP, NAME_BIG);
	point(GRAPH_CALL, 0, -1, 0, NAME_STRLEN, 1);
	edge(-1, 0, MAIN_LOOP, -1);
	function(NAME_BIG, BIG, 6);
	for (int i = 0; i < 6; i++) {
		point(GRAPH_BRANCH, 0, -1, 0, -1, 2);
		edge(7 + 2 * i, 0, i < 5 ? BIG + i + 1 : -1, -1);
		edge(8 + 2 * i, 1, i < 5 ? BIG + i + 1 : -1, -1);
	}
	function(NAME_SMALL, SMALL, 1);
	point(GRAPH_BRANCH, 0, -1, 0, NAME_MAIN, 2);
	edge(19, 0, -1, -1);
	edge(20, 1, -1, -1);
	return end((struct cover_sites){.magic = GRAPH_MAGIC, .count = SMALL + 1});
}

void program_init(struct program *p)
{
	struct err err;
	struct bytes section = cover_section();
	*p = (struct program){.cover = cover_new()};
	if (cover_add_sites(p->cover, section.data, section.size, &err) < 0)
		test_fail(__FILE__, __LINE__, "%s", err.text);
	graph_init(&p->graph, p->cover);
	section = program_graph();
	if (graph_add_section(&p->graph, section.data, section.size, &err) < 0)
		test_fail(__FILE__, __LINE__, "%s", err.text);
	graph_finish(&p->graph);
	tree_init(&p->tree, 1 << 20);
	paths_init(&p->paths, &p->graph, &p->tree, 1 << 20);
}

void program_release(struct program *p)
{
	paths_release(&p->paths);
	tree_release(&p->tree);
	graph_release(&p->graph);
	cover_free(p->cover);
}

// --- runs -----------------------------------------------------------------------------------------

static uint64_t key_of(uint64_t before, struct step s)
{
	const uint64_t v[] = {before, (uint64_t)s.point, s.way};
	return hash_bytes(v, sizeof v).low | 1;
}

static uint8_t edges[(PROGRAM_EDGES + 7) / 8];

static void set(int edge)
{
	if (edge >= 0 && edge < PROGRAM_EDGES)
		edges[edge / 8] |= (uint8_t)(1u << edge % 8);
}

static int byte_of(struct step s)
{
	return s.point == MAIN_CALL  ? -1
	       : s.point < MAIN_CALL ? 2 * s.point + (int)s.way
	                             : 7 + 2 * (s.point - BIG) + (int)s.way;
}

static void add_alternative(struct program *p, struct result *r, uint64_t before, struct step s, enum alternative_op op)
{
	uint64_t key = key_of(before, s);
	r->alternatives[r->n_alternatives++] =
		(struct alternative){.key = key, .edge = key_of(0, s), .value = s.way, .op = (uint8_t)op};
	if (tree_get(&p->tree, key) == TREE_NEW)
		tree_set(&p->tree, key, TREE_PENDING);
}

uint32_t program_run(struct program *p, const struct step *steps, unsigned n, const int *more)
{
	struct result r = {.n_edges = sizeof edges, .edges = edges};
	r.reported = test_alloc((n + 1) * sizeof *r.reported);
	r.alternatives = test_alloc((4 * n + 1) * sizeof *r.alternatives);
	memset(edges, 0, sizeof edges);
	uint64_t before = 0;
	for (unsigned i = 0; i < n; i++) {
		struct step s = steps[i];
		struct decision d = {.first = r.n_alternatives, .place = before ^ (uint64_t)s.point, .taken = s.way};
		d.key = key_of(before, s);
		d.edge = key_of(0, s);
		d.point = graph_name(PROGRAM_UNIT, (uint32_t)s.point);
		for (unsigned way = 0; way < (s.point == MAIN_SWITCH ? 3u : 2u); way++)
			if (way != s.way)
				add_alternative(p, &r, before, (struct step){s.point, way},
				                s.point != MAIN_SWITCH ? ALTERNATIVE_NEGATE
				                : way                  ? ALTERNATIVE_CASE
				                                       : ALTERNATIVE_DEFAULT);
		d.alternatives = r.n_alternatives - d.first;
		r.reported[r.n_reported++] = (struct reported){.decision = d, .depth = i};
		tree_set(&p->tree, d.key, TREE_TAKEN);
		set(byte_of(s));
		before = d.key;
	}
	for (; more && *more >= 0; more++)
		set(*more);
	return paths_add(&p->paths, ++p->inputs, &r);
}
