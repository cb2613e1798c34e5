// Segments of functions: numbers to source lines, counters of runs; tables as a damaged or hostile file has them.
#include "coverage/segments.h"

#include "abi/cover.h"
#include "base/mem.h"
#include "coverage/cover.h"
#include "test.h"

enum { PAGE = 4096, UNIT = 5, FIRST = sizeof(struct cover_segments) };

static struct bytes table;

static void bytes(const uint8_t *v, size_t n)
{
	memcpy(table.data + table.size, v, n);
	table.size += n;
}
#define BYTES(...) bytes((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

//      0 entry, line 3              segment 0: 0 1 4       entry -> loop
//      | \                                  1: 0 2 4
//      1  2                                 2: 4           loop -> exit
//      | /                                  3: 4 3         loop -> computed goto
//      4 loop, 5:9, line 5
//      | \
//      5  3 computed goto, to 4
//   (exit)
static void graph(void)
{
	BYTES(4, 6);
	BYTES(1, SHAPE_AT_ENTRY, 0, 3, 0, /**/ 1, 0, 3, /**/ 0, 2, 1, 2, 7);
	BYTES(0, /**/ 1, 0, 4, /**/ 0, 1, 4);
	BYTES(0, /**/ 2, 0, 4, 1, 44, /**/ 0, 1, 4);
	BYTES(0, /**/ 0, /**/ 1, 1, 4);
	BYTES(2, SHAPE_AT_LOOP, 0, 5, 9, /**/ 1, 0, 5, /**/ 0, 2, 5, 3, 0);
	BYTES(0, /**/ 1, 0, 6, /**/ 0, 0);
}

static void start(void)
{
	table = (struct bytes){test_alloc(1024), 0};
}

static const uint32_t files[] = {10, 11};

static void leads_back(void)
{
	start();
	graph();
	// Node 3 comes before 4, its target: a marker may come earlier or later. 4's edge to 3 would lead back.
	struct cursor in = {table.data, table.data + table.size, false};
	CHECK(!segments_read(&in, files, 2) && in.bad);
}

// The same with the computed goto last.
static void graph_in_order(void)
{
	BYTES(4, 6);
	BYTES(1, SHAPE_AT_ENTRY, 0, 3, 0, /**/ 1, 0, 3, /**/ 0, 2, 1, 2, 7);
	BYTES(0, /**/ 1, 0, 4, /**/ 0, 1, 3);
	BYTES(0, /**/ 2, 0, 4, 1, 44, /**/ 0, 1, 3);
	BYTES(2, SHAPE_AT_LOOP, 0, 5, 9, /**/ 1, 0, 5, /**/ 0, 2, 4, 5, 9);
	BYTES(0, /**/ 1, 0, 6, /**/ 0, 0);
	BYTES(0, /**/ 0, /**/ 1, 1, 3);
	BYTES(2, /**/ 0, 1); // infeasible: 0, and one behind it 2
	BYTES(1, /**/ 3);    // unprovable: 3
}

static void check_lines(struct segment s, const char *expected)
{
	struct buf text = {0};
	for (uint32_t i = 0; i < s.n; i++)
		buf_printf(&text, " %u:%u", s.lines[i].file, s.lines[i].line);
	mem_free(s.lines);
	char *copy = test_printf("%s", text.data ? text.data : "");
	buf_release(&text);
	CHECK_STR(expected, copy);
}

static void lines(void)
{
	start();
	graph_in_order();
	struct cursor in = {table.data, table.data + table.size, false};
	struct segments *s = segments_read(&in, files, 2);
	CHECK(s && in.p == in.end);
	CHECK_INT(4, segments_count(s));
	for (uint32_t k = 0; k < 4; k++) {
		CHECK_INT(k == 0 || k == 2, segments_infeasible(s, k));
		CHECK_INT(k == 3, segments_unprovable(s, k));
	}
	check_lines(segments_get(s, 0), " 10:3 10:4");
	check_lines(segments_get(s, 1), " 10:3 10:4 11:44");
	check_lines(segments_get(s, 2), " 10:5 10:6");
	struct segment last = segments_get(s, 3), first = segments_get(s, 0);
	CHECK_INT(SEGMENT_COMPUTED, last.end);
	CHECK_INT(SHAPE_AT_LOOP, last.from.kind);
	CHECK_INT(SEGMENT_MARKER, first.end);
	CHECK_INT(9, first.to.column);
	mem_free(first.lines);
	check_lines(last, " 10:5");
	segments_free(s);
}

// Where the ways of segments part, and how many others part there.
static void choices(void)
{
	start();
	graph_in_order();
	struct cursor in = {table.data, table.data + table.size, false};
	struct segments *s = segments_read(&in, files, 2);
	struct segment_choice c;
	CHECK(s && segments_choice(s, 1, 0, &c));
	CHECK_INT(7, c.point);
	CHECK_INT(0, c.all.first);
	CHECK_INT(2, c.all.end);
	CHECK_INT(1, c.taken.first);
	CHECK_INT(2, c.taken.end);
	CHECK(!segments_choice(s, 1, 1, &c));
	CHECK(segments_choice(s, 2, 0, &c));
	CHECK_INT(9, c.point);
	CHECK_INT(2, c.all.first);
	CHECK_INT(4, c.all.end);
	CHECK_INT(3, c.taken.end);
	segments_free(s);
}

static void unsound(void) // each is wrong in one place
{
	static const struct {
		size_t at;
		uint8_t value;
	} cases[] = {{0, 5},  {0, 3},  {1, 7},  {2, 3},  {3, 9},  {4, 2},  {12, 6}, {13, 9},
	             {21, 1}, {26, 2}, {31, 1}, {42, 2}, {55, 1}, {56, 3}, {57, 3}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		start();
		graph_in_order();
		table.data[cases[i].at] = cases[i].value;
		struct cursor in = {table.data, table.data + table.size, false};
		struct segments *s = segments_read(&in, files, 2);
		bool good = s && in.p == in.end;
		segments_free(s);
		CHECK_THAT(!good, "case %zu", i);
	}
}

static void damaged(void)
{
	start();
	graph_in_order();
	for (int i = 0; i < 20000; i++) {
		struct bytes copy = test_bytes(table.data, i % 2 ? table.size : test_below(table.size));
		if (copy.size)
			test_mutate(copy.data, 0, copy.size);
		const uint8_t *data = test_guarded(copy.data, copy.size);
		struct cursor in = {data, data + copy.size, false};
		struct segments *s = segments_read(&in, files, 2);
		for (uint32_t n = 0; s && n < segments_count(s) && n < 1000; n++)
			mem_free(segments_get(s, n).lines);
		segments_free(s);
	}
}

// A unit with one function, a block and the segments above.
static struct cover *load(void)
{
	struct cover *c = cover_new();
	struct err err;
	start();
	table.size = sizeof(struct cover_sites);
	BYTES(2, 4, '/', 'a', '.', 'c', 4, '/', 'b', '.', 'c', 1);
	BYTES(1, 'f', 0, 0, 3, 2, COVER_BLOCK, 1, 0, 3, COVER_PATHS);
	graph_in_order();
	memcpy(table.data,
	       &(struct cover_sites){.magic = COVER_MAGIC,
	                             .unit = UNIT,
	                             .count = 5,
	                             .size = (uint32_t)(table.size - sizeof(struct cover_sites))},
	       sizeof(struct cover_sites));
	if (cover_add_sites(c, table.data, table.size, &err) < 0) {
		cover_free(c);
		test_fail(__FILE__, __LINE__, "%s", err.text);
	}
	return c;
}

static void print(void *opaque, const struct cover_segment *s)
{
	struct buf line = {0};
	struct cover *c = ((void **)opaque)[0];
	char **all = &((char **)opaque)[1];
	cover_print_segment(c, s, &line);
	*all = test_printf("%s%s\n", *all, line.data);
	buf_release(&line);
}

static void runs(void)
{
	struct cover *c = load();
	struct cover_segments head = {.unit = {COVER_MAGIC_SEGMENTS, UNIT, 5, 1}, .passed = 70};
	uint8_t *image = test_alloc(PAGE);
	memset(image, 0, PAGE);
	memcpy(image, &head, sizeof head);
	CHECK_INT(4, cover_totals(c).segments.total);
	image[FIRST] = image[FIRST + 2] = 1; // the block, segment 1
	CHECK_INT(70, cover_length(image, PAGE));
	CHECK_INT(2, cover_merge(c, image, PAGE));
	CHECK_INT(0, cover_length(image, PAGE));
	CHECK_INT(1, cover_totals(c).segments.covered);
	memcpy(image, &head, sizeof head);
	cover_clear(image, PAGE);
	CHECK_INT(0, cover_length(image, PAGE));
	void *opaque[] = {c, ""};
	cover_each_segment(c, print, opaque);
	char *text = opaque[1];
	cover_free(c);
	CHECK_STR("/a.c:3 f segment 0 not: entry 3 -> loop 5:9: 3 4 [infeasible]\n"
	          "/a.c:3 f segment 1 covered: entry 3 -> loop 5:9: 3 4\n"
	          "/a.c:3 f segment 2 not: loop 5:9 -> exit: 5 6 [infeasible]\n"
	          "/a.c:3 f segment 3 not: loop 5:9 -> computed goto: 5\n",
	          text);
}

static const struct test tests[] = {
	TEST(leads_back), TEST(lines), TEST(choices), TEST(unsound), TEST(damaged), TEST(runs),
};
TEST_MAIN("segments")
