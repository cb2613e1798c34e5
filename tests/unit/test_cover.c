// Coverage: what counters stand for, merged over runs; tables and images as a damaged or hostile file has them.
#include "abi/cover.h"

#include "coverage/cover.h"
#include "test.h"

enum { PAGE = 4096, UNIT = 77, OTHER = 78 };

static struct bytes section; // made by hand

static void byte(unsigned v)
{
	section.data[section.size++] = (uint8_t)v;
}

static void string(const char *s)
{
	byte((unsigned)strlen(s));
	memcpy(section.data + section.size, s, strlen(s));
	section.size += strlen(s);
}

static void place(unsigned kind, unsigned file, unsigned line, unsigned column)
{
	byte(kind);
	byte(file);
	byte(line);
	byte(column);
}

static void block(unsigned n, const unsigned *lines)
{
	byte(COVER_BLOCK);
	byte(n);
	for (unsigned i = 0; i < n; i++) {
		byte(0);
		byte(lines[i]);
	}
}

// A unit: f() in a.c with two blocks, a branch and a switch; g() of a header, which may be borrowed.
static void add_unit(uint64_t id, bool borrowed)
{
	struct cover_sites head = {.magic = COVER_MAGIC, .unit = id, .count = 9};
	size_t start = section.size;
	section.size += sizeof head;
	byte(2);
	string("/src/./x/../a.c");
	string("/src/a.h");
	byte(2);
	string("f");
	byte(0);
	byte(0);
	byte(3);
	byte(5);
	block(2, (unsigned[]){3, 4});
	place(COVER_BRANCH, 0, 4, 7);
	block(2, (unsigned[]){4, 5});
	place(COVER_CASE, 0, 5, 2);
	place(COVER_CASE, 0, 5, 2);
	string("g");
	byte(borrowed);
	byte(1);
	byte(9);
	byte(2);
	byte(COVER_BLOCK);
	byte(1);
	byte(1);
	byte(9);
	place(COVER_BRANCH, 1, 9, 1);
	head.size = (uint32_t)(section.size - start - sizeof head);
	memcpy(section.data + start, &head, sizeof head);
}

static void make_section(void)
{
	section = (struct bytes){test_alloc(4096), 0};
}

static struct cover *load(void)
{
	struct cover *c = cover_new();
	struct err err;
	if (cover_add_sites(c, section.data, section.size, &err) < 0) {
		cover_free(c);
		test_fail(__FILE__, __LINE__, "%s", err.text);
	}
	return c;
}

static uint8_t *image_of(unsigned units, const uint64_t *ids)
{
	uint8_t *image = test_alloc(units * PAGE);
	memset(image, 0, units * PAGE);
	for (unsigned i = 0; i < units; i++)
		memcpy(image + i * PAGE, &(struct cover_unit){COVER_MAGIC, ids[i], 9, 1}, sizeof(struct cover_unit));
	return image;
}

enum { FIRST = sizeof(struct cover_unit) };

static void check_totals(const struct cover *c, unsigned lines, unsigned edges, unsigned functions)
{
	struct cover_totals t = cover_totals(c);
	CHECK_INT(lines, t.lines.covered);
	CHECK_INT(edges, t.edges.covered);
	CHECK_INT(functions, t.functions.covered);
}

static void merges(void)
{
	make_section();
	add_unit(UNIT, false);
	struct cover *c = load();
	struct cover_totals t = cover_totals(c);
	CHECK_INT(4, t.lines.total);
	CHECK_INT(6, t.edges.total);
	CHECK_INT(2, t.functions.total);
	uint8_t *image = image_of(1, (uint64_t[]){UNIT});
	CHECK_INT(0, cover_merge(c, image, PAGE));
	image[FIRST] = image[FIRST + 2] = 1; // first block, the condition is true
	CHECK_INT(2, cover_merge(c, image, PAGE));
	CHECK_INT(0, image[FIRST] + image[FIRST + 2]);
	check_totals(c, 2, 1, 1);
	image[FIRST] = image[FIRST + 8] = 1;
	CHECK_INT(1, cover_merge(c, image, PAGE));
	check_totals(c, 2, 2, 1);
	memset(image + FIRST, 1, 9);
	CHECK_INT(6, cover_merge(c, image, PAGE));
	check_totals(c, 4, 6, 2);
	cover_free(c);
}

static void borrowed(void) // functions of headers count once, and when some unit really has them
{
	make_section();
	add_unit(UNIT, true);
	struct cover *c = load();
	CHECK_INT(3, cover_totals(c).lines.total);
	CHECK_INT(4, cover_totals(c).edges.total);
	CHECK_INT(1, cover_totals(c).functions.total);
	uint8_t *image = image_of(2, (uint64_t[]){UNIT, OTHER});
	memset(image + FIRST + 6, 1, 3);
	CHECK_INT(3, cover_merge(c, image, (size_t)2 * PAGE));
	check_totals(c, 0, 0, 0);
	make_section();
	add_unit(OTHER, false);
	struct err err;
	CHECK_INT(0, cover_add_sites(c, section.data, section.size, &err));
	CHECK_INT(4, cover_totals(c).lines.total);
	check_totals(c, 1, 2, 1);
	image[PAGE + FIRST + 3] = 1;
	CHECK_INT(1, cover_merge(c, image, (size_t)2 * PAGE));
	check_totals(c, 3, 2, 1);
	cover_free(c);
}

static void count_file(void *opaque, const char *file, struct cover_totals t)
{
	int *n = opaque;
	CHECK_STR(++*n == 1 ? "/src/a.c" : "/src/a.h", file);
	CHECK_INT(*n == 1 ? 3 : 1, t.lines.total);
	CHECK_INT(*n == 1 ? 4 : 2, t.edges.total);
	CHECK_INT(1, t.functions.total);
}

static void count_function(void *opaque, const char *file, const char *name, uint32_t line, struct cover_totals t)
{
	int *n = opaque;
	CHECK_STR(++*n == 1 ? "f" : "g", name);
	CHECK_INT(*n == 1 ? 3 : 9, line);
	CHECK_INT(*n == 1 ? 1 : 0, t.functions.covered);
}

static void count_line(void *opaque, const char *file, uint32_t line, bool covered)
{
	int *n = opaque;
	static const uint32_t lines[] = {3, 4, 5, 9};
	CHECK_INT(lines[*n], line);
	CHECK_INT(*n < 2, covered);
	++*n;
}

static void reports(void)
{
	make_section();
	add_unit(UNIT, false);
	struct cover *c = load();
	uint8_t *image = image_of(1, (uint64_t[]){UNIT});
	image[FIRST] = 1;
	cover_merge(c, image, PAGE);
	int files = 0, functions = 0, lines = 0;
	cover_each_file(c, count_file, &files);
	cover_each_function(c, count_function, &functions);
	cover_each_line(c, count_line, &lines);
	CHECK_INT(2, files);
	CHECK_INT(2, functions);
	CHECK_INT(4, lines);
	struct buf table = {0};
	cover_print_files(c, &table);
	bool has =
		strstr(table.data, "2/3  66.7%") && strstr(table.data, "  /src/a.c\n") && strstr(table.data, "  all\n");
	buf_release(&table);
	cover_free(c);
	CHECK(has);
}

static int keep(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n)
{
	CHECK_INT(UNIT, unit);
	CHECK_INT(9, n);
	memcpy(opaque, bytes, n);
	return 0;
}

static void is_stored(void)
{
	make_section();
	add_unit(UNIT, false);
	struct cover *c = load();
	uint8_t *image = image_of(1, (uint64_t[]){UNIT}), kept[9] = {0};
	image[FIRST] = image[FIRST + 1] = 1;
	cover_merge(c, image, PAGE);
	CHECK_INT(0, cover_each_changed(c, keep, kept));
	CHECK_INT(1, kept[0]);
	kept[0] = 0; // it is told once
	cover_each_changed(c, keep, kept);
	CHECK_INT(0, kept[0]);
	kept[0] = 1;
	cover_free(c);
	c = load();
	cover_restore(c, UNIT, kept, 8);
	cover_restore(c, OTHER, kept, 9);
	check_totals(c, 0, 0, 0);
	cover_restore(c, UNIT, kept, 9);
	check_totals(c, 2, 1, 1);
	cover_free(c);
}

static void damaged_tables(void) // each is refused or taken, and nothing behind it is read
{
	struct err err;
	make_section();
	add_unit(UNIT, false);
	add_unit(OTHER, true);
	for (size_t size = 1; size < section.size; size++) {
		struct cover *c = cover_new();
		int r = cover_add_sites(c, test_guarded(section.data, size), size, &err);
		unsigned total = cover_totals(c).lines.total;
		cover_free(c);
		CHECK_THAT((r == 0) == (size == section.size / 2), "%zu bytes", size);
		CHECK_INT(r == 0 ? 4 : 0, total);
	}
	for (int i = 0; i < 20000; i++) {
		struct bytes copy = test_bytes(section.data, section.size);
		test_mutate(copy.data, 0, copy.size);
		struct cover *c = cover_new();
		cover_add_sites(c, test_guarded(copy.data, copy.size), copy.size, &err);
		uint8_t *image = image_of(2, (uint64_t[]){UNIT, OTHER});
		memset(image + FIRST, 1, 9);
		memset(image + PAGE + FIRST, 1, 9);
		cover_merge(c, image, (size_t)2 * PAGE);
		struct buf table = {0};
		cover_print_files(c, &table);
		buf_release(&table);
		cover_free(c);
	}
}

static void damaged_images(void)
{
	make_section();
	add_unit(UNIT, false);
	struct cover *c = load();
	for (int i = 0; i < 20000; i++) {
		uint8_t *image = test_guarded(image_of(2, (uint64_t[]){UNIT, OTHER}), (size_t)2 * PAGE);
		test_mutate(image, 0, FIRST + 16);
		test_mutate(image, PAGE, PAGE + FIRST + 16);
		cover_merge(c, image, (size_t)2 * PAGE);
		cover_clear(image, (size_t)2 * PAGE);
	}
	uint8_t *image = image_of(1, (uint64_t[]){UNIT});
	memset(image + FIRST, 0xff, PAGE - FIRST); // behind the last counter, too
	cover_merge(c, image, PAGE);
	memset(image + FIRST, 0xff, PAGE - FIRST);
	CHECK_INT(0, cover_merge(c, image, PAGE));
	check_totals(c, 4, 6, 2);
	memset(image + FIRST, 1, 9);
	cover_clear(image, PAGE);
	CHECK_INT(0, image[FIRST] + image[FIRST + 8]);
	CHECK_INT(0, cover_merge(c, image, 100)); // too small for a unit
	cover_free(c);
}

static const struct test tests[] = {
	TEST(merges), TEST(borrowed), TEST(reports), TEST(is_stored), TEST(damaged_tables), TEST(damaged_images),
};

TEST_MAIN("cover")
