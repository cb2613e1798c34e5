#include <ar.h>
#include <stdio.h>

#include "object/archive.h"
#include "test.h"

// An archive under construction.
struct maker {
	uint8_t data[1 << 16];
	size_t size;
};

static void put(struct maker *m, const void *data, size_t size)
{
	CHECK(m->size + size <= sizeof m->data);
	memcpy(m->data + m->size, data, size);
	m->size += size;
}

static void put_header(struct maker *m, const char *name, size_t size)
{
	char head[sizeof(struct ar_hdr) + 1];
	CHECK_INT(sizeof head - 1,
	          snprintf(head, sizeof head, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", name, 0, 0, 0, 0644, size));
	put(m, head, sizeof head - 1);
}

static void put_member(struct maker *m, const char *name, const void *data, size_t size)
{
	put_header(m, name, size);
	put(m, data, size);
	if (m->size % 2)
		put(m, "\n", 1);
}

static struct maker *new_archive(const char *magic)
{
	struct maker *m = test_alloc(sizeof *m);
	m->size = 0;
	put(m, magic, 8);
	return m;
}

static void expect(struct archive *ar, const char *name, const char *content)
{
	struct archive_member member;
	CHECK(archive_next(ar, &member));
	CHECK_STR(name, member.name);
	if (content) {
		CHECK_INT(strlen(content), member.size);
		CHECK(memcmp(member.data, content, member.size) == 0);
	} else {
		CHECK(!member.data);
	}
}

static void expect_end(struct archive *ar)
{
	struct archive_member member;
	CHECK(!archive_next(ar, &member));
	CHECK(!archive_next(ar, &member));
}

static struct archive open_guarded(const struct maker *m)
{
	struct archive ar;
	CHECK(archive_open(&ar, test_guarded(m->data, m->size), m->size));
	return ar;
}

static const char long_name[] = "a_name_of_more_than_fifteen_characters.o";

// What `ar rcs` writes: symbols, the table of long names, members.
static struct maker *normal_archive(void)
{
	struct maker *m = new_archive(ARMAG);
	put_member(m, "/", "\0\0\0\1\0\0\0\x80main", 13);
	char *names = test_printf("%s/\nother long name with blanks.o/\n", long_name);
	put_member(m, "//", names, strlen(names));
	put_member(m, "one.o/", "odd", 3);
	put_member(m, "/0", "even", 4);
	put_member(m, "/42", "x", 1);
	put_member(m, "with blank.o/", "", 0);
	put_member(m, "exactlyfifteen./", "last", 4);
	return m;
}

static void normal(void)
{
	struct maker *m = normal_archive();
	struct archive ar = open_guarded(m);
	CHECK(!ar.thin);
	expect(&ar, "one.o", "odd");
	expect(&ar, long_name, "even");
	expect(&ar, "other long name with blanks.o", "x");
	expect(&ar, "with blank.o", "");
	expect(&ar, "exactlyfifteen.", "last");
	expect_end(&ar);
}

static void no_archive(void)
{
	struct archive ar;
	CHECK(!archive_open(&ar, NULL, 0)); // an empty file
	CHECK(!archive_open(&ar, "\177ELF\2\1\1\0", 8));
	CHECK(!archive_open(&ar, "!<arch>", 7));
	CHECK(!archive_open(&ar, "!<arch> ", 8));
	CHECK(!archive_open(&ar, "!<Arch>\n", 8));
	CHECK(archive_open(&ar, "!<arch>\n", 8));
	expect_end(&ar);
	CHECK(archive_open(&ar, "!<thin>\n", 8) && ar.thin);
	expect_end(&ar);
}

static void thin(void)
{
	struct maker *m = new_archive("!<thin>\n");
	put_member(m, "/", "\0\0\0\1\0\0\0\x80main", 13);
	char *names = test_printf("sub/folder/%s/\n../up.o/\n", long_name);
	put_member(m, "//", names, strlen(names));
	put_header(m, "/0", 123456); // the members' sizes, but not their data
	put_header(m, "/53", 7);
	put_header(m, "short.o/", 1);
	struct archive ar = open_guarded(m);
	struct archive_member member;
	CHECK(ar.thin && archive_next(&ar, &member));
	CHECK_STR(test_printf("sub/folder/%s", long_name), member.name);
	CHECK(!member.data && member.size == 123456);
	expect(&ar, "../up.o", NULL);
	expect(&ar, "short.o", NULL);
	expect_end(&ar);
}

static void bsd_names(void)
{
	struct maker *m = new_archive(ARMAG);
	char body[64] = {0};
	memcpy(body, "name with blanks.o", 18); // padded with NULs to 20
	memcpy(body + 20, "content", 7);
	put_member(m, "#1/20", body, 27);
	put_member(m, "plain.o", "xy", 2); // no slash at the end
	memcpy(body, "unpadded", 8);
	put_member(m, "#1/8", body, 8); // nothing but the name
	struct archive ar = open_guarded(m);
	expect(&ar, "name with blanks.o", "content");
	expect(&ar, "plain.o", "xy");
	expect(&ar, "unpadded", "");
	expect_end(&ar);
	m = new_archive(ARMAG);
	put_member(m, "#1/9", "12345678", 8); // the name is longer than the member
	ar = open_guarded(m);
	expect_end(&ar);
	m = new_archive(ARMAG);
	put_member(m, "#1/x", "12345678", 8);
	ar = open_guarded(m);
	expect_end(&ar);
}

static void symbol_tables_are_skipped(void)
{
	struct maker *m = new_archive(ARMAG);
	put_member(m, "/", "gnu", 3);
	put_member(m, "/SYM64/", "gnu, 64 bits", 12);
	put_member(m, "one.o/", "1", 1);
	put_member(m, "/", "in the middle", 13);
	put_member(m, "two.o/", "2", 1);
	struct archive ar = open_guarded(m);
	expect(&ar, "one.o", "1");
	expect(&ar, "two.o", "2");
	expect_end(&ar);
}

static void bsd_symbol_tables_are_skipped(void)
{
	struct maker *m = new_archive(ARMAG);
	put_member(m, "__.SYMDEF", "bsd table", 9);
	put_member(m, "#1/20", "__.SYMDEF SORTED\0\0\0\0table", 25);
	put_member(m, "one.o/", "1", 1);
	struct archive ar = open_guarded(m);
	expect(&ar, "one.o", "1");
	expect_end(&ar);
}

static void names_that_lead_nowhere(void)
{
	struct maker *m = new_archive(ARMAG);
	put_member(m, "/5", "a", 1); // there is no table
	put_member(m, "//", "abc/\nno end", 11);
	put_member(m, "/11", "b", 1);              // just behind the table
	put_member(m, "/999999999999999", "c", 1); // far behind it
	put_member(m, "/5", "d", 1);
	put_member(m, "/000000000000005", "e", 1); // the digits of the date behind it are not part of it
	struct archive ar = open_guarded(m);
	expect(&ar, "?", "a");
	expect(&ar, "?", "b");
	expect(&ar, "?", "c");
	expect(&ar, "no end", "d"); // ends with the table
	expect(&ar, "no end", "e");
	expect_end(&ar);
}

static void names_too_long_for_the_field(void)
{
	struct archive_member member;
	static const size_t lengths[] = {sizeof member.name - 2, sizeof member.name - 1, sizeof member.name,
	                                 sizeof member.name + 1, 5000};
	for (size_t i = 0; i < COUNT(lengths); i++) {
		struct maker *m = new_archive(ARMAG);
		char *names = test_alloc(lengths[i] + 2);
		memset(names, 'n', lengths[i]);
		memcpy(names + lengths[i], "/\n", 2);
		put_member(m, "//", names, lengths[i] + 2);
		put_member(m, "/0", "x", 1);
		struct archive ar = open_guarded(m);
		CHECK(archive_next(&ar, &member));
		CHECK_INT(i < 2 ? lengths[i] : sizeof member.name - 1, strlen(member.name)); // cut
		CHECK_INT(1, member.size);
	}
}

static void damaged_headers_end_it(void)
{
	static const char *const sizes[] = {"x", "", "-1", "9999999999", "100", "3", " 2"};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct maker *m = new_archive(ARMAG);
		put_member(m, "good.o/", "ok", 2);
		size_t at = m->size;
		put_member(m, "bad.o/", "no", 2);
		memset(m->data + at + 48, ' ', 10);
		memcpy(m->data + at + 48, sizes[i], strlen(sizes[i]));
		struct archive ar = open_guarded(m);
		expect(&ar, "good.o", "ok");
		expect_end(&ar);
	}
	struct maker *m = new_archive(ARMAG);
	put_member(m, "good.o/", "ok", 2);
	put_member(m, "bad.o/", "no", 2);
	m->data[m->size - 4] = '?'; // the mark at the end of the header
	struct archive ar = open_guarded(m);
	expect(&ar, "good.o", "ok");
	expect_end(&ar);
}

static void last_member_without_padding(void)
{
	struct maker *m = new_archive(ARMAG);
	put_member(m, "one.o/", "odd", 3);
	m->size--;
	struct archive ar = open_guarded(m);
	expect(&ar, "one.o", "odd");
	expect_end(&ar);
}

// Reads everything an archive offers; returns the number of members.
static size_t episode(const uint8_t *data, size_t size)
{
	struct archive ar;
	struct archive_member member;
	size_t n = 0;
	volatile uint8_t sum = 0;
	if (!archive_open(&ar, data, size))
		return 0;
	for (; archive_next(&ar, &member); n++) {
		CHECK(memchr(member.name, 0, sizeof member.name));
		CHECK(!member.data == ar.thin);
		if (!member.data)
			continue;
		CHECK(member.data >= data && member.size <= size && member.data + member.size <= data + size);
		for (size_t i = 0; i < member.size; i++)
			sum = (uint8_t)(sum + member.data[i]);
		CHECK(n < size / sizeof(struct ar_hdr)); // it gets on
	}
	return n;
}

static void truncated_at_every_length(void)
{
	struct maker *m = normal_archive();
	size_t before = 0;
	for (size_t size = 0; size <= m->size; size++) {
		size_t n = episode(test_guarded(m->data, size), size);
		CHECK(n == before || n == before + 1); // members get visible one by one
		before = n;
	}
	CHECK_INT(5, before);
}

static void random_mutations(void)
{
	struct maker *archives[] = {normal_archive(), new_archive(ARMAG), new_archive("!<thin>\n")};
	for (int i = 1; i < 3; i++) {
		put_member(archives[i], "//", "name of a member/\nanother/\n", 27);
		if (i == 1)
			put_member(archives[i], "#1/12", "bsd name.o\0\0content", 19);
		for (int k = 0; k < 6; k++)
			put_header(archives[i], k % 2 ? "/0" : "/18", 0);
	}
	size_t members = 0;
	for (int i = 0; i < 20000; i++) {
		const struct maker *m = archives[i % 3];
		size_t size = i % 5 ? m->size : test_below(m->size + 1);
		uint8_t *data = test_guarded(m->data, size);
		if (size > 8)
			test_mutate(data, i % 2 ? 0 : 8, size);
		members += episode(data, size);
	}
	CHECK(members > 20000); // most of what was tried was still an archive
}

static void random_bytes(void)
{
	uint8_t bytes[512] = ARMAG;
	for (int i = 0; i < 3000; i++) {
		size_t size = 8 + test_below(sizeof bytes - 8);
		for (size_t k = 8; k < size; k++)
			bytes[k] = (uint8_t)(test_below(4) ? "/0123 \n`#!."[test_below(11)] : test_random());
		for (size_t k = 66; k + 2 < size; k += 60)
			memcpy(bytes + k, ARFMAG, 2);
		episode(test_guarded(bytes, size), size);
	}
}

// The tools' own archives.
static void what_ar_writes(void)
{
	char *one = test_compile("one.c", "int one(void) { return 1; }", "-O0");
	char *two = test_compile("a_name_of_more_than_fifteen_characters.c", "int two(void) { return 2; }", "-O0");
	struct bytes object[] = {test_read(one), test_read(two)};
	static const char *const formats[] = {"--format=gnu", "--format=bsd", "--thin"};
	for (size_t i = 0; i < COUNT(formats); i++) {
		char *path = test_path(test_printf("%zu.a", i));
		const char *argv[] = {LLVM_AR, formats[i], "rcs", path, one, two, NULL};
		CHECK_INT(0, test_run(argv, NULL));
		struct bytes content = test_read(path);
		struct archive ar;
		struct archive_member member;
		CHECK(archive_open(&ar, test_guarded(content.data, content.size), content.size));
		for (size_t k = 0; k < 2; k++) {
			do // BSD's table of symbols has a test of its own
				CHECK_THAT(archive_next(&ar, &member), "%s", formats[i]);
			while (strncmp(member.name, "__.SYMDEF", 9) == 0);
			const char *slash = strrchr(member.name, '/'); // thin: a path
			CHECK_STR(k ? "a_name_of_more_than_fifteen_characters.c.o" : "one.c.o",
			          slash ? slash + 1 : member.name);
			CHECK_INT(object[k].size, member.size);
			CHECK(ar.thin || memcmp(member.data, object[k].data, member.size) == 0);
		}
		expect_end(&ar);
	}
}

static const struct test tests[] = {
	TEST(normal),
	TEST(no_archive),
	TEST(thin),
	TEST(bsd_names),
	TEST(symbol_tables_are_skipped),
	TEST(bsd_symbol_tables_are_skipped),
	TEST(names_that_lead_nowhere),
	TEST(names_too_long_for_the_field),
	TEST(damaged_headers_end_it),
	TEST(last_member_without_padding),
	TEST(truncated_at_every_length),
	TEST(random_mutations),
	TEST(random_bytes),
	TEST(what_ar_writes),
};
TEST_MAIN("archive")
