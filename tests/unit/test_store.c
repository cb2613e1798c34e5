#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/index.h"
#include "store_writer.h"
#include "stores.h"
#include "test.h"

static void maps(void)
{
	struct index m = {0};
	uint64_t value, key, sum = 0;
	CHECK(!index_get(&m, 0, &value));
	for (uint64_t i = 0; i < 100000; i++) // keys that differ in few bits, and few that do not
		index_set(&m, i << (i % 3 * 20), i);
	for (uint64_t i = 0; i < 100000; i++) {
		CHECK(index_get(&m, i << (i % 3 * 20), &value));
		CHECK_INT(i, value);
	}
	CHECK(!index_get(&m, 1, &value)); // 1 << 20 is there
	index_set(&m, 0, INDEX_MOST);
	CHECK(index_get(&m, 0, &value) && value == INDEX_MOST);
	index_set(&m, 0, 0);
	size_t n = 0;
	for (size_t at = 0; index_next(&m, &at, &key, &value); n++)
		sum += value;
	CHECK(n == m.n && sum == 99999ull * 50000);
	index_release(&m);
}

static void settings(void)
{
	struct store *s = open_at("c");
	struct buf b = {0};
	CHECK(!store_get(s, "program", &b));
	CHECK_INT(7, store_get_number(s, "coverage.before", 7));
	OK(store_begin(s, &err));
	OK(store_set(s, "program", "./a", 3, &err));
	OK(store_set(s, "program", "./b\0c", 5, &err));
	OK(store_set(s, "empty", NULL, 0, &err));
	OK(store_set_number(s, "coverage.before", -12345678901, &err));
	OK(store_commit(s, &err));
	for (int i = 0; i < 2; i++) {
		CHECK(store_get(s, "program", &b));
		CHECK_INT(5, b.len);
		CHECK(memcmp(b.data, "./b\0c", 6) == 0);
		buf_clear(&b);
		CHECK(store_get(s, "empty", &b));
		CHECK_INT(0, b.len);
		CHECK_INT(-12345678901, store_get_number(s, "coverage.before", 7));
		CHECK_INT(7, store_get_number(s, "program", 7));
		store_close(s);
		s = open_at("c");
	}
	buf_release(&b);
	store_close(s);
}

static void collect(void *opaque, const char *name, int64_t value)
{
	size_t n = strlen(opaque);
	snprintf((char *)opaque + n, 200 - n, "%s=%lld ", name, (long long)value);
}

static void counters(void)
{
	struct store *s = open_at("c");
	char text[200] = "";
	CHECK_INT(0, store_counter(s, "runs"));
	OK(store_begin(s, &err));
	for (int i = 0; i < 1000; i++)
		OK(store_count(s, "runs", 2, &err));
	OK(store_count(s, "a", 1, &err));
	CHECK_INT(2000, store_counter(s, "runs"));
	OK(store_commit(s, &err));
	OK(store_count(s, "runs", -1, &err)); // by itself
	OK(store_begin(s, &err));
	OK(store_count(s, "runs", 500, &err));
	OK(store_count(s, "z", 500, &err));
	store_close(s); // without commit
	s = open_at("c");
	OK(store_each_counter(s, collect, text, &err));
	CHECK_STR("a=1 runs=1999 ", text);
	store_close(s);
}

static int count_up(void *opaque, const struct stored_input *in)
{
	int *n = opaque;
	CHECK_INT(++*n, in->id);
	return *n == 3 ? 77 : 0;
}

static void inputs(void)
{
	struct store *s = open_at("c");
	struct stored_input in = input("one"), got;
	in.event = 0xfffffffe;
	in.hash = 0xfedcba9876543210;
	bool known = true;
	OK(store_add_input(s, &in, &known, &err));
	CHECK(!known);
	CHECK_INT(1, in.id);
	struct stored_input again = input("one");
	OK(store_add_input(s, &again, &known, &err));
	CHECK(known);
	CHECK_INT(1, again.id);
	CHECK_INT(2, add(s, "two", 1));
	CHECK_INT(3, add(s, "three", 2));
	CHECK_INT(4, add(s, "four", 2));
	in.state = INPUT_DONE;
	in.changed = 3;
	in.care = 2;
	in.in_corpus = true;
	OK(store_update_input(s, &in, &err));
	in.in_corpus = false; // what it covered first it has covered
	OK(store_update_input(s, &in, &err));
	store_close(s);

	s = open_at("c");
	OK(store_get_input(s, 1, &got, &err));
	CHECK(got.parent == 0 && got.state == INPUT_DONE && got.event == 0xfffffffe && got.changed == 3 &&
	      got.care == 2);
	CHECK(got.in_corpus && got.hash == 0xfedcba9876543210 && got.data.len == 3 &&
	      memcmp(got.data.data, "one", 3) == 0);
	stored_input_release(&got);
	OK(store_get_input(s, 3, &got, &err));
	CHECK(got.parent == 2 && got.state == INPUT_NEW && got.changed == -1 && got.care == -1 && !got.in_corpus);
	stored_input_release(&got);
	CHECK_INT(-1, store_get_input(s, 5, &got, &err));
	CHECK(strstr(err.text, "there is no input 5"));
	in.id = 5;
	CHECK_INT(-1, store_update_input(s, &in, &err));
	int n = 0;
	CHECK_INT(77, store_each_input(s, count_up, &n, &err));
	CHECK_INT(3, n);
	CHECK_INT(4, store_count_inputs(s, false));
	CHECK_INT(1, store_count_inputs(s, true));
	store_close(s);
}

static int sum_flips(void *opaque, const struct stored_flip *f)
{
	*(uint64_t *)opaque += f->path + (uint64_t)f->input;
	return 0;
}

static void answer(struct store *s, uint64_t path, enum flip_answer a, int64_t in, enum flip_answer after)
{
	struct stored_flip f = {path, a, in};
	OK(store_add_flip(s, &f, &err));
	CHECK(store_get_flip(s, path, &f));
	CHECK_INT(after, f.answer);
}

static void flips(void)
{
	struct store *s = open_at("c");
	struct stored_flip f;
	uint64_t high = 0xffffffffffffff00, sum = 0;
	CHECK(!store_get_flip(s, high, &f));
	answer(s, high, FLIP_NONE, 0, FLIP_NONE);
	answer(s, high, FLIP_UNKNOWN, 0, FLIP_UNKNOWN);
	answer(s, high, FLIP_NONE, 0, FLIP_UNKNOWN);
	answer(s, high, FLIP_SAT, 9, FLIP_SAT);
	answer(s, high, FLIP_UNKNOWN, 0, FLIP_SAT);
	answer(s, 0, FLIP_UNSAT, 0, FLIP_UNSAT);
	answer(s, 5, FLIP_UNKNOWN, 0, FLIP_UNKNOWN);
	store_close(s);
	s = open_at("c");
	CHECK(store_get_flip(s, high, &f));
	CHECK(f.path == high && f.input == 9);
	OK(store_each_flip(s, sum_flips, &sum, &err));
	CHECK(sum == high + 9 + 5);
	store_close(s);
}

static int write_cover(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n)
{
	char *text = opaque;
	sprintf(text + strlen(text), "%llx:", (unsigned long long)unit);
	for (size_t i = 0; i < n; i++)
		sprintf(text + strlen(text), "%d", bytes[i]);
	strcat(text, " ");
	return 0;
}

static void cover(void)
{
	struct store *s = open_at("c");
	char text[200] = "";
	OK(store_add_cover(s, 5, (const uint8_t *)"\0\1\0", 3, &err));
	OK(store_add_cover(s, 5, (const uint8_t *)"\1\0\0", 3, &err));
	OK(store_add_cover(s, 6, (const uint8_t *)"\0", 1, &err));
	OK(store_add_cover(s, 6, (const uint8_t *)"\0\0\7", 3, &err)); // longer
	OK(store_add_cover(s, 6, (const uint8_t *)"\1", 1, &err));
	OK(store_add_cover(s, 7, NULL, 0, &err));
	OK(store_add_progress(s, 1.5, 10, 20, 30, &err));
	store_close(s);
	s = open_at("c");
	OK(store_each_cover(s, write_cover, text, &err));
	CHECK_STR("5:110 6:101 7: ", text);
	store_close(s);
}

static struct stored_finding finding(uint64_t key, int64_t in)
{
	return (struct stored_finding){.kind = "heap-buffer-overflow",
	                               .level = LEVEL_ERROR,
	                               .program = "p",
	                               .file = "a.c",
	                               .function = "f",
	                               .stack = "f a.c:1\n",
	                               .report = "\xff text",
	                               .line = 1,
	                               .distance = 2,
	                               .depth = 3,
	                               .changed = 4,
	                               .care = -1,
	                               .input = in,
	                               .seed = 1,
	                               .key = key};
}

static int check_finding(void *opaque, const struct stored_finding *f)
{
	int *n = opaque;
	CHECK_INT(++*n, f->id);
	CHECK_STR("heap-buffer-overflow", f->kind);
	CHECK_INT(LEVEL_ERROR, f->level);
	CHECK_STR("p", f->program);
	CHECK_STR("a.c", f->file);
	CHECK_STR(*n == 2 ? "" : "f", f->function);
	CHECK_STR("f a.c:1\n", f->stack);
	CHECK_STR("\xff text", f->report);
	CHECK(f->line == 1 && f->distance == 2 && f->depth == 3 && f->changed == 4 && f->care == -1);
	CHECK(f->input == 1 && f->seed == 1 && f->key == (*n == 1 ? 0xffffffffffffffff : 2));
	return 0;
}

static void findings(void)
{
	struct store *s = open_at("c");
	struct stored_finding f = finding(0xffffffffffffffff, 1);
	bool known = true;
	OK(store_add_finding(s, &f, &known, &err));
	CHECK(!known && f.id == 1);
	f.id = 0;
	OK(store_add_finding(s, &f, &known, &err));
	CHECK(known && f.id == 1);
	f = finding(2, 1);
	f.function = NULL;
	OK(store_add_finding(s, &f, NULL, &err));
	CHECK_INT(2, f.id);
	store_close(s);
	s = open_at("c");
	int n = 0;
	OK(store_each_finding(s, check_finding, &n, &err));
	CHECK_INT(2, n);
	store_close(s);
}

static int count_finding(void *opaque, const struct stored_finding *f)
{
	*(int *)opaque += f->level == LEVEL_ERROR;
	return 0;
}

// Nobody makes a resource finding, or none at all, of one whose level cannot be read.
static void levels_are_known(void)
{
	struct store *s = open_at("c");
	struct stored_finding f = finding(7, 1);
	int n = 0;
	OK(store_add_finding(s, &f, NULL, &err));
	store_close(s);
	shell("c/veer.db", "UPDATE findings SET level = 'erro'");
	s = open_at("c");
	CHECK_INT(-1, store_each_finding(s, count_finding, &n, &err));
	CHECK_INT(0, n);
	CHECK(strstr(err.text, "is damaged (a finding has no level)"));
	store_close(s);
}

static int note_distance(void *opaque, const struct stored_finding *f)
{
	snprintf(opaque, 32, "%u at %u", f->distance, f->depth);
	return 0;
}

// The smallest distance counts, and for that the smallest depth.
static void nearer(void)
{
	static const struct {
		uint32_t distance, depth;
		const char *after;
	} steps[] = {{3, 90, "3 at 90"}, {4, 1, "3 at 90"}, {3, 95, "3 at 90"}, {3, 80, "3 at 80"}, {1, 99, "1 at 99"}};
	struct store *s = open_at("c");
	struct stored_finding f = finding(7, 1);
	f.distance = 5;
	f.depth = 2;
	OK(store_add_finding(s, &f, NULL, &err));
	for (size_t i = 0; i < COUNT(steps); i++) {
		char now[32] = "";
		OK(store_nearer_finding(s, 7, steps[i].distance, steps[i].depth, &err));
		OK(store_each_finding(s, note_distance, now, &err));
		CHECK_STR(steps[i].after, now);
	}
	store_close(s);
}

// All or nothing, also when it is not a full disk that comes between.
static void transactions(void)
{
	struct store *s = open_at("c");
	add(s, "kept", 0);
	shell("c/veer.db",
	      "CREATE TRIGGER t BEFORE INSERT ON flips WHEN new.path = 13 BEGIN SELECT raise(ABORT, 'no'); END");
	OK(store_begin(s, &err));
	add(s, "lost", 1);
	OK(store_count(s, "runs", 1, &err));
	struct stored_flip f = {12, FLIP_UNSAT, 0};
	OK(store_add_flip(s, &f, &err));
	f.path = 13;
	CHECK_INT(-1, store_add_flip(s, &f, &err));
	CHECK(strstr(err.text, "veer.db: no"));
	struct stored_input in = input("lost, too");
	err.text[0] = 0;
	CHECK_INT(-1, store_add_input(s, &in, NULL, &err));
	CHECK(strstr(err.text, "veer.db: no"));
	CHECK_INT(-1, store_count(s, "runs", 1, &err));
	err.text[0] = 0;
	CHECK_INT(-1, store_commit(s, &err));
	CHECK(strstr(err.text, "veer.db: no"));
	CHECK_INT(1, store_count_inputs(s, false));
	CHECK_INT(0, store_counter(s, "runs"));
	OK(store_begin(s, &err)); // and it goes on
	CHECK(!store_get_flip(s, 12, &f));
	add(s, "lost", 1);
	OK(store_commit(s, &err));
	store_close(s);
	s = open_at("c");
	CHECK_INT(2, store_count_inputs(s, false));
	store_close(s);
}

static void reading(void)
{
	struct store *s = open_at("c"), *r;
	OK(store_begin(s, &err));
	add(s, "one", 0);
	r = store_open_read(test_path("c"), &err);
	CHECK_THAT(r, "%s", err.text);
	CHECK_INT(0, store_count_inputs(r, false));
	OK(store_commit(s, &err));
	CHECK_INT(1, store_count_inputs(r, false));
	store_close(r);
	add(s, "two", 0); // still locked and usable
	CHECK(!store_open(test_path("c"), true, &err));
	CHECK(strstr(err.text, "in use by this process"));
	store_close(s);
	CHECK(!store_open_read(test_path("nothing"), &err));
	CHECK(strstr(err.text, "no campaign"));
	CHECK(access(test_path("nothing"), F_OK) < 0);
}

static int read_as_nobody(void *opaque)
{
	test_drop_root();
	struct store *s = store_open_read(test_path("c%31?#"), &err);
	CHECK_THAT(s, "%s", err.text);
	CHECK_INT(1, store_count_inputs(s, false));
	store_close(s);
	refused("c%31?#", true, "c%31?#/lock");
	return 0;
}

// Another user's campaign, or one on a disk that cannot be written.
static void reading_only(void)
{
	struct store *s = open_at("c%31?#");
	add(s, "one", 0);
	store_close(s);
	struct stat st;
	CHECK_INT(0, stat(test_path("c%31?#/veer.db"), &st));
	CHECK_INT(0600, st.st_mode & 0777);
	CHECK_INT(0, chmod(test_path("c%31?#/veer.db"), 0644)); // its owner lets others read it
	CHECK_INT(0, chmod(test_folder(), 0755));
	CHECK_INT(0, chmod(test_path("c%31?#"), 0555));
	CHECK_INT(0, chmod(test_path("c%31?#/lock"), 0444));
	test_child(read_as_nobody, NULL, 0);
	CHECK_INT(0, chmod(test_path("c%31?#"), 0755));
}

static int open_locked(void *opaque)
{
	char *expected = test_printf("in use by process %d (test_store)", (int)getppid());
	refused("c", true, expected);
	return 0;
}

static int open_free(void *opaque)
{
	store_close(open_at("c"));
	return 0;
}

static int sleep_long(void *opaque)
{
	sleep(100);
	return 0;
}

static void locking(void)
{
	struct store *s = open_at("c");
	test_child(open_locked, NULL, 0);
	test_child(open_locked, NULL, 0); // the first one's end took nothing away
	pid_t child = test_start(sleep_long, NULL);
	store_close(s);
	test_child(open_free, NULL, 0); // a child that was forked meanwhile does not have it
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void missing(void)
{
	refused("no", false, "no campaign");
	CHECK(access(test_path("no"), F_OK) < 0);
	CHECK_INT(0, mkdir(test_path("no"), 0777));
	refused("no", false, "no campaign");
	CHECK(access(test_path("no/lock"), F_OK) < 0);
	test_write_text(test_path("file"), "x");
	refused("file", true, "file");
	test_write_text(test_path("no/veer.db"), "");
	refused("no", false, "empty");
	test_write_text(test_path("no/veer.db-wal"), "x");
	refused("no", true, "its log");
	CHECK_INT(0, access(test_path("no/veer.db-wal"), F_OK));
	CHECK_INT(0, unlink(test_path("no/veer.db-wal")));
	store_close(open_at("no")); // an empty file is where a kill may have left it
}

static void not_ours(void)
{
	store_close(open_at("c"));
	shell("c/veer.db", "PRAGMA user_version = 9");
	refused("c", true, "newer veer (version 9, this one knows 8)");
	shell("c/veer.db", "PRAGMA user_version = 0");
	refused("c", true, "version 0");
	CHECK_INT(0, mkdir(test_path("d"), 0777));
	shell("d/veer.db", "CREATE TABLE mine (x)");
	struct bytes before = test_read(test_path("d/veer.db"));
	refused("d", true, "not of veer");
	CHECK(test_same(before, test_read(test_path("d/veer.db"))));
	test_write_text(test_path("d/veer.db"), "This is a text, and long enough not to be taken for anything else.\n");
	before = test_read(test_path("d/veer.db"));
	refused("d", true, "is damaged");
	CHECK(test_same(before, test_read(test_path("d/veer.db"))));
}

static int ignore_input(void *opaque, const struct stored_input *in)
{
	return 0;
}

static int ignore_flip(void *opaque, const struct stored_flip *f)
{
	return 0;
}

static int ignore_finding(void *opaque, const struct stored_finding *f)
{
	return 0;
}

static int ignore_cover(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n)
{
	return 0;
}

static void use(struct store *s)
{
	struct buf b = {0};
	struct stored_flip f = {test_random(), FLIP_UNSAT, 0};
	struct stored_input in = input("new");
	store_get(s, "program", &b);
	store_each_input(s, ignore_input, NULL, &err);
	store_each_flip(s, ignore_flip, NULL, &err);
	store_each_finding(s, ignore_finding, NULL, &err);
	store_each_cover(s, ignore_cover, NULL, &err);
	if (store_begin(s, &err) == 0) {
		store_add_input(s, &in, NULL, &err);
		store_add_flip(s, &f, &err);
		store_commit(s, &err);
	}
	buf_release(&b);
}

// Whatever is changed in the file, an answer comes: it opens and works, or there is one line that says what to do.
static void damaged(void)
{
	struct store *s = open_at("c");
	OK(store_begin(s, &err));
	for (int i = 0; i < 300; i++) {
		int64_t id = add(s, test_printf("%d %0*d", i, i * 20, i), i > 0);
		struct stored_flip f = {(uint64_t)i * 0x9e3779b97f4a7c15, FLIP_SAT, id};
		OK(store_add_flip(s, &f, &err));
	}
	struct stored_finding f = finding(1, 1);
	OK(store_add_finding(s, &f, NULL, &err));
	OK(store_add_cover(s, 1, (const uint8_t *)"\1\1", 2, &err));
	OK(store_commit(s, &err));
	store_close(s);
	struct bytes good = test_read(test_path("c/veer.db"));
	int refusals = 0;
	for (int round = 0; round < 200; round++) {
		struct bytes bad = test_bytes(good.data, good.size);
		if (round % 4 == 0)
			bad.size = test_below(bad.size);
		else
			test_mutate(bad.data, 0, round % 4 == 1 ? 100 : bad.size);
		test_write(test_path("c/veer.db"), bad.data, bad.size);
		unlink(test_path("c/veer.db-wal"));
		unlink(test_path("c/veer.db-shm"));
		s = store_open(test_path("c"), true, &err);
		refusals += !s;
		if (s)
			use(s);
		else
			CHECK_THAT(strstr(err.text, "veer.db") && !strchr(err.text, '\n'), "%s", err.text);
		store_close(s);
	}
	CHECK_THAT(refusals > 50, "%d", refusals);
}

static void limit(void)
{
	struct store *s = open_at("c");
	char *big = test_alloc(10001);
	store_set_limit(s, 2 << 20);
	memset(big, 'x', 10000);
	for (int i = 0; i < 1000; i++) {
		OK(store_begin(s, &err));
		snprintf(big, 10001, "%04d", i);
		struct stored_input in = {.parent = i > 0, .data = {big, 10000, 0}};
		OK(store_add_input(s, &in, NULL, &err));
		CHECK_INT(i + 1, in.id);
		in.in_corpus = i == 1;
		in.state = i == 2 ? INPUT_NEW : INPUT_DONE;
		OK(store_update_input(s, &in, &err));
		struct stored_finding f = finding((uint64_t)i, in.id);
		if (i == 3)
			OK(store_add_finding(s, &f, NULL, &err));
		OK(store_commit(s, &err));
	}
	CHECK_THAT(store_counter(s, STORE_EVICTED) > 700, "%lld", (long long)store_counter(s, STORE_EVICTED));
	CHECK_INT(1000, store_count_inputs(s, false));
	for (int id = 1; id <= 5;
	     id++) { // a seed, one that covers, one not run yet, one of a finding; and the first other
		struct stored_input in;
		OK(store_get_input(s, id, &in, &err));
		CHECK_THAT(in.data.len == (id < 5 ? 10000 : 0), "input %d", id);
		stored_input_release(&in);
	}
	snprintf(big, 10001, "%04d", 4);
	struct stored_input in = {.data = {big, 10000, 0}};
	bool known = false;
	OK(store_add_input(s, &in, &known, &err));
	CHECK(known && in.id == 5); // not run again either
	store_close(s);
	struct stat st;
	CHECK_INT(0, stat(test_path("c/veer.db"), &st));
	CHECK_THAT(st.st_size < 3 << 20, "%lld bytes", (long long)st.st_size);
}

static void remember(void *opaque, int64_t there, int64_t here)
{
	int64_t *numbers = opaque;
	numbers[there] = here;
}

static void merging(void)
{
	struct store *a = open_at("a"), *b = open_at("b");
	OK(store_set(a, "program", "/x/prog", 7, &err));
	OK(store_set(b, "program", "/y/prog", 7, &err));
	add(a, "seed", 0);
	add(a, "mine", 1);
	struct stored_finding f = finding(1, 2);
	OK(store_add_finding(a, &f, NULL, &err));
	struct stored_input in = input("other seed");
	OK(store_add_input(b, &in, NULL, &err));
	in = input("seed");
	in.state = INPUT_DONE;
	OK(store_add_input(b, &in, NULL, &err));
	in = input("theirs");
	in.parent = 2;
	in.state = INPUT_DONE;
	in.in_corpus = true;
	OK(store_add_input(b, &in, NULL, &err));
	f = finding(2, 3);
	f.seed = 2;
	OK(store_add_finding(b, &f, NULL, &err));
	f = finding(1, 3);
	OK(store_add_finding(b, &f, NULL, &err));
	answer(a, 1, FLIP_UNKNOWN, 0, FLIP_UNKNOWN);
	answer(b, 1, FLIP_SAT, 3, FLIP_SAT);
	answer(b, 2, FLIP_UNSAT, 0, FLIP_UNSAT);
	OK(store_add_cover(a, 1, (const uint8_t *)"\1\0", 2, &err));
	OK(store_add_cover(b, 1, (const uint8_t *)"\0\1", 2, &err));
	OK(store_count(a, "runs", 5, &err));
	OK(store_count(b, "runs", 7, &err));
	OK(store_count(b, "only there", 1, &err));

	int64_t here[3] = {0};
	OK(store_merge_findings(a, test_path("b"), remember, here, &err));
	CHECK(here[1] == 2 && here[2] == 1);
	CHECK_INT(4, store_count_inputs(a, false));
	CHECK_INT(2, store_count_inputs(a, true));
	struct stored_input got;
	OK(store_get_input(a, 4, &got, &err));
	CHECK(got.parent == 1 && got.state == INPUT_NEW && got.in_corpus && memcmp(got.data.data, "theirs", 6) == 0);
	stored_input_release(&got);
	struct stored_flip flip;
	CHECK(store_get_flip(a, 1, &flip) && flip.answer == FLIP_SAT && flip.input == 4);
	CHECK(store_get_flip(a, 2, &flip) && flip.answer == FLIP_UNSAT);
	char text[200] = "";
	OK(store_each_cover(a, write_cover, text, &err));
	CHECK_STR("1:11 ", text);
	CHECK_INT(12, store_counter(a, "runs"));
	CHECK_INT(1, store_counter(a, "only there"));

	// Again, and in both directions, and with more: nothing counts twice.
	OK(store_merge(a, test_path("b"), &err));
	OK(store_merge(b, test_path("a"), &err));
	OK(store_count(b, "runs", 1, &err));
	OK(store_merge(a, test_path("b"), &err));
	CHECK_INT(13, store_counter(a, "runs"));
	CHECK_INT(13, store_counter(b, "runs"));
	CHECK_INT(4, store_count_inputs(b, false));
	store_close(b);
	store_close(a);
	a = open_at("a");
	CHECK_INT(13, store_counter(a, "runs"));
	store_close(a);
}

static void not_merged(void)
{
	struct store *a = open_at("a"), *b = open_at("b");
	add(b, "theirs", 0);
	CHECK_INT(-1, store_merge(a, test_path("no"), &err));
	CHECK(strstr(err.text, "no campaign"));
	CHECK_INT(-1, store_merge(a, test_path("a"), &err));
	CHECK(strstr(err.text, "the same campaign"));
	OK(store_set(a, "program", "/x/prog", 7, &err));
	OK(store_set(b, "program", "/x/other", 8, &err));
	CHECK_INT(-1, store_merge(a, test_path("b"), &err));
	CHECK(strstr(err.text, "is a campaign of /x/other, not of /x/prog"));
	OK(store_set(b, "program", "prog", 4, &err));
	// Something goes wrong at the end: none of it is there.
	OK(store_add_cover(b, 13, (const uint8_t *)"\1", 1, &err));
	shell("a/veer.db", "CREATE TRIGGER t BEFORE INSERT ON cover BEGIN SELECT raise(ABORT, 'no'); END");
	CHECK_INT(-1, store_merge(a, test_path("b"), &err));
	CHECK(strstr(err.text, "veer.db: no"));
	CHECK_INT(0, store_count_inputs(a, false));
	store_close(b);
	store_close(a);
}

static void killed(void)
{
	struct store_writer_sum sum;
	int64_t reported, before = 0;
	for (int i = 0; i < 20; i++) {
		OK(store_writer_kill(test_path("c"), 1 + (int)test_below(200), false, (unsigned)test_below(40000),
		                     &reported, &err));
		OK(store_writer_verify(test_path("c"), &sum, &err));
		CHECK_THAT(sum.inputs >= reported && sum.inputs >= before, "%lld inputs, %lld told, %lld before",
		           (long long)sum.inputs, (long long)reported, (long long)before);
		before = sum.inputs;
	}
	CHECK(before > 0);
}

// While it is being created, too.
static void killed_early(void)
{
	struct store_writer_sum sum;
	int64_t reported;
	for (int i = 0; i < 20; i++) {
		char *folder = test_path(test_printf("c%d", i));
		OK(store_writer_kill(folder, 1, true, (unsigned)test_below(10000), &reported, &err));
		OK(store_writer_verify(folder, &sum, &err));
		CHECK(sum.inputs >= reported);
	}
}

static const struct test tests[] = {
	TEST(maps),         TEST(settings),     TEST(counters),         TEST(inputs),     TEST(flips),
	TEST(cover),        TEST(findings),     TEST(levels_are_known), TEST(nearer),     TEST(transactions),
	TEST(reading),      TEST(reading_only), TEST(locking),          TEST(missing),    TEST(not_ours),
	TEST(damaged),      TEST(limit),        TEST(merging),          TEST(not_merged), TEST(killed),
	TEST(killed_early),
};

TEST_MAIN("store")
