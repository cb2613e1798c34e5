#include "explore/scope.h"

#include "base/mem.h"
#include "test.h"

static struct err err;

static struct snapshot_entry *add_file(struct snapshot *s, const char *path, uint64_t size, uint64_t content)
{
	struct snapshot_entry *e = snapshot_add(s, SNAPSHOT_FILE, path);
	e->known = true;
	e->size = size;
	e->content.low = content;
	return e;
}

static struct snapshot make_snapshot(void)
{
	return (struct snapshot){.program = mem_strdup("/p"), .cwd = mem_strdup("/proj/tests")};
}

static struct input_source file(const char *path)
{
	return input_source(INPUT_FILE, INPUT_BYTES, 0, path);
}

static void add_label(struct buf *text, struct input_source of)
{
	char label[64];
	input_label(of, label, sizeof label);
	buf_addstr(text, label);
}

// NAME:GROUP for each part, in order.
static void check_parts(const struct scope_parts *p, const char *expected)
{
	struct buf text = {0};
	for (size_t i = 0; i < p->n; i++) {
		add_label(&text, p->v[i].of);
		buf_printf(&text, ":%u ", p->v[i].group);
	}
	char *copy = test_alloc(text.len + 1);
	memcpy(copy, text.data ? text.data : "", text.len + 1);
	buf_release(&text);
	CHECK_STR(expected, copy);
}

// NAME:FROM-TO for each window.
static uint64_t check_windows(const struct scope_parts *p, uint64_t from, uint64_t to, const char *expected)
{
	struct windows w;
	struct buf text = {0};
	uint64_t key = scope_windows(p, from, to, &w);
	for (size_t i = 0; i < w.n; i++) {
		add_label(&text, w.v[i].of);
		if (w.v[i].to == LAUNCH_OPEN)
			buf_printf(&text, ":%d-end ", (int)w.v[i].from);
		else
			buf_printf(&text, ":%d-%d ", (int)w.v[i].from, (int)w.v[i].to);
	}
	windows_release(&w);
	char *copy = test_alloc(text.len + 1);
	memcpy(copy, text.data ? text.data : "", text.len + 1);
	buf_release(&text);
	CHECK_STR(expected, copy);
	return key;
}

static void groups(void)
{
	struct snapshot s = make_snapshot();
	struct alike alike = {0};
	struct scope_parts p;
	struct input in = {0};
	input_add(&in, INPUT_ARGUMENT, NULL, "/data", 5); // the program's name counts for nothing
	input_add(&in, INPUT_ARGUMENT, NULL, "--file=../named", 15);
	input_add(&in, INPUT_STDIN, NULL, "abc", 3);
	add_file(&s, "/proj/tests/own", 9, 1);
	add_file(&s, "/proj/tests/shared", 5, 2);
	add_file(&s, "/proj/named", 7, 3);
	add_file(&s, "/proj/data", 6, 4);
	add_file(&s, "/proj/testsuite/x", 6, 5); // not below
	add_file(&s, "/usr/share/x", 6, 6);
	snapshot_add(&s, SNAPSHOT_FILE, "/proj/tests/unknown");
	scope_parts_init(&p, &s, &in, "argv,stdin,files", &alike, 0);
	check_parts(&p,
	            "stdin:0 /proj/tests/shared:0 /proj/named:0 /proj/tests/own:0 /proj/data:1 /proj/testsuite/x:1 ");
	scope_parts_release(&p);
	// Four tests, of which three have the same file.
	for (int i = 0; i < 4; i++) {
		struct snapshot other = make_snapshot();
		add_file(&other, "/proj/tests/shared", 5, i == 3 ? 99 : 2);
		alike_add(&alike, 0, &other);
		snapshot_release(&other);
		CHECK_INT(i == 3 ? 3 : 0, alike_tests(&alike, 0, snapshot_find(&s, "/proj/tests/shared")));
	}
	CHECK_INT(0, alike_tests(&alike, 1, snapshot_find(&s, "/proj/tests/shared")));
	scope_parts_init(&p, &s, &in, "stdin,files", &alike, 0);
	check_parts(&p,
	            "stdin:0 /proj/named:0 /proj/tests/own:0 /proj/data:1 /proj/testsuite/x:1 /proj/tests/shared:2 ");
	CHECK_INT(3, p.v[5].tests);
	scope_parts_release(&p);
	scope_parts_init(&p, &s, &in, "file:shared,file:/proj/data", &alike, 0); // asked for: the test's own
	check_parts(&p, "/proj/tests/shared:0 /proj/data:0 ");
	scope_parts_release(&p);
	input_release(&in);
	snapshot_release(&s);
	alike_release(&alike);
}

static void add_part(struct scope_parts *p, const char *name, uint64_t size, uint32_t group)
{
	p->v = mem_resize(p->v, (p->n + 1) * sizeof *p->v);
	p->v[p->n++] = (struct scope_part){.of = file(mem_strdup(name)), .size = size, .hash = size, .group = group};
}

static bool not_b(void *opaque, struct input_source of)
{
	(void)opaque;
	return strcmp(of.name, "b") != 0;
}

static void ranges(void)
{
	struct scope_parts p = {0};
	add_part(&p, "a", 3, SCOPE_OWN);  // positions 0-3
	add_part(&p, "b", 9, SCOPE_OWN);  // 4-13
	add_part(&p, "c", 20, SCOPE_OWN); // 14-34
	add_part(&p, "d", 1, SCOPE_ALIKE);
	CHECK_INT(0, scope_first(&p, 3));
	CHECK_INT(4, scope_first(&p, 13));
	CHECK_INT(14, scope_first(&p, 14));
	CHECK_INT(35, scope_first(&p, 1000)); // what others read alike is not in it
	uint64_t first = check_windows(&p, 0, 14, "c:0-0 d:0-0 ");
	CHECK(check_windows(&p, 0, 37, "") == 0 && first);
	CHECK(check_windows(&p, 14, 20, "a:0-0 b:0-0 c:0-6 d:0-0 ") != first);
	check_windows(&p, 20, 35, "a:0-0 b:0-0 c:6-end d:0-0 ");
	check_windows(&p, 12, 16, "a:0-0 b:8-end c:0-2 d:0-0 ");
	check_windows(&p, 34, 35, "a:0-0 b:0-0 c:20-end d:0-0 "); // its end alone
	p.v[2].hash++;
	CHECK(check_windows(&p, 0, 14, "c:0-0 d:0-0 ") != first); // another content behind the same windows
	p.v[2].hash--;
	CHECK(check_windows(&p, 0, 14, "c:0-0 d:0-0 ") == first);
	// Inputs that are not read are passed over; the end of one that does not fit stands alone.
	scope_parts_mark(&p, not_b, NULL);
	CHECK_INT(14, scope_next(&p, 4));
	CHECK_INT(3, scope_reach(&p, 2, 6));
	CHECK_INT(20, scope_reach(&p, 4, 6));
	CHECK_INT(6, scope_width(&p, 4, 20));
	CHECK_INT(34, scope_reach(&p, 20, 100));
	CHECK_INT(37, scope_reach(&p, 34, 100));
	CHECK_INT(37, scope_reach(&p, 14, 100));
	CHECK(scope_next(&p, 37) == UINT64_MAX);
	struct scope_parts copy;
	struct buf bytes = {0};
	scope_parts_encode(&p, &bytes);
	CHECK_INT(0, scope_parts_decode(&copy, bytes.data, bytes.len, &err));
	CHECK(copy.n == 4 && copy.v[1].unread && copy.v[3].group == SCOPE_ALIKE && copy.v[2].size == 20);
	scope_parts_release(&copy);
	for (size_t n = 0; n < bytes.len; n++)
		CHECK_INT(-1, scope_parts_decode(&copy, bytes.data, n, &err));
	buf_release(&bytes);
	scope_parts_release(&p);
}

// What older versions stored: the number of parts, then each with its label in place of kind, ordinal and name.
static void older_parts(void)
{
	struct scope_parts p, again;
	struct buf old = {0}, bytes = {0};
	buf_u32(&old, 2);
	for (uint32_t i = 0; i < 2; i++) {
		buf_string(&old, i ? "/a/stdin" : "stdin");
		buf_u64(&old, 10 + i);
		buf_u64(&old, 20 + i);
		buf_u32(&old, i ? SCOPE_ALIKE : SCOPE_OWN);
		buf_u32(&old, 5 * i);
		buf_u32(&old, i);
	}
	CHECK_INT(0, scope_parts_decode(&p, old.data, old.len, &err));
	CHECK_INT(2, (int)p.n);
	CHECK(input_is_same(p.v[0].of, input_source(INPUT_STDIN, INPUT_BYTES, 0, "")) && p.v[0].size == 10);
	CHECK(input_is_same(p.v[1].of, file("/a/stdin")) && p.v[1].hash == 21 && p.v[1].tests == 5 && p.v[1].unread);
	scope_parts_encode(&p, &bytes); // as this version does
	CHECK_INT(0, scope_parts_decode(&again, bytes.data, bytes.len, &err));
	CHECK(again.n == 2 && input_is_same(again.v[0].of, p.v[0].of) && input_is_same(again.v[1].of, p.v[1].of));
	scope_parts_release(&again);
	scope_parts_release(&p);
	for (size_t n = 0; n < old.len; n++)
		CHECK_INT(-1, scope_parts_decode(&p, old.data, n, &err));
	buf_release(&bytes);
	buf_release(&old);
}

static void check_after(const struct scope_parts *p, struct scope_range t, uint64_t from, uint64_t to)
{
	uint64_t next_from = 0, next_to = 0;
	CHECK(scope_after(p, &t, &next_from, &next_to));
	CHECK_THAT(next_from == from && next_to == to, "%d-%d after %d-%d", (int)next_from, (int)next_to, (int)t.from,
	           (int)t.to);
}

// A run that was cut goes on in the next scope: at the byte behind those that were looked at, or with fewer bytes.
static void after(void)
{
	struct scope_parts p = {0};
	uint64_t from, to;
	add_part(&p, "a", 99, SCOPE_OWN);  // positions 0-99
	add_part(&p, "b", 899, SCOPE_OWN); // 100-999
	CHECK_INT(40, scope_position(&p, file("a"), 40));
	CHECK_INT(140, scope_position(&p, file("b"), 40));
	CHECK_INT(100, scope_position(&p, file("a"), 99)); // with its end
	CHECK_INT(0, scope_position(&p, file("c"), 40));
	CHECK_INT(0, scope_position(&p, input_source(INPUT_VARIABLE, INPUT_BYTES, 0, "b"), 40)); // another kind
	CHECK_INT(0, scope_position(&p, input_source(INPUT_FILE, INPUT_BYTES, 1, "b"), 40));     // another one
	check_after(&p, (struct scope_range){.to = 100, .width = 500}, 100, 600);
	check_after(&p, (struct scope_range){.to = 1000, .reached = 40, .width = 50}, 40, 90);
	check_after(&p, (struct scope_range){.to = 500, .reached = 150, .width = 5000}, 150, 500);
	check_after(&p, (struct scope_range){.to = 1000, .reached = 1000, .width = 5000}, 0, 250);
	check_after(&p, (struct scope_range){.to = 250, .reached = 250, .width = 100}, 250, 350); // few enough
	CHECK(!scope_after(&p, &(struct scope_range){.from = 900, .to = 1000, .reached = 1000, .width = 9}, &from,
	                   &to));
	scope_parts_release(&p);
}

// Windows as bytes, also such as nobody wrote.
static void window_bytes(void)
{
	struct windows w = {.limit = 7}, copy;
	struct buf bytes = {0};
	windows_encode(&(struct windows){0}, &bytes);
	CHECK_INT(0, bytes.len);
	windows_add(&w, input_source(INPUT_ARGUMENT, INPUT_BYTES, 3, ""), 1, LAUNCH_OPEN);
	windows_add(&w, file("stdin"), 0, 0); // a file of such a name is a file
	windows_encode(&w, &bytes);
	CHECK_INT(0, windows_decode(&copy, bytes.data, bytes.len, &err));
	CHECK(copy.n == 2 && copy.limit == 7 && copy.v[0].to == LAUNCH_OPEN);
	CHECK(input_is_same(copy.v[0].of, w.v[0].of) && input_is_same(copy.v[1].of, w.v[1].of));
	CHECK(!input_is_same(copy.v[1].of, input_source(INPUT_STDIN, INPUT_BYTES, 0, "")));
	windows_release(&copy);
	for (size_t n = 1; n < bytes.len; n++) {
		bool whole = n == 8 || n == 8 + 16 + 12; // ends between two
		CHECK_INT(whole ? 0 : -1, windows_decode(&copy, bytes.data, n, &err));
		windows_release(&copy);
	}
	bytes.data[8 + 16] = INPUT_KINDS; // no kind
	CHECK_INT(-1, windows_decode(&copy, bytes.data, bytes.len, &err));
	uint64_t room[16];
	CHECK(windows_give(&w, room, 79) == SIZE_MAX && windows_give(&w, room, 80) == 80);
	buf_release(&bytes);
	windows_release(&w);
}

static const struct test tests[] = {TEST(groups), TEST(ranges), TEST(older_parts), TEST(after), TEST(window_bytes)};

TEST_MAIN("scope")
