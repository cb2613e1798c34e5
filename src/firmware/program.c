#include "firmware/program.h"

#include <assert.h>
#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/vec.h"

enum { FUNCTION_MAX = 1 << 20, TABLE_MAX = 1024 };

// What an instruction does to control.
struct step {
	enum { STEP_ON, STEP_JUMP, STEP_CALL, STEP_RETURN, STEP_TABLE, STEP_AWAY, STEP_STOP } kind;
	bool conditional; // or it goes on
	uint32_t target;  // 0: not known
	uint32_t size;
	uint32_t scale; // of a table: bytes of an entry
};

// While the code of a function is followed, for each halfword of it.
enum { IS_CODE = 1, IS_LEADER = 2, IS_RETURN_POINT = 4 };

struct decoder {
	struct program *p;
	csh handle;
	cs_insn *insn;
	uint8_t *flags;
	struct step *steps; // of each halfword that begins an instruction
	VEC(uint32_t) work, to;
	uint32_t *by_halfword; // block + 1, while a function is cut into blocks
};

// --- one instruction ---------------------------------------------------------------------------

static bool has_register(const cs_arm *a, unsigned first, unsigned reg)
{
	for (unsigned i = first; i < a->op_count; i++)
		if (a->operands[i].type == ARM_OP_REG && (unsigned)a->operands[i].reg == reg)
			return true;
	return false;
}

static bool is_register(const cs_arm *a, unsigned i, unsigned reg)
{
	return i < a->op_count && a->operands[i].type == ARM_OP_REG && (unsigned)a->operands[i].reg == reg;
}

static uint32_t immediate(const cs_arm *a, unsigned i)
{
	return i < a->op_count && a->operands[i].type == ARM_OP_IMM ? (uint32_t)a->operands[i].imm : 0;
}

// Loads and moves into the program counter.
static void step_to_pc(const cs_insn *insn, const cs_arm *a, struct step *s)
{
	const cs_arm_op *from = a->op_count > 1 ? &a->operands[1] : NULL;
	bool table = insn->id == ARM_INS_LDR && from && from->type == ARM_OP_MEM && from->mem.index != ARM_REG_INVALID;
	bool stack = insn->id == ARM_INS_LDR && from && from->type == ARM_OP_MEM && from->mem.base == ARM_REG_SP;
	if (table)
		s->kind = STEP_TABLE, s->scale = 4;
	else
		s->kind = stack || is_register(a, 1, ARM_REG_LR) ? STEP_RETURN : STEP_AWAY;
}

static void step_of(const cs_insn *insn, struct step *s)
{
	const cs_arm *a = &insn->detail->arm;
	switch (insn->id) {
	case ARM_INS_B:
		s->kind = STEP_JUMP;
		s->target = immediate(a, 0);
		s->conditional = a->cc != ARM_CC_AL && a->cc != ARM_CC_INVALID;
		break;
	case ARM_INS_CBZ:
	case ARM_INS_CBNZ:
		s->kind = STEP_JUMP;
		s->target = immediate(a, 1);
		s->conditional = true;
		break;
	case ARM_INS_BL:
	case ARM_INS_BLX:
		s->kind = STEP_CALL;
		s->target = immediate(a, 0);
		break;
	case ARM_INS_BX: s->kind = is_register(a, 0, ARM_REG_LR) ? STEP_RETURN : STEP_AWAY; break;
	case ARM_INS_POP:
		if (has_register(a, 0, ARM_REG_PC))
			s->kind = STEP_RETURN;
		break;
	case ARM_INS_LDM:
	case ARM_INS_LDMDB:
		if (has_register(a, 1, ARM_REG_PC))
			s->kind = is_register(a, 0, ARM_REG_SP) ? STEP_RETURN : STEP_AWAY;
		break;
	case ARM_INS_TBB:
	case ARM_INS_TBH:
		s->kind = STEP_TABLE;
		s->scale = insn->id == ARM_INS_TBB ? 1 : 2;
		break;
	case ARM_INS_UDF: s->kind = STEP_STOP; break;
	default:
		if (is_register(a, 0, ARM_REG_PC) && insn->id != ARM_INS_CMP)
			step_to_pc(insn, a, s);
	}
}

// How many instructions a 16-bit IT makes conditional; 0: it is none.
static unsigned it_length(const uint8_t *code)
{
	unsigned mask = code[0] & 15;
	return code[1] != 0xbf || !mask ? 0 : 4 - (unsigned)__builtin_ctz(mask);
}

// --- a function's instructions -----------------------------------------------------------------

static void follow_to(struct decoder *d, const struct code_function *f, uint32_t address, uint8_t flags)
{
	uint32_t at = (address - f->address) / 2;
	if (address - f->address >= f->size || address & 1)
		return;
	if (!(d->flags[at] & IS_LEADER))
		vec_push(&d->work, address);
	d->flags[at] |= IS_LEADER | flags;
}

// Where the i-th entry of a switch's table leads. The table lies behind the instruction and ends at the nearest target
// behind it. False: there is no such entry.
static bool table_entry(const struct decoder *d, const struct code_function *f, uint32_t address, uint32_t scale,
                        uint32_t i, uint32_t *nearest, uint32_t *ret)
{
	uint32_t begin = scale == 4 ? (address + 7) & ~3u : address + 4, end = begin + (i + 1) * scale;
	const uint8_t *e = end <= *nearest && i < TABLE_MAX ? image_at(&d->p->image, end - scale, scale) : NULL;
	if (!e)
		return false;
	uint32_t entry = e[0] | (scale > 1 ? (uint32_t)e[1] << 8 : 0);
	*ret = scale == 4 ? (entry | (uint32_t)e[2] << 16 | (uint32_t)e[3] << 24) & ~1u : begin + 2 * entry;
	if (*ret - f->address >= f->size || (scale < 4 && *ret < end))
		return false; // padding
	*nearest = *ret >= end && *ret < *nearest ? *ret : *nearest;
	return true;
}

static void follow_table(struct decoder *d, const struct code_function *f, uint32_t address, const struct step *s)
{
	uint32_t nearest = f->address + f->size, target;
	for (uint32_t i = 0; table_entry(d, f, address, s->scale, i, &nearest, &target); i++)
		follow_to(d, f, target, 0);
}

static bool decode(struct decoder *d, uint32_t address, uint32_t end, unsigned *it, struct step *ret)
{
	*ret = (struct step){.kind = STEP_STOP, .size = 2};
	uint32_t left = end - address;
	const uint8_t *code = image_at(&d->p->image, address, left < 4 ? left : 4);
	uint64_t at = address;
	size_t size = left < 4 ? left : 4;
	if (!code || left < 2 || !cs_disasm_iter(d->handle, &code, &size, &at, d->insn))
		return false;
	*ret = (struct step){.size = d->insn->size};
	step_of(d->insn, ret);
	bool in_it = *it > 0;
	*it -= in_it;
	if (in_it && ret->kind != STEP_ON)
		ret->conditional = true;
	if (d->insn->size == 2 && it_length(d->insn->bytes))
		*it = it_length(d->insn->bytes);
	return true;
}

// Follows instructions until control goes elsewhere.
static void follow_run(struct decoder *d, const struct code_function *f, uint32_t address)
{
	unsigned it = 0;
	for (uint32_t end = f->address + f->size; address < end;) {
		uint32_t at = (address - f->address) / 2;
		if (d->flags[at] & IS_CODE)
			return;
		struct step *s = &d->steps[at];
		decode(d, address, end, &it, s);
		d->flags[at] |= IS_CODE;
		if (s->kind == STEP_JUMP)
			follow_to(d, f, s->target, 0);
		else if (s->kind == STEP_TABLE)
			follow_table(d, f, address, s);
		address += s->size;
		if (s->kind == STEP_ON)
			continue;
		if (s->kind == STEP_CALL || s->conditional)
			follow_to(d, f, address, s->kind == STEP_CALL ? IS_RETURN_POINT : 0);
		if (s->kind != STEP_CALL && !s->conditional)
			return;
	}
}

// --- blocks and edges --------------------------------------------------------------------------

static uint32_t function_at(const struct program *p, uint32_t address)
{
	uint32_t low = 0, high = p->n_functions;
	while (low < high) {
		uint32_t mid = (low + high) / 2;
		if (p->functions[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < p->n_functions && p->functions[low].address == address ? low : CODE_NONE;
}

static void add_edge(struct decoder *d, const struct code_function *f, uint32_t from, uint32_t address)
{
	uint32_t number = address - f->address < f->size ? d->by_halfword[(address - f->address) / 2] : 0;
	for (size_t i = from; number && i < d->to.n; i++)
		if (d->to.v[i] == number - 1 - f->block)
			return;
	if (number)
		vec_push(&d->to, number - 1 - f->block);
}

static void add_table(struct decoder *d, const struct code_function *f, uint32_t from, uint32_t address,
                      const struct step *s)
{
	uint32_t nearest = f->address + f->size, target;
	for (uint32_t i = 0; table_entry(d, f, address, s->scale, i, &nearest, &target); i++)
		add_edge(d, f, from, target);
}

// What ends a block: its last instruction, at `address`.
static void end_block(struct decoder *d, const struct code_function *f, struct code_block *b, uint32_t address,
                      uint32_t from)
{
	const struct step *s = &d->steps[(address - f->address) / 2];
	uint32_t next = address + s->size;
	bool inside = s->target - f->address < f->size;
	bool leaves = (s->kind == STEP_JUMP && !inside) || s->kind == STEP_AWAY;
	b->size = next - b->address;
	b->may_leave = s->conditional && (leaves || s->kind == STEP_RETURN || s->kind == STEP_CALL);
	if (leaves || s->kind == STEP_CALL)
		b->callee = s->target ? function_at(d->p, s->target) : CODE_NONE;
	b->end = s->kind == STEP_STOP                      ? CODE_STOPS
	         : s->kind == STEP_CALL                    ? CODE_CALLS
	         : s->kind == STEP_RETURN && !b->may_leave ? CODE_RETURNS
	         : leaves && !b->may_leave                 ? CODE_LEAVES
	                                                   : CODE_GOES_ON;
	if (s->kind == STEP_TABLE)
		add_table(d, f, from, address, s);
	if (s->kind == STEP_ON || s->kind == STEP_CALL || s->conditional)
		add_edge(d, f, from, next);
	if (s->kind == STEP_CALL && d->to.n > from)
		b->after = f->block + d->to.v[from];
	if (s->kind == STEP_JUMP && inside)
		add_edge(d, f, from, s->target);
	if (b->end == CODE_GOES_ON && d->to.n == from)
		b->end = CODE_STOPS;
}

static void cut_blocks(struct decoder *d, uint32_t number)
{
	struct program *p = d->p;
	struct code_function *f = &p->functions[number];
	f->block = p->n_blocks;
	for (uint32_t i = 0; i < f->size / 2; i++) {
		d->by_halfword[i] = 0;
		if ((d->flags[i] & (IS_LEADER | IS_CODE)) != (IS_LEADER | IS_CODE))
			continue;
		p->blocks = mem_resize(p->blocks, (p->n_blocks + 1) * sizeof *p->blocks);
		p->blocks[p->n_blocks] = (struct code_block){.address = f->address + 2 * i,
		                                             .function = number,
		                                             .node = p->n_blocks - f->block,
		                                             .callee = CODE_NONE,
		                                             .after = CODE_NONE};
		d->by_halfword[i] = ++p->n_blocks;
	}
	f->n = p->n_blocks - f->block;
}

// Control that leaves on a condition takes an edge that the graph does not have. What comes otherwise is a label, so
// that the segment ends there in either case, and is the same one.
static void mark_function(struct decoder *d, struct code_function *f)
{
	struct program *p = d->p;
	uint32_t *first = mem_zero((f->n + 1) * sizeof *first);
	bool *labels = mem_zero(f->n), *computed = mem_zero(f->n);
	vec_clear(&d->to);
	for (uint32_t k = 0; k < f->n; k++) {
		struct code_block *b = &p->blocks[f->block + k];
		uint32_t at = (b->address - f->address) / 2, last = b->address;
		first[k] = (uint32_t)d->to.n;
		for (;;) {
			uint32_t next = last + d->steps[(last - f->address) / 2].size, h = (next - f->address) / 2;
			if (d->steps[(last - f->address) / 2].kind != STEP_ON || next >= f->address + f->size ||
			    !(d->flags[h] & IS_CODE) || d->flags[h] & IS_LEADER)
				break;
			last = next;
		}
		end_block(d, f, b, last, first[k]);
		labels[k] = d->flags[at] & IS_RETURN_POINT;
	}
	first[f->n] = (uint32_t)d->to.n;
	for (uint32_t k = 0; k < f->n; k++)
		for (uint32_t e = first[k]; e < first[k + 1] && p->blocks[f->block + k].may_leave; e++)
			labels[d->to.v[e]] = true;
	uint32_t *to = mem_zero((d->to.n + 1) * sizeof *to);
	if (d->to.n)
		memcpy(to, d->to.v, d->to.n * sizeof *to);
	f->graph = (struct marking_graph){f->n, first, to, computed};
	marking_begin(&f->marking, &f->graph, labels);
	mem_free(labels);
}

static enum marking_split split_anywhere(void *opaque, uint32_t node)
{
	return MARKING_WELL;
}

static bool names_place(const cs_insn *insn)
{
	const cs_arm *a = &insn->detail->arm;
	for (unsigned i = 0; i < a->op_count; i++)
		if (a->operands[i].type == ARM_OP_MEM && a->operands[i].mem.base == ARM_REG_PC)
			return true;
	return insn->id == ARM_INS_B || insn->id == ARM_INS_BL || insn->id == ARM_INS_BLX || insn->id == ARM_INS_CBZ ||
	       insn->id == ARM_INS_CBNZ || insn->id == ARM_INS_ADR;
}

// Branches count as such; the graph has where they lead.
static void hash_block(struct decoder *d, const struct code_function *f, struct code_block *b)
{
	unsigned it = 0;
	struct step s;
	uint64_t h = 0;
	for (uint32_t at = b->address; at - b->address < b->size; at += s.size) {
		uint32_t bytes = 0;
		if (!decode(d, at, f->address + f->size, &it, &s))
			break;
		if (!names_place(d->insn))
			memcpy(&bytes, d->insn->bytes, d->insn->size < 4 ? d->insn->size : 4);
		h = random_scatter(h + ((uint64_t)d->insn->id << 32) + bytes + (uint64_t)d->insn->detail->arm.cc * 977);
	}
	b->shape = h;
}

static void hash_function(struct decoder *d, struct code_function *f)
{
	uint64_t h = 0;
	unsigned it = 0;
	struct step s;
	for (uint32_t i = 0; i < f->size / 2; i++)
		if (d->flags[i] & IS_CODE && decode(d, f->address + 2 * i, f->address + f->size, &it, &s))
			h = random_scatter(h + i + (uint64_t)d->insn->id * 0x10001 + d->insn->size);
	f->shape = h;
}

static void read_function(struct decoder *d, uint32_t number)
{
	struct program *p = d->p;
	struct code_function *f = &p->functions[number];
	size_t halves = f->size / 2 + 1;
	d->flags = mem_zero(halves);
	d->steps = mem_zero(halves * sizeof *d->steps);
	d->by_halfword = mem_zero(halves * sizeof *d->by_halfword);
	follow_to(d, f, f->address, 0);
	while (d->work.n)
		follow_run(d, f, vec_pop(&d->work));
	cut_blocks(d, number);
	hash_function(d, f);
	if (f->n) {
		mark_function(d, f);
		for (uint32_t k = 0; k < f->n; k++)
			hash_block(d, f, &p->blocks[f->block + k]);
		marking_split(&f->marking, split_anywhere, NULL);
		uint32_t *rank = mem_zero(f->n * sizeof *rank);
		for (uint32_t k = 0; k < f->n; k++)
			rank[k] = k;
		marking_number(&f->marking, rank);
		mem_free(rank);
	}
	f->first = p->segments;
	p->segments += f->marking.segments;
	mem_free(d->flags);
	mem_free(d->steps);
	mem_free(d->by_halfword);
}

// --- the program -------------------------------------------------------------------------------

static void find_taken(struct program *p)
{
	for (uint32_t i = 0; i < p->image.n_parts; i++) {
		const struct image_part *part = &p->image.parts[i];
		for (uint32_t at = 0; part->filled >= 4 && at <= part->filled - 4; at += 4) {
			uint32_t word;
			memcpy(&word, part->data + at, 4);
			uint32_t f = word & 1 ? function_at(p, word & ~1u) : CODE_NONE;
			if (f != CODE_NONE)
				p->functions[f].taken = true;
		}
	}
}

int program_open(struct program *ret, const char *path, struct err *err)
{
	*ret = (struct program){0};
	struct decoder d = {.p = ret};
	if (image_open(&ret->image, path, err) < 0)
		return -1;
	if (cs_open(CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_MCLASS, &d.handle) != CS_ERR_OK) {
		program_close(ret);
		return err_set(err, "cannot start Capstone for ARM");
	}
	cs_option(d.handle, CS_OPT_DETAIL, CS_OPT_ON);
	d.insn = cs_malloc(d.handle);
	ret->n_functions = ret->image.n_symbols;
	ret->functions = mem_zero(ret->n_functions * sizeof *ret->functions);
	for (uint32_t i = 0; i < ret->n_functions; i++) {
		const struct image_symbol *s = &ret->image.symbols[i];
		uint32_t size = s->size < FUNCTION_MAX ? s->size : FUNCTION_MAX;
		ret->functions[i] = (struct code_function){.name = s->name, .address = s->address, .size = size & ~1u};
	}
	for (uint32_t i = 0; i < ret->n_functions; i++)
		read_function(&d, i);
	find_taken(ret);
	cs_free(d.insn, 1);
	cs_close(&d.handle);
	vec_release(&d.work);
	vec_release(&d.to);
	return 0;
}

void program_close(struct program *p)
{
	for (uint32_t i = 0; i < p->n_functions; i++) {
		marking_release(&p->functions[i].marking);
		mem_free((void *)p->functions[i].graph.first);
		mem_free((void *)p->functions[i].graph.to);
		mem_free((void *)p->functions[i].graph.computed);
	}
	mem_free(p->functions);
	mem_free(p->blocks);
	image_close(&p->image);
	*p = (struct program){0};
}

// --- look-ups ----------------------------------------------------------------------------------

uint32_t program_find(const struct program *p, const char *name, uint64_t shape)
{
	for (uint32_t i = 0; i < p->n_functions; i++)
		if ((!shape || p->functions[i].shape == shape) && strcmp(p->functions[i].name, name) == 0)
			return i;
	return CODE_NONE;
}

uint32_t program_block(const struct program *p, uint32_t address)
{
	uint32_t low = 0, high = p->n_blocks;
	while (low < high) {
		uint32_t mid = (low + high) / 2;
		if (p->blocks[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < p->n_blocks && p->blocks[low].address == address ? low : CODE_NONE;
}

uint32_t program_segment(const struct program *p, uint32_t function, uint32_t number, uint32_t *blocks)
{
	const struct code_function *f = &p->functions[function];
	const struct marking *m = &f->marking;
	uint32_t k = 0, n = 0;
	assert(number < m->segments);
	while (k + 1 < m->n && m->v[k + 1].base <= number)
		k++;
	uint32_t node = m->v[k].node, left = number - m->v[k].base;
	for (;;) {
		uint32_t edges = f->graph.first[node + 1] - f->graph.first[node], e = edges;
		blocks[n++] = f->block + node;
		while (e > 0 && marking_adds(m, node, e - 1) > left)
			e--;
		if (e == 0)
			return n;
		left -= marking_adds(m, node, e - 1);
		node = f->graph.to[f->graph.first[node] + e - 1];
		if (m->marker_of[node])
			return n;
		assert(n < f->n);
	}
}

void program_name(const struct program *p, uint32_t function, uint32_t number, struct buf *out)
{
	const struct code_function *f = &p->functions[function];
	buf_printf(out, "%s/%08" PRIx32 ":%" PRIu32, f->name, (uint32_t)f->shape, number);
}

bool program_named(const struct program *p, const char *name, uint32_t *function, uint32_t *number)
{
	const char *slash = strrchr(name, '/');
	uint32_t shape;
	int end = 0;
	if (!slash || sscanf(slash, "/%8" SCNx32 ":%" SCNu32 "%n", &shape, number, &end) != 2 || slash[end])
		return false;
	for (uint32_t i = 0; i < p->n_functions; i++) {
		const struct code_function *f = &p->functions[i];
		if ((uint32_t)f->shape == shape && strncmp(f->name, name, (size_t)(slash - name)) == 0 &&
		    !f->name[slash - name] && *number < f->marking.segments) {
			*function = i;
			return true;
		}
	}
	return false;
}
