// Plans for training: files that come back as they were, damaged ones, and which run a recording is of. What is copied
// of a firmware's machine code, of a firmware that is written here.
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "firmware/likeness.h"
#include "firmware/training.h"
#include "infer/plan.h"
#include "test.h"

static void round_trip(void)
{
	struct plan made = {0}, back;
	struct err err;
	for (int i = 0; i < 9; i++) {
		char id[8];
		snprintf(id, sizeof id, "I%d", i * 3);
		struct plan_run run = {.id = mem_strdup(id), .phase = mem_strdup(i % 2 ? "ext" : "inp")};
		for (int k = 0; k < i * 5; k++)
			plan_add_segment(&run, (uint32_t)k + 1, k % 3 ? "f/0000000a:7" : "?");
		plan_add(&made, &run);
	}
	CHECK(plan_write(&made, test_path("plan"), &err) == 0);
	CHECK_THAT(plan_read(&back, test_path("plan"), &err) == 0, "%s", err.text);
	CHECK_INT(made.n, back.n);
	CHECK_INT(40, back.runs[8].n);
	CHECK_INT(40 * 41 / 2, back.runs[8].clocks);
	CHECK_STR("f/0000000a:7", back.runs[8].segments[1].name);
	CHECK(plan_run_of(&back, "some/folder/I24.sigmf-meta") == &back.runs[8]);
	CHECK(plan_run_of(&back, "I24~3.npy") == &back.runs[8]);
	CHECK(!plan_run_of(&back, "I2.sigmf-meta"));
	CHECK(!plan_run_of(&back, "I241.wav"));
	plan_release(&made);
	plan_release(&back);
}

static void damaged(void)
{
	static const char *const bad[] = {"",
	                                  "veer plan 2\n",
	                                  "veer plan 1\n3 f/1:2\n",
	                                  "veer plan 1\nrun I1\n",
	                                  "veer plan 1\nrun ../x ext\n",
	                                  "veer plan 1\nrun I1 ext\nx f/1:2\n",
	                                  "veer plan 1\nrun I1 ext\n5\n",
	                                  "veer plan 1\nrun I1 ext\n4000000000 f/1:2\n"};
	struct plan p;
	struct err err;
	for (size_t i = 0; i < COUNT(bad); i++) {
		test_write_text(test_path("plan"), bad[i]);
		CHECK_THAT(plan_read(&p, test_path("plan"), &err) < 0, "%s", bad[i]);
		CHECK(!strchr(err.text, '\n'));
	}
}

// --- a firmware ------------------------------------------------------------------------------------

enum { START = 0x10, MAIN = 0x18, LEAF = 0x24, TWIN = 0x28 };
static const uint16_t code[] = {
	0,      0x2000, START | 1, 0,      0,      0,      0, 0, // vectors
	0xf000, 0xf802, 0xe7fe,    0xbf00,                       // start: bl main, b .
	0xb508, 0xf000, 0xf803,    0xf000, 0xf803, 0xbd08,       // main: push, bl leaf, bl twin, pop
	0x2001, 0x4770,                                          // leaf: movs, bx lr
	0x2803, 0xd101, 0x2002,    0x4770, 0x4770,               // twin: cmp, bne, movs, bx lr, bx lr
};

static void make_firmware(void)
{
	uint8_t file[2048] = {0};
	static const struct {
		const char *name;
		uint32_t address, size;
	} all[] = {{"start", START, 8}, {"main", MAIN, 12}, {"leaf", LEAF, 4}, {"twin", TWIN, 10}};
	const char names[] = "\0start\0main\0leaf\0twin";
	Elf32_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
	                .e_machine = EM_ARM,
	                .e_entry = START | 1,
	                .e_phoff = sizeof h,
	                .e_phentsize = sizeof(Elf32_Phdr),
	                .e_phnum = 1,
	                .e_shoff = 1024,
	                .e_shentsize = sizeof(Elf32_Shdr),
	                .e_shnum = 3};
	Elf32_Phdr p = {.p_type = PT_LOAD, .p_offset = 512, .p_filesz = 64, .p_memsz = 64, .p_flags = PF_X | PF_R};
	Elf32_Sym syms[5] = {{0}};
	for (int i = 0; i < 4; i++) {
		syms[i + 1] = (Elf32_Sym){.st_name = (uint32_t)((const char *)memmem(names, sizeof names, all[i].name,
		                                                                     strlen(all[i].name)) -
		                                                names),
		                          .st_value = all[i].address | 1,
		                          .st_size = all[i].size,
		                          .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC),
		                          .st_shndx = 1};
	}
	const Elf32_Shdr sections[3] = {{0},
	                                {.sh_type = SHT_SYMTAB,
	                                 .sh_offset = 1200,
	                                 .sh_size = sizeof syms,
	                                 .sh_link = 2,
	                                 .sh_entsize = sizeof *syms},
	                                {.sh_type = SHT_STRTAB, .sh_offset = 1400, .sh_size = sizeof names}};
	memcpy(file, &h, sizeof h);
	memcpy(file + sizeof h, &p, sizeof p);
	memcpy(file + 512, code, sizeof code);
	memcpy(file + 1024, sections, sizeof sections);
	memcpy(file + 1200, syms, sizeof syms);
	memcpy(file + 1400, names, sizeof names);
	test_write(test_path("firmware.elf"), file, sizeof file);
}

static void copies(void)
{
	struct program p;
	struct training t;
	struct err err;
	struct buf text = {0};
	const char *reason = NULL;
	make_firmware();
	CHECK_THAT(program_open(&p, test_path("firmware.elf"), &err) == 0, "%s", err.text);
	CHECK_THAT(training_init(&t, &p, 0, 0, &err) == 0, "%s", err.text);
	CHECK_INT(START, t.main_call);
	CHECK_INT(4096, t.flash);
	const struct training_call call = {LEAF, "stub"};
	CHECK_THAT(training_copy(&t, MAIN, &call, 1, "copy", &text, &reason), "%s", reason);
	CHECK(strstr(text.data, "bl stub"));
	CHECK(strstr(text.data, "bl veer_field_00000028"));
	CHECK(strstr(text.data, ".hword 0xb508"));
	CHECK(!strstr(text.data, "0xf803")); // no branch is left as it was
	const struct training_call other = {0x4000, "stub"};
	CHECK(!training_copy(&t, MAIN, &other, 1, "copy", &text, &reason));
	CHECK(strstr(reason, "inlined"));
	buf_release(&text);
	struct training_copied one = {.address = 0x8000, .size = 12, .from = MAIN};
	const struct training_map map = {&one, 1};
	CHECK_INT(MAIN + 4, training_map_address(&map, 0x8004));
	CHECK_INT(0x800c, training_map_address(&map, 0x800c));
	CHECK_INT(0x10, training_map_address(&map, 0x10));
	program_close(&p);
}

static void alike(void)
{
	struct program p;
	struct likeness l;
	struct err err;
	uint32_t f, number;
	make_firmware();
	CHECK_THAT(program_open(&p, test_path("firmware.elf"), &err) == 0, "%s", err.text);
	const uint32_t twin = program_find(&p, "twin", 0);
	CHECK_INT(2, p.functions[twin].marking.segments);
	likeness_init(&l, &p, &p);
	for (uint32_t i = 0; i < 2; i++) {
		CHECK(likeness_find(&l, "twin", twin, i, &f, &number));
		CHECK_INT(twin, f);
		CHECK_INT(i, number);
	}
	CHECK(!likeness_find(&l, "leaf", twin, 0, &f, &number));
	CHECK(!likeness_find(&l, "nobody", twin, 0, &f, &number));
	likeness_release(&l);
	program_close(&p);
}

static const struct test tests[] = {TEST(round_trip), TEST(damaged), TEST(copies), TEST(alike)};
TEST_MAIN("plan")
