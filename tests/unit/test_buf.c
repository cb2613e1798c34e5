#include <limits.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "test.h"

static void empty(void)
{
	struct buf b = {0};
	buf_clear(&b);
	CHECK_INT(0, b.len);
	buf_release(&b);
	char *s = buf_steal(&b); // also of a buffer that never had anything
	CHECK_STR("", s);
	CHECK(!b.data && !b.len && !b.cap);
	mem_free(s);
	buf_release(&b);
	buf_release(&b);
}

static void every_way_to_add(void)
{
	struct buf b = {0};
	buf_addstr(&b, "one");
	buf_addch(&b, ' ');
	buf_add(&b, "two\0three", 9);
	buf_printf(&b, "[%d %s]", -7, "x");
	CHECK_INT(3 + 1 + 9 + 6, b.len);
	CHECK(memcmp(b.data, "one two\0three[-7 x]", b.len + 1) == 0);
	buf_add(&b, NULL, 0);
	buf_addstr(&b, "");
	buf_printf(&b, "%s", "");
	CHECK_INT(19, b.len);
	buf_clear(&b);
	CHECK_INT(0, b.len);
	CHECK_STR("", b.data);
	buf_addstr(&b, "again");
	CHECK_STR("again", b.data);
	char *s = buf_steal(&b);
	CHECK_STR("again", s);
	CHECK(!b.data && !b.len && !b.cap);
	mem_free(s);
}

static void numbers_are_little_endian(void)
{
	struct buf b = {0};
	buf_u32(&b, 0x01020384);
	buf_u64(&b, 0x1112131415161798);
	buf_string(&b, "abc");
	CHECK_INT(4 + 8 + 4 + 3, b.len);
	CHECK(memcmp(b.data, "\x84\x03\x02\x01\x98\x17\x16\x15\x14\x13\x12\x11\x03\0\0\0abc", b.len + 1) == 0);
	buf_release(&b);
}

static void long_formats(void)
{
	struct buf b = {0};
	char *text = test_alloc(100000);
	memset(text, 'x', 100000);
	for (int i = 0; i < 3; i++)
		buf_printf(&b, "<%s>", text);
	CHECK_INT(300006, b.len);
	CHECK(b.data[100001] == '>' && b.data[100002] == '<' && b.data[b.len] == 0);
	buf_release(&b);
	struct strv v = {0};
	strv_pushf(&v, "%s-%d", text, 5);
	strv_pushf(&v, "%s", "");
	CHECK_INT(100002, strlen(v.v[0]));
	CHECK_STR("-5", v.v[0] + 100000);
	CHECK_STR("", v.v[1]);
	strv_release(&v);
}

// Against a plain array: any mix of additions gives the same bytes, and the
// invariants of the header hold after each.
static void random_additions(void)
{
	enum { LIMIT = 1 << 16 };
	static char expected[LIMIT + 512];
	for (int round = 0; round < 20; round++) {
		struct buf b = {0};
		size_t n = 0;
		while (n < LIMIT) {
			char chunk[300];
			size_t size = test_below(test_below(8) ? 40 : sizeof chunk);
			for (size_t i = 0; i < size; i++)
				chunk[i] = (char)test_random();
			buf_reserve(&b, test_below(500));
			buf_add(&b, chunk, size);
			memcpy(expected + n, chunk, size);
			n += size;
			CHECK(b.len == n && b.cap > b.len && b.data[n] == 0);
		}
		CHECK(memcmp(b.data, expected, n) == 0);
		buf_release(&b);
	}
}

static void cursor_reads_what_buf_wrote(void)
{
	struct buf b = {0};
	buf_u32(&b, UINT32_MAX);
	buf_u64(&b, UINT64_MAX - 1);
	buf_string(&b, "");
	buf_string(&b, "text");
	buf_add(&b, "raw", 3);
	struct cursor c = {(uint8_t *)b.data, (uint8_t *)b.data + b.len, false};
	CHECK(cursor_u32(&c) == UINT32_MAX);
	CHECK(cursor_u64(&c) == UINT64_MAX - 1);
	char *none = cursor_string(&c), *text = cursor_string(&c);
	CHECK_STR("", none);
	CHECK_STR("text", text);
	const uint8_t *raw = cursor_bytes(&c, 3);
	CHECK(raw && memcmp(raw, "raw", 3) == 0 && c.p == c.end && !c.bad);
	CHECK(cursor_bytes(&c, 0) && !c.bad); // nothing can be read at the very end
	CHECK(!cursor_bytes(&c, 1) && c.bad);
	mem_free(none);
	mem_free(text);
	buf_release(&b);
}

// Whatever the length, reads stay inside, and after the first bad one nothing is read.
static void cursor_stays_inside(void)
{
	struct buf b = {0};
	buf_u32(&b, 1);
	buf_u64(&b, 2);
	buf_string(&b, "string");
	for (size_t size = 0; size <= b.len; size++) {
		const uint8_t *data = test_guarded(b.data, size);
		struct cursor c = {data, data + size, false};
		CHECK_INT(size >= 4 ? 1 : 0, cursor_u32(&c));
		CHECK_INT(size >= 4, !c.bad);
		CHECK_INT(size >= 12 ? 2 : 0, cursor_u64(&c));
		CHECK_INT(size >= 12, !c.bad);
		char *s = cursor_string(&c);
		CHECK_STR(size == b.len ? "string" : NULL, s);
		CHECK_INT(size == b.len, !c.bad);
		mem_free(s);
		c.bad = true;
		CHECK(!cursor_bytes(&c, 0) && cursor_u32(&c) == 0 && cursor_u64(&c) == 0 && !cursor_string(&c) &&
		      c.bad);
	}
	buf_release(&b);
}

static void cursor_and_hostile_lengths(void)
{
	static const uint32_t lengths[] = {5, 6, INT_MAX, UINT32_MAX - 3, UINT32_MAX};
	for (size_t i = 0; i < COUNT(lengths); i++) {
		uint8_t bytes[8] = {0, 0, 0, 0, 'a', 'b', 'c', 'd'};
		for (int k = 0; k < 4; k++)
			bytes[k] = (uint8_t)(lengths[i] >> 8 * k);
		const uint8_t *data = test_guarded(bytes, sizeof bytes);
		struct cursor c = {data, data + sizeof bytes, false};
		CHECK(!cursor_string(&c) && c.bad);
	}
	struct cursor c = {(const uint8_t *)"abcd", (const uint8_t *)"abcd" + 4, false};
	CHECK(!cursor_bytes(&c, SIZE_MAX) && c.bad);
	// A NUL inside would make two readers disagree about the string.
	const uint8_t *data = test_guarded("\4\0\0\0ab\0d", 8);
	c = (struct cursor){data, data + 8, false};
	CHECK(!cursor_string(&c) && c.bad);
}

static void strings(void)
{
	struct strv a = {0}, all = {0};
	strv_push_all(&all, &a);
	CHECK_INT(0, all.n);
	char text[] = "changed later";
	strv_push(&a, text);
	text[0] = 'X';
	CHECK_STR("changed later", a.v[0]);
	char *own = mem_strdup("taken");
	strv_take(&a, own);
	CHECK(a.v[1] == own);
	strv_pushf(&a, "%d%%", 50);
	CHECK_STR("50%", a.v[2]);
	for (int i = 0; i < 5; i++)
		strv_push_all(&all, &a);
	CHECK_INT(15, all.n);
	CHECK_STR("50%", all.v[14]);
	CHECK(all.v[14] != a.v[2]);
	for (int i = 0; i < 1000; i++) {
		strv_pushf(&a, "%d", i);
		CHECK(a.v[a.n] == NULL && a.cap > a.n);
	}
	CHECK_STR("999", a.v[1002]);
	strv_release(&a);
	strv_release(&a);
	strv_release(&all);
	CHECK(!all.v && !all.n && !all.cap);
}

static void texts_and_cuts(void)
{
	struct buf b = {0};
	CHECK_STR("", buf_str(&b));
	buf_cut(&b, 0); // of an empty one: nothing happens
	CHECK(!b.data);
	buf_addstr(&b, "one two");
	buf_cut(&b, 3);
	CHECK_STR("one", buf_str(&b));
	buf_addstr(&b, "!");
	CHECK_STR("one!", buf_str(&b));
	buf_cut(&b, 4);
	CHECK_INT(4, b.len);
	buf_release(&b);
	CHECK_STR("", buf_str(&b));
}

static int adds_too_much(void *opaque)
{
	(void)opaque;
	struct buf b = {0};
	buf_addch(&b, 'x');
	buf_reserve(&b, SIZE_MAX - 1); // with what is there, and the NUL, more than a size can say
	return 0;
}

static void sizes_do_not_wrap_around(void)
{
	test_child(adds_too_much, NULL, 70); // as when there is no memory
}

static const struct test tests[] = {
	TEST(empty),
	TEST(every_way_to_add),
	TEST(numbers_are_little_endian),
	TEST(long_formats),
	TEST(random_additions),
	TEST(cursor_reads_what_buf_wrote),
	TEST(cursor_stays_inside),
	TEST(cursor_and_hostile_lengths),
	TEST(strings),
	TEST(texts_and_cuts),
	TEST(sizes_do_not_wrap_around),
};
TEST_MAIN("buf")
