#include "formats/format.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "formats/afl_sync.h"
#include "formats/ctype.h"
#include "formats/ktest.h"
#include "test.h"

static const struct format_about about = {.program = "/src/<a>&\"b\".c", .time = "2026-01-02T03:04:05Z"};

static void write_all(const struct format *f, const char *folder, const struct foreigns *all)
{
	struct err err = {""};
	CHECK_INT(0, file_mkdirs(folder, 0777, &err));
	CHECK_THAT(f->write(folder, all, &about, &err) == 0, "%s", err.text);
}

static struct foreigns read_all(const char *path)
{
	struct foreigns all;
	struct err err = {""};
	CHECK_THAT(formats_read(path, &all, &err) == 0, "%s", err.text);
	return all;
}

static void add_bytes(struct foreigns *all, const char *name, enum foreign_role role, const void *data, size_t size)
{
	struct foreign s = {.name = mem_strdup(name), .role = role};
	buf_add(&s.bytes, data, size);
	foreigns_take(all, &s);
}

// --- plain bytes ------------------------------------------------------------------------------

static const struct {
	const char *bytes;
	size_t size;
	enum foreign_role role;
} plain[] = {
	{"", 0, FOREIGN_KEPT}, {"a\0\xff\n", 4, FOREIGN_KEPT}, {"boom", 4, FOREIGN_CRASH}, {"loop", 4, FOREIGN_HANG}};

static void plain_round_trip(const struct format *f, bool keeps_role)
{
	struct foreigns all = {0};
	unsigned found = 0;
	for (size_t i = 0; i < COUNT(plain); i++)
		add_bytes(&all, "I1", plain[i].role, plain[i].bytes, plain[i].size);
	write_all(f, test_path("out"), &all);
	struct foreigns again = read_all(test_path("out"));
	CHECK_INT(COUNT(plain), again.n);
	CHECK_INT(0, again.left_out);
	for (size_t i = 0; i < again.n; i++)
		for (size_t k = 0; k < COUNT(plain); k++)
			if (again.v[i].bytes.len == plain[k].size &&
			    (!plain[k].size || memcmp(again.v[i].bytes.data, plain[k].bytes, plain[k].size) == 0)) {
				CHECK(!keeps_role || again.v[i].role == plain[k].role);
				CHECK(!again.v[i].has_objects);
				found |= 1u << k;
			}
	CHECK_INT(15, found);
	foreigns_release(&all);
	foreigns_release(&again);
}

static void libfuzzer_round_trip(void)
{
	plain_round_trip(&format_libfuzzer, false);
}

static void afl_round_trip(void)
{
	plain_round_trip(&format_afl, true);
	CHECK(file_exists(test_path("out/queue/id:000001,orig:I1")));
	CHECK(file_exists(test_path("out/crashes/id:000000,orig:I1")));
}

static void make_folder(const char *name)
{
	struct err err = {""};
	CHECK_THAT(file_mkdirs(test_path(name), 0777, &err) == 0, "%s", err.text);
}

// A folder that several instances share; what is no test of theirs is passed over.
static void afl_instances(void)
{
	make_folder("sync/main/queue/.state/redundant_edges");
	make_folder("sync/main/crashes");
	make_folder("sync/second/queue");
	make_folder("sync/other");
	test_write(test_path("sync/main/queue/id:000000,time:0,execs:0,orig:x"), "one", 3);
	test_write(test_path("sync/main/queue/.state/redundant_edges/id:000000"), "", 0);
	test_write(test_path("sync/main/crashes/id:000000,sig:11"), "two", 3);
	test_write(test_path("sync/main/crashes/README.txt"), "Command line used", 17);
	test_write(test_path("sync/main/fuzzer_stats"), "x", 1);
	test_write(test_path("sync/second/queue/id:000000,sync:main,src:000000"), "three", 5);
	struct foreigns all = read_all(test_path("sync"));
	CHECK_INT(3, all.n);
	CHECK_INT(FOREIGN_CRASH, all.v[1].role);
	foreigns_release(&all);
	all = read_all(test_path("sync/main/crashes/"));
	CHECK_INT(1, all.n);
	CHECK_INT(FOREIGN_CRASH, all.v[0].role);
	foreigns_release(&all);
	all = read_all(test_path("sync/main/crashes/id:000000,sig:11"));
	CHECK_STR("two", all.v[0].bytes.data);
	foreigns_release(&all);
}

// --- .ktest -----------------------------------------------------------------------------------

static struct foreign an_object_test(void)
{
	struct foreign s = {0};
	strv_push(&s.args, "a.out");
	strv_push(&s.args, "--sym-arg");
	strv_push(&s.args, "3");
	foreign_add(&s, "arg00", NULL, "ab\0", 4);
	foreign_add(&s, "x", NULL, "\1\2\3\4", 4);
	foreign_add(&s, "", NULL, "z", 1);
	foreign_add(&s, "empty", NULL, "", 0);
	return s;
}

static void ktest_bytes(void)
{
	static const char expected[] = "KTEST\0\0\0\3\0\0\0\3\0\0\0\5a.out\0\0\0\11--sym-arg\0\0\0\1"
				       "3\0\0\0\0\0\0\0\0\0\0\0\3\0\0\0\5arg00\0\0\0\4ab\0\0\0\0\0\1x\0\0\0\4\1\2\3\4"
				       "\0\0\0\7unnamed\0\0\0\1z";
	struct foreign s = an_object_test();
	struct buf out = {0};
	ktest_encode(&s, &out);
	CHECK_INT(sizeof expected - 1, out.len);
	CHECK(memcmp(expected, out.data, out.len) == 0);
	buf_release(&out);
	foreign_release(&s);
}

static void ktest_round_trip(void)
{
	struct foreigns all = {0};
	struct foreign s = an_object_test();
	foreigns_take(&all, &s);
	write_all(&format_ktest, test_path("out"), &all);
	test_write(test_path("out/test000001.user.err"), "Error: x", 8); // as KLEE puts it there
	struct foreigns again = read_all(test_path("out"));
	CHECK_INT(1, again.n);
	CHECK(again.v[0].has_objects);
	CHECK_INT(3, again.v[0].args.n);
	CHECK_STR("--sym-arg", again.v[0].args.v[1]);
	CHECK_INT(3, again.v[0].n);
	CHECK_STR("x", again.v[0].v[1].name);
	CHECK_INT(4, again.v[0].v[1].data.len);
	CHECK(memcmp("\1\2\3\4", again.v[0].v[1].data.data, 4) == 0);
	foreigns_release(&all);
	foreigns_release(&again);
}

static int read_ktest(const void *data, size_t size, struct err *err)
{
	struct foreign s = {0};
	uint8_t *exact = mem_alloc(size ? size : 1); // what is read behind its end is found
	memcpy(exact, data, size);
	int r = format_ktest.read(&s, exact, size, err);
	mem_free(exact);
	foreign_release(&s);
	return r;
}

static void ktest_damaged(void)
{
	struct foreign s = an_object_test();
	struct buf out = {0};
	struct err err;
	ktest_encode(&s, &out);
	for (size_t i = 0; i < out.len; i++)
		CHECK_THAT(read_ktest(out.data, i, &err) < 0, "of %zu bytes", i);
	for (size_t i = 0; i < out.len; i++) { // numbers that are huge
		char was = out.data[i];
		out.data[i] = '\xff';
		read_ktest(out.data, out.len, &err);
		out.data[i] = was;
	}
	CHECK_INT(0, read_ktest(out.data, out.len, &err));
	buf_addch(&out, 0);
	CHECK(read_ktest(out.data, out.len, &err) < 0);
	CHECK_STR("the .ktest file is damaged: there is more behind its end", err.text);
	static const char counts[] = "KTEST\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff";
	CHECK(read_ktest(counts, sizeof counts - 1, &err) < 0);
	static const char newer[] = "KTEST\0\0\0\4";
	CHECK(read_ktest(newer, sizeof newer - 1, &err) < 0);
	CHECK_STR("a .ktest file of version 4, and 3 is the last one known", err.text);
	static const char zero[] = "KTEST\0\0\0\3\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0";
	CHECK_INT(0, read_ktest(zero, sizeof zero - 1, &err)); // an argument and an object of nothing
	buf_release(&out);
	foreign_release(&s);
}

// --- Test-Comp --------------------------------------------------------------------------------

static const struct {
	const char *type, *text;
	const char *bytes;
	size_t size;
} values[] = {
	{"int", "-2", "\xfe\xff\xff\xff", 4},
	{"unsigned int", "4294967295", "\xff\xff\xff\xff", 4},
	{"uchar", "200", "\xc8", 1},
	{"char", "-1", "\xff", 1},
	{"short", "-32768", "\0\x80", 2},
	{"unsigned long long", "18446744073709551615", "\xff\xff\xff\xff\xff\xff\xff\xff", 8},
	{"long", "-9223372036854775808", "\0\0\0\0\0\0\0\x80", 8},
	{"bool", "1", "\1", 1},
	{"double", "0x1.8p+1", "\0\0\0\0\0\0\x08@", 8},
	{"float", "-INFINITY", "\0\0\x80\xff", 4},
	{"int128", "-1", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16},
	{"uint128", "340282366920938463463374607431768211455",
         "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16},
};

static void numbers(void)
{
	struct ctype t;
	unsigned char bytes[16];
	for (size_t i = 0; i < COUNT(values); i++) {
		struct buf text = {0};
		CHECK(ctype_parse(values[i].type, &t));
		CHECK_INT(values[i].size, t.size);
		ctype_write(&t, values[i].bytes, &text);
		CHECK_STR(values[i].text, text.data);
		buf_release(&text);
		CHECK_THAT(ctype_read(&t, values[i].text, bytes), "%s", values[i].text);
		CHECK_THAT(memcmp(bytes, values[i].bytes, t.size) == 0, "%s", values[i].text);
	}
	static const char *const bad[] = {
		"", "-", "x", "256", "-129", "1 2", "0x", "1.5", "99999999999999999999999999"};
	CHECK(ctype_parse("unsigned char", &t));
	for (size_t i = 0; i < COUNT(bad); i++)
		CHECK_THAT(!ctype_read(&t, bad[i], bytes), "%s", bad[i]);
	CHECK(ctype_read(&t, " 0xfFu ", bytes) && bytes[0] == 0xff);
	CHECK(!ctype_parse("struct x", &t) && !ctype_parse("", &t) && !ctype_parse("long double", &t) &&
	      !ctype_parse("long long long", &t) && !ctype_parse("unsigned signed", &t));
}

static void test_comp_round_trip(void)
{
	struct foreigns all = {0};
	for (int k = 0; k < 2; k++) {
		struct foreign s = {.role = k ? FOREIGN_CRASH : FOREIGN_KEPT};
		for (size_t i = 0; i < COUNT(values); i++)
			foreign_add(&s, i % 2 ? "a<\"&>b" : "", values[i].type, values[i].bytes, values[i].size);
		foreigns_take(&all, &s);
	}
	write_all(&format_test_comp, test_path("out"), &all);
	CHECK(strstr((char *)test_read(test_path("out/testcase-1.xml")).data,
	             "<!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.0//EN\""));
	CHECK(strstr((char *)test_read(test_path("out/metadata.xml")).data, "/src/&lt;a&gt;&amp;&quot;b&quot;.c"));
	struct foreigns again = read_all(test_path("out"));
	CHECK_INT(2, again.n);
	for (size_t k = 0; k < 2; k++) {
		CHECK_INT(COUNT(values), again.v[k].n);
		for (size_t i = 0; i < COUNT(values); i++) {
			const struct foreign_object *o = &again.v[k].v[i];
			CHECK_STR(i % 2 ? "a<\"&>b" : "", o->name);
			CHECK_STR(values[i].type, o->type);
			CHECK_INT(values[i].size, o->data.len);
			CHECK(memcmp(values[i].bytes, o->data.data, o->data.len) == 0);
		}
	}
	foreigns_release(&all);
	foreigns_release(&again);
}

// What Test-Comp has no type for is refused, not written as something else.
static void test_comp_refused(void)
{
	struct foreigns all = {0};
	struct foreign s = {.name = mem_strdup("F1")};
	struct err err = {""};
	foreign_add(&s, "buffer", NULL, "abcdef", 6);
	foreigns_take(&all, &s);
	CHECK(format_test_comp.write(test_folder(), &all, &about, &err) < 0);
	CHECK(strstr(err.text, "F1 cannot be written for Test-Comp"));
	foreigns_release(&all);
}

static int read_case(const char *text, struct foreign *ret, struct err *err)
{
	*ret = (struct foreign){0};
	char *exact = mem_copy(text, strlen(text));
	int r = format_test_comp.read(ret, exact, strlen(text), err);
	mem_free(exact);
	return r;
}

static void test_comp_others(void)
{
	struct foreign s;
	struct err err = {""};
	CHECK_THAT(
		read_case("<?xml version=\"1.0\"?><!-- <x> --><!DOCTYPE testcase SYSTEM \"a>b\" [ <!ELEMENT a (b)> ]>"
	                  "<testcase coversError='true'><input>5</input><input/><input variable='y' "
	                  "type='_Bool'> true </input></testcase>",
	                  &s, &err) < 0,
		"%s", "an empty value");
	foreign_release(&s);
	CHECK_THAT(read_case("<testcase>\n<input>5</input> <input>-3000000000</input><input>&#x31;&#50;</input>\n"
	                     "<input>1.5</input></testcase>\n",
	                     &s, &err) == 0,
	           "%s", err.text);
	CHECK_INT(4, s.n);
	CHECK_STR("int", s.v[0].type);
	CHECK_STR("long", s.v[1].type);
	CHECK(memcmp("\14\0\0\0", s.v[2].data.data, 4) == 0);
	CHECK_STR("double", s.v[3].type);
	foreign_release(&s);
}

static void test_comp_damaged(void)
{
	static const char *const bad[] = {
		"",
		"<testcase>",
		"<testcase><input>5</input>",
		"</testcase>",
		"<suite></suite>",
		"<testcase><input>5</inp</testcase>",
		"<testcase><input type=\"struct s\">5</input></testcase>",
		"<testcase><input type=\"char\">1000</input></testcase>",
		"<testcase><input type=>1</input></testcase>",
		"<testcase><input>&lol;</input></testcase>",
		"<!DOCTYPE testcase [<!ENTITY a \"1111111111\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">]>"
		"<testcase><input>&b;</input></testcase>",
		"<!DOCTYPE testcase [<!ENTITY a SYSTEM \"/etc/passwd\">]><testcase><input>&a;</input></testcase>",
		"<testcase><input>&#0;</input></testcase>",
		"<testcase><input>&#xffffffffffffffffff;</input></testcase>",
		"<testcase><!-- </testcase>",
		"<!DOCTYPE testcase",
		"\x7f"
		"ELF\2\1\1",
		"<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>",
	};
	struct foreign s;
	struct err err;
	for (size_t i = 0; i < COUNT(bad); i++) {
		CHECK_THAT(read_case(bad[i], &s, &err) < 0, "%s", bad[i]);
		foreign_release(&s);
	}
}

// --- hostile folders --------------------------------------------------------------------------

static void hostile_folder(void)
{
	struct err err;
	struct foreigns all;
	make_folder("h/sub");
	CHECK(mkfifo(test_path("h/pipe"), 0666) == 0);
	CHECK(symlink("pipe", test_path("h/link-to-pipe")) == 0);
	CHECK(symlink("/dev/zero", test_path("h/zero")) == 0);
	CHECK(symlink("nowhere", test_path("h/dangling")) == 0);
	CHECK(symlink("loop", test_path("h/loop")) == 0);
	CHECK(formats_read(test_path("h"), &all, &err) < 0);
	CHECK(strstr(err.text, "there are no files"));
	CHECK(formats_read(test_path("h/pipe"), &all, &err) < 0);
	CHECK(strstr(err.text, "is not a regular file"));
	CHECK(formats_read(test_path("h/nothing"), &all, &err) < 0);
	test_write(test_path("h/large"), "", 0);
	CHECK(truncate(test_path("h/large"), (off_t)1 << 40) == 0);
	CHECK(formats_read(test_path("h"), &all, &err) < 0);
	CHECK(strstr(err.text, "too large"));
	test_write(test_path("h/good\n\033[31m"), "x", 1);
	all = read_all(test_path("h"));
	CHECK_INT(1, all.n);
	CHECK_INT(1, all.left_out);
	foreigns_release(&all);
}

static void damaged_ones_are_left_out(void)
{
	struct foreign s = an_object_test();
	struct buf out = {0};
	ktest_encode(&s, &out);
	make_folder("k");
	test_write(test_path("k/1.ktest"), out.data, out.len);
	test_write(test_path("k/2.ktest"), out.data, out.len - 1);
	test_write(test_path("k/3.ktest"), "", 0);
	struct foreigns all = read_all(test_path("k"));
	CHECK_INT(1, all.n);
	CHECK_INT(2, all.left_out);
	CHECK(strstr(all.why, "2.ktest: the .ktest file is damaged: it ends too early"));
	foreigns_release(&all);
	buf_release(&out);
	foreign_release(&s);
}

// --- beside AFL++ -----------------------------------------------------------------------------

static size_t read_new(struct afl_sync *s, size_t most)
{
	struct foreigns all = {0};
	afl_sync_read(s, most, &all);
	size_t n = all.n;
	foreigns_release(&all);
	return n;
}

static void sync_reads(void)
{
	struct err err = {""};
	struct afl_sync *s = afl_sync_new(test_path("sync"), "veer", &err);
	CHECK(s);
	CHECK_INT(0, read_new(s, 9));
	make_folder("sync/main/queue");
	test_write(test_path("sync/main/queue/id:000000"), "", 0); // being written
	test_write(test_path("sync/main/queue/id:000001"), "ab", 2);
	CHECK(mkfifo(test_path("sync/main/queue/id:000002"), 0666) == 0);
	CHECK(symlink("id:000001", test_path("sync/main/queue/id:000003")) == 0);
	CHECK(symlink("main", test_path("sync/link")) == 0);
	CHECK(mkfifo(test_path("sync/queue"), 0666) == 0);
	test_write(test_path("sync/veer/queue/id:000000"), "our own", 7);
	CHECK_INT(1, read_new(s, 9));
	CHECK_INT(0, read_new(s, 9));
	test_write(test_path("sync/main/queue/id:000000"), "x", 1);
	test_write(test_path("sync/main/queue/id:000001"), "abc", 3); // it had not been all
	CHECK_INT(1, read_new(s, 1));
	CHECK_INT(1, read_new(s, 1));
	CHECK_INT(0, read_new(s, 1));
	unlink(test_path("sync/main/queue/id:000000"));
	CHECK_INT(0, read_new(s, 9));
	for (int i = 0; i < 2000; i++)
		test_write(test_printf("%s/id:%06d", test_path("sync/main/queue"), 10 + i), "y", 1);
	CHECK_INT(2000, read_new(s, 5000));
	CHECK_INT(0, read_new(s, 5000));
	afl_sync_free(s);
}

static void sync_writes(void)
{
	struct err err = {""};
	for (int i = 0; i < 2; i++) {
		struct afl_sync *s = afl_sync_new(test_path("sync"), "veer", &err);
		CHECK_INT(0, afl_sync_write(s, FOREIGN_KEPT, "", 0, 1, 2, &err));
		CHECK_INT(0, afl_sync_write(s, FOREIGN_KEPT, "ab", 2, 1.5, 20, &err));
		CHECK_INT(0, afl_sync_write(s, FOREIGN_CRASH, "cd", 2, 1.5, 20, &err));
		afl_sync_free(s);
		test_write(test_path("sync/veer/queue/id:000007,x"), "", 0);
	}
	CHECK_STR("ab", (char *)test_read(test_path("sync/veer/queue/id:000000,time:1500,execs:20,op:veer")).data);
	CHECK_STR("ab", (char *)test_read(test_path("sync/veer/queue/id:000008,time:1500,execs:20,op:veer")).data);
	CHECK_STR("cd", (char *)test_read(test_path("sync/veer/crashes/id:000001,time:1500,execs:20,op:veer")).data);
	static const char *const bad[] = {"", "..", "a/b", ".x", "a b", "\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
	for (size_t i = 0; i < COUNT(bad); i++)
		CHECK_THAT(!afl_sync_new(test_path("sync"), bad[i], &err), "%s", bad[i]);
	test_write(test_path("file"), "", 0);
	CHECK(!afl_sync_new(test_path("file"), "veer", &err));
}

static const struct test tests[] = {
	TEST(sync_reads),        TEST(sync_writes),          TEST(libfuzzer_round_trip),      TEST(afl_round_trip),
	TEST(afl_instances),     TEST(ktest_bytes),          TEST(ktest_round_trip),          TEST(ktest_damaged),
	TEST(numbers),           TEST(test_comp_round_trip), TEST(test_comp_refused),         TEST(test_comp_others),
	TEST(test_comp_damaged), TEST(hostile_folder),       TEST(damaged_ones_are_left_out),
};

TEST_MAIN("formats")
