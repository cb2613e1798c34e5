#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cachedir.h"
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

static const struct test tests[] = {
	TEST(precedence),
	TEST(empty_is_not_set),
	TEST(always_absolute),
	TEST(long_values),
};
TEST_MAIN("cachedir")
