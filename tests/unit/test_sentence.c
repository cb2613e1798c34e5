#include "base/mem.h"
#include "explain/explain.h"
#include "test.h"

static struct explanation x;

static void set(const char *kind, const char *report)
{
	x = (struct explanation){.finding = {.kind = (char *)kind,
	                                     .level = LEVEL_ERROR,
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

// The address is that of the first byte that may not be accessed, and the size that of the whole range.
static void ranges(void)
{
	set("stack-buffer-overflow",
	    "==1==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x6 at pc 0x5\n"
	    "WRITE of size 257 at 0x6 thread T0\n    #0 in __asan_memset\n    #1 in copy /src/prog.c:7\n\n"
	    "Address 0x6 is located in stack of thread T0 at offset 288 in frame\n    #0 in copy /src/prog.c:3\n\n"
	    "  This frame has 2 object(s):\n    [32, 288) 'tag' (line 5)\n    [352, 416) 'value' (line 6) "
	    "<== Memory access at offset 288 partially underflows this variable\n");
	says("prog, in copy (prog.c:7), writes 257 bytes with memset, past the end of the local variable tag of 256 "
	     "bytes.");
	set("stack-buffer-overflow",
	    "READ of size 24 at 0x6 thread T0\n    #0 in copy /src/prog.c:7\n\n"
	    "Address 0x6 is located in stack of thread T0 at offset 40 in frame\n    #0 in copy /src/prog.c:3\n\n"
	    "  This frame has 2 object(s):\n    [32, 40) 'a:5'\n    [64, 80) 'b:6' "
	    "<== Memory access at offset 40 partially underflows this variable\n");
	says("prog, in copy (prog.c:7), reads 24 bytes, past the end of the local variable a of 8 bytes.");
	// It begins in the redzone: it is about the next one.
	set("stack-buffer-underflow", "READ of size 20 at 0x6 thread T0\n    #0 in __interceptor_write\n\n"
	                              "Address 0x6 is located in stack of thread T0 at offset 60 in frame\n\n"
	                              "  This frame has 2 object(s):\n    [32, 40) 'a'\n    [64, 80) 'b' "
	                              "<== Memory access at offset 60 partially underflows this variable\n");
	says("prog, in copy (prog.c:7), reads 20 bytes with write 4 bytes before the local variable b of 16 bytes.");
	set("heap-buffer-overflow", "WRITE of size 20 at 0x6 thread T0\n    #0 in __asan_memcpy\n\n"
	                            "0x6 is located 0 bytes after 10-byte region [0x1,0x6)\n");
	says("prog, in copy (prog.c:7), writes 20 bytes with memcpy, past the end of a heap block of 10 bytes.");
}

static void globals(void)
{
	set("global-buffer-overflow",
	    "READ of size 1 at 0x6 thread T0\n    #0 in copy /src/prog.c:7\n\n"
	    "0x6 is located 26 bytes before global variable '.str.5' defined in '0.bc' (0x7) of size 5\n"
	    "  '.str.5' is ascii string 'beta'\n"
	    "0x6 is located 0 bytes after global variable '.str.144' defined in '0.bc' (0x1) of size 6\n"
	    "  '.str.144' is ascii string 'it's\"'\n");
	says("prog, in copy (prog.c:7), reads 1 byte just behind the end of the string literal \"it's\\\"\" of 6 "
	     "bytes.");
	set("global-buffer-overflow",
	    "READ of size 1 at 0x6\n0x6 is located 2 bytes after global variable '.str' defined in '0.bc' of size 6\n");
	says("prog, in copy (prog.c:7), reads 1 byte 2 bytes behind the end of a string literal of 6 bytes.");
	set("global-buffer-overflow", "WRITE of size 4 at 0x6\n0x6 is located 4 bytes before global variable "
	                              "'parse.table' defined in '0.bc' (0x7) of size 16\n");
	says("prog, in copy (prog.c:7), writes 4 bytes 4 bytes before the static variable table of 16 bytes.");
}

static void calls(void)
{
	set("negative-size-param", "==1==ERROR: AddressSanitizer: negative-size-param: (size=-1)\n"
	                           "    #0 in __asan_memcpy\n    #1 in copy /src/prog.c:7\n");
	says("prog, in copy (prog.c:7), calls memcpy with a negative size (-1 as size_t).");
	set("negative-size-param", "");
	says("prog, in copy (prog.c:7), calls a function of the C library with a negative size.");
	set("memcpy-param-overlap", "");
	says("prog, in copy (prog.c:7), calls memcpy with source and destination that overlap.");
	set("calloc-overflow", "");
	says("prog, in copy (prog.c:7), calls calloc with a product that does not fit a size_t.");
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
	struct input_part now = {.kind = INPUT_ARGUMENT}, was = {.kind = INPUT_ARGUMENT}, text = {.kind = INPUT_STDIN};
	buf_addstr(&now.data, "-c3,8-");
	buf_addstr(&was.data, "-c3,6-");
	struct explained_part parts[] = {{.name = "argument 1", .now = &now, .was = &was, .changed = 1},
	                                 {.name = "standard input", .now = &text, .was = &text}};
	set("abort", "");
	x.has_seed = true;
	says("prog, in copy (prog.c:7), calls abort on the seed as it is.");
	x.of_suite = true;
	x.finding.seed = 3;
	input_add(&x.seed, INPUT_ARGUMENT, NULL, "./prog", 6);
	input_add(&x.seed, INPUT_ARGUMENT, NULL, "-c", 2);
	says("Your test S3 (prog -c) already does this: prog, in copy (prog.c:7), calls abort.");
	x.finding.kind = "division-by-zero";
	says("Your test S3 (prog -c) already does this under UndefinedBehaviorSanitizer: prog, in copy (prog.c:7), "
	     "divides "
	     "by zero.");
	x.finding.kind = "bad-free";
	says("Your test S3 (prog -c) already does this under AddressSanitizer: prog, in copy (prog.c:7), frees what "
	     "malloc "
	     "did not return.");
	input_release(&x.seed);
	x.finding.kind = "abort";
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

static const struct test tests[] = {TEST(memory_errors), TEST(ranges),      TEST(globals),
                                    TEST(calls),         TEST(other_kinds), TEST(changes)};

TEST_MAIN("sentence")
