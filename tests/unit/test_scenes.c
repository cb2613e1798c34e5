// Recorded tests in the store.
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "stores.h"

static struct stored_scene scene(uint64_t low, const char *text)
{
	return (struct stored_scene){.hash = {low, UINT64_MAX},
	                             .level = -1,
	                             .times = 1,
	                             .present = true,
	                             .data = {(char *)text, strlen(text), 0}};
}

static int64_t add_to(struct store *s, const char *text, int64_t scene_id, bool expect_known)
{
	struct stored_input in = input(text);
	in.scene = scene_id;
	bool known = !expect_known;
	OK(store_add_input(s, &in, &known, &err));
	CHECK(known == expect_known);
	return in.id;
}

static int write_scene(void *opaque, const struct stored_scene *c)
{
	size_t n = strlen(opaque);
	CHECK(c->hash[1] == UINT64_MAX);
	snprintf((char *)opaque + n, 300 - n, "%d:%d level %d times %u%s %s %.*s; ", (int)c->id, (int)c->hash[0],
	         (int)c->level, c->times, c->present ? "" : " gone", c->why ? c->why : "-", (int)c->data.len,
	         c->data.data);
	return c->id == 7 ? 77 : 0;
}

static void check_scenes(struct store *s, const char *expected)
{
	char text[300] = "";
	OK(store_each_scene(s, write_scene, text, &err));
	CHECK_STR(expected, text);
}

static void scenes(void)
{
	struct store *s = open_at("c");
	struct stored_scene a = scene(1, "first"), b = scene(2, "second"), again = scene(1, "not kept");
	bool known = true;
	OK(store_add_scene(s, &a, &known, &err));
	CHECK(!known && a.id == 1);
	b.why = mem_strdup("a device");
	OK(store_add_scene(s, &b, NULL, &err));
	a.level = 2;
	OK(store_update_scene(s, &a, &err));
	OK(store_forget_scenes(s, &err));
	check_scenes(s, "1:1 level 2 times 1 gone - first; 2:2 level -1 times 1 gone a device second; ");
	again.times = 3;
	again.why = mem_strdup("because");
	OK(store_add_scene(s, &again, &known, &err));
	CHECK(known && again.id == 1 && again.level == 2 && !again.why);
	store_close(s);
	s = open_at("c");
	check_scenes(s, "1:1 level 2 times 3 - first; 2:2 level -1 times 1 gone a device second; ");
	mem_free(b.why);
	b.why = NULL;
	OK(store_update_scene(s, &b, &err));
	check_scenes(s, "1:1 level 2 times 3 - first; 2:2 level -1 times 1 - second; ");
	b.id = 9;
	CHECK_INT(-1, store_update_scene(s, &b, &err));
	store_close(s);
}

// Analysed in another way, tests were not analysed.
static void ways(void)
{
	struct store *s = open_at("c");
	struct stored_scene a = scene(1, "first");
	OK(store_add_scene(s, &a, NULL, &err));
	a.level = 3;
	OK(store_set_way(s, "all", &err));
	OK(store_update_scene(s, &a, &err));
	OK(store_set_way(s, "all", &err));
	check_scenes(s, "1:1 level 3 times 1 - first; ");
	OK(store_set_way(s, "some", &err));
	check_scenes(s, "1:1 level -1 times 1 - first; ");
	OK(store_update_scene(s, &a, &err));
	struct store *other = open_at("other"), *alike = open_at("alike");
	OK(store_set_way(other, "all", &err));
	OK(store_set_way(alike, "some", &err));
	OK(store_merge(other, test_path("c"), &err));
	check_scenes(other, "1:1 level -1 times 1 - first; ");
	OK(store_merge(alike, test_path("c"), &err));
	check_scenes(alike, "1:1 level 3 times 1 - first; ");
	store_close(s);
	store_close(other);
	store_close(alike);
}

// A long text, the same for all but its end.
static struct stored_scene long_scene(uint64_t low)
{
	char *text = test_alloc(20000);
	uint32_t x = 1;
	for (size_t i = 0; i < 19900; i++) {
		x = 1664525 * x + 1013904223;
		text[i] = (char)('a' + x / 7919 % 26);
	}
	snprintf(text + 19900, 100, "%llu", (unsigned long long)low);
	return scene(low, text);
}

static int check_long(void *opaque, const struct stored_scene *c)
{
	struct stored_scene expected = long_scene(c->hash[0]);
	++*(int *)opaque;
	CHECK_INT(expected.data.len, c->data.len);
	CHECK(memcmp(expected.data.data, c->data.data, c->data.len) == 0);
	return 0;
}

static void add_long(struct store *s, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		struct stored_scene c = long_scene(i);
		OK(store_add_scene(s, &c, NULL, &err));
	}
}

// Kept as differences; one they are differences from may be rolled back.
static void long_scenes(void)
{
	struct store *s = open_at("c"), *other;
	struct stat st;
	int n = 0;
	shell("c/veer.db",
	      "CREATE TRIGGER t BEFORE INSERT ON scenes WHEN new.low = 2 BEGIN SELECT raise(ABORT, 'no'); END");
	struct stored_scene c = long_scene(2);
	OK(store_begin(s, &err));
	add_long(s, 0, 2);
	CHECK_INT(-1, store_add_scene(s, &c, NULL, &err));
	CHECK_INT(-1, store_commit(s, &err));
	OK(store_begin(s, &err));
	add_long(s, 3, 100);
	OK(store_commit(s, &err));
	OK(store_each_scene(s, check_long, &n, &err));
	CHECK_INT(97, n);
	store_close(s);
	CHECK_INT(0, stat(test_path("c/veer.db"), &st));
	CHECK_THAT(st.st_size < 400000, "%lld bytes", (long long)st.st_size);
	s = open_at("c");
	add_long(s, 100, 102);
	n = 0;
	OK(store_each_scene(s, check_long, &n, &err));
	CHECK_INT(99, n);
	store_close(s);
	other = open_at("d");
	OK(store_merge(other, test_path("c"), &err));
	n = 0;
	OK(store_each_scene(other, check_long, &n, &err));
	CHECK_INT(99, n);
	store_close(other);
	shell("c/veer.db", "DELETE FROM scenes WHERE low = 3"); // the others are lost, with an error
	s = open_at("c");
	CHECK_INT(-1, store_each_scene(s, check_long, &n, &err));
	store_close(s);
}

static void inputs_of_scenes(void)
{
	struct store *s = open_at("c");
	int64_t plain = add_to(s, "same", 0, false), one = add_to(s, "same", 1, false);
	int64_t two = add_to(s, "same", 2, false);
	CHECK(plain != one && one != two);
	for (int i = 0; i < 2; i++) {
		CHECK_INT(one, add_to(s, "same", 1, true));
		CHECK_INT(two, add_to(s, "same", 2, true));
		CHECK_INT(plain, add_to(s, "same", 0, true));
		struct stored_input got;
		OK(store_get_input(s, two, &got, &err));
		CHECK_INT(2, got.scene);
		stored_input_release(&got);
		store_close(s);
		s = open_at("c");
	}
	store_close(s);
}

static const char *const to_version_1 =
	"DROP TABLE scenes; DROP TABLE targets; ALTER TABLE findings DROP COLUMN gone; ALTER TABLE inputs "
	"DROP COLUMN scene; PRAGMA user_version = 1";

static void upgrade(void)
{
	struct store *s = open_at("c");
	add(s, "old", 0);
	store_close(s);
	shell("c/veer.db", to_version_1);
	// To read it changes nothing.
	struct bytes before = test_read(test_path("c/veer.db"));
	s = store_open_read(test_path("c"), &err);
	CHECK_THAT(s, "%s", err.text);
	check_scenes(s, "");
	struct stored_input got;
	OK(store_get_input(s, 1, &got, &err));
	CHECK(got.scene == 0 && got.data.len == 3);
	stored_input_release(&got);
	CHECK_INT(1, store_count_inputs(s, true));
	store_close(s);
	CHECK(test_same(before, test_read(test_path("c/veer.db"))));
	// Merged from, too.
	s = open_at("d");
	OK(store_merge(s, test_path("c"), &err));
	CHECK_INT(1, store_count_inputs(s, true));
	store_close(s);
	CHECK(test_same(before, test_read(test_path("c/veer.db"))));
	// To write it makes it new, once.
	for (int i = 0; i < 2; i++) {
		s = open_at("c");
		CHECK_INT(1, add_to(s, "old", 0, true));
		CHECK_INT(2, add_to(s, "old", 1, i));
		struct stored_scene c = scene(1, "x");
		OK(store_add_scene(s, &c, NULL, &err));
		check_scenes(s, "1:1 level -1 times 1 - x; ");
		OK(store_check(s, &err));
		store_close(s);
	}
	// What cannot become new stays old.
	shell("c/veer.db", to_version_1);
	shell("c/veer.db", "CREATE TABLE scenes (x)");
	refused("c", true, "scenes");
	shell("c/veer.db", "DROP TABLE scenes");
	s = open_at("c");
	CHECK_INT(2, store_count_inputs(s, false));
	store_close(s);
}

static int write_outcome(void *opaque, const struct stored_scene *c)
{
	size_t n = strlen(opaque);
	snprintf((char *)opaque + n, 300 - n, "%d %s %d; ", (int)c->id, c->outcome ? c->outcome : "-",
	         (int)c->native_us);
	return 0;
}

static void check_outcomes(struct store *s, const char *expected)
{
	char text[300] = "";
	OK(store_each_scene(s, write_outcome, text, &err));
	CHECK_STR(expected, text);
}

// What became of a test: kept, merged where nothing is known, forgotten when tests are analysed in another way.
static void outcomes(void)
{
	struct store *s = open_at("c"), *other = open_at("d");
	struct stored_scene a = scene(1, "first"), b = scene(2, "second"), again = scene(1, "first");
	OK(store_set_way(s, "all", &err));
	OK(store_set_way(other, "all", &err));
	OK(store_add_scene(s, &a, NULL, &err));
	a.outcome = mem_strdup("analysed");
	a.native_us = 1500;
	OK(store_update_scene(s, &a, &err));
	b.outcome = mem_strdup("differs");
	OK(store_add_scene(s, &b, NULL, &err));
	check_outcomes(s, "1 analysed 1500; 2 differs 0; ");
	OK(store_add_scene(s, &again, NULL, &err));
	CHECK_STR("analysed", again.outcome);
	CHECK_INT(1500, again.native_us);
	mem_free(again.outcome);
	mem_free(a.outcome);
	a.outcome = NULL;
	OK(store_add_scene(other, &a, NULL, &err));
	OK(store_merge(other, test_path("c"), &err));
	check_outcomes(other, "1 analysed 1500; 2 differs 0; ");
	store_close(other);
	OK(store_set_way(s, "some", &err));
	check_outcomes(s, "1 - 1500; 2 - 0; ");
	mem_free(b.outcome);
	store_close(s);
}

// A database of version 3 has neither column.
static void upgrade_outcomes(void)
{
	struct store *s = open_at("c");
	struct stored_scene a = scene(1, "first");
	OK(store_add_scene(s, &a, NULL, &err));
	store_close(s);
	shell("c/veer.db",
	      "DROP TABLE targets; ALTER TABLE scenes DROP COLUMN outcome; ALTER TABLE scenes DROP COLUMN native_us; "
	      "PRAGMA user_version = 3");
	struct bytes before = test_read(test_path("c/veer.db"));
	s = store_open_read(test_path("c"), &err);
	CHECK_THAT(s, "%s", err.text);
	check_outcomes(s, "1 - 0; ");
	store_close(s);
	CHECK(test_same(before, test_read(test_path("c/veer.db"))));
	s = open_at("c");
	a.outcome = mem_strdup("no_input");
	OK(store_update_scene(s, &a, &err));
	check_outcomes(s, "1 no_input 0; ");
	mem_free(a.outcome);
	store_close(s);
}

static void merging_scenes(void)
{
	struct store *a = open_at("a"), *b = open_at("b");
	struct stored_scene mine = scene(1, "mine"), c = scene(2, "both");
	mine.why = mem_strdup("why");
	OK(store_add_scene(a, &mine, NULL, &err));
	OK(store_add_scene(a, &c, NULL, &err));
	c.level = 3;
	OK(store_add_scene(b, &c, NULL, &err)); // 1 there
	c = scene(3, "theirs");
	OK(store_add_scene(b, &c, NULL, &err)); // 2 there
	add_to(a, "same", 2, false);
	add_to(b, "same", 1, false);
	add_to(b, "same", 2, false);
	add_to(b, "same", 0, false);
	for (int i = 0; i < 2; i++) {
		OK(store_merge(a, test_path("b"), &err));
		check_scenes(a, "1:1 level -1 times 1 why mine; 2:2 level 3 times 1 - both; "
		                "3:3 level -1 times 1 - theirs; ");
		CHECK_INT(3, store_count_inputs(a, false));
		CHECK_INT(1, add_to(a, "same", 2, true));
		CHECK_INT(2, add_to(a, "same", 3, true));
		CHECK_INT(3, add_to(a, "same", 0, true));
	}
	mem_free(mine.why);
	store_close(b);
	store_close(a);
}

static int write_target(void *opaque, const struct stored_target *t)
{
	size_t n = strlen(opaque);
	snprintf((char *)opaque + n, 300 - n, "%d.%u %llu-%llu%s level %d %.*s; ", (int)t->scene, t->number,
	         (unsigned long long)t->from, (unsigned long long)t->to, t->slow ? " slow" : "", (int)t->level,
	         (int)t->parts.len, t->parts.data ? t->parts.data : "");
	return 0;
}

static void check_targets(struct store *s, const char *expected)
{
	char text[300] = "";
	OK(store_each_target(s, write_target, text, &err));
	CHECK_STR(expected, text);
}

static void set_target(struct store *s, int64_t scene_id, uint32_t number, uint64_t from, uint64_t to, int32_t level)
{
	const struct stored_target t = {.scene = scene_id,
	                                .number = number,
	                                .from = from,
	                                .to = to,
	                                .slow = number == 2,
	                                .level = level,
	                                .parts = {number ? NULL : (char *)"parts", number ? 0 : 5, 0}};
	OK(store_set_target(s, &t, &err));
}

// They stay when the campaign is opened again; another way of analysing begins anew; merging takes all of a test's or
// none.
static void targets(void)
{
	struct store *s = open_at("c"), *other = open_at("other");
	struct stored_scene a = scene(1, "first"), b = scene(2, "second"), there = scene(2, "second");
	OK(store_set_way(s, "all", &err));
	OK(store_set_way(other, "all", &err));
	OK(store_add_scene(s, &a, NULL, &err));
	OK(store_add_scene(s, &b, NULL, &err));
	OK(store_add_scene(other, &there, NULL, &err));
	set_target(s, a.id, 0, 0, 10, -1);
	set_target(s, a.id, 1, 10, 5000000000, 3);
	set_target(s, a.id, 0, 0, 7, 1);
	set_target(s, b.id, 0, 0, 3, 0);
	set_target(s, b.id, 1, 3, 4, 0);
	set_target(s, b.id, 2, 4, 5, -1);
	store_close(s);
	s = open_at("c");
	const char *all = "1.0 0-7 level 1 parts; 1.1 10-5000000000 level 3 ; 2.0 0-3 level 0 parts; "
			  "2.1 3-4 level 0 ; 2.2 4-5 slow level -1 ; ";
	check_targets(s, all);
	set_target(other, there.id, 0, 0, 9, 0);
	OK(store_merge(other, test_path("c"), &err));
	check_targets(other, "1.0 0-9 level 0 parts; 2.0 0-7 level 1 parts; 2.1 10-5000000000 level 3 ; ");
	OK(store_set_way(s, "all", &err));
	check_targets(s, all);
	OK(store_set_way(s, "some", &err));
	check_targets(s, "");
	store_close(s);
	store_close(other);
}

static const struct test tests[] = {
	TEST(targets), TEST(scenes),         TEST(ways),     TEST(long_scenes),      TEST(inputs_of_scenes),
	TEST(upgrade), TEST(merging_scenes), TEST(outcomes), TEST(upgrade_outcomes),
};

TEST_MAIN("scenes")
