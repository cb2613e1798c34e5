// Sources of this model:
//
// - clocks of instructions: "Cortex-M3 Technical Reference Manual" (Arm, DDI 0337), table of instruction timings, with
//   memory without wait states and a refill of two clocks for every branch that is taken
// - amplitudes go with the Hamming distance of what registers and buses change to: E. Brier, C. Clavier, F. Olivier:
//   "Correlation Power Analysis with a Leakage Model" (CHES 2004)
// - instructions fall into few classes of like shape (arithmetic, shifts, loads, stores, multiplications), and
//   neighbours interact: D. McCann, E. Oswald, C. Whitnall: "Towards Practical Tools for Side Channel Aware Software
//   Engineering: 'Grey Box' Modelling for Instruction Leakages" (USENIX Security 2017)
// - fetch, decode and execute overlap, and each adds its part: T. Eisenbarth, C. Paar, B. Weghenkel: "Building a Side
//   Channel Based Disassembler" (Transactions on Computational Science X, 2010)
//
// The numbers in `classes` are made up in the range that these report: they are not of any chip.
#include "device/emission.h"

#include <capstone/capstone.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

enum class {
	CLASS_MOVE,
	CLASS_ARITHMETIC,
	CLASS_LOGIC,
	CLASS_SHIFT,
	CLASS_COMPARE,
	CLASS_MULTIPLY,
	CLASS_DIVIDE,
	CLASS_LOAD,
	CLASS_STORE,
	CLASS_BRANCH,
	CLASS_OTHER,
	CLASSES
};

// Within a clock a class gives a pulse: its height, when it is highest, how wide it is, and how much of it goes with
// the Hamming distance.
static const struct {
	float height, when, width, distance;
} classes[CLASSES] = {
	[CLASS_MOVE] = {0.55f, 0.25f, 0.12f, 0.30f},    [CLASS_ARITHMETIC] = {0.80f, 0.40f, 0.15f, 0.35f},
	[CLASS_LOGIC] = {0.70f, 0.33f, 0.14f, 0.32f},   [CLASS_SHIFT] = {0.75f, 0.48f, 0.13f, 0.30f},
	[CLASS_COMPARE] = {0.65f, 0.37f, 0.20f, 0.22f}, [CLASS_MULTIPLY] = {1.20f, 0.55f, 0.25f, 0.45f},
	[CLASS_DIVIDE] = {1.00f, 0.50f, 0.30f, 0.40f},  [CLASS_LOAD] = {1.05f, 0.62f, 0.18f, 0.40f},
	[CLASS_STORE] = {1.15f, 0.72f, 0.18f, 0.42f},   [CLASS_BRANCH] = {0.90f, 0.20f, 0.22f, 0.15f},
	[CLASS_OTHER] = {0.50f, 0.45f, 0.25f, 0.20f},
};

static const float fetch_height = 0.35f, fetch_when = 0.85f, fetch_width = 0.10f; // of the bus of instructions
static const float decode_height = 0.20f;                                         // of the next instruction's shape
static const float bus_height = 0.30f, bus_when = 0.66f, bus_width = 0.14f;       // of the bus of data

struct kind { // of an instruction
	uint8_t class;
	bool known, writes, multiple;
};

struct emission {
	unsigned samples;
	csh handle;
	cs_insn *insn;
	struct kind *kinds; // by halfword of the low 1 MB, for speed
	VEC(float) out;
	struct machine_step last; // emitted when it is known what follows it
	bool has_last;
	uint64_t clock; // at which the next one begins
	uint32_t bus_address, bus_data, fetched;
};

enum { KINDS = 1 << 19 };

struct emission *emission_new(unsigned samples)
{
	struct emission *e = mem_zero(sizeof *e);
	e->samples = samples;
	e->kinds = mem_zero(KINDS * sizeof *e->kinds);
	if (cs_open(CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_MCLASS, &e->handle) != CS_ERR_OK)
		mem_exhausted();
	e->insn = cs_malloc(e->handle);
	return e;
}

void emission_free(struct emission *e)
{
	if (!e)
		return;
	cs_free(e->insn, 1);
	cs_close(&e->handle);
	mem_free(e->kinds);
	vec_release(&e->out);
	mem_free(e);
}

static enum class class_of(unsigned id) {
	switch (id){
		case ARM_INS_MOV : case ARM_INS_MOVW : case ARM_INS_MOVT : case ARM_INS_MVN : case ARM_INS_ADR : case
		ARM_INS_UXTB : case ARM_INS_UXTH : case ARM_INS_SXTB : case ARM_INS_SXTH : return CLASS_MOVE;
		case ARM_INS_ADD : case ARM_INS_ADDW : case ARM_INS_ADC : case ARM_INS_SUB : case ARM_INS_SUBW : case
		ARM_INS_SBC : case ARM_INS_RSB : return CLASS_ARITHMETIC;
		case ARM_INS_AND : case ARM_INS_ORR : case ARM_INS_ORN : case ARM_INS_EOR : case ARM_INS_BIC : case
		ARM_INS_UBFX : case ARM_INS_SBFX : case ARM_INS_BFI : case ARM_INS_BFC : case ARM_INS_CLZ : case
		ARM_INS_REV : return CLASS_LOGIC;
		case ARM_INS_LSL : case ARM_INS_LSR : case ARM_INS_ASR : case ARM_INS_ROR : return CLASS_SHIFT;
		case ARM_INS_CMP : case ARM_INS_CMN : case ARM_INS_TST : case ARM_INS_TEQ : case
		ARM_INS_IT : return CLASS_COMPARE;
		case ARM_INS_MUL : case ARM_INS_MLA : case ARM_INS_MLS : case ARM_INS_UMULL : case ARM_INS_SMULL : case
		ARM_INS_UMLAL : case ARM_INS_SMLAL : return CLASS_MULTIPLY;
		case ARM_INS_UDIV : case ARM_INS_SDIV : return CLASS_DIVIDE;
		case ARM_INS_LDR : case ARM_INS_LDRB : case ARM_INS_LDRH : case ARM_INS_LDRSB : case
		ARM_INS_LDRSH : case ARM_INS_LDRD : case ARM_INS_LDM : case ARM_INS_LDMDB : case ARM_INS_POP : case
		ARM_INS_TBB : case ARM_INS_TBH : return CLASS_LOAD;
		case ARM_INS_STR : case ARM_INS_STRB : case ARM_INS_STRH : case ARM_INS_STRD : case ARM_INS_STM : case
		ARM_INS_STMDB : case ARM_INS_PUSH : return CLASS_STORE;
		case ARM_INS_B : case ARM_INS_BL : case ARM_INS_BX : case ARM_INS_BLX : case ARM_INS_CBZ : case
		ARM_INS_CBNZ : return CLASS_BRANCH;
		default : return CLASS_OTHER;
	}
}

static enum class kind_of(struct emission *e, const struct machine_step *s) {
	struct kind *k = s->address / 2 < KINDS ? &e->kinds[s->address / 2] : NULL, fresh = {0}; if (!k) k = &fresh;
	if (!k->known){const uint8_t *code = (const uint8_t *)&s->code; size_t size = s->size; uint64_t at = s->address;
	               k->class = CLASS_OTHER;
	               if (cs_disasm_iter(e->handle, &code, &size, &at, e->insn)) k->class = class_of(e->insn->id);
	               k->known = true;}
return k->class;
}

static unsigned distance(uint32_t a, uint32_t b)
{
	return (unsigned)__builtin_popcount(a ^ b);
}

// Clocks of a division: it ends early when the quotient has few bits.
static unsigned clocks_of_division(const struct machine_step *s)
{
	uint32_t result = 1;
	for (int i = 0; i < 13; i++)
		if (s->before[i] != s->after[i])
			result = s->after[i];
	unsigned bits = result ? 32 - (unsigned)__builtin_clz(result) : 0;
	return 2 + bits * 10 / 32;
}

static unsigned clocks_of(const struct machine_step *s, enum class class, uint32_t next)
{
	unsigned n = 1;
	if (class == CLASS_LOAD || class == CLASS_STORE)
		n = 1 + (s->n ? s->n : 0);
	else if (class == CLASS_MULTIPLY)
		n = s->size == 4 ? 2 : 1;
	else if (class == CLASS_DIVIDE)
		n = clocks_of_division(s);
	if (next != s->address + s->size)
		n += 2; // the pipeline is filled again
	return n;
}

static void add_pulse(struct emission *e, float *clock, float height, float when, float width)
{
	for (unsigned i = 0; i < e->samples; i++) {
		float at = ((float)i + 0.5f) / (float)e->samples - when;
		clock[i] += height * expf(-at * at / (2 * width * width));
	}
}

// One instruction, when the one behind it is known.
static void emit(struct emission *e, const struct machine_step *s, const struct machine_step *next)
{
	enum class class = kind_of(e, s), behind = next ? kind_of(e, next) : CLASS_OTHER;
	unsigned clocks = clocks_of(s, class, next ? next->address : 0), changed = 0;
	for (int i = 0; i < MACHINE_REGISTERS - 1; i++)
		changed += distance(s->before[i], s->after[i]);
	changed = changed > 64 ? 64 : changed;
	for (unsigned c = 0; c < clocks; c++) {
		vec_reserve(&e->out, e->samples);
		float *clock = e->out.v + e->out.n;
		memset(clock, 0, e->samples * sizeof *clock);
		float scale = c == 0 ? 1 : 0.6f;
		add_pulse(e, clock, scale * (classes[class].height + classes[class].distance * (float)changed / 32),
		          classes[class].when, classes[class].width);
		if (c + 1 == clocks) {
			uint32_t code = next ? next->code : 0;
			add_pulse(e, clock, decode_height * classes[behind].height, classes[behind].when,
			          classes[behind].width);
			add_pulse(e, clock, fetch_height * (float)distance(code, e->fetched) / 16, fetch_when,
			          fetch_width);
			e->fetched = code;
		}
		if (c < s->n) {
			const struct machine_access *a = &s->accesses[c];
			unsigned d = distance(a->address, e->bus_address) + distance(a->value, e->bus_data);
			add_pulse(e, clock, bus_height * (float)d / 32, bus_when, bus_width);
			e->bus_address = a->address;
			e->bus_data = a->value;
		}
		e->out.n += e->samples;
	}
	e->clock += clocks;
}

uint64_t emission_step(struct emission *e, const struct machine_step *step)
{
	if (e->has_last)
		emit(e, &e->last, step);
	e->last = *step;
	e->has_last = true;
	return e->clock;
}

const float *emission_end(struct emission *e, size_t *n)
{
	if (e->has_last)
		emit(e, &e->last, NULL);
	e->has_last = false;
	*n = e->out.n;
	return e->out.v;
}
