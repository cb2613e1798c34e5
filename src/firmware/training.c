#include "firmware/training.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

static uint16_t halfword(const struct image *image, uint32_t address)
{
	const uint8_t *p = image_at(image, address, 2);
	return p ? (uint16_t)(p[0] | p[1] << 8) : 0;
}

// Branches of 32 bits.
static bool is_bl(const struct image *image, uint32_t address)
{
	return halfword(image, address) >> 11 == 0x1e && (halfword(image, address + 2) & 0xd000) == 0xd000;
}

static bool is_wide_jump(const struct image *image, uint32_t address)
{
	return halfword(image, address) >> 11 == 0x1e && (halfword(image, address + 2) & 0xd000) == 0x9000;
}

// --- where things lie --------------------------------------------------------------------------

static void find_ends(const struct image *image, uint32_t *flash, uint32_t *ram)
{
	*flash = *ram = 0;
	for (uint32_t i = 0; i < image->n_parts; i++) {
		const struct image_part *p = &image->parts[i];
		uint32_t end = p->load + p->filled;
		*flash = p->filled && end > *flash ? end : *flash;
		end = p->address + p->size;
		if ((p->address != p->load || !p->filled) && end > *ram)
			*ram = end;
	}
}

static uint32_t round_up(uint32_t value, uint32_t to)
{
	return (value + to - 1) / to * to;
}

int training_init(struct training *ret, const struct program *program, uint32_t flash, uint32_t ram, struct err *err)
{
	const uint32_t entry = program_find(program, "main", 0);
	uint32_t flash_end, ram_end, calls = 0;
	*ret = (struct training){.program = program};
	if (entry == CODE_NONE)
		return err_set(err, "the firmware has no function main, in whose place training runs could be called");
	for (uint32_t i = 0; i < program->n_blocks; i++) {
		const struct code_block *b = &program->blocks[i];
		const uint32_t last = b->address + b->size - 4;
		const bool jump = is_wide_jump(&program->image, last);
		if (b->callee != entry || b->size < 4 || !(is_bl(&program->image, last) || jump))
			continue;
		ret->main_call = last;
		ret->is_jump = jump;
		calls++;
	}
	if (calls != 1)
		return err_set(err,
		               "%s in the firmware calls main, where training runs were to be called; one "
		               "start-up function must",
		               calls ? "more than one place" : "nothing");
	find_ends(&program->image, &flash_end, &ram_end);
	ret->flash = flash ? flash : round_up(flash_end, 4096);
	ret->ram = ram ? ram : round_up(ram_end ? ram_end : 0x20000000, 1024);
	return 0;
}

// --- firmware.S --------------------------------------------------------------------------------

static bool is_symbol(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_' && *p != '.')
			return false;
	return *name && !isdigit((unsigned char)*name);
}

static void add_bytes(struct buf *out, uint32_t part, uint32_t from, uint32_t to)
{
	if (to > from)
		buf_printf(out, "\t.incbin \"firmware-%" PRIu32 ".bin\", %" PRIu32 ", %" PRIu32 "\n", part, from,
		           to - from);
}

static void add_label(struct buf *out, const struct image *image, const struct code_function *f)
{
	buf_printf(out,
	           "\t.global veer_field_%08" PRIx32 "\n\t.type veer_field_%08" PRIx32 ", %%function\n\t.thumb_func\n"
	           "veer_field_%08" PRIx32 ":\n",
	           f->address, f->address, f->address);
	const struct image_name *n = image_find(image, f->name, NULL);
	if (n && n->function && n->address == f->address && is_symbol(f->name))
		buf_printf(out, "\t.weak %s\n\t.type %s, %%function\n\t.thumb_func\n%s:\n", f->name, f->name, f->name);
}

// A part: its bytes, labels where functions begin, and the call of main, which is another one.
static void add_part(const struct training *t, uint32_t number, struct buf *out)
{
	const struct program *p = t->program;
	const struct image_part *part = &p->image.parts[number];
	const bool in_place = part->address == part->load;
	uint32_t at = 0;
	buf_printf(out, "\t.section .veer_part%" PRIu32 ", \"ax\", %%progbits\n\t.syntax unified\n\t.thumb\n", number);
	for (uint32_t i = 0; in_place && i <= p->n_functions; i++) {
		const struct code_function *f = i < p->n_functions ? &p->functions[i] : NULL;
		const uint32_t until = f && f->address - part->address < part->filled ? f->address - part->address
		                       : f                                            ? at
		                                                                      : part->filled,
			       call = t->main_call - part->address;
		if (call >= at && call + 4 <= until) {
			add_bytes(out, number, at, call);
			buf_addstr(out, t->is_jump ? "\tb.w veer_training\n" : "\tbl veer_training\n");
			at = call + 4;
		}
		add_bytes(out, number, at, until);
		at = until;
		if (f && f->address - part->address < part->filled)
			add_label(out, &p->image, f);
	}
	add_bytes(out, number, at, part->filled);
}

static int put(const char *folder, const char *name, const void *data, size_t size, struct err *err)
{
	char *path = mem_printf("%s/%s", folder, name);
	int r = file_replace(path, data, size, 0666, err);
	mem_free(path);
	return r;
}

static int write_firmware(const struct training *t, const char *folder, struct err *err)
{
	const struct image *image = &t->program->image;
	struct buf out = {0};
	int r = 0;
	buf_addstr(&out, "\t.syntax unified\n");
	for (uint32_t i = 0; r == 0 && i < image->n_parts; i++) {
		char name[64];
		snprintf(name, sizeof name, "firmware-%" PRIu32 ".bin", i);
		if (!image->parts[i].filled)
			continue;
		add_part(t, i, &out);
		r = put(folder, name, image->parts[i].data, image->parts[i].filled, err);
	}
	if (r == 0)
		r = put(folder, "firmware.S", out.data, out.len, err);
	buf_release(&out);
	return r;
}

// --- training.ld -------------------------------------------------------------------------------

static int write_script(const struct training *t, const char *folder, const struct strv *ids, struct err *err)
{
	const struct image *image = &t->program->image;
	struct buf out = {0};
	buf_printf(&out,
	           "/* The firmware where it lies; training runs from FLASH on, their variables from RAM on. */\n"
	           "FLASH = 0x%08" PRIx32 ";\nRAM = 0x%08" PRIx32 ";\nveer_entry = 0x%08" PRIx32
	           ";\nENTRY(veer_entry)\n",
	           t->flash, t->ram, image->entry | 1);
	for (uint32_t i = 0; i < image->n_names; i++) {
		const struct image_name *n = &image->names[i];
		if (!n->file && !n->function && is_symbol(n->name))
			buf_printf(&out, "PROVIDE(%s = 0x%08" PRIx32 ");\n", n->name, n->address);
	}
	buf_addstr(&out, "SECTIONS\n{\n");
	for (uint32_t i = 0; i < image->n_parts; i++)
		if (image->parts[i].filled)
			buf_printf(&out,
			           "\t.veer_part%" PRIu32 " 0x%08" PRIx32 " : { KEEP(*(.veer_part%" PRIu32 ")) }\n", i,
			           image->parts[i].load, i);
	buf_addstr(&out, "\t.text FLASH : { *(.text*) *(.rodata*) *(.veer_copies*) . = ALIGN(8); }\n"
	                 "\t.veer_control RAM (NOLOAD) : { KEEP(*(.veer_control)) . = ALIGN(8); }\n"
	                 "\t.data : AT(LOADADDR(.text) + SIZEOF(.text))\n"
	                 "\t{ veer_data = .; *(.data*) . = ALIGN(8); veer_data_end = .; }\n"
	                 "\tveer_data_from = LOADADDR(.data);\n"
	                 "\t.bss (NOLOAD) : { veer_bss = .; *(.bss*) *(COMMON) . = ALIGN(8); veer_bss_end = .; }\n"
	                 "\t. = ALIGN(8);\n\tveer_case = .;\n"
	                 "\tOVERLAY veer_case : AT(LOADADDR(.data) + SIZEOF(.data))\n\t{\n");
	for (size_t i = 0; i < ids->n; i++)
		buf_printf(&out, "\t\t.veer_case_%s { *(.veer_case.%s) . = ALIGN(8); }\n", ids->v[i], ids->v[i]);
	buf_addstr(&out, "\t}\n\t/DISCARD/ : { *(.ARM.exidx*) *(.ARM.extab*) }\n}\n");
	int r = put(folder, "training.ld", out.data, out.len, err);
	buf_release(&out);
	return r;
}

// --- training.c --------------------------------------------------------------------------------

static const char header[] =
	"/* Training runs. Each begins with VEER_TRIGGER_ON(run) and ends with VEER_TRIGGER_OFF(): define them to set "
	"a\n"
	" * pin, which starts and ends a recording; ID.sigmf-meta is the recording of the run with that number. */\n"
	"#ifndef VEER_TRAINING_H\n#define VEER_TRAINING_H\n\n"
	"struct veer_run {\n\tunsigned number;\n\tvoid (*run)(void);\n\tconst char *from, *end;\n};\n\n"
	"/* Objects of one run at a time are in memory. */\n"
	"#define VEER_CASE(id) __attribute__((section(\".veer_case.\" #id)))\n"
	"#define VEER_RUN_OF(id) extern const char __load_start_veer_case_##id[], __load_stop_veer_case_##id[];\n"
	"#define VEER_RUN(number, id) {number, id, __load_start_veer_case_##id, __load_stop_veer_case_##id}\n\n"
	"/* 0: make this run only, unless it is 0; 1: the run whose trigger is on. */\n"
	"extern volatile unsigned veer_control[2];\n\n"
	"#ifndef VEER_TRIGGER_ON\n#define VEER_TRIGGER_ON(run) (veer_control[1] = (run))\n#endif\n"
	"#ifndef VEER_TRIGGER_OFF\n#define VEER_TRIGGER_OFF() (veer_control[1] = 0)\n#endif\n\n"
	"void *memcpy(void *to, const void *from, __SIZE_TYPE__ n);\n#endif\n";

static const char driver[] =
	"/* What the firmware calls in the place of main. */\n#include \"veer_training.h\"\n\n"
	"volatile unsigned veer_control[2] __attribute__((section(\".veer_control\")));\n"
	"extern char veer_data[], veer_data_end[], veer_data_from[], veer_bss[], veer_bss_end[];\n"
	"extern char veer_case[];\nint veer_training(void);\n\n"
	"__attribute__((weak)) void *memcpy(void *to, const void *from, __SIZE_TYPE__ n)\n{\n"
	"\tfor (__SIZE_TYPE__ i = 0; i < n; i++)\n\t\t((volatile char *)to)[i] = ((const char *)from)[i];\n\treturn "
	"to;\n}\n\n"
	"__attribute__((weak)) void *memset(void *to, int c, __SIZE_TYPE__ n)\n{\n"
	"\tfor (__SIZE_TYPE__ i = 0; i < n; i++)\n\t\t((volatile char *)to)[i] = (char)c;\n\treturn to;\n}\n\n"
	"/* Variables are as after a reset; what the stack lies in stays. */\n"
	"static void reset(char *to, const char *from, unsigned filled, unsigned size)\n{\n"
	"\tchar here;\n\tif (&here >= to && &here < to + size)\n\t\tsize = filled;\n"
	"\tfor (unsigned i = 0; i < size; i++)\n\t\t((volatile char *)to)[i] = i < filled ? from[i] : 0;\n}\n\n";

int training_write_header(const struct training *t, const char *folder, struct err *err)
{
	return put(folder, "veer_training.h", header, sizeof header - 1, err);
}

static int write_driver(const struct training *t, const char *folder, const struct strv *tables, struct err *err)
{
	const struct image *image = &t->program->image;
	struct buf out = {0};
	buf_addstr(&out, driver);
	for (size_t i = 0; i < tables->n; i++)
		buf_printf(&out, "extern const struct veer_run veer_runs_%s[];\n", tables->v[i]);
	buf_addstr(&out, "static const struct veer_run *const tables[] = {\n");
	for (size_t i = 0; i < tables->n; i++)
		buf_printf(&out, "\tveer_runs_%s,\n", tables->v[i]);
	buf_addstr(&out, "\t0};\n\nint veer_training(void)\n{\n\tconst unsigned only = veer_control[0];\n"
	                 "\tfor (unsigned i = 0; tables[i]; i++)\n"
	                 "\t\tfor (const struct veer_run *r = tables[i]; r->run; r++) {\n"
	                 "\t\t\tif (only && only != r->number)\n\t\t\t\tcontinue;\n"
	                 "\t\t\treset(veer_data, veer_data_from, (unsigned)(veer_data_end - veer_data),\n"
	                 "\t\t\t      (unsigned)(veer_bss_end - veer_data));\n");
	for (uint32_t i = 0; i < image->n_parts; i++) {
		const struct image_part *p = &image->parts[i];
		if (p->address != p->load || !p->filled)
			buf_printf(&out,
			           "\t\t\tif (!only)\n\t\t\t\treset((char *)0x%" PRIx32 ", (const char *)0x%" PRIx32
			           ", %" PRIu32 ", %" PRIu32 ");\n",
			           p->address, p->load, p->filled, p->size);
	}
	buf_addstr(&out, "\t\t\tmemcpy(veer_case, r->from, (__SIZE_TYPE__)(r->end - "
	                 "r->from));\n\t\t\tr->run();\n\t\t}\n\treturn 0;\n}\n");
	int r = put(folder, "training.c", out.data, out.len, err);
	buf_release(&out);
	return r;
}

int training_write(const struct training *t, const char *folder, const struct strv *tables, const struct strv *ids,
                   struct err *err)
{
	if (write_firmware(t, folder, err) < 0 || write_script(t, folder, ids, err) < 0 ||
	    write_driver(t, folder, tables, err) < 0)
		return -1;
	return training_write_header(t, folder, err);
}

// --- copies ------------------------------------------------------------------------------------

struct site { // of a branch to another function
	uint32_t address, callee;
	bool call;
};

static bool find_sites(const struct program *p, const struct code_function *f, struct site *sites, uint32_t *n,
                       const char **reason)
{
	*n = 0;
	for (uint32_t k = 0; k < f->n; k++) {
		const struct code_block *b = &p->blocks[f->block + k];
		const uint32_t last = b->address + b->size - 4;
		const bool call = b->size >= 4 && is_bl(&p->image, last),
			   jump = b->size >= 4 && is_wide_jump(&p->image, last);
		if (b->end != CODE_CALLS && b->end != CODE_LEAVES && !b->may_leave)
			continue;
		if (b->callee == CODE_NONE && !(b->end == CODE_CALLS ? call : jump))
			continue; // by a register
		if (b->may_leave || b->callee == CODE_NONE || !(b->end == CODE_CALLS ? call : jump)) {
			*reason = "its machine code leaves the function in a way that a copy cannot";
			return false;
		}
		sites[(*n)++] = (struct site){last, p->functions[b->callee].address, b->end == CODE_CALLS};
	}
	return true;
}

static void add_halfwords(const struct image *image, uint32_t from, uint32_t to, struct buf *out)
{
	for (uint32_t at = from; at < to; at += 2) {
		const bool first = (at - from) % 16 == 0, last = (at - from) % 16 == 14 || at + 2 >= to;
		buf_printf(out, "%s0x%04x%s", first ? "\t\"\\t.hword " : ", ", halfword(image, at),
		           last ? "\\n\"\n" : "");
	}
}

bool training_copy(const struct training *t, uint32_t address, const struct training_call *calls, size_t n,
                   const char *label, struct buf *out, const char **reason)
{
	const struct program *p = t->program;
	uint32_t number = CODE_NONE, n_sites = 0, at = address, replaced = 0;
	for (uint32_t i = 0; i < p->n_functions; i++)
		number = p->functions[i].address == address ? i : number;
	const struct code_function *f = number == CODE_NONE ? NULL : &p->functions[number];
	if (!f || !image_at(&p->image, address, f->size)) {
		*reason = "the firmware has no machine code of it";
		return false;
	}
	struct site *sites = mem_zero((f->n + 1) * sizeof *sites);
	bool ok = find_sites(p, f, sites, &n_sites, reason);
	if (ok)
		buf_printf(out,
		           "__asm__(\".section .veer_copies.%s,\\\"ax\\\",%%progbits\\n\"\n"
		           "\t\"\\t.syntax unified\\n\\t.thumb\\n\\t.balign 16\\n\\t.space %u\\n\"\n"
		           "\t\"\\t.global %s\\n\\t.type %s, %%function\\n\\t.thumb_func\\n%s:\\n\"\n",
		           label, address & 15, label, label, label);
	for (uint32_t i = 0; ok && i < n_sites; i++) { // blocks lie in the order of addresses
		const char *to = NULL;
		for (size_t k = 0; k < n; k++)
			to = calls[k].callee == sites[i].callee ? calls[k].to : to;
		replaced += to != NULL;
		add_halfwords(&p->image, at, sites[i].address, out);
		buf_printf(out, "\t\"\\t%s ", sites[i].call ? "bl" : "b.w");
		if (to)
			buf_addstr(out, to);
		else
			buf_printf(out, "veer_field_%08" PRIx32, sites[i].callee);
		buf_addstr(out, "\\n\"\n");
		at = sites[i].address + 4;
	}
	if (ok) {
		add_halfwords(&p->image, at, address + f->size, out);
		buf_printf(out, "\t\"\\t.size %s, . - %s\\n\\t.text\\n\");\n", label, label);
	}
	if (ok && !replaced) {
		*reason = "its machine code calls none of the functions that are to be replaced: they were inlined";
		ok = false;
	}
	mem_free(sites);
	return ok;
}

// --- the map -----------------------------------------------------------------------------------

static int by_address(const void *a, const void *b)
{
	const struct training_copied *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

void training_map_read(struct training_map *ret, const struct image *training)
{
	*ret = (struct training_map){.copies = mem_zero((training->n_names + 1) * sizeof(struct training_copied))};
	for (uint32_t i = 0; i < training->n_names; i++) {
		const struct image_name *n = &training->names[i];
		uint32_t from;
		if (n->function && sscanf(n->name, "veer_copy_%8" SCNx32 "_", &from) == 1)
			ret->copies[ret->n++] = (struct training_copied){n->address, n->size, from};
	}
	if (ret->n)
		qsort(ret->copies, ret->n, sizeof *ret->copies, by_address);
}

void training_map_release(struct training_map *m)
{
	mem_free(m->copies);
	*m = (struct training_map){0};
}

uint32_t training_map_address(const struct training_map *m, uint32_t address)
{
	uint32_t low = 0, high = m->n;
	while (low < high) {
		const uint32_t mid = (low + high) / 2;
		if (m->copies[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || address - m->copies[low - 1].address >= m->copies[low - 1].size)
		return address;
	return address - m->copies[low - 1].address + m->copies[low - 1].from;
}
