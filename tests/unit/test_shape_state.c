// Typed values: cells made of objects that the compiler laid out, and what is said about them.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "shape/state.h"
#include "test.h"

#include "../programs/shapes/sample.h"

enum { CELLS = 12 };

struct made {
	struct shape_program program;
	struct state_part parts[CELLS];
	uint32_t n;
	struct buf entry;
	struct state state;
};

static void start(struct made *m, const char *function, uint32_t marker, const char *global, const char *stub)
{
	struct buf bytes = {0};
	struct err err = {""};
	*m = (struct made){0};
	CHECK(file_read(SAMPLE, &bytes, &err) == 0);
	CHECK(shape_add(&m->program, bytes.data, bytes.len, &err) == 0);
	buf_release(&bytes);
	uint64_t unit = m->program.units[0].head->unit;
	struct fragment_entry e = {.magic = FRAGMENT_MAGIC,
	                           .unit = unit,
	                           .function = shape_find_function(&m->program, 0, function).number,
	                           .marker = marker,
	                           .depth = 4,
	                           .object_max = 4096,
	                           .n_globals = global != NULL,
	                           .n_stubs = stub != NULL};
	buf_add(&m->entry, &e, sizeof e);
	struct fragment_name name = {.unit = unit};
	if (global) {
		name.number = shape_find_global(&m->program, 0, global).number;
		buf_add(&m->entry, &name, sizeof name);
	}
	if (stub) {
		name.number = shape_find_function(&m->program, 0, stub).number;
		buf_add(&m->entry, &name, sizeof name);
	}
}

static void add(struct made *m, const char *name, const void *data, const void *mask, size_t size)
{
	m->parts[m->n++] = (struct state_part){.name = name, .data = data, .mask = mask, .size = size};
}

static void look(struct made *m)
{
	struct err err = {""};
	CHECK(state_read(&m->state, &m->program, m->entry.data, m->entry.len, m->parts, m->n, &err) == 0);
}

static void end(struct made *m)
{
	state_release(&m->state);
	buf_release(&m->entry);
	shape_free(&m->program);
}

static void check_text(struct made *m, const char *expected)
{
	struct buf text = {0};
	state_print(&m->state, &text);
	CHECK_STR(expected, text.data ? text.data : "");
	buf_release(&text);
}

// --- C --------------------------------------------------------------------------------------------

static bool address(const struct state_leaf *pointer, uint32_t target, struct buf *out, void *opaque)
{
	if (target == STATE_UNTOUCHED)
		buf_addstr(out, "&untouched");
	else
		buf_printf(out, "&cell_%u", target);
	return true;
}

static void rest(const struct state_leaf *leaf, void *opaque)
{
	buf_printf(opaque, "%s;", leaf->path);
}

static void check_c(struct made *m, uint32_t cell, const char *expected, const char *expected_rest)
{
	struct buf text = {0}, left = {0};
	struct state_c how = {.address = address, .rest = rest, .opaque = &left};
	buf_addstr(&left, "");
	state_c_initialiser(&m->state, cell, NULL, &how, &text);
	CHECK_STR(expected, text.data ? text.data : "");
	CHECK_STR(expected_rest, left.data ? left.data : "");
	buf_release(&text);
	buf_release(&left);
}

#define POINT(pointer, value) memset(memset(&(pointer), 0, sizeof(pointer)), (value), 1)

// --- every kind -----------------------------------------------------------------------------------

struct frame_of_values {
	struct numbers n;
	struct list *l;
	const char *text;
	struct bits b;
	union any u;
	struct packed *p;
	char letter;
};

static void test_numbers(void)
{
	struct made m;
	struct frame_of_values f = {
		.n = {.flag = 1,
	              .c = 'x',
	              .sc = -128,
	              .uc = 200,
	              .s = -32768,
	              .us = 65535,
	              .i = -2147483647 - 1,
	              .u = 4294967295u,
	              .l = -9223372036854775807L - 1,
	              .ul = 18446744073709551615UL,
	              .ll = 5,
	              .ull = 9223372036854775808ULL,
	              .huge = (__int128)1 << 100,
	              .f = 0.1f,
	              .d = -2.5,
	              .ld = 1.5L,
	              .z = 3.0,
	              .w = 8364,
	              .half = 0.1f,
	              .exact = -7},
		.letter = '\'',
	};
	POINT(f.l, FRAGMENT_NULL);
	POINT(f.text, FRAGMENT_NULL);
	POINT(f.p, FRAGMENT_NULL);
	uint8_t mask[sizeof f] = {0};
	memset(mask, 0xff, sizeof f.n);
	start(&m, "values", 0, NULL, NULL);
	add(&m, "", &f, mask, sizeof f);
	look(&m);
	check_text(&m, "n.flag = true\nn.c = 120 'x'\nn.sc = -128\nn.uc = 200\nn.s = -32768\nn.us = 65535\n"
	               "n.i = -2147483648\nn.u = 4294967295\nn.l = -9223372036854775808\nn.ul = 18446744073709551615\n"
	               "n.ll = 5\nn.ull = 9223372036854775808\nn.huge = 1267650600228229401496703205376\n"
	               "n.f = 0x1.99999ap-4 (0.100000001)\nn.d = -0x1.4p+1 (-2.5)\nn.ld = 0xcp-3 (1.5)\n"
	               "n.z[0] = 0x1.8p+1 (3)\nn.z[1] = 0x0p+0 (0)\nn.w = 8364\nn.half = 0x1.998p-4 "
	               "(0.099976)\nn.exact = -7\n");
	check_c(&m, 0,
	        "n.flag = 1, n.c = 'x', n.sc = -128, n.uc = 200, n.s = -32768, n.us = 65535, n.i = -2147483647 - 1, "
	        "n.u = 4294967295u, n.l = -9223372036854775807L - 1, n.ul = 18446744073709551615UL, n.ll = 5L, "
	        "n.ull = 9223372036854775808UL, n.huge = (__int128)((unsigned __int128)0x1000000000u << 64 | 0x0u), "
	        "n.f = 0x1.99999ap-4f /* 0.100000001 */, n.d = -0x1.4p+1 /* -2.5 */, n.ld = 0xcp-3L /* 1.5 */, "
	        "n.w = 8364, n.half = (_Float16)0x1.998p-4f /* 0.1 */, n.exact = -7L",
	        "n.z[0];n.z[1];");
	end(&m);
}

static void test_floats(void)
{
	struct made m;
	struct frame_of_values f = {.n = {.f = __builtin_inff(), .d = __builtin_nan("0x12"), .ld = -__builtin_infl()}};
	uint8_t mask[sizeof f] = {0};
	memset(mask + offsetof(struct numbers, f), 0xff, offsetof(struct numbers, z) - offsetof(struct numbers, f));
	start(&m, "values", 0, NULL, NULL);
	add(&m, "", &f, mask, sizeof f);
	look(&m);
	check_c(&m, 0, "n.f = __builtin_inff(), n.d = __builtin_nan(\"0x12\"), n.ld = -__builtin_infl()", "");
	end(&m);
}

static void test_rest_of_frame(void)
{
	struct made m;
	struct frame_of_values f = {.b = {.a = 5, .b = -3, .c = 1LL << 38, .d = 1, .e = 9}, .u.d = 0.5, .letter = '\''};
	POINT(f.l, FRAGMENT_NULL);
	POINT(f.text, FRAGMENT_CELL + 1);
	POINT(f.p, FRAGMENT_NEW);
	struct packed behind = {.tag = 'a', .value = -1, .tail = 2};
	char text[8] = "hi\n";
	uint8_t mask[sizeof f];
	memset(mask, 0xff, sizeof mask);
	memset(mask, 0, sizeof f.n);
	memset(mask + offsetof(struct frame_of_values, u) + 8, 0, 8); // all of u.d, and nothing behind it
	start(&m, "values", 0, "limit", NULL);
	int limit_now = 12;
	add(&m, "", &f, mask, sizeof f);
	add(&m, "*text", text, NULL, sizeof text);
	add(&m, "*p", &behind, NULL, sizeof behind);
	add(&m, "limit", &limit_now, NULL, sizeof limit_now);
	look(&m);
	check_text(&m, "l = NULL\nb.a = 5\nb.b = -3\nb.c = 274877906944\nb.d = true\nb.e = 9\nu.d = 0x1p-1 (0.5)\n"
	               "letter = 39 '''\ntext = \"hi\\n\"\np->tag = 97 'a'\np->value = -1\np->tail = 2\nlimit = 12\n");
	check_c(&m, 0,
	        "text = &cell_1, b.a = 5u, b.b = -3, b.c = 274877906944L, b.d = 1, b.e = 9u, u.d = 0x1p-1 /* 0.5 */, "
	        "p = &cell_2, letter = 39",
	        "");
	check_c(&m, 1, "\"hi\\n\"", "");
	check_c(&m, 2, ".tag = 'a', .value = -1, .tail = 2", "");
	check_c(&m, 3, "12", "");
	CHECK(m.state.cells[3].kind == STATE_GLOBAL && m.state.cells[2].kind == STATE_OBJECT);
	end(&m);
}

struct frame_of_walk {
	struct list *l;
	const uint8_t *bytes;
	size_t n;
	int sum;
};

// A list of two that ends in itself, with everything that a structure can have.
static void test_objects(void)
{
	struct made m;
	struct frame_of_walk f = {.n = 3};
	POINT(f.l, FRAGMENT_NEW);
	POINT(f.bytes, FRAGMENT_NEW);
	size_t size = sizeof(struct list) + 2 * sizeof(int);
	struct list *a = mem_zero(size), *b = mem_zero(sizeof *b);
	POINT(a->next, FRAGMENT_NEW);
	POINT(a->link, FRAGMENT_NULL);
	strcpy(a->name, "node");
	a->color = GREEN;
	a->level = (level)9;
	a->at.y = 4;
	a->any.i = 17;
	a->small = 3;
	a->right = -2;
	POINT(a->text, FRAGMENT_NEW);
	POINT(a->hidden, FRAGMENT_NEW);
	a->grid[1][2] = 6;
	a->tail[1] = 8;
	POINT(b->next, FRAGMENT_CELL + 1);
	POINT(b->run, FRAGMENT_NULL);
	b->name[15] = 'z';
	b->name[3] = '\\';
	uint8_t bytes[] = {1, 0, 255};
	uint8_t *mask_a = mem_zero(size), *mask_b = mem_zero(sizeof *b);
	memset(mask_a, 0xff, size);
	memset(mask_a + offsetof(struct list, any) + 4, 0, 12);
	memset(mask_a + offsetof(struct list, bits), 0, sizeof(struct bits));
	memset(mask_a + offsetof(struct list, words), 0, 16);
	memset(mask_a + offsetof(struct list, rows), 0, 16);
	memset(mask_a + offsetof(struct list, grid), 0, 20);
	memset(mask_b + offsetof(struct list, next), 0xff, 8);
	memset(mask_b + offsetof(struct list, name) + 3, 0xff, 1);
	memset(mask_b + offsetof(struct list, name) + 15, 0xff, 1);
	memset(mask_b + offsetof(struct list, any), 0xff, 13); // no member says it
	((char *)&b->any)[12] = 1;
	start(&m, "walk", 0, NULL, NULL);
	add(&m, "", &f, NULL, sizeof f);
	add(&m, "*l", a, mask_a, size);
	add(&m, "*l->next", b, mask_b, sizeof *b);
	add(&m, "*bytes", bytes, NULL, sizeof bytes);
	look(&m);
	CHECK(m.state.cells[3].count == 3);
	check_text(
		&m,
		"n = 3\nl->link = NULL\nl->name = \"node\"\nl->color = GREEN\nl->level = 9\nl->at.x = 0\nl->at.y = 4\n"
		"l->any.i = 17\nl->small = 3\nl->left = 0\nl->right = -2\nl->text != NULL\nl->grid[1][2] = 6\n"
		"l->hidden != NULL\nl->length = 0\nl->tail[0] = 0\nl->tail[1] = 8\n"
		"l->next->next = l\nl->next->name[3] = '\\'\nl->next->name[15] = 'z'\n"
		"l->next->any = bytes 00 00 00 00 00 00 00 00 00 00 00 00 01 .. .. ..\n"
		"bytes[0..2] = \"\\001\\000\\377\"\n");
	check_c(&m, 1,
	        ".next = &cell_2, .name = \"node\", .color = GREEN, .level = 9u, .at.y = 4, .any.i = 17, .small = 3, "
	        ".right = -2, .text = &untouched, .grid[1][2] = 6, .hidden = &untouched",
	        ".tail[0];.tail[1];");
	check_c(&m, 2, ".next = &cell_1, .name[3] = 92, .name[15] = 'z'", ".any;");
	check_c(&m, 3, "[0] = 1, [2] = 255", "");
	mem_free(a);
	mem_free(b);
	mem_free(mask_a);
	mem_free(mask_b);
	end(&m);
}

// Arrays behind pointers, stubs, aliases of globals, places that nothing leads to.
static void test_others(void)
{
	struct made m;
	struct frame_of_walk f = {0};
	POINT(f.l, FRAGMENT_CELL + 3);
	POINT(f.bytes, FRAGMENT_KEEP);
	struct list pair[2] = {{.length = 1}, {.length = 2}};
	for (int i = 0; i < 2; i++)
		for (size_t at = 0; at < sizeof *pair; at += 8)
			if (at != offsetof(struct list, length))
				((uint8_t *)&pair[i])[at] = FRAGMENT_NULL;
	uint8_t mask[2 * sizeof *pair] = {0};
	memset(mask + offsetof(struct list, length), 0xff, 8);
	struct list *first_now;
	POINT(first_now, FRAGMENT_NEW);
	int result = -4;
	start(&m, "walk", 0, "first", "drop");
	add(&m, "", &f, NULL, sizeof f);
	add(&m, "first", &first_now, NULL, sizeof first_now);
	add(&m, "drop#2", &result, NULL, sizeof result);
	add(&m, "*first", pair, mask, sizeof *pair);
	add(&m, "*nobody->else", &result, NULL, sizeof result);
	add(&m, "unknown#1", &result, NULL, sizeof result);
	add(&m, "read#2", &result, NULL, sizeof result); // of the system
	add(&m, "read#2.out", "ab", NULL, 2);
	add(&m, "read#2:errno", &result, NULL, sizeof result);
	look(&m);
	for (int i = 6; i < 9; i++)
		CHECK(m.state.cells[i].kind == STATE_SYSTEM && m.state.cells[i].call == 2 &&
		      m.state.cells[i].of == system_find("read"));
	CHECK(m.state.cells[2].kind == STATE_RESULT && m.state.cells[2].call == 2);
	CHECK(m.state.cells[4].kind == STATE_UNTYPED && m.state.cells[5].kind == STATE_UNTYPED);
	check_text(&m, "l = first\nbytes = as initialised\nn = 0\ndrop#2 = -4\nfirst->length = 1\n"
	               "*nobody->else = bytes fc ff ff ff\nunknown#1 = bytes fc ff ff ff\n"
	               "read#2 = -4\nread#2.out = \"ab\"\nread#2:errno = -4\n");
	check_c(&m, 0, "l = &cell_3", "");
	end(&m);
}

static void test_json(void)
{
	struct made m;
	struct frame_of_walk f = {.n = 2};
	POINT(f.l, FRAGMENT_NULL);
	POINT(f.bytes, FRAGMENT_NEW);
	start(&m, "walk", 0, "limit", "drop");
	add(&m, "", &f, NULL, sizeof f);
	add(&m, "*bytes", "a\"", NULL, 3);
	look(&m);
	struct buf text = {0};
	state_json(&m.state, &text);
	CHECK_STR(
		"{\"function\": \"walk\", \"file\": \"/src/tests/programs/shapes/sample.c\", \"marker\": 0, \"line\": "
		"33, "
		"\"globals\": "
		"[\"limit\"], \"stubs\": [\"drop\"], \"cells\": [{\"name\": \"\", \"kind\": \"frame\", \"type\": "
		"\"frame of "
		"walk\", \"size\": 32, \"values\": [{\"place\": \"l\", \"kind\": \"pointer\", \"type\": \"struct list "
		"*\", "
		"\"value\": \"NULL\"}, {\"place\": \"bytes\", \"kind\": \"pointer\", \"type\": \"const uint8_t *\", "
		"\"value\": "
		"\"bytes\"}, {\"place\": \"n\", \"kind\": \"number\", \"type\": \"size_t\", \"value\": \"2\"}]}, "
		"{\"name\": "
		"\"*bytes\", \"kind\": \"object\", \"type\": \"unsigned char\", \"size\": 3, \"values\": [{\"place\": "
		"\"bytes\", \"kind\": \"text\", \"type\": \"unsigned char\", \"value\": \"\\\"a\\\\\\\"\\\"\"}]}]}",
		text.data);
	buf_release(&text);
	end(&m);
}

static void test_refused(void)
{
	struct made m;
	struct err err = {""};
	start(&m, "walk", 0, NULL, NULL);
	struct fragment_entry *e = (struct fragment_entry *)m.entry.data;
	e->marker = 7;
	CHECK(state_read(&m.state, &m.program, m.entry.data, m.entry.len, NULL, 0, &err) < 0 &&
	      strstr(err.text, "marker 7"));
	e->marker = 0;
	e->function = 1000;
	CHECK(state_read(&m.state, &m.program, m.entry.data, m.entry.len, NULL, 0, &err) < 0);
	e->unit++;
	CHECK(state_read(&m.state, &m.program, m.entry.data, m.entry.len, NULL, 0, &err) < 0);
	CHECK(state_read(&m.state, &m.program, m.entry.data, 7, NULL, 0, &err) < 0);
	end(&m);
}

// Cells that are too short, and pointers of any kind: nothing is read behind a cell.
static void test_short(void)
{
	for (size_t size = 0; size < sizeof(struct list) + 8; size += 3)
		for (unsigned byte = 0; byte < 8; byte++) {
			struct made m;
			struct frame_of_walk f = {0};
			POINT(f.l, FRAGMENT_NEW);
			uint8_t *behind = mem_zero(size + 1);
			memset(behind, (int)byte, size);
			start(&m, "walk", 0, NULL, NULL);
			add(&m, "", &f, NULL, size % 2 ? sizeof f : size % (sizeof f + 1));
			add(&m, "*l", behind, behind, size);
			look(&m);
			struct buf text = {0}, left = {0};
			struct state_c how = {.address = address, .rest = rest, .opaque = &left};
			state_print(&m.state, &text);
			state_json(&m.state, &text);
			for (uint32_t i = 0; i < m.state.n; i++)
				state_c_initialiser(&m.state, i, NULL, &how, &text);
			buf_release(&text);
			buf_release(&left);
			mem_free(behind);
			end(&m);
		}
}

static const struct test tests[] = {
	TEST(test_numbers), TEST(test_floats), TEST(test_rest_of_frame), TEST(test_objects),
	TEST(test_others),  TEST(test_json),   TEST(test_refused),       TEST(test_short),
};

TEST_MAIN("shape_state")
