#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "test.h"
#include "variants/cache.h"

enum { FILE_BYTES = 40000 };

static struct cache open_cache(const char *name)
{
	struct cache cache;
	struct err err = {""};
	setenv("VEER_CACHE_DIR", test_path(name), 1);
	int r = cache_open(&cache, &err);
	CHECK_THAT(r == 0, "%s", err.text);
	return cache;
}

static bool exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

// A file of FILE_BYTES that was used that many minutes ago.
static char *put_file(const char *folder, const char *name, int minutes)
{
	static char content[FILE_BYTES];
	mkdir(test_path(folder), 0777);
	char *path = test_path(test_printf("%s/%s", folder, name));
	test_write(path, content, sizeof content);
	struct timespec used = {.tv_sec = time(NULL) - 60 * minutes}, times[] = {used, used};
	CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
	return path;
}

static uint64_t disk_usage(const char *path)
{
	struct stat st;
	CHECK(stat(path, &st) == 0);
	return (uint64_t)st.st_blocks * 512;
}

static void layout(void)
{
	struct cache cache = open_cache("deep/cache");
	static const char *const folders[] = {"units", "programs", "side", "runs", "tmp"};
	for (size_t i = 0; i < COUNT(folders); i++)
		CHECK_THAT(exists(test_path(test_printf("deep/cache/%s", folders[i]))), "%s", folders[i]);
	CHECK(exists(test_path("deep/cache/lock")));
	CHECK_STR(test_path("deep/cache"), cache.root);
	struct hash hash = {.low = 2, .high = 0xab00000000000001};
	char *unit = cache_unit_path(&cache, hash), *program = cache_program_folder(&cache, hash);
	CHECK_STR(test_path("deep/cache/units/ab/ab000000000000010000000000000002.o"), unit);
	CHECK_STR(test_path("deep/cache/programs/ab000000000000010000000000000002"), program);
	mem_free(unit);
	mem_free(program);
	CHECK_INT(0, cache_size(&cache));
	cache_close(&cache);
	CHECK(!cache.root && cache.lock == -1);
	cache_close(&cache);
	cache = open_cache("deep/cache"); // a second time
	cache_close(&cache);
}

static void folders(void)
{
	struct cache cache = open_cache("cache");
	struct err err = {""};
	struct stat st;
	char *a = cache_folder(&cache, "runs", 0755, &err), *b = cache_folder(&cache, "runs", 0700, &err);
	CHECK(a && b && strcmp(a, b) != 0);
	CHECK(strncmp(a, test_path("cache/runs/"), strlen(test_path("cache/runs/"))) == 0);
	CHECK(stat(a, &st) == 0 && S_ISDIR(st.st_mode) && (st.st_mode & 0777) == 0755);
	CHECK(stat(b, &st) == 0 && (st.st_mode & 0777) == 0700);
	CHECK(!cache_folder(&cache, "missing", 0700, &err));
	CHECK_THAT(strstr(err.text, test_path("cache/missing")), "%s", err.text);
	mem_free(a);
	mem_free(b);
	cache_close(&cache);
}

static uint64_t limit_with(const char *text)
{
	setenv("VEER_CACHE_SIZE", text, 1);
	return cache_limit();
}

static void limit(void)
{
	const uint64_t fallback = 10ull << 30;
	unsetenv("VEER_CACHE_SIZE");
	CHECK_INT(fallback, cache_limit());
	CHECK_INT(fallback, limit_with(""));
	CHECK_INT(20ull << 30, limit_with("20G"));
	CHECK_INT(500ull << 20, limit_with("500M"));
	CHECK_INT(1ull << 30, limit_with("1g"));
	CHECK_INT(3ull << 20, limit_with("3m"));
	CHECK_INT(7ull << 10, limit_with("7K"));
	CHECK_INT(7ull << 10, limit_with("7k"));
	CHECK_INT(12345, limit_with("12345"));
	CHECK_INT(0, limit_with("0"));
	CHECK_INT(0, limit_with("0G"));
	CHECK_INT(fallback, limit_with("12x"));
	unsetenv("VEER_CACHE_SIZE");
}

// What is not understood must not empty the cache.
static void limits_that_make_no_sense(void)
{
	const uint64_t fallback = 10ull << 30;
	static const char *const nonsense[] = {"G", "M", "k", " ", "-", "+", "G20", "x", "much", "general"};
	for (size_t i = 0; i < COUNT(nonsense); i++)
		CHECK_THAT(limit_with(nonsense[i]) == fallback, "'%s'", nonsense[i]);
	static const char *const huge[] = {"17179869184G", "18014398509481984K", "99999999999999999999",
	                                   "99999999999999999999G"};
	for (size_t i = 0; i < COUNT(huge); i++)
		CHECK_THAT(limit_with(huge[i]) >= fallback, "'%s'", huge[i]);
	unsetenv("VEER_CACHE_SIZE");
}

static void trim_takes_the_oldest(void)
{
	struct cache cache = open_cache("cache");
	char *files[] = {
		// from the oldest on, in no order of name or folder
		put_file("cache/units/cc", "one.o", 60),   put_file("cache/side", "two", 50),
		put_file("cache/units/aa", "three.o", 40), put_file("cache/programs/ff", "four", 30),
		put_file("cache/units/bb", "five.o", 20),  put_file("cache/programs/00", "six", 10),
	};
	uint64_t each = disk_usage(files[0]), all = cache_size(&cache);
	CHECK(each >= FILE_BYTES && all == COUNT(files) * each);
	struct err err = {""};
	CHECK_INT(0, cache_trim(&cache, all, false, &err)); // it fits
	CHECK_INT(all, cache_size(&cache));
	CHECK_INT(each, cache_trim(&cache, all - 1, false, &err)); // one byte too many
	CHECK(!exists(files[0]) && exists(files[1]));
	CHECK(!exists(test_path("cache/units/cc"))); // nothing left in it
	CHECK_INT(2 * each, cache_trim(&cache, 3 * each, false, &err));
	for (size_t i = 0; i < COUNT(files); i++)
		CHECK_INT(i > 2, exists(files[i]));
	CHECK_INT(3 * each, cache_size(&cache));
	cache_touch(files[3]);
	CHECK_INT(2 * each, cache_trim(&cache, 2 * each - 1, true, &err));
	CHECK(exists(files[3]) && !exists(files[4]) && !exists(files[5]));
	cache_touch(test_path("cache/missing")); // no harm
	CHECK_INT(each, cache_trim(&cache, 0, false, &err));
	CHECK_INT(0, cache_size(&cache));
	cache_close(&cache);
}

static void trim_to_nothing(void)
{
	struct cache cache = open_cache("cache");
	char *kept = put_file("outside", "kept", 90);
	char *unit = put_file("cache/units/cc", "one.o", 1);
	CHECK(symlink(test_path("outside"), test_path("cache/units/link")) == 0);
	put_file("cache/tmp/work", "x", 0);
	put_file("cache/runs/abcdef", "x", 0);
	CHECK_INT(disk_usage(unit), cache_size(&cache)); // what others write is not counted, nor what a link leads to
	struct err err = {""};
	CHECK(cache_trim(&cache, 0, true, &err) > 0);
	CHECK(!exists(unit) && exists(kept));
	CHECK(!exists(test_path("cache/tmp/work")) && !exists(test_path("cache/runs/abcdef")));
	CHECK(exists(test_path("cache/tmp")) && exists(test_path("cache/runs"))); // the cache stays usable
	char *folder = cache_folder(&cache, "tmp", 0700, &err);
	CHECK_THAT(folder, "%s", err.text);
	mem_free(folder);
	cache_close(&cache);
}

static void trim_to_nothing_takes_empty_files(void)
{
	struct cache cache = open_cache("cache");
	test_write_text(test_path("cache/side/empty"), "");
	CHECK_INT(0, cache_trim(&cache, 0, true, NULL));
	CHECK(!exists(test_path("cache/side/empty")));
	cache_close(&cache);
}

struct other {
	int ready[2], go[2];
};

// Another veer that uses the cache until it is told to end, and a little longer.
static int use_cache(void *opaque)
{
	struct other *other = opaque;
	struct cache theirs;
	char byte;
	CHECK_INT(0, cache_open(&theirs, &(struct err){""}));
	CHECK(write(other->ready[1], "x", 1) == 1);
	CHECK(read(other->go[0], &byte, 1) == 1);
	usleep(100000);
	cache_close(&theirs);
	return 0;
}

static pid_t start_other(struct other *other)
{
	CHECK(pipe(other->ready) == 0 && pipe(other->go) == 0);
	pid_t pid = test_start(use_cache, other);
	char byte;
	CHECK(read(other->ready[0], &byte, 1) == 1);
	return pid;
}

static void evicted(struct other *other)
{
	CHECK(write(other->go[1], "x", 1) == 1);
}

static void wait_for_other(struct other *other, pid_t pid)
{
	int status;
	CHECK(waitpid(pid, &status, 0) == pid);
	test_check_child(status, 0);
	for (int i = 0; i < 2; i++) {
		close(other->ready[i]);
		close(other->go[i]);
	}
}

static int try_exclusive(void *opaque)
{
	int fd = open(opaque, O_RDWR);
	return flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK ? 1 : 0;
}

static void trim_while_another_uses_it(void)
{
	struct cache cache = open_cache("cache");
	struct other other;
	struct err err = {""};
	char *unit = put_file("cache/units/cc", "one.o", 60);
	put_file("cache/runs/theirs", "x", 0);
	uint64_t size = disk_usage(unit);
	pid_t pid = start_other(&other);
	CHECK_INT(0, cache_trim(&cache, 0, false, &err)); // does nothing
	CHECK(exists(unit) && exists(test_path("cache/runs/theirs/x")));
	CHECK(err.text[0] == 0);
	test_child(try_exclusive, test_path("cache/lock"), 1); // our own shared lock is still there
	evicted(&other);
	CHECK_INT(size, cache_trim(&cache, 0, true, &err)); // waits
	CHECK(!exists(unit) && !exists(test_path("cache/runs/theirs")));
	wait_for_other(&other, pid);
	pid = start_other(&other); // shared again: another one gets in
	evicted(&other);
	wait_for_other(&other, pid);
	test_child(try_exclusive, test_path("cache/lock"), 1);
	cache_close(&cache);
	test_child(try_exclusive, test_path("cache/lock"), 0);
}

struct forked {
	struct cache *cache;
	int ready[2], end[2];
};

static int lock_again(void *opaque)
{
	struct forked *f = opaque;
	char byte;
	CHECK_INT(0, cache_lock_again(f->cache));
	close(f->end[1]);
	CHECK(write(f->ready[1], "x", 1) == 1);
	CHECK(read(f->end[0], &byte, 1) == 0);
	return 0;
}

// A forked process shares its parent's lock, which the parent may change or give up.
static void lock_of_a_forked_process(void)
{
	struct cache cache = open_cache("cache");
	struct forked f = {.cache = &cache};
	char *unit = put_file("cache/units/cc", "one.o", 60), byte;
	CHECK(pipe(f.ready) == 0 && pipe(f.end) == 0);
	pid_t pid = test_start(lock_again, &f);
	CHECK(read(f.ready[0], &byte, 1) == 1);
	CHECK_INT(0, cache_trim(&cache, 0, false, &(struct err){""})); // the child is using it
	CHECK(exists(unit));
	cache_close(&cache);
	test_child(try_exclusive, test_path("cache/lock"), 1);
	close(f.end[1]);
	int status;
	CHECK(waitpid(pid, &status, 0) == pid);
	test_check_child(status, 0);
	test_child(try_exclusive, test_path("cache/lock"), 0);
	close(f.end[0]);
	close(f.ready[0]);
	close(f.ready[1]);
	cache = open_cache("cache");
	CHECK(unlink(test_path("cache/lock")) == 0);
	int lock = cache.lock;
	CHECK_INT(-1, cache_lock_again(&cache)); // keeps the one it had
	CHECK_INT(lock, cache.lock);
	cache_close(&cache);
}

static void check_refused(const char *root, const char *why)
{
	struct cache cache = {.lock = 77};
	struct err err = {""};
	setenv("VEER_CACHE_DIR", root, 1);
	CHECK_INT(-1, cache_open(&cache, &err));
	CHECK_THAT(strstr(err.text, root), "%s", err.text);
	CHECK_THAT(strstr(err.text, why), "%s", err.text);
	CHECK_THAT(strstr(err.text, "; set VEER_CACHE_DIR to a new folder of your own"), "%s", err.text);
	CHECK(cache.lock == 77); // written on success only
}

static int open_without_rights(void *opaque)
{
	test_drop_root();
	check_refused(test_path("closed/cache"), "Permission denied");
	check_refused(test_path("foreign"), "Permission denied");
	return 0;
}

static void unwritable_root(void)
{
	mkdir(test_path("closed"), 0555);
	mkdir(test_path("foreign"), 0777); // all of it is there, but the lock is not for us
	static const char *const folders[] = {"units", "programs", "side", "runs", "tmp"};
	for (size_t i = 0; i < COUNT(folders); i++)
		mkdir(test_path(test_printf("foreign/%s", folders[i])), 0777);
	test_write_text(test_path("foreign/lock"), "");
	chmod(test_path("foreign/lock"), 0444);
	test_child(open_without_rights, NULL, 0);
	test_write_text(test_path("file"), "");
	check_refused(test_path("file"), "");
	check_refused(test_path("file/cache"), "is not a folder");
	CHECK(mkdir(test_path("strange"), 0777) == 0 && mkdir(test_path("strange/lock"), 0777) == 0);
	check_refused(test_path("strange"), "Is a directory");
	char *name = test_alloc(2000); // longer than any path, and than the message has room for
	memset(name, 'x', 2000);
	setenv("VEER_CACHE_DIR", test_path(name), 1);
	struct cache cache;
	struct err err = {""};
	CHECK_INT(-1, cache_open(&cache, &err));
	CHECK(memchr(err.text, 0, sizeof err.text));
}

static const struct test tests[] = {
	TEST(layout),
	TEST(folders),
	TEST(limit),
	TEST(limits_that_make_no_sense),
	TEST(trim_takes_the_oldest),
	TEST(trim_to_nothing),
	TEST(trim_to_nothing_takes_empty_files),
	TEST(trim_while_another_uses_it),
	TEST(lock_of_a_forked_process),
	TEST(unwritable_root),
};
TEST_MAIN("cache")
