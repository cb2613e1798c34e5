#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "findings/testcode.h"
#include "test.h"

static struct strv list(const char *a, const char *b, const char *c)
{
	struct strv v = {0};
	const char *all[] = {a, b, c};
	for (size_t i = 0; i < 3; i++)
		if (all[i])
			strv_push(&v, all[i]);
	return v;
}

static void check_root(const char *expected, const char *cwd, struct strv files)
{
	char *root = project_root(cwd, &files);
	CHECK_STR(expected, root);
	mem_free(root);
	strv_release(&files);
}

static void roots(void)
{
	check_root("/p", "/p", list("/p/src/a.c", "/p/tests/t.c", "/usr/include/stdio.h"));
	check_root("/p", "/p", list(NULL, NULL, NULL));
	check_root("/p", "/p", list("/p/a.c", "/elsewhere/lib/b.c", NULL)); // as many as elsewhere
	// Built out of tree: where both folders meet.
	check_root("/home/p", "/home/p/build", list("/home/p/src/a.c", "/home/p/tests/t.c", NULL));
	check_root("/home/p", "/home/p/build", list("/home/p/build/../src/a.c", "/home/p/lib/b.c", NULL));
	// Nowhere near: the sources' own folder.
	check_root("/home/p/src", "/var/build", list("/home/p/src/a.c", "/home/p/src/b.c", NULL));
	check_root("/var/build", "/var/build", list("/home/a.c", "/opt/b.c", NULL));
}

// The top of a tree that has what build systems want there, without a gap.
static void marked_roots(void)
{
	const char *folders[] = {"top", "top/src", "top/src/deep", "build"};
	for (size_t i = 0; i < 4; i++)
		mkdir(test_path(folders[i]), 0777);
	test_write_text(test_path("top/CMakeLists.txt"), "");
	test_write_text(test_path("top/src/CMakeLists.txt"), "");
	struct strv files = {0};
	strv_push(&files, test_path("top/src/deep/a.c"));
	strv_push(&files, test_path("top/src/deep/b.c"));
	char *root = project_root(test_path("build"), &files), *top = mem_strdup(test_path("top"));
	CHECK_STR(top, root);
	mem_free(top);
	mem_free(root);
	strv_release(&files);
}

static bool has(const char *root, const char *globs, const char *file)
{
	struct test_code t;
	struct strv files = list("/p/src/main.c", file, NULL);
	test_code_init(&t, root, globs, &files);
	bool found = test_code_has(&t, file);
	test_code_release(&t);
	strv_release(&files);
	return found;
}

static void conventions(void)
{
	static const char *const tests[] = {"/p/tests/run-parser.c", "/p/test/x.c",         "/p/lib/t/a.c",
	                                    "/p/Tests/x.c",          "/p/src/test_x.c",     "/p/x_test.c",
	                                    "/p/x-test.c",           "/p/check_list.c",     "/p/src/testsuite/a/b.c",
	                                    "/p/tests/../tests/a.c", "/p/src/../tests/a.h", "/p/src/a_test.h",
	                                    "/p/src/unittest_main.c"};
	static const char *const code[] = {"/p/src/a.c",          "/p/src/test.c",        "/p/src/latest.c",
	                                   "/p/attest/a.c",       "/p/src/contest.c",     "/p/tests.c",
	                                   "/p/tests/../src/a.c", "/q/tests/a.c",         "/p/src/checks.c",
	                                   "/p/src/pcre2test.c",  "/p/src/test_data.inc", "?"};
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		CHECK_THAT(has("/p", NULL, tests[i]), "%s", tests[i]);
	for (size_t i = 0; i < sizeof code / sizeof *code; i++)
		CHECK_THAT(!has("/p", NULL, code[i]), "%s", code[i]);
	// Where the project lies is no matter.
	CHECK(!has("/home/tests/p", NULL, "/home/tests/p/src/a.c"));
	CHECK(has("/home/tests/p", NULL, "/home/tests/p/t/a.c"));
}

// A project that lies in such a folder as a whole is no test.
static void all_of_it(void)
{
	struct test_code t;
	struct strv files = list("/p/test/a.c", "/p/test/b.c", "/usr/include/c.h");
	test_code_init(&t, "/p", NULL, &files);
	CHECK(!test_code_has(&t, "/p/test/a.c"));
	test_code_release(&t);
	strv_push(&files, "/p/lib/c.c");
	test_code_init(&t, "/p", NULL, &files);
	CHECK(test_code_has(&t, "/p/test/a.c"));
	test_code_release(&t);
	strv_release(&files);
	t = (struct test_code){0};
	CHECK(!test_code_has(&t, "/p/test/a.c"));
}

static void lists(void)
{
	CHECK(!has("/p", "none", "/p/tests/a.c"));
	CHECK(has("/p", "demo/*,x.c", "/p/demo/deep/a.c"));
	CHECK(has("/p", "demo/*,x.c", "/p/src/x.c"));
	CHECK(!has("/p", "demo/*,x.c", "/p/tests/a.c"));
	CHECK(!has("/home/demo/p", "demo/*", "/home/demo/p/src/a.c"));
	CHECK(has("/p", "/p/src/*", "/p/src/a.c"));
}

static const struct test tests[] = {TEST(roots), TEST(marked_roots), TEST(conventions), TEST(all_of_it), TEST(lists)};

TEST_MAIN("testcode")
