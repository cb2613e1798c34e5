#include "input/adapter.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "formats/format.h"
#include "formats/ktest.h"
#include "input/input_template.h"
#include "test.h"

static struct input_template shape_of(char **argv)
{
	struct input_template s;
	struct err err = {""};
	CHECK_THAT(input_template_read(&s, argv, NULL, NULL, -1, "/there", &err) == 0, "%s", err.text);
	return s;
}

static const char *argument(const struct input *in, size_t number)
{
	struct input_part *p = input_argument(in, number);
	return p ? p->data.data : NULL;
}

static struct foreign posix_test(void)
{
	struct foreign s = {0};
	const uint32_t one = 1, two = 2;
	static const char *const args[] = {"a.bc", "-v", "--sym-arg",   "4", "--sym-args", "0",          "3",
	                                   "2",    "--", "--sym-files", "1", "3",          "-sym-stdin", "5"};
	for (size_t i = 0; i < COUNT(args); i++)
		strv_push(&s.args, args[i]);
	foreign_add(&s, "arg00", NULL, "ab\0c", 5);
	foreign_add(&s, "n_args", NULL, &two, 4);
	foreign_add(&s, "arg01", NULL, "x\0", 3);
	foreign_add(&s, "arg02", NULL, "\0\0", 3);
	foreign_add(&s, "A-data", NULL, "123", 3);
	foreign_add(&s, "A-data-stat", NULL, "................", 16);
	foreign_add(&s, "stdin", NULL, "in\0put", 6);
	foreign_add(&s, "stdin-stat", NULL, "................", 16);
	foreign_add(&s, "model_version", NULL, &one, 4);
	foreign_add(&s, "own", NULL, "OWN!", 4);
	return s;
}

// The command line is the one that KLEE had.
static void klee_command(void)
{
	struct input_template input_template = shape_of((char *[]){"./prog", NULL});
	struct foreign s = posix_test();
	struct input in;
	adapter_input(&input_template.adapter, &s, &in);
	CHECK_STR("./prog", argument(&in, 0));
	CHECK_STR("-v", argument(&in, 1));
	CHECK_STR("ab", argument(&in, 2));
	CHECK_STR("x", argument(&in, 3));
	CHECK_STR("", argument(&in, 4));
	CHECK_STR("--", argument(&in, 5));
	CHECK(!argument(&in, 6));
	CHECK_STR("123", input_find(&in, INPUT_FILE, "/there/A")->data.data);
	CHECK_INT(6, input_find(&in, INPUT_STDIN, NULL)->data.len);
	CHECK_STR("OWN!", input_find(&in, INPUT_OBJECT, NULL)->data.data);
	input_release(&in);
	foreign_release(&s);
	input_template_release(&input_template);
}

// The command line is ours, with marks or with @@.
static void our_command(void)
{
	struct input_template input_template =
		shape_of((char *[]){"./prog", "--sym-arg", "8", "-w", "--sym-args", "0", "2", "4", "@@", NULL});
	struct foreign s = posix_test();
	struct input in;
	adapter_input(&input_template.adapter, &s, &in);
	CHECK_STR("ab", argument(&in, 1));
	CHECK_STR("-w", argument(&in, 2));
	CHECK_STR(ADAPTER_FILE, argument(&in, 3));
	CHECK_STR("x", argument(&in, 4));
	CHECK_STR("", argument(&in, 5));
	CHECK_STR("123", input_find(&in, INPUT_FILE, ADAPTER_FILE)->data.data);
	CHECK(!input_find(&in, INPUT_FILE, "/there/A"));
	input_release(&in);
	foreign_release(&s);
	input_template_release(&input_template);
}

// Without KLEE's model of POSIX, names mean nothing.
static void plain_objects(void)
{
	struct input_template input_template = shape_of((char *[]){"./prog", "x", NULL});
	struct foreign s = {0};
	struct input in;
	foreign_add(&s, "stdin", NULL, "ab", 2);
	foreign_add(&s, "arg0", NULL, "c\0d", 3);
	adapter_input(&input_template.adapter, &s, &in);
	CHECK_STR("x", argument(&in, 1));
	CHECK(!argument(&in, 2));
	CHECK(!input_find(&in, INPUT_STDIN, NULL));
	CHECK_INT(5, input_find(&in, INPUT_OBJECT, NULL)->data.len);
	CHECK(memcmp("abc\0d", input_find(&in, INPUT_OBJECT, NULL)->data.data, 5) == 0);
	input_release(&in);
	foreign_release(&s);
	input_template_release(&input_template);
}

static void plain_bytes(void)
{
	struct foreign s = {0}, again = {0};
	struct input in;
	buf_add(&s.bytes, "a\0b", 3);
	for (int file = 0; file < 2; file++) {
		struct input_template input_template = shape_of((char *[]){"./prog", file ? "@@" : "-", NULL});
		adapter_input(&input_template.adapter, &s, &in);
		const struct input_part *p =
			file ? input_find(&in, INPUT_FILE, ADAPTER_FILE) : input_find(&in, INPUT_STDIN, NULL);
		CHECK_INT(3, p->data.len);
		adapter_bytes(&in, &again);
		CHECK(again.bytes.len == 3 && memcmp("a\0b", again.bytes.data, 3) == 0);
		foreign_release(&again);
		input_release(&in);
		input_template_release(&input_template);
	}
	foreign_release(&s);
}

// To a .ktest and back is the same input.
static void round_trip(char **argv, void (*fill)(struct input *in))
{
	struct input_template input_template = shape_of(argv);
	struct foreign s = {0}, read = {0};
	struct input in, again;
	struct buf bytes = {0};
	struct err err = {""};
	input_copy(&in, &input_template.adapter.base);
	fill(&in);
	CHECK_INT(0, adapter_objects(&in, &s));
	ktest_encode(&s, &bytes);
	CHECK_THAT(format_ktest.read(&read, bytes.data, bytes.len, &err) == 0, "%s", err.text);
	adapter_input(&input_template.adapter, &read, &again);
	CHECK_INT(0, input_difference(&in, &again));
	buf_release(&bytes);
	foreign_release(&s);
	foreign_release(&read);
	input_release(&in);
	input_release(&again);
	input_template_release(&input_template);
}

static void fill_file(struct input *in)
{
	adapter_content(in, true, "con\0tent", 8);
	adapter_content(in, false, "also", 4);
}

static void fill_arguments(struct input *in)
{
	for (int i = 0; i < 12; i++)
		input_add(in, INPUT_ARGUMENT, NULL,
		          "\n\xff"
		          "x--sym-arg",
		          (size_t)i);
}

static void fill_objects(struct input *in)
{
	input_add(in, INPUT_OBJECT, NULL, "1234567", 7);
}

static void round_trips(void)
{
	round_trip((char *[]){"./prog", "@@", NULL}, fill_file);
	round_trip((char *[]){"./prog", NULL}, fill_arguments);
	round_trip((char *[]){"./prog", "--sym-args", "0", "20", "20", NULL}, fill_arguments);
	round_trip((char *[]){"./prog", NULL}, fill_objects);
}

// Variables have no place in a .ktest; that is said.
static void left_out(void)
{
	struct input in = {0};
	struct foreign s = {0};
	input_add(&in, INPUT_ARGUMENT, NULL, "p", 1);
	input_add(&in, INPUT_VARIABLE, "HOME", "x", 1);
	input_add(&in, INPUT_FILE, "/a", "", 0);
	CHECK_INT(2, adapter_objects(&in, &s));
	foreign_release(&s);
	input_release(&in);
}

static void begin_with(int fd, const char *expect)
{
	struct input_template s;
	struct err err = {""};
	CHECK_THAT(input_template_read(&s, (char *[]){"./prog", NULL}, NULL, NULL, fd, "/there", &err) == 0, "%s",
	           err.text);
	const struct input_part *p = input_find(&s.seeds[0], INPUT_STDIN, NULL);
	CHECK_THAT(expect ? p && p->data.len == strlen(expect) && memcmp(p->data.data, expect, p->data.len) == 0
	                  : !p || !p->data.len,
	           "%s", p ? p->data.data : "none");
	input_template_release(&s);
	close(fd);
}

// What the command was started with, from a file or through a pipe; an open pipe that says nothing does not stop it.
static void first_input(void)
{
	int fds[2], file = memfd_create("stdin", MFD_CLOEXEC);
	CHECK(pipe(fds) == 0 && write(fds[1], "typed", 5) == 5);
	close(fds[1]);
	begin_with(fds[0], "typed");
	CHECK(pipe(fds) == 0);
	begin_with(fds[0], NULL);
	close(fds[1]);
	CHECK(write(file, "skipped, read", 13) == 13 && lseek(file, 9, SEEK_SET) == 9);
	begin_with(file, "read");
}

static const struct test tests[] = {
	TEST(first_input), TEST(klee_command), TEST(our_command), TEST(plain_objects),
	TEST(plain_bytes), TEST(round_trips),  TEST(left_out),
};

TEST_MAIN("fit")
