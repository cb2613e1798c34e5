#include "findings/baseline.h"

#include "findings/verdict.h"
#include "test.h"

static struct err err;

static struct baseline read_text(const char *text)
{
	struct baseline b = {0};
	test_write_text(test_path("list"), text);
	CHECK_THAT(baseline_read(&b, test_path("list"), &err) == 0, "%s", err.text);
	return b;
}

static bool has(const struct baseline *b, const char *kind, const char *file, const char *function, const char *program)
{
	const struct finding_name f = {kind, file, function, program};
	return baseline_has(b, &f);
}

static void globs(void)
{
	struct baseline b = read_text("# known\n\n"
	                              "heap-buffer-overflow src/parse.c parse_line # why\n"
	                              "  signed-*-overflow\t*\thash_*   sort \r\n"
	                              "shift my\\ file.c f");
	CHECK_INT(3, b.n);
	CHECK(has(&b, "heap-buffer-overflow", "/home/me/src/parse.c", "parse_line", "/bin/any"));
	CHECK(!has(&b, "heap-buffer-overflow", "/home/me/src/parse.c", "parse", "/bin/any"));
	CHECK(!has(&b, "stack-buffer-overflow", "/home/me/src/parse.c", "parse_line", "/bin/any"));
	CHECK(has(&b, "signed-add-overflow", "/x.c", "hash_x", "/bin/sort"));
	CHECK(!has(&b, "signed-add-overflow", "/x.c", "hash_x", "/bin/cut"));
	CHECK(has(&b, "shift", "/src/my file.c", "f", "/bin/x"));
	CHECK(!has(&b, "shift", "/src/file.c", "f", "/bin/x"));
	CHECK(has(&b, "signed-add-overflow", NULL, "hash_x", "/bin/sort"));
	baseline_release(&b);
}

static void empty(void)
{
	struct baseline b = read_text("");
	CHECK(!has(&b, "abort", "a.c", "f", "p"));
	baseline_release(&b);
	b = read_text("# nothing\n \t\n#a b c");
	CHECK_INT(0, b.n);
	baseline_release(&b);
}

// What is written is read again and means these findings, wherever the sources lie then.
static void round_trip(void)
{
	static const struct finding_name all[] = {
		{"heap-buffer-overflow", "/home/me/proj/src/parse.c", "parse_line", "/home/me/proj/build/tool"},
		{"shift", "/usr/include/strange.h", "f", "/home/me/proj/a b"},
		{"abort", "/home/me/proj/src/we[i]rd*na#me?.c", "f*", "/p/x"},
		{"memory-exhaustion", "?", "?", "/p/x"},
		{"abort", "/home/me/proj/src/back\\slash.c", "g", "/p/x"},
		{"abort", "/home/me/proj/build/../lib/x.c", "h", "/p/x"},
		{"abort", "relative/y.c", "new\nline", "/p/x"},
		{"abort", NULL, NULL, "/p/x"},
		{"shift", "/home/me/proj/lib/shared.c", "h", NULL},
	};
	struct baseline now = {0}, then = {0};
	for (size_t i = 0; i < COUNT(all); i++)
		baseline_add(&now, "/home/me/proj", &all[i]);
	baseline_add(&now, "/home/me/proj", &all[0]); // at another line, say
	CHECK_INT(0, baseline_write(&now, test_path("out"), &err));
	CHECK_THAT(baseline_read(&then, test_path("out"), &err) == 0, "%s", err.text);
	CHECK_INT(COUNT(all), then.n);
	for (size_t i = 0; i < COUNT(all); i++)
		CHECK_THAT(!all[i].program || baseline_has(&then, &all[i]), "%zu", i);
	CHECK(has(&then, "shift", "/x/lib/shared.c", "h", "/bin/any"));
	CHECK(has(&then, "heap-buffer-overflow", "/ci/1234/src/parse.c", "parse_line", "/ci/1234/b/tool"));
	CHECK(!has(&then, "heap-buffer-overflow", "/ci/1234/src/parse.c", "parse_line", "/ci/1234/b/other"));
	CHECK(!has(&then, "abort", "/home/me/proj/src/weird*na#me?.c", "f*", "/p/x"));
	CHECK(!has(&then, "abort", "/home/me/proj/src/we[i]rd*na#me?.c", "fx", "/p/x"));
	CHECK(!has(&then, "memory-exhaustion", "a", "b", "/p/x"));
	struct bytes text = test_read(test_path("out"));
	CHECK(strstr((char *)text.data, "\nheap-buffer-overflow src/parse.c parse_line tool\n"));
	CHECK(strstr((char *)text.data, "\nshift strange.h f a\\ b\n"));
	CHECK(strstr((char *)text.data, "\nabort lib/x.c h x\n"));
	baseline_release(&now);
	baseline_release(&then);
}

static void programs(void)
{
	CHECK(stack_names_program("main /src/a.c:3\n"));
	CHECK(stack_names_program("f /src/a.c:3\ng /src/a.c:9\nmain /src/a.c:20\n"));
	CHECK(!stack_names_program("f /src/a.c:3\ng /src/a.c:9\nh /src/a.c:10\nmain /src/a.c:20\n"));
	CHECK(!stack_names_program("f /src/main:3\n") && !stack_names_program("domain /src/a.c:3"));
	CHECK(!stack_names_program(""));
}

static void sorted(void)
{
	struct baseline b = {0};
	const struct finding_name late = {"abort", "b.c", "f", "p"}, early = {"shift", "a.c", "f", "p"};
	baseline_add(&b, "/", &late);
	baseline_add(&b, "/", &early);
	CHECK_INT(0, baseline_write(&b, test_path("out"), &err));
	struct bytes text = test_read(test_path("out"));
	CHECK_STR("# Findings that veer knows, and does not report again: KIND FILE FUNCTION PROGRAM\n"
	          "shift a.c f p\nabort b.c f p\n",
	          (char *)text.data);
	baseline_release(&b);
}

static void refuse(const char *text, size_t size, const char *says)
{
	struct baseline b = {0};
	test_write(test_path("bad"), text, size);
	CHECK_INT(-1, baseline_read(&b, test_path("bad"), &err));
	CHECK_STR(test_printf("%s%s", test_path("bad"), says), err.text);
	baseline_release(&b);
}

static void damaged(void)
{
	struct baseline b = {0};
	refuse("abort a.c", 9, ":1: a line wants KIND FILE FUNCTION, or * for any");
	refuse("# x\nabort a.c f\n\nabort\n", 23, ":4: a line wants KIND FILE FUNCTION, or * for any");
	refuse("a b c d e\n", 10, ":1: more than KIND FILE FUNCTION PROGRAM; a blank in a name is '\\ '");
	refuse("a b c\\\nd", 8, ":1: nothing stands behind the last backslash");
	refuse("a b c\n\0\n", 8, ":2: this is no text");
	CHECK_INT(-1, baseline_read(&b, test_path("none"), &err));
	CHECK(strstr(err.text, "none: No such file"));
	CHECK_INT(-1, baseline_read(&b, test_folder(), &err));
	CHECK(strstr(err.text, "cannot read"));
	CHECK_INT(-1, baseline_write(&b, test_path("no/folder"), &err));
	baseline_release(&b);
}

// Any bytes are read, or refused by one line.
static void any_bytes(void)
{
	static const char letters[] = "a*\\ \t\n#[]?/";
	for (int round = 0; round < 5000; round++) {
		char text[64];
		size_t n = test_below(sizeof text);
		for (size_t i = 0; i < n; i++)
			text[i] = test_below(20) ? letters[test_below(sizeof letters - 1)] : (char)test_random();
		struct baseline b = {0};
		test_write(test_path("any"), text, n);
		if (baseline_read(&b, test_path("any"), &err) == 0)
			has(&b, "abort", "/src/a.c", "a", "/bin/a");
		else
			CHECK(!strchr(err.text, '\n'));
		baseline_release(&b);
	}
}

static const struct test tests[] = {
	TEST(globs), TEST(empty), TEST(round_trip), TEST(programs), TEST(sorted), TEST(damaged), TEST(any_bytes),
};
TEST_MAIN("baseline")
