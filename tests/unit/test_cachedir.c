#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cachedir.h"
#include "base/file.h"
#include "base/mem.h"
#include "test.h"

// The root with these variables; NULL: not set.
static char *root_with(const char *own, const char *xdg, const char *home)
{
	const char *names[] = {"VEER_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}, *values[] = {own, xdg, home};
	for (int i = 0; i < 3; i++) {
		if (values[i])
			setenv(names[i], values[i], 1);
		else
			unsetenv(names[i]);
	}
	char *root = cachedir_root();
	char *copy = test_printf("%s", root);
	mem_free(root);
	return copy;
}

static void precedence(void)
{
	CHECK_STR("/own", root_with("/own", "/xdg", "/home/me"));
	CHECK_STR("/own", root_with("/own", NULL, NULL));
	CHECK_STR("/xdg/veer", root_with(NULL, "/xdg", "/home/me"));
	CHECK_STR("/home/me/.cache/veer", root_with(NULL, NULL, "/home/me"));
	CHECK_STR(test_printf("/tmp/veer-cache-%u", (unsigned)getuid()), root_with(NULL, NULL, NULL));
}

static void empty_is_not_set(void)
{
	CHECK_STR("/xdg/veer", root_with("", "/xdg", "/home/me"));
	CHECK_STR("/home/me/.cache/veer", root_with("", "", "/home/me"));
	CHECK_STR(test_printf("/tmp/veer-cache-%u", (unsigned)getuid()), root_with("", "", ""));
}

static void always_absolute(void)
{
	char cwd[PATH_MAX];
	CHECK(getcwd(cwd, sizeof cwd));
	CHECK(chdir(test_folder()) == 0);
	char *ours = root_with("some/cache", "/xdg", "/home/me");
	CHECK_STR(test_path("some/cache"), ours);
	// The base directory specification says to ignore these when they are relative.
	CHECK_STR("/home/me/.cache/veer", root_with(NULL, "xdg", "/home/me"));
	CHECK_STR(test_printf("/tmp/veer-cache-%u", (unsigned)getuid()), root_with(NULL, "xdg", "home"));
	CHECK(chdir(cwd) == 0);
}

static void long_values(void)
{
	char *name = test_alloc(9000);
	memset(name, 'x', 9000);
	name[0] = '/';
	CHECK_STR(name, root_with(name, NULL, NULL));
	CHECK_STR(test_printf("%s/veer", name), root_with(NULL, name, NULL));
	CHECK_STR(test_printf("%s/.cache/veer", name), root_with(NULL, NULL, name));
}

static int prepare(const char *name, struct err *err)
{
	return cachedir_prepare(test_path(name), err);
}

static bool is_marked(const char *name)
{
	return access(test_path(test_printf("%s/CACHEDIR.TAG", name)), F_OK) == 0;
}

static mode_t mode_of(const char *path)
{
	struct stat st;
	CHECK(stat(path, &st) == 0);
	return st.st_mode & 07777;
}

static void marked_when_new_or_empty(void)
{
	struct err err;
	mode_t mask = umask(0);
	CHECK_INT(0, prepare("new/cache", &err));
	CHECK(is_marked("new/cache"));
	CHECK_INT(0755, mode_of(test_path("new/cache")));
	umask(mask);
	CHECK(mkdir(test_path("empty"), 0755) == 0);
	CHECK_INT(0, prepare("empty", &err));
	CHECK_INT(0, prepare("empty", &err)); // again
	CHECK(mkdir(test_path("empty/units"), 0755) == 0 && mkdir(test_path("empty/other"), 0755) == 0);
	CHECK_INT(0, prepare("empty", &err)); // a marked one is ours, whatever else is there
}

static void unmarked_folders_are_refused(void)
{
	struct err err;
	// A user's own folders may be called as those of a cache.
	CHECK(mkdir(test_path("work"), 0755) == 0 && mkdir(test_path("work/tmp"), 0755) == 0 &&
	      mkdir(test_path("work/runs"), 0755) == 0);
	CHECK_INT(-1, prepare("work", &err));
	CHECK_THAT(strstr(err.text, "not empty; set VEER_CACHE_DIR"), "%s", err.text);
	CHECK(!is_marked("work"));
	CHECK(mkdir(test_path("theirs"), 0755) == 0);
	CHECK(file_replace(test_path("theirs/CACHEDIR.TAG"), "Signature: 1\n", 13, 0644, &err) == 0);
	CHECK_INT(-1, prepare("theirs", &err));
	CHECK_THAT(strstr(err.text, "another program"), "%s", err.text);
}

// Processes that begin at the same time do not take each other's files for foreign ones.
static void many_at_once(void)
{
	enum { ROUNDS = 50, PROCESSES = 4 };
	for (int i = 0; i < ROUNDS; i++) {
		char *name = test_printf("many%d", i);
		pid_t pids[PROCESSES];
		for (int k = 0; k < PROCESSES; k++) {
			pids[k] = fork();
			if (pids[k] == 0) {
				struct err err;
				int r = prepare(name, &err);
				mkdir(test_path(test_printf("%s/units", name)), 0755);
				_exit(r < 0);
			}
		}
		for (int k = 0; k < PROCESSES; k++) {
			int status = -1;
			CHECK(waitpid(pids[k], &status, 0) == pids[k]);
			CHECK_INT(0, status);
		}
	}
}

static void caches_of_before(void)
{
	struct err err;
	CHECK(mkdir(test_path("old"), 0775) == 0 && chmod(test_path("old"), 0775) == 0 &&
	      mkdir(test_path("old/units"), 0755) == 0);
	CHECK(file_replace(test_path("old/lock"), "", 0, 0644, &err) == 0);
	CHECK_INT(0, prepare("old", &err));
	CHECK(is_marked("old"));
	CHECK_INT(0755, mode_of(test_path("old")));
}

static void shared_place(void)
{
	struct err err;
	char *link = test_printf("/tmp/veer-cache-test-%d", (int)getpid());
	CHECK(symlink(test_folder(), link) == 0);
	CHECK_INT(-1, cachedir_prepare(link, &err));
	CHECK_THAT(strstr(err.text, "is not a folder"), "%s", err.text);
	CHECK(unlink(link) == 0);
	mode_t mask = umask(0);
	CHECK_INT(0, cachedir_prepare(link, &err));
	umask(mask);
	CHECK_INT(0700, mode_of(link));
	CHECK(unlink(test_printf("%s/CACHEDIR.TAG", link)) == 0 && rmdir(link) == 0);
}

static const struct test tests[] = {
	TEST(marked_when_new_or_empty),
	TEST(unmarked_folders_are_refused),
	TEST(many_at_once),
	TEST(caches_of_before),
	TEST(shared_place),
	TEST(precedence),
	TEST(empty_is_not_set),
	TEST(always_absolute),
	TEST(long_values),
};
TEST_MAIN("cachedir")
