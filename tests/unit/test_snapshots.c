// Recorded tests in the store.
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "stores.h"

static struct stored_snapshot snapshot(uint64_t low, const char *text)
{
	return (struct stored_snapshot){.hash = {low, UINT64_MAX},
	                                .level = -1,
	                                .times = 1,
	                                .present = true,
	                                .data = {(char *)text, strlen(text), 0}};
}

static int64_t add_to(struct store *s, const char *text, int64_t snapshot_id, bool expect_known)
{
	struct stored_input in = input(text);
	in.snapshot = snapshot_id;
	bool known = !expect_known;
	OK(store_add_input(s, &in, &known, &err));
	CHECK(known == expect_known);
	return in.id;
}

static int write_snapshot(void *opaque, const struct stored_snapshot *c)
{
	size_t n = strlen(opaque);
	CHECK(c->hash[1] == UINT64_MAX);
	snprintf((char *)opaque + n, 300 - n, "%d:%d level %d times %u%s %s %.*s; ", (int)c->id, (int)c->hash[0],
	         (int)c->level, c->times, c->present ? "" : " gone", c->why ? c->why : "-", (int)c->data.len,
	         c->data.data);
	return c->id == 7 ? 77 : 0;
}

static void check_snapshots(struct store *s, const char *expected)
{
	char text[300] = "";
	OK(store_each_snapshot(s, write_snapshot, text, &err));
	CHECK_STR(expected, text);
}

static void snapshots(void)
{
	struct store *s = open_at("c");
	struct stored_snapshot a = snapshot(1, "first"), b = snapshot(2, "second"), again = snapshot(1, "not kept");
	bool known = true;
	OK(store_add_snapshot(s, &a, &known, &err));
	CHECK(!known && a.id == 1);
	b.why = mem_strdup("a device");
	OK(store_add_snapshot(s, &b, NULL, &err));
	a.level = 2;
	OK(store_update_snapshot(s, &a, &err));
	OK(store_forget_snapshots(s, &err));
	check_snapshots(s, "1:1 level 2 times 1 gone - first; 2:2 level -1 times 1 gone a device second; ");
	again.times = 3;
	again.why = mem_strdup("because");
	OK(store_add_snapshot(s, &again, &known, &err));
	CHECK(known && again.id == 1 && again.level == 2 && !again.why);
	store_close(s);
	s = open_at("c");
	check_snapshots(s, "1:1 level 2 times 3 - first; 2:2 level -1 times 1 gone a device second; ");
	mem_free(b.why);
	b.why = NULL;
	OK(store_update_snapshot(s, &b, &err));
	check_snapshots(s, "1:1 level 2 times 3 - first; 2:2 level -1 times 1 - second; ");
	b.id = 9;
	CHECK_INT(-1, store_update_snapshot(s, &b, &err));
	store_close(s);
}

// Analysed in another way, tests were not analysed.
static void ways(void)
{
	struct store *s = open_at("c");
	struct stored_snapshot a = snapshot(1, "first");
	OK(store_add_snapshot(s, &a, NULL, &err));
	a.level = 3;
	OK(store_set_way(s, "all", &err));
	OK(store_update_snapshot(s, &a, &err));
	OK(store_set_way(s, "all", &err));
	check_snapshots(s, "1:1 level 3 times 1 - first; ");
	OK(store_set_way(s, "some", &err));
	check_snapshots(s, "1:1 level -1 times 1 - first; ");
	OK(store_update_snapshot(s, &a, &err));
	struct store *other = open_at("other"), *alike = open_at("alike");
	OK(store_set_way(other, "all", &err));
	OK(store_set_way(alike, "some", &err));
	OK(store_merge(other, test_path("c"), &err));
	check_snapshots(other, "1:1 level -1 times 1 - first; ");
	OK(store_merge(alike, test_path("c"), &err));
	check_snapshots(alike, "1:1 level 3 times 1 - first; ");
	store_close(s);
	store_close(other);
	store_close(alike);
}

// A long text, the same for all but its end.
static struct stored_snapshot long_snapshot(uint64_t low)
{
	char *text = test_alloc(20000);
	uint32_t x = 1;
	for (size_t i = 0; i < 19900; i++) {
		x = 1664525 * x + 1013904223;
		text[i] = (char)('a' + x / 7919 % 26);
	}
	snprintf(text + 19900, 100, "%llu", (unsigned long long)low);
	return snapshot(low, text);
}

static int check_long(void *opaque, const struct stored_snapshot *c)
{
	struct stored_snapshot expected = long_snapshot(c->hash[0]);
	++*(int *)opaque;
	CHECK_INT(expected.data.len, c->data.len);
	CHECK(memcmp(expected.data.data, c->data.data, c->data.len) == 0);
	return 0;
}

static void add_long(struct store *s, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		struct stored_snapshot c = long_snapshot(i);
		OK(store_add_snapshot(s, &c, NULL, &err));
	}
}

// Kept as differences; one they are differences from may be rolled back.
static void long_snapshots(void)
{
	struct store *s = open_at("c"), *other;
	struct stat st;
	int n = 0;
	shell("c/veer.db",
	      "CREATE TRIGGER t BEFORE INSERT ON snapshots WHEN new.low = 2 BEGIN SELECT raise(ABORT, 'no'); END");
	struct stored_snapshot c = long_snapshot(2);
	OK(store_begin(s, &err));
	add_long(s, 0, 2);
	CHECK_INT(-1, store_add_snapshot(s, &c, NULL, &err));
	CHECK_INT(-1, store_commit(s, &err));
	OK(store_begin(s, &err));
	add_long(s, 3, 100);
	OK(store_commit(s, &err));
	OK(store_each_snapshot(s, check_long, &n, &err));
	CHECK_INT(97, n);
	store_close(s);
	CHECK_INT(0, stat(test_path("c/veer.db"), &st));
	CHECK_THAT(st.st_size < 400000, "%lld bytes", (long long)st.st_size);
	s = open_at("c");
	add_long(s, 100, 102);
	n = 0;
	OK(store_each_snapshot(s, check_long, &n, &err));
	CHECK_INT(99, n);
	store_close(s);
	other = open_at("d");
	OK(store_merge(other, test_path("c"), &err));
	n = 0;
	OK(store_each_snapshot(other, check_long, &n, &err));
	CHECK_INT(99, n);
	store_close(other);
	shell("c/veer.db", "DELETE FROM snapshots WHERE low = 3"); // the others are lost, with an error
	s = open_at("c");
	CHECK_INT(-1, store_each_snapshot(s, check_long, &n, &err));
	store_close(s);
}

static void inputs_of_snapshots(void)
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
		CHECK_INT(2, got.snapshot);
		stored_input_release(&got);
		store_close(s);
		s = open_at("c");
	}
	store_close(s);
}

// The names of versions 6, 5 and 4: a database of today's with them is one.
#define NAMES_OF_6 "UPDATE counters SET name = 'inputs let go' WHERE name = 'inputs_evicted'; "
#define TO_VERSION_6 "DROP TABLE comparisons; " NAMES_OF_6 "PRAGMA user_version = 6; "
#define TO_VERSION_5 TO_VERSION_6 "ALTER TABLE scopes RENAME TO targets; PRAGMA user_version = 5; "
#define TO_VERSION_4                                                                                                   \
	TO_VERSION_5                                                                                                   \
	"ALTER TABLE inputs RENAME COLUMN snapshot TO scene; ALTER TABLE inputs RENAME COLUMN in_corpus TO keeps; "    \
	"ALTER TABLE snapshots RENAME TO scenes; ALTER TABLE targets RENAME COLUMN snapshot TO scene; "                \
	"UPDATE counters SET name = 'judged' WHERE name = 'oracle_runs'; PRAGMA user_version = 4; "

static const char *const to_version_1 =
	TO_VERSION_4 "DROP TABLE scenes; DROP TABLE targets; ALTER TABLE findings DROP COLUMN gone; "
		     "ALTER TABLE inputs DROP COLUMN scene; PRAGMA user_version = 1";

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
	check_snapshots(s, "");
	struct stored_input got;
	OK(store_get_input(s, 1, &got, &err));
	CHECK(got.snapshot == 0 && got.data.len == 3);
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
		struct stored_snapshot c = snapshot(1, "x");
		OK(store_add_snapshot(s, &c, NULL, &err));
		check_snapshots(s, "1:1 level -1 times 1 - x; ");
		OK(store_check(s, &err));
		store_close(s);
	}
	// What cannot become new stays old.
	shell("c/veer.db", to_version_1);
	shell("c/veer.db", "CREATE TABLE snapshots (x)");
	refused("c", true, "snapshots");
	shell("c/veer.db", "DROP TABLE snapshots");
	s = open_at("c");
	CHECK_INT(2, store_count_inputs(s, false));
	store_close(s);
}

static int write_outcome(void *opaque, const struct stored_snapshot *c)
{
	size_t n = strlen(opaque);
	snprintf((char *)opaque + n, 300 - n, "%d %s %d; ", (int)c->id, c->outcome ? c->outcome : "-",
	         (int)c->native_us);
	return 0;
}

static void check_outcomes(struct store *s, const char *expected)
{
	char text[300] = "";
	OK(store_each_snapshot(s, write_outcome, text, &err));
	CHECK_STR(expected, text);
}

// What became of a test: kept, merged where nothing is known, forgotten when tests are analysed in another way.
static void outcomes(void)
{
	struct store *s = open_at("c"), *other = open_at("d");
	struct stored_snapshot a = snapshot(1, "first"), b = snapshot(2, "second"), again = snapshot(1, "first");
	OK(store_set_way(s, "all", &err));
	OK(store_set_way(other, "all", &err));
	OK(store_add_snapshot(s, &a, NULL, &err));
	a.outcome = mem_strdup("analysed");
	a.native_us = 1500;
	OK(store_update_snapshot(s, &a, &err));
	b.outcome = mem_strdup("differs");
	OK(store_add_snapshot(s, &b, NULL, &err));
	check_outcomes(s, "1 analysed 1500; 2 differs 0; ");
	OK(store_add_snapshot(s, &again, NULL, &err));
	CHECK_STR("analysed", again.outcome);
	CHECK_INT(1500, again.native_us);
	mem_free(again.outcome);
	mem_free(a.outcome);
	a.outcome = NULL;
	OK(store_add_snapshot(other, &a, NULL, &err));
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
	struct stored_snapshot a = snapshot(1, "first");
	OK(store_add_snapshot(s, &a, NULL, &err));
	store_close(s);
	shell("c/veer.db", TO_VERSION_4
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
	OK(store_update_snapshot(s, &a, &err));
	check_outcomes(s, "1 no_input 0; ");
	mem_free(a.outcome);
	store_close(s);
}

static void merging_snapshots(void)
{
	struct store *a = open_at("a"), *b = open_at("b");
	struct stored_snapshot mine = snapshot(1, "mine"), c = snapshot(2, "both");
	mine.why = mem_strdup("why");
	OK(store_add_snapshot(a, &mine, NULL, &err));
	OK(store_add_snapshot(a, &c, NULL, &err));
	c.level = 3;
	OK(store_add_snapshot(b, &c, NULL, &err)); // 1 there
	c = snapshot(3, "theirs");
	OK(store_add_snapshot(b, &c, NULL, &err)); // 2 there
	add_to(a, "same", 2, false);
	add_to(b, "same", 1, false);
	add_to(b, "same", 2, false);
	add_to(b, "same", 0, false);
	for (int i = 0; i < 2; i++) {
		OK(store_merge(a, test_path("b"), &err));
		check_snapshots(a, "1:1 level -1 times 1 why mine; 2:2 level 3 times 1 - both; "
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

static int write_scope(void *opaque, const struct stored_scope *t)
{
	size_t n = strlen(opaque);
	snprintf((char *)opaque + n, 300 - n, "%d.%u %llu-%llu%s level %d %.*s; ", (int)t->snapshot, t->number,
	         (unsigned long long)t->from, (unsigned long long)t->to, t->slow ? " slow" : "", (int)t->level,
	         (int)t->parts.len, t->parts.data ? t->parts.data : "");
	return 0;
}

static void check_scopes(struct store *s, const char *expected)
{
	char text[300] = "";
	OK(store_each_scope(s, write_scope, text, &err));
	CHECK_STR(expected, text);
}

static void set_scope(struct store *s, int64_t snapshot_id, uint32_t number, uint64_t from, uint64_t to, int32_t level)
{
	const struct stored_scope t = {.snapshot = snapshot_id,
	                               .number = number,
	                               .from = from,
	                               .to = to,
	                               .slow = number == 2,
	                               .level = level,
	                               .parts = {number ? NULL : (char *)"parts", number ? 0 : 5, 0}};
	OK(store_set_scope(s, &t, &err));
}

// They stay when the campaign is opened again; another way of analysing begins anew; merging takes all of a test's or
// none.
static void scopes(void)
{
	struct store *s = open_at("c"), *other = open_at("other");
	struct stored_snapshot a = snapshot(1, "first"), b = snapshot(2, "second"), there = snapshot(2, "second");
	OK(store_set_way(s, "all", &err));
	OK(store_set_way(other, "all", &err));
	OK(store_add_snapshot(s, &a, NULL, &err));
	OK(store_add_snapshot(s, &b, NULL, &err));
	OK(store_add_snapshot(other, &there, NULL, &err));
	set_scope(s, a.id, 0, 0, 10, -1);
	set_scope(s, a.id, 1, 10, 5000000000, 3);
	set_scope(s, a.id, 0, 0, 7, 1);
	set_scope(s, b.id, 0, 0, 3, 0);
	set_scope(s, b.id, 1, 3, 4, 0);
	set_scope(s, b.id, 2, 4, 5, -1);
	store_close(s);
	s = open_at("c");
	const char *all = "1.0 0-7 level 1 parts; 1.1 10-5000000000 level 3 ; 2.0 0-3 level 0 parts; "
			  "2.1 3-4 level 0 ; 2.2 4-5 slow level -1 ; ";
	check_scopes(s, all);
	set_scope(other, there.id, 0, 0, 9, 0);
	OK(store_merge(other, test_path("c"), &err));
	check_scopes(other, "1.0 0-9 level 0 parts; 2.0 0-7 level 1 parts; 2.1 10-5000000000 level 3 ; ");
	OK(store_set_way(s, "all", &err));
	check_scopes(s, all);
	OK(store_set_way(s, "some", &err));
	check_scopes(s, "");
	store_close(s);
	store_close(other);
}

// Older versions have other names for tables, columns and counters; what is there is the same.
static void check_upgrade(const char *to_version)
{
	struct store *s = open_at("c");
	struct stored_snapshot a = snapshot(1, "first");
	OK(store_add_snapshot(s, &a, NULL, &err));
	add_to(s, "in a snapshot", a.id, false);
	OK(store_count(s, "oracle_runs", 7, &err));
	set_scope(s, a.id, 0, 0, 10, -1);
	store_close(s);
	shell("c/veer.db", to_version);
	struct bytes before = test_read(test_path("c/veer.db"));
	for (int i = 0; i < 3; i++) { // read only, then upgraded, then of this version
		s = i ? open_at("c") : store_open_read(test_path("c"), &err);
		CHECK_THAT(s, "%s", err.text);
		check_snapshots(s, "1:1 level -1 times 1 - first; ");
		check_scopes(s, "1.0 0-10 level -1 parts; ");
		CHECK_INT(7, store_counter(s, "oracle_runs"));
		CHECK_INT(0, store_counter(s, "judged"));
		struct stored_input got;
		OK(store_get_input(s, 1, &got, &err));
		CHECK_INT(a.id, got.snapshot);
		stored_input_release(&got);
		OK(store_check(s, &err));
		store_close(s);
		CHECK(i || test_same(before, test_read(test_path("c/veer.db"))));
	}
}

static void upgrade_names(void)
{
	check_upgrade(TO_VERSION_5);
}

static void upgrade_older_names(void)
{
	check_upgrade(TO_VERSION_4);
}

static const struct test tests[] = {
	TEST(scopes),
	TEST(snapshots),
	TEST(ways),
	TEST(long_snapshots),
	TEST(inputs_of_snapshots),
	TEST(upgrade),
	TEST(merging_snapshots),
	TEST(outcomes),
	TEST(upgrade_outcomes),
	TEST(upgrade_names),
	TEST(upgrade_older_names),
};

TEST_MAIN("snapshots")
