#include "input/input.h"

#include "abi/objects.h"
#include "input/fragment.h"
#include "test.h"

static void fill(struct input *in)
{
	input_add(in, INPUT_ARGUMENT, NULL, "./prog", 6);
	input_add(in, INPUT_ARGUMENT, NULL, "", 0);
	input_add(in, INPUT_VARIABLE, "HOME", "a\0b", 3);
	input_add(in, INPUT_STDIN, NULL, "\xff\n", 2);
	input_add(in, INPUT_FILE, "/tmp/x", NULL, 0);
	input_add(in, INPUT_OBJECT, NULL, "1234", 4);
}

static void parts(void)
{
	struct input in = {0};
	fill(&in);
	CHECK_INT(6, in.n);
	CHECK_INT(15, input_size(&in));
	CHECK_STR("./prog", input_argument(&in, 0)->data.data);
	CHECK_INT(0, input_argument(&in, 1)->data.len);
	CHECK(!input_argument(&in, 2));
	CHECK(input_find(&in, INPUT_FILE, "/tmp/x"));
	CHECK(!input_find(&in, INPUT_FILE, "/tmp/y"));
	CHECK(!input_find(&in, INPUT_VARIABLE, "/tmp/x"));
	CHECK_INT(2, input_find(&in, INPUT_STDIN, NULL)->data.len);
	input_release(&in);
	CHECK_INT(0, in.n);
}

static void copies(void)
{
	struct input a = {0}, b;
	fill(&a);
	input_copy(&b, &a);
	CHECK(input_equal(&a, &b));
	CHECK(input_hash(&a) == input_hash(&b));
	b.v[3].data.data[0] = 'x';
	CHECK(!input_equal(&a, &b));
	CHECK(input_hash(&a) != input_hash(&b));
	input_add(&a, INPUT_ARGUMENT, NULL, "z", 1);
	CHECK(!input_equal(&a, &b));
	input_release(&a);
	input_release(&b);
}

static void round_trip(void)
{
	struct input a = {0}, b;
	struct buf bytes = {0}, again = {0};
	struct err err;
	for (int i = 0; i < 2; i++) {
		buf_clear(&bytes);
		buf_clear(&again);
		input_encode(&a, &bytes);
		CHECK_INT(0, input_decode(&b, bytes.data, bytes.len, &err));
		CHECK(input_equal(&a, &b));
		input_encode(&b, &again);
		CHECK(bytes.len == again.len && memcmp(bytes.data, again.data, bytes.len) == 0);
		input_release(&b);
		fill(&a);
	}
	input_release(&a);
	buf_release(&bytes);
	buf_release(&again);
}

// Damaged bytes are refused, or are another input that is good in itself.
static void hostile(void)
{
	struct input a = {0}, b;
	struct buf bytes = {0};
	struct err err;
	fill(&a);
	input_encode(&a, &bytes);
	for (size_t n = 0; n < bytes.len; n++)
		CHECK_INT(-1, input_decode(&b, test_guarded(bytes.data, n), n, &err));
	buf_addch(&bytes, 0);
	CHECK_INT(-1, input_decode(&b, bytes.data, bytes.len, &err));
	bytes.len--;
	for (int i = 0; i < 20000; i++) {
		struct bytes copy = test_bytes(bytes.data, bytes.len);
		test_mutate(copy.data, 0, copy.size);
		if (input_decode(&b, test_guarded(copy.data, copy.size), copy.size, &err) < 0)
			continue;
		struct buf again = {0};
		input_encode(&b, &again);
		CHECK(again.len == copy.size && memcmp(again.data, copy.data, copy.size) == 0);
		for (size_t k = 0; k < b.n; k++)
			CHECK(b.v[k].kind != INPUT_FILE || b.v[k].name[0] == '/');
		buf_release(&again);
		input_release(&b);
	}
	input_release(&a);
	buf_release(&bytes);
}

// An empty argument that was not there makes another input.
static void differences(void)
{
	struct input a = {0}, b = {0};
	input_add(&a, INPUT_ARGUMENT, NULL, "p", 1);
	input_copy(&b, &a);
	CHECK_INT(0, input_difference(&a, &b));
	input_add(&b, INPUT_STDIN, NULL, "", 0);
	CHECK_INT(0, input_difference(&a, &b));
	input_add(&b, INPUT_ARGUMENT, NULL, "", 0);
	CHECK_INT(1, input_difference(&a, &b));
	CHECK_INT(1, input_difference(&b, &a));
	input_add(&b, INPUT_VARIABLE, "X", "abc", 3);
	CHECK_INT(4, input_difference(&a, &b));
	input_release(&a);
	input_release(&b);
}

static void check_taken(struct buf *records, const char *name, const char *expect)
{
	char got[] = "....";
	objects_take(records->data, records->len, name, got, 4);
	CHECK_STR(expect, got);
}

// What a run is given: by name, whatever order the program asks in; others from the stream.
static void objects(void)
{
	struct input in = {0};
	struct buf records = {0};
	input_add(&in, INPUT_OBJECT, NULL, "streams", 7);
	input_add(&in, INPUT_OBJECT, "x", "1st!", 4);
	input_add(&in, INPUT_OBJECT, "other", "o", 1);
	input_add(&in, INPUT_OBJECT, "x", "2nd!too long", 12);
	input_add(&in, INPUT_STDIN, NULL, "none", 4);
	input_objects(&in, &records);
	CHECK_INT(0, records.len % 8);
	check_taken(&records, "new", "stre");
	check_taken(&records, "other", "o...");
	check_taken(&records, "x", "1st!");
	check_taken(&records, "x", "2nd!");
	check_taken(&records, "x", "ams.");
	check_taken(&records, "x", "....");
	for (size_t n = 0; n < records.len; n += 4) { // cut off, or written over by the program
		struct bytes cut = test_bytes(records.data, n);
		objects_take(cut.data, cut.size, "x", (char[4]){0}, 4);
		cut = test_bytes(records.data, records.len);
		memset(cut.data + n, 0xff, 4);
		objects_take(cut.data, cut.size, "x", (char[4]){0}, 4);
	}
	buf_release(&records);
	input_release(&in);
}

static void removal(void)
{
	struct input in = {0};
	fill(&in);
	input_add(&in, INPUT_ARGUMENT, NULL, "last", 4);
	CHECK_INT(2, input_ordinal(&in, in.n - 1));
	input_remove(&in, 1);
	CHECK_INT(1, input_ordinal(&in, in.n - 1));
	CHECK_STR("last", input_argument(&in, 1)->data.data);
	CHECK_INT(6, in.n);
	input_release(&in);
}

// What a run enters: only what fits is decoded, also as a part of an input.
static void fragments(void)
{
	const struct fragment_name names[] = {{.unit = 7, .number = 1}, {.unit = 8, .number = 2}, {.unit = 7}};
	const struct fragment f = {.unit = 7,
	                           .function = 3,
	                           .marker = 2,
	                           .object_max = 100,
	                           .globals = names,
	                           .n_globals = 2,
	                           .stubs = names + 2,
	                           .n_stubs = 1};
	struct input in = {0}, again;
	struct fragment got;
	struct buf bytes = {0};
	struct err err;
	CHECK(!fragment_of(&in, &got));
	fragment_set(&in, &(struct fragment){.unit = 9});
	fragment_set(&in, &f);
	CHECK_INT(1, in.n);
	input_encode(&in, &bytes);
	CHECK_INT(0, input_decode(&again, bytes.data, bytes.len, &err));
	CHECK(fragment_of(&again, &got));
	CHECK(got.unit == 7 && got.function == 3 && got.marker == 2);
	CHECK_INT(FRAGMENT_DEPTH, got.depth);
	CHECK_INT(100, got.object_max);
	CHECK_INT(2, got.n_globals);
	CHECK_INT(2, got.globals[1].number);
	CHECK_INT(1, got.n_stubs);
	CHECK_INT(7, got.stubs[0].unit);
	input_release(&again);
	const struct buf part = in.v[0].data;
	for (size_t n = 0; n < part.len; n++)
		CHECK(!fragment_decode(&got, test_guarded(part.data, n), n));
	in.v[0].data.data[0] ^= 1;
	buf_clear(&bytes);
	input_encode(&in, &bytes);
	CHECK_INT(-1, input_decode(&again, bytes.data, bytes.len, &err));
	input_release(&in);
	buf_release(&bytes);
}

// Cells stand among the records of objects, in their order, and are none of them.
static void cells(void)
{
	struct input in = {0};
	struct buf records = {0};
	struct object_record *r = NULL;
	input_add(&in, INPUT_CELL, "", "abcd", 4);
	input_add(&in, INPUT_OBJECT, "p", "1st!", 4);
	input_add(&in, INPUT_CELL, "p", "efg", 3);
	input_objects(&in, &records);
	check_taken(&records, "p", "1st!");
	check_taken(&records, "p", "....");
	static const char *const expect[] = {"", "p", "p"};
	for (int i = 0; i < 3; i++) {
		r = object_record_next(records.data, records.len, r);
		CHECK(r);
		CHECK_STR(expect[i], (char *)(r + 1));
		CHECK_INT(i != 1, r->cell);
	}
	CHECK(!object_record_next(records.data, records.len, r));
	buf_release(&records);
	input_release(&in);
}

static const struct test tests[] = {TEST(fragments), TEST(cells),      TEST(objects), TEST(removal),    TEST(parts),
                                    TEST(copies),    TEST(round_trip), TEST(hostile), TEST(differences)};
TEST_MAIN("input")
