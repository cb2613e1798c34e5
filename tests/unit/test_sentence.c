#include "base/mem.h"
#include "explain/explain.h"
#include "test.h"

static struct explanation x;

static void set(const char *kind, const char *report)
{
	x = (struct explanation){.finding = {.kind = (char *)kind,
	                                     .level = "error",
	                                     .program = "/bin/prog",
	                                     .file = "/src/prog.c",
	                                     .function = "copy",
	                                     .line = 7,
	                                     .stack = "",
	                                     .report = (char *)report}};
}

static void says(const char *expected)
{
	char *sentence = explain_sentence(&x);
	CHECK_STR(expected, sentence);
	mem_free(sentence);
}

static void memory_errors(void)
{
	set("heap-buffer-overflow", "==1==ERROR: ...\nREAD of size 1 at 0x6 thread T0\n    #0 in copy\n\n"
	                            "0x6 is located 0 bytes after 10-byte region [0x1,0x6)\n");
	says("prog, in copy (prog.c:7), reads 1 byte just behind the end of a heap block of 10 bytes.");
	set("heap-buffer-overflow", "WRITE of size 4 at 0x6\n0x6 is located 3 bytes before 1-byte region [0x1,0x6)\n");
	says("prog, in copy (prog.c:7), writes 4 bytes 3 bytes before a heap block of 1 byte.");
	set("heap-use-after-free", "READ of size 8 at 0x6\n0x6 is located 2 bytes inside of 16-byte region "
	                           "[0x1,0x6)\nfreed by thread T0 here:\n");
	says("prog, in copy (prog.c:7), reads 8 bytes inside a heap block of 16 bytes, which was freed.");
	set("global-buffer-overflow", "READ of size 8 at 0x6\n0x6 is located 0 bytes after global variable 'names' "
	                              "defined in 'x.c' (0x1) of size 56\n");
	says("prog, in copy (prog.c:7), reads 8 bytes just behind the end of the global variable names of 56 bytes.");
	set("stack-buffer-overflow", "WRITE of size 1 at 0x6\n    [32, 42) 'buf' (line 5) <== Memory access at offset "
	                             "45 overflows this variable\n");
	says("prog, in copy (prog.c:7), writes 1 byte 3 bytes behind the end of the local variable buf of 10 bytes.");
}

static void other_kinds(void)
{
	set("hang", "");
	says("prog, in copy (prog.c:7), does not end.");
	set("signed-add-overflow", "");
	says("prog, in copy (prog.c:7), has undefined behaviour (signed integer overflow in an addition).");
	set("dynamic-stack-buffer-overflow", "nothing that is known");
	says("prog, in copy (prog.c:7), does what the sanitizer calls dynamic-stack-buffer-overflow.");
	set("global-buffer-overflow",
	    "is located  global variable ' of size \n-byte region\n<== Memory access at offset ");
	says("prog, in copy (prog.c:7), does what the sanitizer calls global-buffer-overflow.");
	CHECK_STR("Memory error", explain_kind("no such kind").title);
	CHECK_STR("Division by zero", explain_kind("division-by-zero").title);
}

static void changes(void)
{
	struct input_part now = {.kind = PART_ARGUMENT}, was = {.kind = PART_ARGUMENT}, text = {.kind = PART_STDIN};
	buf_addstr(&now.data, "-c3,8-");
	buf_addstr(&was.data, "-c3,6-");
	struct explained_part parts[] = {{.name = "argument 1", .now = &now, .was = &was, .changed = 1},
	                                 {.name = "standard input", .now = &text, .was = &text}};
	set("abort", "");
	x.has_seed = true;
	says("prog, in copy (prog.c:7), calls abort on the test as it is.");
	x.parts = parts;
	x.n_parts = 2;
	says("prog, in copy (prog.c:7), calls abort when argument 1 is \"-c3,8-\" instead of \"-c3,6-\".");
	parts[1].was = NULL; // it had none
	buf_addstr(&text.data, "a\n");
	says("prog, in copy (prog.c:7), calls abort when argument 1 is \"-c3,8-\" and standard input is \"a\\n\".");
	for (int i = 0; i < 40; i++)
		buf_addch(&text.data, 'x');
	parts[1].changed = 42;
	says("prog, in copy (prog.c:7), calls abort when 43 bytes of the test are changed.");
	buf_release(&now.data);
	buf_release(&was.data);
	buf_release(&text.data);
}

static const struct test tests[] = {TEST(memory_errors), TEST(other_kinds), TEST(changes)};

TEST_MAIN("sentence")
