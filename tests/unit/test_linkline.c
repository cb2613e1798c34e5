#include "base/mem.h"
#include "object/linkline.h"
#include "test.h"

static struct linkline sample(void)
{
	struct linkline line = {
		.driver = mem_strdup("c++"),
		.cwd = mem_strdup("/home/me/build"),
		.output = mem_strdup("prog"),
		.shared = true,
	};
	strv_push(&line.archives, "/home/me/liba.a");
	strv_push(&line.archives, "");
	linkline_add(&line, LINK_TEXT, "-Wl,-rpath,/x y", "");
	linkline_add(&line, LINK_UNITS, "", "");
	linkline_add(&line, LINK_ARCHIVE, "", "")->group = 2;
	struct link_arg *arg = linkline_add(&line, LINK_FILE, "-Wl,--version-script=", "export.map");
	arg->data = mem_copy("{ global: *;\0};", 15);
	arg->data_size = 15;
	arg->hash = hash_bytes(arg->data, arg->data_size);
	arg = linkline_add(&line, LINK_LARGE, "", "/usr/lib/libbig.a");
	arg->hash = (struct hash){UINT64_MAX, 1};
	arg->group = UINT32_MAX;
	linkline_add(&line, LINK_FILE, "", "empty.o");
	return line;
}

static void check_same(const struct linkline *a, const struct linkline *b)
{
	CHECK_STR(a->driver, b->driver);
	CHECK_STR(a->cwd, b->cwd);
	CHECK_STR(a->output, b->output);
	CHECK_INT(a->shared, b->shared);
	CHECK_INT(a->archives.n, b->archives.n);
	for (size_t i = 0; i < a->archives.n; i++)
		CHECK_STR(a->archives.v[i], b->archives.v[i]);
	CHECK_INT(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct link_arg *x = &a->args[i], *y = &b->args[i];
		CHECK_INT(x->kind, y->kind);
		CHECK_INT(x->group, y->group);
		CHECK_STR(x->text, y->text);
		CHECK_STR(x->name, y->name);
		CHECK_INT(x->data_size, y->data_size);
		CHECK(x->data_size == 0 || memcmp(x->data, y->data, x->data_size) == 0);
		CHECK(x->hash.low == y->hash.low && x->hash.high == y->hash.high);
	}
}

static struct bytes encode(const struct linkline *line)
{
	struct buf out = {0};
	linkline_encode(line, &out);
	struct bytes copy = test_bytes(out.data, out.len);
	buf_release(&out);
	return copy;
}

static void decode(struct bytes from, struct linkline *ret)
{
	struct err err = {""};
	int r = linkline_decode(test_guarded(from.data, from.size), from.size, ret, &err);
	CHECK_THAT(r == 0, "%s", err.text);
}

static void round_trip(void)
{
	struct linkline line = sample(), again;
	decode(encode(&line), &again);
	check_same(&line, &again);
	for (size_t i = 0; i < again.n; i++)
		CHECK(again.args[i].text && again.args[i].name);
	linkline_release(&again);
	linkline_release(&line);
	CHECK(!line.args && !line.n && !line.driver && !line.archives.v);
	linkline_release(&line);
}

static void empty_line(void)
{
	struct linkline line = {.driver = mem_strdup(""), .cwd = mem_strdup(""), .output = mem_strdup("")}, again;
	decode(encode(&line), &again);
	check_same(&line, &again);
	linkline_release(&again);
	linkline_release(&line);
}

static void many_arguments(void)
{
	struct linkline line = sample(), again;
	for (int i = 0; i < 2000; i++) {
		char *text = test_printf("-Wl,--defsym=s%d=1", i);
		struct link_arg *arg = linkline_add(&line, (enum link_kind)(1 + i % 5), text, text);
		CHECK(arg->text != text && arg->name != text && !arg->data && !arg->group && !arg->hash.low);
	}
	decode(encode(&line), &again);
	check_same(&line, &again);
	linkline_release(&again);
	linkline_release(&line);
}

static void truncated_at_every_length(void)
{
	struct linkline line = sample();
	struct bytes all = encode(&line);
	for (size_t size = 0; size < all.size; size++) {
		struct linkline again = {.n = 77};
		struct err err = {""};
		CHECK_INT(-1, linkline_decode(test_guarded(all.data, size), size, &again, &err));
		CHECK(err.text[0]);
		CHECK(again.n == 77); // written on success only
	}
	CHECK_INT(-1, linkline_decode(all.data, all.size - 1, &(struct linkline){0}, NULL));
	linkline_release(&line);
}

static void other_versions(void)
{
	struct linkline line = sample(), again;
	struct bytes all = encode(&line);
	for (unsigned version = 0; version < 4; version++) {
		struct err err = {""};
		if (version == all.data[0])
			continue;
		uint8_t *data = test_guarded(all.data, all.size);
		data[0] = (uint8_t)version;
		CHECK_INT(-1, linkline_decode(data, all.size, &again, &err));
		CHECK(strstr(err.text, "version") && strstr(err.text, "rebuild"));
	}
	linkline_release(&line);
}

static void hostile_numbers(void)
{
	struct linkline line = sample(), again;
	struct bytes all = encode(&line);
	static const uint32_t values[] = {UINT32_MAX, 0x7fffffff, 0x10000000, 1000};
	int refused = 0;
	for (size_t at = 4; at + 4 <= all.size; at++)
		for (size_t i = 0; i < COUNT(values); i++) { // any field, also in the middle of another
			uint8_t *data = test_guarded(all.data, all.size);
			memcpy(data + at, &values[i], 4);
			if (linkline_decode(data, all.size, &again, NULL) == 0)
				linkline_release(&again);
			else
				refused++;
		}
	CHECK(refused > 100);
	linkline_release(&line);
}

static void unknown_kinds(void)
{
	static const uint32_t kinds[] = {0, 6, 255, 0x80000000, UINT32_MAX};
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct linkline line = sample(), again;
		line.args[3].kind = (enum link_kind)kinds[i];
		struct bytes all = encode(&line);
		CHECK_INT(-1, linkline_decode(all.data, all.size, &again, NULL));
		linkline_release(&line);
	}
}

// What is accepted is complete, and means the same when it is written again.
static void random_mutations(void)
{
	struct linkline line = sample(), first, second;
	struct bytes all = encode(&line);
	int accepted = 0;
	for (int i = 0; i < 10000; i++) {
		size_t size = i % 4 ? all.size : test_below(all.size + 1);
		uint8_t *data = test_guarded(all.data, size);
		if (size > 4)
			test_mutate(data, 4, size);
		if (linkline_decode(data, size, &first, NULL) < 0)
			continue;
		accepted++;
		CHECK(first.driver && first.cwd && first.output);
		decode(encode(&first), &second);
		check_same(&first, &second);
		linkline_release(&first);
		linkline_release(&second);
	}
	CHECK(accepted > 1000 && accepted < 9000);
	linkline_release(&line);
}

static const struct test tests[] = {
	TEST(round_trip),     TEST(empty_line),      TEST(many_arguments), TEST(truncated_at_every_length),
	TEST(other_versions), TEST(hostile_numbers), TEST(unknown_kinds),  TEST(random_mutations),
};
TEST_MAIN("linkline")
