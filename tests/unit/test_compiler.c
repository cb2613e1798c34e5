#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "config.h"
#include "test.h"

static char *program(const char *name)
{
	char *path = test_path(name);
	test_write_text(path, "");
	CHECK(chmod(path, 0755) == 0);
	return path;
}

static void check_found(const char *expected, bool cplusplus)
{
	struct err err = {""};
	char *found = compiler_find(cplusplus, &err);
	CHECK_STR(expected, found);
	CHECK_INT(!expected, err.text[0] != 0);
	mem_free(found);
}

static void the_one_veer_was_built_for(void)
{
	unsetenv("VEER_CLANG");
	unsetenv("VEER_CLANGXX");
	check_found(CONFIG_CLANG, false);
	check_found(CONFIG_CLANGXX, true);
	setenv("VEER_CLANG", "", 1); // empty is not set
	check_found(CONFIG_CLANG, false);
	unsetenv("VEER_CLANG");
}

static void the_one_that_is_asked_for(void)
{
	char *c = program("my-clang"), *cxx = program("my-clang++"), *path = test_printf("%s", getenv("PATH"));
	setenv("VEER_CLANG", c, 1);
	setenv("VEER_CLANGXX", cxx, 1);
	check_found(c, false);
	check_found(cxx, true);
	unsetenv("VEER_CLANGXX");
	check_found(CONFIG_CLANGXX, true); // one does not say anything about the other
	setenv("PATH", test_folder(), 1);
	setenv("VEER_CLANG", "my-clang", 1);
	check_found(c, false); // by its name
	setenv("PATH", path, 1);
	unsetenv("VEER_CLANG");
}

static void no_compiler(void)
{
	setenv("VEER_CLANG", test_path("missing"), 1);
	struct err err = {""};
	CHECK(!compiler_find(false, &err)); // no other one instead of what was asked for
	CHECK_THAT(strstr(err.text, test_path("missing")) && strstr(err.text, "VEER_CLANG"), "%s", err.text);
	CHECK(!compiler_find(false, NULL));
	unsetenv("VEER_CLANG");
}

static const struct test tests[] = {
	TEST(the_one_veer_was_built_for),
	TEST(the_one_that_is_asked_for),
	TEST(no_compiler),
};
TEST_MAIN("compiler")
