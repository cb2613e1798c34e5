#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "config.h"
#include "object/elf.h"
#include "test.h"

enum { COPY_RAN = 42 };
static const char run_copy[] = "--as-a-copy"; // this program ends with COPY_RAN at once

static char *copy_of_self(const char *name)
{
	char *path = test_path(name);
	struct bytes self = test_read("/proc/self/exe");
	test_write(path, self.data, self.size);
	chmod(path, 0755);
	return path;
}

static void must_append(const char *path, const char *name, const void *data, size_t size)
{
	struct err err = {""};
	int r = elf_append(path, name, data, size, &err);
	CHECK_THAT(r == 0, "%s", err.text);
}

// The n-th section of that name in the file.
static struct bytes section(const char *path, const char *name, int n)
{
	struct bytes file = test_read(path);
	struct elf elf;
	CHECK_INT(0, elf_parse(file.data, file.size, &elf, NULL));
	uint32_t at = 0;
	struct elf_section found = {NULL, 0};
	for (; n >= 0; n--)
		CHECK(elf_next(&elf, name, &at, &found, NULL));
	return test_bytes(found.data, found.size);
}

static int sections_called(const char *path, const char *name)
{
	struct bytes file = test_read(path);
	struct elf elf;
	struct elf_section found;
	CHECK_INT(0, elf_parse(file.data, file.size, &elf, NULL));
	int n = 0;
	for (uint32_t at = 0; elf_next(&elf, name, &at, &found, NULL);)
		n++;
	return n;
}

static void check_old_bytes(struct bytes before, const char *path)
{
	struct bytes after = test_read(path);
	CHECK(after.size > before.size);
	CHECK(memcmp(before.data + sizeof(Elf64_Ehdr), after.data + sizeof(Elf64_Ehdr),
	             before.size - sizeof(Elf64_Ehdr)) == 0);
	// Of the header, the place of the section table and the number of sections.
	Elf64_Ehdr old, now;
	memcpy(&old, before.data, sizeof old);
	memcpy(&now, after.data, sizeof now);
	now.e_shoff = old.e_shoff;
	now.e_shnum = old.e_shnum;
	CHECK(memcmp(&old, &now, sizeof old) == 0);
}

// readelf has nothing to say against the file; it lists the section.
static void check_readelf(const char *path, const char *name)
{
	char *program = path_find_program("readelf");
	if (!program)
		return; // GNU binutils are not needed to use veer
	const char *argv[] = {"readelf", "-SW", path, NULL};
	struct bytes said;
	int status = test_run(argv, &said);
	mem_free(program);
	CHECK_INT(0, status);
	CHECK_THAT(!strstr((char *)said.data, "Warning") && !strstr((char *)said.data, "Error"), "%s",
	           (char *)said.data);
	CHECK(strstr((char *)said.data, name));
}

static void program_still_runs(void)
{
	char *path = copy_of_self("copy");
	struct bytes before = test_read(path);
	must_append(path, ".veer_test", "content of any\0kind", 19);
	check_old_bytes(before, path);
	CHECK(test_same(test_bytes("content of any\0kind", 19), section(path, ".veer_test", 0)));
	const char *argv[] = {path, run_copy, NULL};
	CHECK_INT(COPY_RAN, test_run(argv, NULL));
	check_readelf(path, ".veer_test");
	struct stat st;
	CHECK(stat(path, &st) == 0 && (st.st_mode & 07777) == 0755);
}

static void twice_gives_two(void)
{
	char *path = copy_of_self("copy");
	must_append(path, ".veer_test", "first", 5);
	struct bytes before = test_read(path);
	must_append(path, ".veer_test", "the second", 10);
	check_old_bytes(before, path);
	must_append(path, ".other", NULL, 0);
	CHECK_INT(2, sections_called(path, ".veer_test"));
	CHECK_INT(1, sections_called(path, ".other"));
	CHECK_STR("first", (char *)section(path, ".veer_test", 0).data);
	CHECK_STR("the second", (char *)section(path, ".veer_test", 1).data);
	CHECK_INT(0, section(path, ".other", 0).size);
	const char *argv[] = {path, run_copy, NULL};
	CHECK_INT(COPY_RAN, test_run(argv, NULL));
	check_readelf(path, ".veer_test");
}

static void object_still_links(void)
{
	char *object = test_compile("f.c", "int main(void) { return 42; }", "-g");
	struct bytes before = test_read(object);
	// Any size: what is written is aligned, what was there is not.
	for (size_t size = 0; size < 20; size++) {
		test_write(object, before.data, before.size);
		struct bytes content = test_bytes("twenty bytes of text", size);
		must_append(object, ".veer_test", content.data, content.size);
		check_old_bytes(before, object);
		CHECK(test_same(content, section(object, ".veer_test", 0)));
	}
	check_readelf(object, ".veer_test");
	const char *link[] = {CONFIG_CLANG, object, "-o", test_path("prog"), NULL}, *run[] = {test_path("prog"), NULL};
	CHECK_INT(0, test_run(link, NULL));
	CHECK_INT(42, test_run(run, NULL));
	CHECK_INT(19, section(test_path("prog"), ".veer_test", 0).size); // the linker takes it along
}

static void not_loaded_at_run_time(void)
{
	char *path = copy_of_self("copy");
	must_append(path, ".veer_test", "x", 1);
	struct bytes file = test_read(path);
	Elf64_Ehdr head;
	Elf64_Shdr last;
	memcpy(&head, file.data, sizeof head);
	memcpy(&last, file.data + head.e_shoff + (size_t)(head.e_shnum - 1) * sizeof last, sizeof last);
	CHECK(last.sh_type == SHT_PROGBITS && last.sh_flags == 0 && last.sh_addr == 0);
	CHECK(last.sh_addralign && last.sh_offset % last.sh_addralign == 0);
	CHECK(head.e_shoff % 8 == 0);
}

// Whatever the length of the file was.
static void what_is_added_is_aligned(void)
{
	char *object = test_compile("f.c", "int f(void) { return 1; }", "-O0");
	struct bytes file = test_read(object);
	for (size_t more = 0; more < 8; more++) {
		struct bytes longer = {test_alloc(file.size + more), file.size + more};
		memcpy(longer.data, file.data, file.size);
		memset(longer.data + file.size, 'x', more);
		test_write(object, longer.data, longer.size);
		must_append(object, test_printf(".veer%.*s", (int)more, "xxxxxxxx"), "odd", 3);
		struct bytes after = test_read(object);
		Elf64_Ehdr head;
		Elf64_Shdr last;
		memcpy(&head, after.data, sizeof head);
		memcpy(&last, after.data + head.e_shoff + (size_t)(head.e_shnum - 1) * sizeof last, sizeof last);
		CHECK_INT(0, head.e_shoff % 8);
		CHECK(last.sh_addralign > 0 && last.sh_offset % last.sh_addralign == 0);
		check_old_bytes(longer, object);
		CHECK_STR("odd", (char *)section(object, test_printf(".veer%.*s", (int)more, "xxxxxxxx"), 0).data);
	}
}

static void append_fails(const char *path, const char *why)
{
	struct bytes before = test_read(path);
	struct err err = {""};
	CHECK_INT(-1, elf_append(path, ".veer_test", "x", 1, &err));
	CHECK_THAT(strstr(err.text, why), "%s", err.text);
	CHECK_INT(-1, elf_append(path, ".veer_test", "x", 1, NULL));
	CHECK(test_same(before, test_read(path)));
}

static void without_sections(void)
{
	char *path = copy_of_self("copy");
	struct bytes file = test_read(path);
	Elf64_Ehdr head;
	memcpy(&head, file.data, sizeof head);
	head.e_shoff = 0;
	head.e_shnum = head.e_shstrndx = 0;
	memcpy(file.data, &head, sizeof head);
	test_write(path, file.data, file.size);
	append_fails(path, "section table");
	struct elf elf;
	struct elf_section found;
	uint32_t at = 0;
	bool bad = true;
	CHECK_INT(0, elf_parse(file.data, file.size, &elf, NULL)); // it is a program all the same
	CHECK(!elf_next(&elf, ".text", &at, &found, &bad) && !bad);
}

// No table of names: then no section can get one, and section 0 must stay empty.
static void without_section_names(void)
{
	char *object = test_compile("f.c", "int f(void) { return 1; }", "-O0");
	struct bytes file = test_read(object);
	Elf64_Ehdr head;
	memcpy(&head, file.data, sizeof head);
	head.e_shstrndx = SHN_UNDEF;
	memcpy(file.data, &head, sizeof head);
	test_write(object, file.data, file.size);
	append_fails(object, "");
}

static void what_is_no_elf_file(void)
{
	struct err err = {""};
	CHECK_INT(-1, elf_append(test_path("missing"), ".x", "x", 1, &err));
	CHECK(strstr(err.text, "No such file"));
	CHECK_INT(-1, elf_append(test_folder(), ".x", "x", 1, &err));
	test_write_text(test_path("empty"), "");
	append_fails(test_path("empty"), "not an ELF file");
	test_write_text(test_path("short"), "\177ELF\2\1\1");
	append_fails(test_path("short"), "not an ELF file");
	char *object = test_compile("f.c", "int f(void) { return 1; }", "-m32");
	append_fails(object, "64-bit");
	CHECK(elf_is(test_read(object).data, 4)); // ELF, but none that can be read
	CHECK(!elf_is(NULL, 0) && !elf_is("\177EL", 3) && elf_is("\177ELF", 4) && !elf_is("\177elf", 4));
	struct elf elf;
	CHECK_INT(-1, elf_parse(NULL, 0, &elf, &err));
}

static void types(void)
{
	char *source = test_path("f.c");
	test_write_text(source, "int main(void) { return 0; }");
	static const struct {
		const char *option;
		enum elf_type type;
	} cases[] = {
		{"-c", ELF_RELOCATABLE}, {"-no-pie", ELF_EXECUTABLE}, {"-pie", ELF_SHARED}, {"-shared", ELF_SHARED}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *argv[] = {CONFIG_CLANG, cases[i].option, "-fPIC", source, "-o", test_path("out"), NULL};
		CHECK_INT(0, test_run(argv, NULL));
		struct bytes file = test_read(test_path("out"));
		struct elf elf;
		CHECK_INT(0, elf_parse(file.data, file.size, &elf, NULL));
		CHECK_INT(cases[i].type, elf.type);
	}
	struct bytes file = test_read(test_path("out"));
	file.data[offsetof(Elf64_Ehdr, e_type)] = ET_CORE;
	struct elf elf;
	CHECK_INT(-1, elf_parse(file.data, file.size, &elf, NULL));
}

static int append_read_only(void *opaque)
{
	static const mode_t modes[] = {0444, 0555, 0500, 0400};
	test_drop_root();
	char *path = copy_of_self("mine");
	for (size_t i = 0; i < COUNT(modes); i++) {
		CHECK(chmod(path, modes[i]) == 0);
		must_append(path, ".veer_test", "x", 1);
		struct stat st;
		CHECK(stat(path, &st) == 0);
		CHECK_INT(modes[i], st.st_mode & 07777);
		CHECK_INT(i + 1, sections_called(path, ".veer_test"));
	}
	// The permission is put back after a failure, too.
	struct bytes before = test_read(path);
	struct rlimit limit = {before.size + 1, RLIM_INFINITY};
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	CHECK_INT(-1, elf_append(path, ".veer_test", "x", 1, NULL));
	struct stat st;
	CHECK(stat(path, &st) == 0 && (st.st_mode & 07777) == 0400);
	CHECK(test_same(before, test_read(path)));
	// Neither readable nor ours to change.
	CHECK_INT(-1, elf_append(opaque, ".veer_test", "x", 1, NULL));
	return 0;
}

static void read_only(void)
{
	char *foreign = copy_of_self("foreign");
	struct bytes before = test_read(foreign);
	chmod(foreign, geteuid() == 0 ? 0555 : 0055); // for root it stays readable
	test_child(append_read_only, foreign, 0);
	chmod(foreign, 0755);
	CHECK(test_same(before, test_read(foreign)));
}

// The disk gets full at any point of what is written: the file is as it was.
static void failure_leaves_the_file(void)
{
	char *object = test_compile("f.c", "int f(void) { return 1; }", "-g");
	struct bytes before = test_read(object), content = {test_alloc(5000), 5000};
	memset(content.data, 'c', content.size);
	must_append(object, ".veer_test", content.data, content.size);
	size_t whole = test_read(object).size;
	struct rlimit limit, small;
	CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
	for (size_t size = before.size; size < whole; size += 1 + (whole - before.size) / 50) {
		test_write(object, before.data, before.size);
		struct err err = {""};
		small = (struct rlimit){size, limit.rlim_max};
		setrlimit(RLIMIT_FSIZE, &small);
		int r = elf_append(object, ".veer_test", content.data, content.size, &err);
		setrlimit(RLIMIT_FSIZE, &limit);
		CHECK_INT(-1, r);
		CHECK_THAT(strstr(err.text, "File too large") && strstr(err.text, object), "%s", err.text);
		CHECK_THAT(test_same(before, test_read(object)), "limit %zu", size);
	}
	small = (struct rlimit){whole, limit.rlim_max};
	setrlimit(RLIMIT_FSIZE, &small);
	int r = elf_append(object, ".veer_test", content.data, content.size, NULL);
	setrlimit(RLIMIT_FSIZE, &limit);
	CHECK_INT(0, r);
}

static uint32_t count_sections(const char *path)
{
	struct bytes file = test_read(path);
	struct elf elf;
	CHECK_INT(0, elf_parse(file.data, file.size, &elf, NULL));
	return elf.sections;
}

static char *object_with_sections(const char *name, uint32_t n)
{
	char *text = test_alloc((size_t)n * 32), *p = text;
	*p = 0;
	for (uint32_t i = 0; i < n; i++)
		p += sprintf(p, ".section s%u\n", i);
	return test_compile(name, text, "-O0");
}

// From 65,280 sections on the numbers do not fit into the header.
static void very_many_sections(void)
{
	uint32_t others = count_sections(object_with_sections("few.s", 10)) - 10;
	char *object = object_with_sections("many.s", SHN_LORESERVE - 2 - others);
	CHECK_INT(SHN_LORESERVE - 2, count_sections(object));
	struct bytes before = test_read(object);
	for (uint32_t i = 1; i < 4; i++) { // ... 65,279, 65,280, 65,281
		char *text = test_printf("number %u", i);
		must_append(object, ".veer_test", text, strlen(text));
		CHECK_INT(SHN_LORESERVE - 2 + i, count_sections(object));
		CHECK_STR(text, (char *)section(object, ".veer_test", (int)i - 1).data);
		struct bytes file = test_read(object);
		Elf64_Ehdr head;
		Elf64_Shdr first;
		memcpy(&head, file.data, sizeof head);
		memcpy(&first, file.data + head.e_shoff, sizeof first);
		CHECK_INT(i < 2 ? SHN_LORESERVE - 1 : 0, head.e_shnum); // where the specification wants it
		CHECK_INT(i < 2 ? 0 : SHN_LORESERVE - 2 + i, first.sh_size);
	}
	check_old_bytes(before, object);
	check_readelf(object, ".veer_test");
	CHECK_INT(1, sections_called(object, "s65000"));

	char *larger = object_with_sections("larger.s", SHN_LORESERVE + 100); // as the assembler writes them
	before = test_read(larger);
	must_append(larger, ".veer_test", "here", 4);
	check_old_bytes(before, larger);
	CHECK_INT(SHN_LORESERVE + 100 + others + 1, count_sections(larger));
	CHECK_STR("here", (char *)section(larger, ".veer_test", 0).data);
	CHECK_INT(1, sections_called(larger, "s65379"));
	check_readelf(larger, ".veer_test");
}

static void damaged_tables(void)
{
	char *object = test_compile("f.c", "int f(void) { return 1; }", "-O0");
	must_append(object, ".veer_test", "x", 1); // the table is the last thing in the file now
	struct bytes file = test_read(object);
	static const struct {
		size_t at;
		uint64_t value;
		size_t width;
	} cases[] = {
		{offsetof(Elf64_Ehdr, e_shoff), 1ull << 63, 8},
		{offsetof(Elf64_Ehdr, e_shoff), UINT64_MAX, 8},
		{offsetof(Elf64_Ehdr, e_shoff), UINT64_MAX - 63, 8},
		{offsetof(Elf64_Ehdr, e_shnum), UINT16_MAX, 2},
		{offsetof(Elf64_Ehdr, e_shnum), 0, 2}, // then the first header tells, and says 0
		{offsetof(Elf64_Ehdr, e_shstrndx), 5000, 2},
		{offsetof(Elf64_Ehdr, e_shentsize), 40, 2},
		{offsetof(Elf64_Ehdr, e_shentsize), 0, 2},
		{offsetof(Elf64_Ehdr, e_type), ET_NONE, 2},
		{EI_DATA, ELFDATA2MSB, 1},
		{EI_CLASS, ELFCLASS32, 1},
	};
	struct elf elf;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint8_t *data = test_guarded(file.data, file.size);
		memcpy(data + cases[i].at, &cases[i].value, cases[i].width);
		struct err err = {""};
		CHECK_THAT(elf_parse(data, file.size, &elf, &err) == -1 && err.text[0], "case %zu", i);
	}
	uint8_t *data = test_guarded(file.data, file.size); // the names are in the section behind the last
	memcpy(data + offsetof(Elf64_Ehdr, e_shstrndx), data + offsetof(Elf64_Ehdr, e_shnum), 2);
	CHECK_INT(-1, elf_parse(data, file.size, &elf, NULL));
	Elf64_Ehdr alone; // a header and nothing else is a program, if an odd one
	memcpy(&alone, file.data, sizeof alone);
	alone.e_shoff = 0;
	CHECK_INT(0, elf_parse(test_guarded(&alone, sizeof alone), sizeof alone, &elf, NULL));
	CHECK_INT(0, elf.sections);
}

static void sections_outside_are_bad(void)
{
	char *object = test_compile("f.c", "int f(void) { return 1; }", "-O0");
	must_append(object, ".veer_test", "x", 1);
	struct bytes file = test_read(object);
	Elf64_Ehdr head;
	memcpy(&head, file.data, sizeof head);
	size_t last = head.e_shoff + (size_t)(head.e_shnum - 1) * sizeof(Elf64_Shdr);
	static const struct {
		uint64_t offset, size;
		uint32_t type;
	} cases[] = {
		{0, UINT64_MAX, SHT_PROGBITS},
		{UINT64_MAX, 1, SHT_PROGBITS},
		{UINT64_MAX, UINT64_MAX, SHT_PROGBITS},
		{1ull << 63, 1ull << 63, SHT_PROGBITS},
		{100000, 0, SHT_PROGBITS},
		{64, 8, SHT_NOBITS},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		Elf64_Shdr header;
		memcpy(&header, file.data + last, sizeof header);
		header.sh_offset = cases[i].offset;
		header.sh_size = cases[i].size;
		header.sh_type = cases[i].type;
		memcpy(file.data + last, &header, sizeof header);
		struct elf elf;
		struct elf_section found;
		uint32_t at = 0;
		bool bad = false;
		CHECK_INT(0, elf_parse(file.data, file.size, &elf, NULL));
		CHECK(!elf_next(&elf, ".veer_test", &at, &found, &bad) && bad);
		CHECK(!elf_next(&elf, ".veer_test", &at, &found, &bad) && !bad); // it went past it
		at = 0;
		CHECK(!elf_next(&elf, ".veer_test", &at, &found, NULL));
		at = 0;
		CHECK(elf_next(&elf, ".text", &at, &found, &bad) && !bad);
	}
}

static void names_match_whole(void)
{
	char *object = test_compile("f.s", ".section abc\n.section ab\n.section abcd\n", "-O0");
	must_append(object, "bc", "end of another name", 19);
	CHECK_INT(1, sections_called(object, "abc"));
	CHECK_INT(1, sections_called(object, "ab"));
	CHECK_INT(1, sections_called(object, "bc"));
	CHECK_INT(0, sections_called(object, "a"));
	CHECK_INT(0, sections_called(object, "abcde"));
}

// Looks at everything the parser hands out; the memory behind the file cannot be read.
static bool episode(const uint8_t *data, size_t size)
{
	static const char *const names[] = {".text", ".veer_test", ".strtab", ""};
	struct elf elf;
	struct elf_section found;
	volatile uint8_t sum = 0;
	if (elf_parse(data, size, &elf, NULL) < 0)
		return false;
	for (size_t i = 0; i < COUNT(names); i++)
		for (uint32_t at = 0, before = 0; elf_next(&elf, names[i], &at, &found, NULL); before = at) {
			CHECK(at > before && at <= elf.sections);
			CHECK(found.data >= data && found.size <= size && found.data + found.size <= data + size);
			for (size_t k = 0; k < found.size; k++)
				sum = (uint8_t)(sum + found.data[k]);
		}
	return true;
}

static struct bytes small_object(void)
{
	char *object = test_compile("f.c", "int f(int x) { return x + 1; }", "-O1");
	must_append(object, ".veer_test", "some content", 12);
	return test_read(object);
}

static void truncated_at_every_length(void)
{
	struct bytes file = small_object();
	for (size_t size = 0; size < file.size; size++) // the section table stands at the end
		CHECK(!episode(test_guarded(file.data, size), size));
	CHECK(episode(test_guarded(file.data, file.size), file.size));
}

static void random_mutations(void)
{
	struct bytes file = small_object();
	Elf64_Ehdr head;
	memcpy(&head, file.data, sizeof head);
	int parsed = 0;
	for (int i = 0; i < 20000; i++) {
		uint8_t *data = test_guarded(file.data, file.size);
		switch (i % 4) {
		case 0: test_mutate(data, 0, file.size); break;
		case 1: test_mutate(data, 16, sizeof head); break;
		default: test_mutate(data, head.e_shoff, file.size);
		}
		parsed += episode(data, file.size);
	}
	CHECK(parsed > 5000 && parsed < 19000);
}

// elf_append on damaged files: refused, or the section is there; never half of it.
static void append_to_mutated_files(void)
{
	struct bytes file = small_object();
	Elf64_Ehdr head;
	memcpy(&head, file.data, sizeof head);
	char *path = test_path("mutated");
	int appended = 0;
	for (int i = 0; i < 1500; i++) {
		struct bytes damaged = test_bytes(file.data, file.size);
		if (i % 2)
			test_mutate(damaged.data, 16, sizeof head);
		else
			test_mutate(damaged.data, head.e_shoff, file.size);
		test_write(path, damaged.data, damaged.size);
		if (elf_append(path, ".fresh", "fresh", 5, NULL) < 0) {
			CHECK(test_same(damaged, test_read(path)));
		} else {
			// A damaged name can lie just where ".fresh" is now: ours is the last one.
			CHECK_STR("fresh", (char *)section(path, ".fresh", sections_called(path, ".fresh") - 1).data);
			appended++;
		}
	}
	CHECK(appended > 100);
}

static const struct test tests[] = {
	TEST(program_still_runs),
	TEST(twice_gives_two),
	TEST(object_still_links),
	TEST(not_loaded_at_run_time),
	TEST(what_is_added_is_aligned),
	TEST(without_sections),
	TEST(without_section_names),
	TEST(what_is_no_elf_file),
	TEST(types),
	TEST(read_only),
	TEST(failure_leaves_the_file),
	TEST(very_many_sections),
	TEST(damaged_tables),
	TEST(sections_outside_are_bad),
	TEST(names_match_whole),
	TEST(truncated_at_every_length),
	TEST(random_mutations),
	TEST(append_to_mutated_files),
};

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], run_copy) == 0)
		return COPY_RAN;
	return test_main("elf", tests, COUNT(tests));
}
