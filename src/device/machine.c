#include "device/machine.h"

#include <stdio.h>
#include <string.h>
#include <unicorn/unicorn.h>

#include "base/file.h"
#include "base/mem.h"

// Of "Semihosting for AArch32 and AArch64" (Arm).
enum {
	SYS_OPEN = 0x01,
	SYS_CLOSE = 0x02,
	SYS_WRITEC = 0x03,
	SYS_WRITE0 = 0x04,
	SYS_WRITE = 0x05,
	SYS_READ = 0x06,
	SYS_READC = 0x07,
	SYS_ISTTY = 0x09,
	SYS_FLEN = 0x0c,
	SYS_GET_CMDLINE = 0x15,
	SYS_EXIT = 0x18,
	SYS_EXIT_EXTENDED = 0x20,
};

enum {
	PAGE = 4096,
	RAM = 0x20000000,
	RAM_SIZE = 1 << 20,
	FILES_MAX = 8, // open at a time
	TEXT_MAX = 4096,
	OUTPUT_MAX = 16 << 20,
	EXCEPTION_BKPT = 7, // as QEMU numbers them
	APPLICATION_EXIT = 0x20026,
};

struct open_file {
	struct buf data;
	size_t at;
	bool used, console;
};

struct machine {
	const struct machine_setup *setup;
	struct machine_result *result;
	uc_engine *uc;
	struct machine_step now;
	bool running; // `now` is an instruction
	struct open_file files[FILES_MAX];
	size_t input_at;
};

static const int register_ids[MACHINE_REGISTERS] = {UC_ARM_REG_R0,  UC_ARM_REG_R1, UC_ARM_REG_R2,  UC_ARM_REG_R3,
                                                    UC_ARM_REG_R4,  UC_ARM_REG_R5, UC_ARM_REG_R6,  UC_ARM_REG_R7,
                                                    UC_ARM_REG_R8,  UC_ARM_REG_R9, UC_ARM_REG_R10, UC_ARM_REG_R11,
                                                    UC_ARM_REG_R12, UC_ARM_REG_SP, UC_ARM_REG_LR,  UC_ARM_REG_CPSR};

static void read_registers(struct machine *m, uint32_t *ret)
{
	void *to[MACHINE_REGISTERS];
	for (int i = 0; i < MACHINE_REGISTERS; i++)
		to[i] = &ret[i];
	uc_reg_read_batch(m->uc, (int *)register_ids, to, MACHINE_REGISTERS);
}

static void stop(struct machine *m, const char *why)
{
	if (!m->result->why[0])
		snprintf(m->result->why, sizeof m->result->why, "%s", why);
	uc_emu_stop(m->uc);
}

// --- semihosting -------------------------------------------------------------------------------

static uint32_t word_at(struct machine *m, uint32_t address)
{
	uint32_t v = 0;
	uc_mem_read(m->uc, address, &v, sizeof v);
	return v;
}

static void text_at(struct machine *m, uint32_t address, uint32_t n, char *ret)
{
	uint32_t i = 0;
	while (i < n && i < TEXT_MAX - 1 && uc_mem_read(m->uc, address + i, &ret[i], 1) == UC_ERR_OK && ret[i])
		i++;
	ret[i] = 0;
}

static void write_output(struct machine *m, uint32_t address, uint32_t n)
{
	for (char c; n-- > 0 && m->result->output.len < OUTPUT_MAX; address++) {
		if (uc_mem_read(m->uc, address, &c, 1) != UC_ERR_OK)
			return;
		buf_addch(&m->result->output, c);
	}
}

static uint32_t open_file(struct machine *m, uint32_t block)
{
	char name[TEXT_MAX];
	uint32_t handle = 0;
	text_at(m, word_at(m, block), word_at(m, block + 8), name);
	while (handle < FILES_MAX && m->files[handle].used)
		handle++;
	if (handle == FILES_MAX)
		return UINT32_MAX;
	struct open_file *f = &m->files[handle];
	bool known = strcmp(name, ":tt") == 0;
	f->console = known;
	for (size_t i = 0; !known && m->setup->files && i < m->setup->files->n; i++)
		known = strcmp(m->setup->files->v[i], name) == 0 && file_read(name, &f->data, NULL) == 0;
	f->used = known;
	f->at = 0;
	return known ? handle + 1 : UINT32_MAX;
}

static struct open_file *file_of(struct machine *m, uint32_t handle)
{
	return handle - 1 < FILES_MAX && m->files[handle - 1].used ? &m->files[handle - 1] : NULL;
}

// Returns how many bytes were not read.
static uint32_t read_file(struct machine *m, uint32_t block)
{
	struct open_file *f = file_of(m, word_at(m, block));
	uint32_t to = word_at(m, block + 4), n = word_at(m, block + 8);
	if (!f)
		return n;
	const char *data = f->console ? m->setup->input : f->data.data;
	size_t *at = f->console ? &m->input_at : &f->at;
	size_t left = (f->console ? m->setup->input_size : f->data.len) - *at;
	uint32_t take = left < n ? (uint32_t)left : n;
	if (take && uc_mem_write(m->uc, to, data + *at, take) != UC_ERR_OK)
		return n;
	*at += take;
	return n - take;
}

static uint32_t close_file(struct machine *m, uint32_t block)
{
	struct open_file *f = file_of(m, word_at(m, block));
	if (!f)
		return UINT32_MAX;
	buf_release(&f->data);
	*f = (struct open_file){0};
	return 0;
}

static uint32_t get_command(struct machine *m, uint32_t block)
{
	const char *command = m->setup->command ? m->setup->command : "";
	uint32_t room = word_at(m, block + 4), n = (uint32_t)strlen(command);
	if (n >= room || uc_mem_write(m->uc, word_at(m, block), command, n + 1) != UC_ERR_OK ||
	    uc_mem_write(m->uc, block + 4, &n, 4) != UC_ERR_OK)
		return UINT32_MAX;
	return 0;
}

static uint32_t exit_machine(struct machine *m, uint32_t reason, uint32_t status)
{
	m->result->ended = true;
	m->result->status = reason == APPLICATION_EXIT ? (int)(status & 255) : 1;
	uc_emu_stop(m->uc);
	return 0;
}

static uint32_t serve(struct machine *m, uint32_t operation, uint32_t block)
{
	char text[TEXT_MAX];
	switch (operation) {
	case SYS_OPEN: return open_file(m, block);
	case SYS_CLOSE: return close_file(m, block);
	case SYS_WRITEC: write_output(m, block, 1); return operation;
	case SYS_WRITE0:
		text_at(m, block, TEXT_MAX, text);
		write_output(m, block, (uint32_t)strlen(text));
		return operation;
	case SYS_WRITE: write_output(m, word_at(m, block + 4), word_at(m, block + 8)); return 0;
	case SYS_READ: return read_file(m, block);
	case SYS_READC:
		return m->input_at < m->setup->input_size ? (uint8_t)m->setup->input[m->input_at++] : UINT32_MAX;
	case SYS_ISTTY: return file_of(m, word_at(m, block)) && file_of(m, word_at(m, block))->console;
	case SYS_FLEN:
		return file_of(m, word_at(m, block)) ? (uint32_t)file_of(m, word_at(m, block))->data.len : UINT32_MAX;
	case SYS_GET_CMDLINE: return get_command(m, block);
	case SYS_EXIT: return exit_machine(m, block, 0);
	case SYS_EXIT_EXTENDED: return exit_machine(m, word_at(m, block), word_at(m, block + 4));
	default: stop(m, "it asks for an operation of semihosting that is not there"); return UINT32_MAX;
	}
}

// --- what Unicorn tells -------------------------------------------------------------------------

static void finish_step(struct machine *m)
{
	if (!m->running)
		return;
	read_registers(m, m->now.after);
	m->running = false;
	if (m->setup->step(m->setup->opaque, &m->now))
		return;
	m->result->ended = true;
	uc_emu_stop(m->uc);
}

static void on_code(uc_engine *uc, uint64_t address, uint32_t size, void *opaque)
{
	struct machine *m = opaque;
	if (m->result->ended || m->result->why[0])
		return;
	finish_step(m);
	if (m->result->ended)
		return;
	if (m->result->instructions++ == m->setup->limit) {
		stop(m, "it does not end");
		return;
	}
	m->now.address = (uint32_t)address;
	m->now.size = size;
	m->now.code = 0;
	m->now.n = 0;
	memcpy(m->now.before, m->now.after, sizeof m->now.before);
	uc_mem_read(uc, address, &m->now.code, size == 2 ? 2 : 4);
	m->running = true;
}

static void on_memory(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value, void *opaque)
{
	struct machine *m = opaque;
	if (!m->running || m->now.n == MACHINE_ACCESSES)
		return;
	uint32_t v = (uint32_t)value;
	if (type != UC_MEM_WRITE) {
		v = 0;
		uc_mem_read(uc, address, &v, size < 4 ? (size_t)size : 4);
	}
	m->now.accesses[m->now.n++] = (struct machine_access){(uint32_t)address, v, type == UC_MEM_WRITE};
}

static void on_exception(uc_engine *uc, uint32_t number, void *opaque)
{
	struct machine *m = opaque;
	uint32_t pc, operation, block;
	uint16_t code = 0;
	uc_reg_read(uc, UC_ARM_REG_PC, &pc);
	uc_mem_read(uc, pc, &code, 2);
	if (number != EXCEPTION_BKPT || code != 0xbeab) {
		stop(m, "it raises an exception");
		return;
	}
	uc_reg_read(uc, UC_ARM_REG_R0, &operation);
	uc_reg_read(uc, UC_ARM_REG_R1, &block);
	uint32_t result = serve(m, operation, block);
	if (m->result->ended || m->result->why[0])
		return; // who writes the program counter goes on
	uc_reg_write(uc, UC_ARM_REG_R0, &result);
	pc = (pc + 2) | 1;
	uc_reg_write(uc, UC_ARM_REG_PC, &pc);
}

// --- a run --------------------------------------------------------------------------------------

// Pages that parts share are mapped once.
static int map_pages(struct machine *m, uint32_t address, uint32_t size)
{
	uint64_t end = ((uint64_t)address + size + PAGE - 1) / PAGE * PAGE;
	for (uint64_t at = address / PAGE * PAGE; at < end; at += PAGE) {
		uc_err e = uc_mem_map(m->uc, at, PAGE, UC_PROT_ALL);
		if (e != UC_ERR_OK && e != UC_ERR_MAP)
			return -1;
	}
	return 0;
}

static int load(struct machine *m)
{
	const struct image *image = m->setup->image;
	uint32_t sp = RAM + RAM_SIZE, lowest = UINT32_MAX;
	if (uc_mem_map(m->uc, RAM, RAM_SIZE, UC_PROT_ALL) != UC_ERR_OK)
		return -1;
	for (uint32_t i = 0; i < image->n_parts; i++) {
		const struct image_part *p = &image->parts[i];
		if ((p->address - RAM >= RAM_SIZE && map_pages(m, p->address, p->size) < 0) ||
		    (p->load - RAM >= RAM_SIZE && map_pages(m, p->load, p->filled) < 0))
			return -1;
		if (p->filled && uc_mem_write(m->uc, p->load, p->data, p->filled) != UC_ERR_OK)
			return -1;
		if (p->load < lowest && p->filled >= 8) { // the table of vectors begins with the stack
			lowest = p->load;
			memcpy(&sp, p->data, 4);
		}
	}
	if (m->setup->set && uc_mem_write(m->uc, m->setup->set, &m->setup->value, 4) != UC_ERR_OK)
		return -1;
	return uc_reg_write(m->uc, UC_ARM_REG_SP, &sp) == UC_ERR_OK ? 0 : -1;
}

static void run(struct machine *m)
{
	uc_hook code, memory, exception;
	uc_hook_add(m->uc, &code, UC_HOOK_CODE, (void *)on_code, m, 1, 0);
	uc_hook_add(m->uc, &memory, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, (void *)on_memory, m, 1, 0);
	uc_hook_add(m->uc, &exception, UC_HOOK_INTR, (void *)on_exception, m, 1, 0);
	read_registers(m, m->now.after);
	uc_err e = uc_emu_start(m->uc, m->setup->image->entry | 1, UINT32_MAX, 0, 0);
	finish_step(m);
	if (!m->result->ended && !m->result->why[0])
		snprintf(m->result->why, sizeof m->result->why, "%s at 0x%x",
		         e != UC_ERR_OK ? uc_strerror(e) : "it stopped", m->now.address);
}

int machine_run(const struct machine_setup *setup, struct machine_result *ret, struct err *err)
{
	struct machine m = {.setup = setup, .result = ret};
	int r = 0;
	*ret = (struct machine_result){0};
	if (uc_open(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS, &m.uc) != UC_ERR_OK)
		return err_set(err, "cannot start Unicorn");
	if (uc_ctl_set_cpu_model(m.uc, UC_CPU_ARM_CORTEX_M3) != UC_ERR_OK || load(&m) < 0)
		r = err_set(err, "Unicorn cannot load the firmware: its addresses are not those of a Cortex-M");
	else
		run(&m);
	uc_close(m.uc);
	for (int i = 0; i < FILES_MAX; i++)
		buf_release(&m.files[i].data);
	return r;
}
