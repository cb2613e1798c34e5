#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "shape/shape.h"
#include "test.h"

#include "../programs/shapes/sample.h"

static struct shape_program sample(void)
{
	struct shape_program p = {0};
	struct buf bytes = {0};
	struct err err = {""};
	CHECK(file_read(SAMPLE, &bytes, &err) == 0);
	CHECK(shape_add(&p, bytes.data, bytes.len, &err) == 0);
	buf_release(&bytes);
	return p;
}

static struct shape_ref function(const struct shape_program *p, const char *name)
{
	struct shape_ref r = shape_find_function(p, 0, name);
	CHECK(shape_is_somewhere(r));
	return r;
}

// --- layout, against the compiler -----------------------------------------------------------------

static const struct shape_field *field(const struct shape_table *t, const char *type, const char *name)
{
	for (uint32_t i = 0; i < t->head->n_types; i++)
		if (strcmp(shape_text(t, t->types[i].name), type) == 0)
			for (uint32_t k = 0; k < t->types[i].n; k++)
				if (strcmp(shape_text(t, shape_fields(t, i)[k].name), name) == 0)
					return &shape_fields(t, i)[k];
	return NULL;
}

static const struct shape_type *type(const struct shape_table *t, const char *name)
{
	for (uint32_t i = 0; i < t->head->n_types; i++)
		if (strcmp(shape_text(t, t->types[i].name), name) == 0)
			return &t->types[i];
	return NULL;
}

static void test_layout(void)
{
	struct shape_program p = sample();
	const struct shape_table *t = p.units;
#define SAME(c)                                                                                                        \
	do {                                                                                                           \
		const struct shape_type *own = type(t, #c);                                                            \
		CHECK(own && own->size == sizeof(c) && own->align == _Alignof(c));                                     \
	} while (0)
	SAME(struct list);
	SAME(struct bits);
	SAME(struct packed);
	SAME(union any);
	SAME(struct numbers);
	SAME(struct tree);
	SAME(struct forest);
	SAME(point);
	SAME(level);
	SAME(enum color);
	SAME(long double);
	SAME(__int128);
	SAME(_Bool);
#define AT(c, member)                                                                                                  \
	do {                                                                                                           \
		const struct shape_field *own = field(t, #c, #member);                                                 \
		CHECK(own && own->offset == offsetof(c, member) &&                                                     \
		      t->types[own->type].size == sizeof(((c *)0)->member) && !own->bits);                             \
	} while (0)
	AT(struct list, link);
	AT(struct list, any);
	AT(struct list, grid);
	AT(struct list, length);
	AT(struct packed, tail);
	AT(struct numbers, z);
	AT(struct numbers, huge);
	CHECK(field(t, "struct list", "tail")->offset == offsetof(struct list, tail));
	CHECK(strcmp(shape_text(t, field(t, "struct list", "length")->spelling), "size_t") == 0);
	CHECK(field(t, "struct list", "text")->flags == SHAPE_CONST && !field(t, "struct list", "next")->flags);
	shape_free(&p);
}

// --- the whole, as text ---------------------------------------------------------------------------

static void test_golden(void)
{
	struct shape_program p = sample();
	struct buf expected = {0}, text = {0};
	struct err err = {""};
	CHECK(file_read(GOLDEN, &expected, &err) == 0);
	shape_print(&p, &text);
	CHECK(expected.len == text.len && memcmp(expected.data, text.data, text.len) == 0);
	buf_release(&expected);
	buf_release(&text);
	shape_free(&p);
}

// --- two units ------------------------------------------------------------------------------------

// Another unit of the program: the same types, known less well.
static void test_hashes(void)
{
	struct shape_program p = sample(), q = {0};
	struct buf bytes = {0};
	struct err err = {""};
	uint32_t common = 0;
	CHECK(file_read(OTHER, &bytes, &err) == 0);
	CHECK(shape_add(&q, bytes.data, bytes.len, &err) == 0);
	const struct shape_table *a = p.units, *b = q.units;
	for (uint32_t i = 0; i < b->head->n_types; i++) {
		const struct shape_type *own = &b->types[i];
		struct shape_ref found = shape_find_type(&p, own->hash);
		for (uint32_t k = 0; k < i; k++)
			CHECK(b->types[k].hash != own->hash);
		if (!shape_is_somewhere(found))
			continue;
		common++;
		CHECK(strcmp(shape_text(a, a->types[found.number].name), shape_text(b, own->name)) == 0);
		CHECK(a->types[found.number].size == own->size && a->types[found.number].kind == own->kind);
	}
	CHECK_INT(6, common); // void, int, struct tree; pointers to it, to struct list and struct forest
	CHECK(type(a, "struct list *")->hash == type(b, "struct list *")->hash); // incomplete there
	CHECK(type(b, "struct list")->kind == SHAPE_VOID);
	CHECK(type(a, "struct tree")->hash == type(b, "struct tree")->hash);
	CHECK(type(a, "point")->hash != type(b, "point")->hash); // has another member there
	// Together they are a program.
	CHECK(shape_add(&p, bytes.data, bytes.len, &err) == 0 && p.n_units == 2);
	struct shape_ref less = {1, (uint32_t)(type(&p.units[1], "struct list") - p.units[1].types)};
	struct shape_ref more = shape_complete(&p, less);
	CHECK(more.unit == 0 && p.units[0].types[more.number].kind == SHAPE_STRUCT);
	CHECK(shape_find_function(&p, 1, "walk").unit == 0);
	CHECK(shape_find_function(&p, 1, "once").unit == 1);
	CHECK(shape_find_function(&p, 0, "once").unit == 0);
	CHECK(!shape_is_somewhere(shape_find_function(&p, 1, "twice")));
	CHECK(shape_find_global(&p, 0, "elsewhere").unit == 1);
	CHECK(shape_unit(&p, p.units[1].head->unit) == 1 && shape_unit(&p, 1) == UINT32_MAX);
	buf_release(&bytes);
	shape_free(&p);
	shape_free(&q);
}

// --- who calls whom -------------------------------------------------------------------------------

static bool has(const struct shape_program *p, const struct shape_list *l, const char *name)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (strcmp(shape_text(&p->units[l->v[i].unit], shape_function(p, l->v[i])->name), name) == 0)
			return true;
	return false;
}

static bool has_global(const struct shape_program *p, const struct shape_list *l, const char *name)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (strcmp(shape_text(&p->units[l->v[i].unit], shape_global(p, l->v[i])->name), name) == 0)
			return true;
	return false;
}

static void test_graph(void)
{
	struct shape_program p = sample();
	struct shape_list l = {0};
	shape_callees(&p, function(&p, "walk"), &l);
	CHECK(has(&p, &l, "drop") && has(&p, &l, "twice") && has(&p, &l, "once") && l.n == 3); // by signature
	shape_list_release(&l);
	shape_callees(&p, function(&p, "apply"), &l);
	CHECK(has(&p, &l, "twice") && has(&p, &l, "once") && l.n == 2);
	shape_list_release(&l);
	shape_breadth_first(&p, &l);
	CHECK(l.n == p.units->head->n_functions && l.distance[0] == 0);
	shape_list_release(&l);
	shape_closure(&p, function(&p, "walk"), 0, &l);
	CHECK(has_global(&p, &l, "limit") && has_global(&p, &l, "depth") && !has_global(&p, &l, "elsewhere"));
	CHECK(has_global(&p, &l, "origin_address") && has_global(&p, &l, "origin"));
	shape_list_release(&l);
	shape_closure(&p, function(&p, "walk"), 1, &l);
	CHECK(has_global(&p, &l, "elsewhere") && has_global(&p, &l, "calls"));
	shape_list_release(&l);
	shape_free(&p);
}

static void test_matches(void)
{
	struct shape_program p = sample();
	struct shape_ref walk = function(&p, "walk");
	CHECK(shape_matches(&p, walk, NULL, NULL));
	CHECK(shape_matches(&p, walk, "w*k", NULL) && !shape_matches(&p, walk, "w", NULL));
	CHECK(shape_matches(&p, walk, "walk", "sample.c") && shape_matches(&p, walk, NULL, "shapes/*.c"));
	CHECK(!shape_matches(&p, walk, NULL, "ample.c") && !shape_matches(&p, walk, "drop", "sample.c"));
	shape_free(&p);
}

// --- damage ---------------------------------------------------------------------------------------

// What is accepted can be used; all else is refused. Every word of the block in turn, and random ones.
static void use(struct shape_program *p)
{
	struct buf text = {0};
	struct shape_list l = {0};
	shape_print(p, &text);
	shape_breadth_first(p, &l);
	struct shape_list globals = {0};
	if (l.n)
		shape_closure(p, l.v[0], 3, &globals);
	shape_list_release(&globals);
	shape_list_release(&l);
	buf_release(&text);
}

static bool try(const struct buf *bytes, size_t size)
{
	struct shape_program p = {0};
	struct err err = {""};
	bool accepted = shape_add(&p, bytes->data, size, &err) == 0;
	if (accepted && p.n_units)
		use(&p);
	CHECK(accepted || strstr(err.text, "damaged"));
	shape_free(&p);
	return accepted;
}

static void test_damage(void)
{
	static const uint32_t values[] = {0, 1, 0x7fffffff, 0xffffffff, 0x80000000, 1000};
	struct buf bytes = {0};
	struct err err = {""};
	size_t refused = 0, strings;
	CHECK(file_read(OTHER, &bytes, &err) == 0 && try(&bytes, bytes.len));
	strings = bytes.len - ((struct shape_unit *)bytes.data)->n_strings;
	for (size_t at = 0; at + 4 <= strings; at += 4) {
		uint32_t was;
		memcpy(&was, bytes.data + at, 4);
		for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
			memcpy(bytes.data + at, &values[k], 4);
			refused += !try(&bytes, bytes.len);
		}
		memcpy(bytes.data + at, &was, 4);
	}
	CHECK(refused > strings / 4);
	for (size_t size = 8; size < bytes.len; size += 8)
		CHECK(!try(&bytes, size));
	CHECK(try(&bytes, bytes.len));
	buf_release(&bytes);
}

static void test_missing(void)
{
	struct shape_program p = {0};
	struct err err = {""};
	CHECK(shape_read("/proc/self/exe", &p, &err) < 0 && strstr(err.text, "no shapes"));
	CHECK(shape_read(GOLDEN, &p, &err) < 0);
	CHECK(shape_read("/nonexistent", &p, &err) < 0);
}

static const struct test tests[] = {
	TEST(test_layout),  TEST(test_golden), TEST(test_hashes),  TEST(test_graph),
	TEST(test_matches), TEST(test_damage), TEST(test_missing),
};

TEST_MAIN("shape")
