#include "export/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/mem.h"
#include "test.h"

// A test whose file has this content, for a program that compares it with a copy.
struct made {
	struct input in, masks;
	struct export_test test;
	struct export_suite suite;
};

static void make(struct made *m, const void *data, const void *mask, size_t size)
{
	*m = (struct made){0};
	test_write(test_path("expected"), data, size);
	input_add(&m->in, INPUT_ARGUMENT, NULL, "cmp", 3);
	input_add(&m->in, INPUT_ARGUMENT, NULL, ADAPTER_FILE, strlen(ADAPTER_FILE));
	input_add(&m->in, INPUT_ARGUMENT, NULL, test_path("expected"), strlen(test_path("expected")));
	input_copy(&m->masks, &m->in);
	input_add(&m->in, INPUT_FILE, ADAPTER_FILE, data, size);
	input_add(&m->masks, INPUT_FILE, ADAPTER_FILE, mask, size);
	m->test = (struct export_test){.id = "I7", .input = &m->in, .masks = &m->masks, .known = true};
	m->suite = (struct export_suite){.program = "/usr/bin/cmp", .cwd = "/tmp", .tests = &m->test, .n = 1};
}

static void release(struct made *m)
{
	input_release(&m->in);
	input_release(&m->masks);
}

static int run(const char *shell, const char *more)
{
	int status = system(test_printf("%s %s %s >/dev/null 2>&1", shell, test_path("I7.sh"), more));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check_content(const void *data, const void *mask, size_t size)
{
	struct made m;
	struct err err = {""};
	make(&m, data, mask, size);
	CHECK_THAT(export_sh.write(test_folder(), &m.suite, &err) == 0, "%s", err.text);
	CHECK_INT(0, run("sh", ""));
	CHECK_INT(0, run("bash", ""));
	test_write(test_path("expected"), "other", 5);
	CHECK_INT(1, run("sh", ""));
	CHECK_INT(1, run("sh", "/usr/bin/false")); // another program
	release(&m);
}

// Whatever the bytes are, the script has them.
static void contents(void)
{
	char all[512], mask[512];
	for (int i = 0; i < 512; i++) {
		all[i] = (char)i;
		mask[i] = 1;
	}
	check_content(all, mask, 512);
	check_content("", "", 0);
	check_content("-n", "\1\1", 2);
	check_content("--%s\\n'", "\1\1\1\1\1\1\1", 7);
	check_content("\n\n", "\1\1", 2);
	// Long runs of what does not matter, of text and of zeros, at both ends and between.
	memset(all, 'x', sizeof all);
	memset(mask, 0, sizeof mask);
	memset(all + 300, 0, 100);
	all[200] = '-';
	mask[200] = 1;
	check_content(all, mask, 512);
	struct bytes script = test_read(test_path("I7.sh"));
	CHECK(script.size < 2500);
	CHECK(strstr((char *)script.data, "1 of "));
}

// A C test for what has no objects is refused.
static void c_is_for_targets(void)
{
	struct made m;
	struct err err = {""};
	make(&m, "ab", "\1\1", 2);
	CHECK(export_c.write(test_folder(), &m.suite, &err) < 0);
	CHECK(strstr(err.text, "--as sh is for all programs"));
	release(&m);
}

static const struct test tests[] = {TEST(contents), TEST(c_is_for_targets)};

TEST_MAIN("export")
