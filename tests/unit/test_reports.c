#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "findings/reports.h"
#include "test.h"

static struct sanitizer_reports read_reports(void)
{
	struct sanitizer_reports r;
	sanitizer_reports_read(&r, test_folder());
	return r;
}

static const struct sanitizer_report *find(const struct sanitizer_reports *r, const char *kind)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->v[i].kind, kind) == 0)
			return &r->v[i];
	return NULL;
}

static void check_report(const struct sanitizer_report *x, bool error, const char *kind, const char *file,
                         unsigned line, const char *function, size_t times)
{
	CHECK(x);
	CHECK_STR(kind, x->kind);
	CHECK_STR(file, x->file);
	CHECK_STR(function, x->function);
	CHECK_INT(line, x->line);
	CHECK_INT(times, x->times);
	CHECK_INT(error ? LEVEL_ERROR : LEVEL_WARNING, x->level);
}

static void nothing(void)
{
	struct sanitizer_reports r = read_reports();
	CHECK_INT(0, r.n);
	sanitizer_reports_sort(&r);
	sanitizer_reports_release(&r);
	CHECK(symlink(test_folder(), test_path("link")) == 0); // a run may have put it there
	sanitizer_reports_read(&r, test_path("link"));
	CHECK_INT(0, r.n);
	sanitizer_reports_read(&r, test_path("missing"));
	CHECK_INT(0, r.n);
	sanitizer_reports_release(&r);
	test_write_text(test_path("undefined"), "");
	test_write_text(test_path("address.1"), "");
	test_write_text(test_path("something else"), "a\tb\t1\t2\tc\n");
	r = read_reports();
	CHECK_INT(0, r.n);
	sanitizer_reports_release(&r);
	// However many others a run forges.
	test_write_text(test_path("address.1"), "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n");
	sanitizer_reports_undefined(&r, test_folder());
	CHECK_INT(0, r.n);
	sanitizer_reports_release(&r);
}

static void grouping(void)
{
	test_write_text(test_path("undefined"), "shift\t/src/a.c\t10\t5\tf\n"
	                                        "shift\t/src/a.c\t10\t5\tf\n"
	                                        "shift\t/src/a.c\t11\t5\tf\n"
	                                        "shift\t/src/b.c\t10\t5\tf\n"
	                                        "shift\t/src/a.c\t10\t5\tg\n"
	                                        "alignment\t/src/a.c\t10\t5\tf\n"
	                                        "shift\t/src/a.c\t10\t9\tf\n"); // another column of the same line
	struct sanitizer_reports r = read_reports();
	CHECK_INT(5, r.n);
	sanitizer_reports_sort(&r);
	check_report(&r.v[0], false, "shift", "/src/a.c", 10, "f", 3);
	check_report(&r.v[3], false, "shift", "/src/a.c", 11, "f", 1);
	check_report(find(&r, "alignment"), false, "alignment", "/src/a.c", 10, "f", 1);
	sanitizer_reports_release(&r);
	CHECK(!r.v && !r.n);
	sanitizer_reports_release(&r);
}

static void sorting(void)
{
	char *text = "";
	for (int i = 0; i < 30; i++)
		text = test_printf("%sa\t/src/often.c\t1\t1\tf\n%s", text, i % 3 ? "" : "b\t/src/less.c\t1\t1\tf\n");
	text = test_printf("%sc\t/src/b.c\t7\t1\tf\nc\t/src/a.c\t9\t1\tf\nc\t/src/a.c\t8\t1\tf\n", text);
	test_write_text(test_path("undefined"), text);
	test_write_text(test_path("address.7"), "==7==ERROR: AddressSanitizer: stack-overflow on address 0x1\n");
	struct sanitizer_reports r = read_reports();
	sanitizer_reports_sort(&r);
	CHECK_INT(6, r.n);
	check_report(&r.v[0], true, "stack-overflow", "?", 0, "?", 1);
	check_report(&r.v[1], false, "a", "/src/often.c", 1, "f", 30);
	check_report(&r.v[2], false, "b", "/src/less.c", 1, "f", 10);
	check_report(&r.v[3], false, "c", "/src/a.c", 8, "f", 1);
	check_report(&r.v[4], false, "c", "/src/a.c", 9, "f", 1);
	check_report(&r.v[5], false, "c", "/src/b.c", 7, "f", 1);
	sanitizer_reports_release(&r);
}

static void damaged_lines(void)
{
	test_write_text(test_path("undefined"), "good\t/a.c\t1\t2\tf\n"
	                                        "no fields\n"
	                                        "\n"
	                                        "three\tfields\t3\n"
	                                        "kind\t/a.c\t1\t2\n"
	                                        "more\t/a.c\t1\t2\tf\textra\n"
	                                        "cut off\t/a.c"); // in the middle of a write
	struct sanitizer_reports r = read_reports();
	check_report(find(&r, "good"), false, "good", "/a.c", 1, "f", 1);
	check_report(find(&r, "unreadable report"), false, "unreadable report", "?", 0, "?", 4);
	CHECK(find(&r, "more"));
	CHECK_INT(3, r.n);
	sanitizer_reports_release(&r);
}

static bool clean(const char *text)
{
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return false;
	return true;
}

static void control_characters(void)
{
	static const char escape[] = "\x1b]0;title\x07\x1b[2J\t\x1b[31m/a.c\t1\t2\tf\x7f\b\r\n";
	test_write(test_path("undefined"), escape, sizeof escape - 1);
	test_write_text(test_path("address.1"), "==1==ERROR: AddressSanitizer: \x1b[31mkind on\n"
	                                        "    #0 0x1 in f\x1b(0 /src/a\x1b[0m.c:3:4\n"
	                                        "    #1 0x1 in g /src/\x01\x02.c:3:4\n");
	struct sanitizer_reports r = read_reports();
	CHECK_INT(2, r.n);
	for (size_t i = 0; i < r.n; i++)
		CHECK_THAT(clean(r.v[i].kind) && clean(r.v[i].file) && clean(r.v[i].function), "%s", r.v[i].kind);
	sanitizer_reports_release(&r);
}

// Terminals obey these, too: U+0080 to U+009F, in UTF-8 or as single bytes.
static void control_characters_of_eight_bits(void)
{
	test_write_text(test_path("undefined"), "k\xc2\x9b"
	                                        "31mind\t/\xc2\x9d"
	                                        "0;title\xc2\x9c.c\t1\t2\tf\x9b"
	                                        "2J\n");
	struct sanitizer_reports r = read_reports();
	CHECK_INT(1, r.n);
	CHECK(!strstr(r.v[0].kind, "\xc2\x9b"));
	CHECK(!strstr(r.v[0].file, "\xc2\x9d"));
	CHECK(!strstr(r.v[0].function, "\x9b"));
	sanitizer_reports_release(&r);
	test_write_text(test_path("undefined"), "kind\t/gr\xc3\xbc\xc3\x9f"
	                                        "e.c\t1\t2\tf\n"); // but names stay
	r = read_reports();
	CHECK_STR("/gr\xc3\xbc\xc3\x9f"
	          "e.c",
	          r.v[0].file);
	sanitizer_reports_release(&r);
}

static void long_fields(void)
{
	char *x = test_alloc(5000);
	memset(x, 'x', 5000);
	test_write_text(test_path("undefined"), test_printf("%s\t%s\t99999999999999999999\t1\t%s\n", x, x, x));
	struct sanitizer_reports r = read_reports();
	CHECK_INT(1, r.n);
	CHECK(strlen(r.v[0].kind) < 1000 && strlen(r.v[0].file) < 1000 && strlen(r.v[0].function) < 1000);
	sanitizer_reports_release(&r);
}

static void zero_bytes(void)
{
	test_write(test_path("undefined"), "a\t/a.c\t1\t2\tf\nb\0\t/a.c\t1\t2\tf\n", 26);
	test_write(test_path("address.1"), "\0\0==1==ERROR: AddressSanitizer: kind\n", 36);
	struct sanitizer_reports r = read_reports();
	CHECK(r.n >= 1);
	check_report(find(&r, "a"), false, "a", "/a.c", 1, "f", 1);
	sanitizer_reports_release(&r);
}

static void what_is_no_file(void)
{
	CHECK(mkfifo(test_path("undefined"), 0666) == 0); // must not block
	CHECK(mkfifo(test_path("address.1"), 0666) == 0);
	CHECK(mkdir(test_path("address.2"), 0777) == 0);
	CHECK(symlink("/dev/zero", test_path("address.3")) == 0);
	CHECK(symlink("/etc/passwd", test_path("address.4")) == 0);
	CHECK(symlink("nowhere", test_path("address.5")) == 0);
	char *secret = test_path("secret");
	test_write_text(secret, "==1==ERROR: AddressSanitizer: secret on\n");
	CHECK(symlink(secret, test_path("address.6")) == 0);
	struct sanitizer_reports r = read_reports();
	CHECK_INT(0, r.n);
	sanitizer_reports_release(&r);
}

static char *five_mebibytes(const char *line, const char *last)
{
	size_t n = strlen(line), total = 5 << 20;
	char *text = test_alloc(total + n + strlen(last)), *p = text;
	for (; (size_t)(p - text) < total; p += n)
		memcpy(p, line, n);
	strcpy(p, last);
	return text;
}

static void large_files(void)
{
	test_write_text(test_path("undefined"), five_mebibytes("kind\t/src/a.c\t1\t2\tfunction\n", ""));
	test_write_text(test_path("address.1"), five_mebibytes("no report at all ", ""));
	test_write_text(test_path("address.2"), five_mebibytes("x", "==1==ERROR: AddressSanitizer: kind on\n"));
	struct sanitizer_reports r = read_reports();
	const struct sanitizer_report *x = find(&r, "kind");
	CHECK(x && x->times > 1000);
	CHECK_THAT(!find(&r, "unreadable report"), "%zu times",
	           find(&r, "unreadable report")->times); // no line is damaged
	sanitizer_reports_release(&r);
}

// All processes of a run write to this file; the last one counts as much as the first.
static void nothing_is_lost_after_a_long_run(void)
{
	test_write_text(test_path("undefined"),
	                five_mebibytes("kind\t/src/a.c\t1\t2\tf\n", "other\t/src/b.c\t3\t2\tg\n"));
	struct sanitizer_reports r = read_reports();
	check_report(find(&r, "other"), false, "other", "/src/b.c", 3, "g", 1);
	sanitizer_reports_release(&r);
}

static int read_within_seconds(void *opaque)
{
	alarm(5); // it takes a fraction of one
	struct sanitizer_reports r = read_reports();
	sanitizer_reports_sort(&r);
	CHECK(r.n > 0);
	sanitizer_reports_release(&r);
	return 0;
}

// A program that wants to keep veer busy: every line is a place of its own.
static void very_many_places(void)
{
	enum { LINES = 200000 };
	char *text = test_alloc((size_t)LINES * 32), *p = text;
	for (int i = 0; i < LINES; i++)
		p += sprintf(p, "k\t/a.c\t%d\t1\tf\n", i);
	test_write(test_path("undefined"), text, (size_t)(p - text));
	test_child(read_within_seconds, NULL, 0);
}

static const char overflow[] =
	"=================================================================\n"
	"==9656==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x50200000001a at pc 0x561a84d78c07 bp "
	"0x7fffd4d6fcf0 sp 0x7fffd4d6fce8\n"
	"WRITE of size 1 at 0x50200000001a thread T0\n"
	"    #0 0x561a84d385cf in memset (/tmp/as/a+0xcb5cf) (BuildId: e6a5fec90d0091981b85bb99d1218a68d6b5afdb)\n"
	"    #1 0x561a84d78c06 in fill_buffer /home/me/my project/fill.c:127:27\n"
	"    #2 0x561a84d78c96 in main /home/me/my project/main.c:7:3\n"
	"    #3 0x7f3f3122d249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16\n"
	"    #4 0x561a84c99330 in _start (/tmp/as/a+0x2c330) (BuildId: e6a5fec90d0091981b85bb99d1218a68d6b5afdb)\n"
	"\n"
	"0x50200000001a is located 0 bytes after 10-byte region [0x502000000010,0x50200000001a)\n"
	"allocated by thread T0 here:\n"
	"    #0 0x561a84d385cf in malloc (/tmp/as/a+0xcb5cf) (BuildId: e6a5fec90d0091981b85bb99d1218a68d6b5afdb)\n"
	"    #1 0x561a84d78b39 in main /home/me/my project/main.c:5:66\n"
	"\n"
	"SUMMARY: AddressSanitizer: heap-buffer-overflow /home/me/my project/fill.c:127:27 in fill_buffer\n"
	"Shadow bytes around the buggy address:\n"
	"=>0x502000000000: fa fa 00[02]fa fa fa fa fa fa fa fa fa fa fa fa\n"
	"==9656==ABORTING\n";

static const char segv[] = "AddressSanitizer:DEADLYSIGNAL\n"
			   "=================================================================\n"
			   "==9709==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000008 (pc 0x55800850dc4a "
			   "bp 0x7fff79cfaa80 sp 0x7fff79cfa980 T0)\n"
			   "==9709==The signal is caused by a WRITE memory access.\n"
			   "==9709==Hint: address points to the zero page.\n"
			   "    #0 0x55800850dc4a in main /src/a.c:9\n"
			   "\n"
			   "AddressSanitizer can not provide additional info.\n"
			   "SUMMARY: AddressSanitizer: SEGV /src/a.c:9 in main\n"
			   "==9709==ABORTING\n";

static const char double_free[] =
	"=================================================================\n"
	"==9672==ERROR: AddressSanitizer: attempting double-free on 0x502000000010 in thread T0:\n"
	"    #0 0x5613d6a53336 in free (/tmp/as/a+0xcb336) (BuildId: e6a5fec90d0091981b85bb99d1218a68d6b5afdb)\n"
	"    #1 0x5613d6a93d9d in die_twice /src/a.c:4:43\n"
	"    #2 0x5613d6a93c1e in main /src/a.c:8:10\n"
	"\n"
	"0x502000000010 is located 0 bytes inside of 10-byte region [0x502000000010,0x50200000001a)\n"
	"freed by thread T0 here:\n"
	"    #0 0x5613d6a53336 in free (/tmp/as/a+0xcb336) (BuildId: e6a5fec90d0091981b85bb99d1218a68d6b5afdb)\n"
	"    #1 0x5613d6a93d94 in die_twice /src/a.c:4:34\n"
	"\n"
	"SUMMARY: AddressSanitizer: double-free (/tmp/as/a+0xcb336) (BuildId: "
	"e6a5fec90d0091981b85bb99d1218a68d6b5afdb) in free\n"
	"==9672==ABORTING\n";

static const char negative_size[] = "=================================================================\n"
				    "==9754==ERROR: AddressSanitizer: negative-size-param: (size=-1)\n"
				    "    #0 0x55d1b339f528 in __asan_memset (/tmp/as/a+0xc9528) (BuildId: "
				    "e6a5fec90d0091981b85bb99d1218a68d6b5afdb)\n"
				    "    #1 0x55d1b33e1c8c in main /src/a.c:11:10\n"
				    "\n"
				    "SUMMARY: AddressSanitizer: negative-size-param (/tmp/as/a+0xc9528) (BuildId: "
				    "e6a5fec90d0091981b85bb99d1218a68d6b5afdb) in __asan_memset\n"
				    "==9754==ABORTING\n";

static void address_sanitizer(void)
{
	test_write_text(test_path("address.9656"), overflow);
	test_write_text(test_path("address.9657"), overflow); // another process, the same place
	test_write_text(test_path("address.9709"), segv);
	struct sanitizer_reports r = read_reports();
	CHECK_INT(2, r.n);
	check_report(find(&r, "heap-buffer-overflow"), true, "heap-buffer-overflow", "/home/me/my project/fill.c", 127,
	             "fill_buffer", 2);
	check_report(find(&r, "SEGV"), true, "SEGV", "/src/a.c", 9, "main", 1);
	sanitizer_reports_release(&r);
}

// The line with ERROR puts the kind in words; the summary has its name.
static void kinds_of_address_sanitizer(void)
{
	test_write_text(test_path("address.1"), double_free);
	test_write_text(test_path("address.2"), negative_size);
	struct sanitizer_reports r = read_reports();
	sanitizer_reports_sort(&r);
	CHECK_INT(2, r.n);
	check_report(&r.v[0], true, "double-free", "/src/a.c", 4, "die_twice", 1);
	check_report(&r.v[1], true, "negative-size-param", "/src/a.c", 11, "main", 1);
	sanitizer_reports_release(&r);
}

static void address_sanitizer_without_places(void)
{
	test_write_text(test_path("address.1"), "==1==WARNING: AddressSanitizer failed to allocate 0xffffffff bytes\n");
	struct sanitizer_reports r = read_reports();
	CHECK_INT(0, r.n); // the program handled it
	sanitizer_reports_release(&r);
	static const char *const texts[] = {
		"==1==ERROR: AddressSanitizer: kind",
		"==1==ERROR: AddressSanitizer: kind on\n    #",
		"==1==ERROR: AddressSanitizer: kind on\n    #0 0x1 in",
		"==1==ERROR: AddressSanitizer: kind on\n    #0 0x1 in ",
		"==1==ERROR: AddressSanitizer: kind on\n    #0 0x1 in f",
		"==1==ERROR: AddressSanitizer: kind on\n    #0 0x1 in f ",
		"==1==ERROR: AddressSanitizer: kind on\n    #0 0x1 in f /",
		"==1==ERROR: AddressSanitizer: kind on\n    #0 0x1 in f /a.c:",
		"==1==ERROR: AddressSanitizer: kind on\n    #0 0x1 in f /a.c:x\n    #1 0x1 in g (/prog+0x1)\n",
	};
	for (size_t i = 0; i < COUNT(texts); i++) {
		test_write_text(test_path("address.1"), texts[i]);
		r = read_reports();
		CHECK_INT(1, r.n);
		check_report(&r.v[0], true, "kind", "?", 0, "?", 1);
		sanitizer_reports_release(&r);
	}
	test_write_text(test_path("address.1"), "==1==ERROR: AddressSanitizer: kind on\n" // the first that has a place
	                                        "    #0 0x1  (/prog+0x1)\n"
	                                        "    #1 0x1 in f (/prog+0x1)\n"
	                                        "    #2 0x1 in f csu/start.c:1:2\n"
	                                        "    #3 0x1 in f /a.c\n"
	                                        "    #4 0x1 in f /a.c:?\n"
	                                        "    #5 0x1 in g /b.c:12:3\n"
	                                        "    #6 0x1 in h /c.c:13:3\n");
	r = read_reports();
	CHECK_INT(1, r.n);
	check_report(&r.v[0], true, "kind", "/b.c", 12, "g", 1);
	sanitizer_reports_release(&r);
	test_write_text(test_path("address.1"), "==1==ERROR: AddressSanitizer: ");
	r = read_reports();
	CHECK_INT(1, r.n);
	sanitizer_reports_release(&r);
}

// Nothing a damaged report can do but be counted.
static void random_mutations(void)
{
	static const char undefined[] = "shift\t/src/a.c\t10\t5\tf\nalignment\t/src/b.c\t10\t5\tg\n";
	static const char *const originals[] = {overflow, segv, double_free, undefined};
	for (int i = 0; i < 1000; i++) {
		const char *original = originals[i % 4];
		struct bytes text = test_bytes(original, strlen(original));
		test_mutate(text.data, 0, text.size);
		size_t size = i % 3 ? text.size : test_below(text.size);
		char *path = test_path(i % 4 == 3 ? "undefined" : "address.1");
		test_write(path, text.data, size);
		struct sanitizer_reports r = read_reports();
		CHECK(r.n < 20);
		for (size_t k = 0; k < r.n; k++)
			CHECK(clean(r.v[k].kind) && clean(r.v[k].file) && clean(r.v[k].function) && r.v[k].times > 0);
		sanitizer_reports_sort(&r);
		sanitizer_reports_release(&r);
		unlink(path);
	}
}

static void save(void)
{
	mkdir(test_path("from"), 0777);
	test_write_text(test_path("from/address.1"), overflow);
	test_write_text(test_path("from/undefined"), "a\t/a.c\t1\t2\tf\n");
	test_write_text(test_path("from/.hidden"), "x");
	test_write_text(test_path("secret"), "x");
	CHECK(symlink("../secret", test_path("from/address.2")) == 0);
	CHECK(mkfifo(test_path("from/address.3"), 0666) == 0);
	struct err err = {""};
	char *to = test_path("some/reports");
	CHECK_THAT(sanitizer_reports_save(test_path("from"), to, &err) == 0, "%s", err.text);
	CHECK_STR(overflow, (char *)test_read(test_path("some/reports/address.1")).data);
	CHECK_STR("a\t/a.c\t1\t2\tf\n", (char *)test_read(test_path("some/reports/undefined")).data);
	CHECK(access(test_path("some/reports/address.2"), F_OK) < 0);
	CHECK(access(test_path("some/reports/address.3"), F_OK) < 0);
	CHECK(access(test_path("some/reports/.hidden"), F_OK) < 0);
	CHECK_INT(0, sanitizer_reports_save(test_path("from"), to, &err)); // again, over what is there
	CHECK_INT(-1, sanitizer_reports_save(test_path("missing"), to, &err));
	CHECK(strstr(err.text, test_path("missing")));
	CHECK_INT(-1, sanitizer_reports_save(test_path("from"), test_path("secret"), &err));
	CHECK(strstr(err.text, test_path("secret")));
	CHECK_STR("x", (char *)test_read(test_path("secret")).data);
}

static const struct test tests[] = {
	TEST(nothing),
	TEST(grouping),
	TEST(sorting),
	TEST(damaged_lines),
	TEST(control_characters),
	TEST(control_characters_of_eight_bits),
	TEST(long_fields),
	TEST(zero_bytes),
	TEST(what_is_no_file),
	TEST(large_files),
	TEST(nothing_is_lost_after_a_long_run),
	TEST(very_many_places),
	TEST(address_sanitizer),
	TEST(kinds_of_address_sanitizer),
	TEST(address_sanitizer_without_places),
	TEST(random_mutations),
	TEST(save),
};
TEST_MAIN("reports")
