#include <stdio.h>

#include "findings/address.h"
#include "test.h"

static const char overflow[] =
	"=================================================================\n"
	"==11801==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x50200000001c at pc 0x5576a6ef1aa1 bp "
	"0x7ffc3a13f2b0 sp 0x7ffc3a13f2a8\n"
	"READ of size 1 at 0x50200000001c thread T0\n"
	"    #0 0x5576a6ef1aa0  (/tmp/run/x/1/t+0x10baa0) (BuildId: 39d79fcdc052e36c7c10f5a97e519729859b54c8)\n"
	"    #1 0x5576a6ef1af1  (/tmp/run/x/1/t+0x10baf1) (BuildId: 39d79fcdc052e36c7c10f5a97e519729859b54c8)\n"
	"    #2 0x7f754a871249  (/lib/x86_64-linux-gnu/libc.so.6+0x27249)\n"
	"\n"
	"0x50200000001c is located 2 bytes after 10-byte region [0x502000000010,0x50200000001a)\n"
	"allocated by thread T0 here:\n"
	"    #0 0x5576a6eb15cf  (/tmp/a (b)+0x1/t+0xcb5cf) (BuildId: 39d79fcdc052e36c7c10f5a97e519729859b54c8)\n"
	"\n"
	"SUMMARY: AddressSanitizer: heap-buffer-overflow (/tmp/t.x+0x10baa0) (BuildId: 39d7) \n"
	"Shadow bytes around the buggy address:\n"
	"=>0x502000000000: fa fa 00[02]fa fa fa fa fa fa fa fa fa fa fa fa\n";

static void frames(void)
{
	struct address_report r;
	address_parse(&r, overflow);
	CHECK_STR("heap-buffer-overflow", r.kind);
	CHECK_INT(4, r.n);
	CHECK_STR("/tmp/run/x/1/t", r.v[0].module);
	CHECK_INT(0x10baa0, r.v[0].offset);
	CHECK_INT(0, r.v[2].stack);
	CHECK_STR("/lib/x86_64-linux-gnu/libc.so.6", r.v[2].module);
	CHECK_INT(0x27249, r.v[2].offset);
	CHECK_INT(1, r.v[3].stack);
	CHECK_STR("/tmp/a (b)+0x1/t", r.v[3].module);
	address_release(&r);
}

static void stacks(void)
{
	struct address_report r;
	struct buf text = {0};
	address_parse(&r, overflow);
	r.v[0].lines = "inner /usr/include/bits/string.h:3\nf /src/my file.c:6";
	r.v[1].lines = "main /src/a.c:9";
	address_stack(&r, 0, &text);
	CHECK_STR("f /src/my file.c:6\nmain /src/a.c:9\n", text.data); // headers of the system are left out
	buf_clear(&text);
	r.v[0].lines = "klee_report_error /src/report.c:3";
	r.v[1].lines = NULL;
	address_stack(&r, 0, &text);
	CHECK_STR("klee_report_error /src/report.c:3\n", text.data); // unless there is nothing else
	buf_clear(&text);
	address_stack(&r, 1, &text);
	CHECK_INT(0, text.len);
	address_stack(&r, 7, &text);
	CHECK_INT(0, text.len);
	buf_release(&text);
	address_release(&r);
}

static void explained(void)
{
	struct address_report r;
	struct buf text = {0};
	address_parse(&r, overflow);
	r.v[0].lines = "g /src/a.c:5\nf /src/a.c:6";
	address_explain(&r, overflow, &text);
	CHECK(strstr(text.data, "READ of size 1"));
	CHECK(strstr(text.data, "    #0 in g /src/a.c:5\n    #0 in f /src/a.c:6\n    #1 0x5576a6ef1af1"));
	CHECK(strstr(text.data, "located 2 bytes after"));
	CHECK(!strstr(text.data, "Shadow"));
	buf_release(&text);
	address_release(&r);
}

static void no_error(void)
{
	static const char *const texts[] = {"", "\n", "==1==WARNING: AddressSanitizer failed to allocate\n",
	                                    "    #1 0x1 (/a+0x1)\n", "AddressSanitizer: CHECK failed\n"};
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct address_report r;
		address_parse(&r, texts[i]);
		CHECK(!r.kind);
		CHECK_INT(0, r.n); // a stack starts with frame 0
		address_release(&r);
	}
}

static void control_characters(void)
{
	static const char text[] = "==1==ERROR: AddressSanitizer: \x1b[31mKIND on\n\x1b]0;title\x07\n";
	struct address_report r;
	struct buf out = {0};
	address_parse(&r, text);
	address_explain(&r, text, &out);
	CHECK(!r.kind); // no word of the sanitizer's
	CHECK(!strchr(out.data, 0x1b) && !strchr(out.data, 7));
	buf_release(&out);
	address_release(&r);
}

static void many_frames(void)
{
	struct buf text = {0};
	for (int i = 0; i < 100000; i++)
		buf_printf(&text, "    #%d 0x1 (/a+0x1)\n", i % 300);
	struct address_report r;
	address_parse(&r, text.data);
	CHECK(r.n < 2000);
	address_release(&r);
	buf_release(&text);
}

static void random_mutations(void)
{
	for (int i = 0; i < 2000; i++) {
		struct bytes text = test_bytes(overflow, sizeof overflow - 1);
		test_mutate(text.data, 0, text.size);
		struct address_report r;
		struct buf out = {0};
		uint8_t *guarded = test_guarded(text.data, text.size + 1); // with the zero
		address_parse(&r, (char *)guarded);
		for (size_t k = 0; k < r.n; k++) {
			CHECK(r.v[k].at + r.v[k].size <= text.size);
			r.v[k].lines = "f /src/a.c:6";
		}
		address_stack(&r, 0, &out);
		address_explain(&r, (char *)guarded, &out);
		buf_release(&out);
		address_release(&r);
	}
}

static const struct test tests[] = {
	TEST(frames),      TEST(stacks),           TEST(explained), TEST(no_error), TEST(control_characters),
	TEST(many_frames), TEST(random_mutations),
};
TEST_MAIN("address")
