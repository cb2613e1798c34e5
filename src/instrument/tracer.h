// Inside of the instrumenter for the traced variant.
//
// Needs: bitcode as veer-cc makes it, after sroa and early-cse. Fills in: for each
// value of a type that can be tracked a label, an i32 computed beside it by calls
// of the inline helpers (runtime/trace/inline.c). Values without labels cost
// nothing: a label known to be 0 at compile time is the constant `zero`.
#ifndef VEER_INSTRUMENT_TRACER_H
#define VEER_INSTRUMENT_TRACER_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stddef.h>

#include "instrument/site.h"

enum { LEAVES = 4 }; // structures in registers: labels for their first members

struct labels {
	LLVMValueRef leaf[LEAVES]; // leaf[0] of an ordinary value
};

struct label_map { // from values to labels; open addressing
	struct label_entry {
		LLVMValueRef value;
		struct labels labels;
	} * slots;
	size_t used, cap;
};

struct tracer {
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMTargetDataRef layout;
	LLVMTypeRef i1, i32, i64, pointer;
	LLVMValueRef zero; // the label of concrete values
	struct site_maker sites;
	struct label_map map;
	LLVMValueRef function;       // being instrumented
	LLVMValueRef saved_variadic; // of a variadic function
};

// --- tracer.c: values, labels, helpers ---------------------------------------------

// Bits of a type that a label can stand for; 0 when it cannot.
unsigned tracer_width(const struct tracer *t, LLVMTypeRef type);

// Number of tracked leaves of a type: 1 for scalars, up to LEAVES for structures.
unsigned tracer_leaves(const struct tracer *t, LLVMTypeRef type);

LLVMValueRef tracer_label(const struct tracer *t, LLVMValueRef value);
struct labels tracer_labels(const struct tracer *t, LLVMValueRef value);
void tracer_set_label(struct tracer *t, LLVMValueRef value, LLVMValueRef label);
void tracer_set_labels(struct tracer *t, LLVMValueRef value, struct labels labels);

// The value's bits as i64: the low 64, and the rest.
LLVMValueRef tracer_low(struct tracer *t, LLVMValueRef value);
LLVMValueRef tracer_high(struct tracer *t, LLVMValueRef value);

LLVMValueRef tracer_i32(const struct tracer *t, unsigned value);
LLVMValueRef tracer_i64(const struct tracer *t, unsigned long long value);

// Calls the inline helper __veer_h_NAME. The arguments end with NULL.
LLVMValueRef tracer_call(struct tracer *t, const char *name, ...);

LLVMValueRef tracer_site(struct tracer *t, LLVMValueRef at);
LLVMValueRef tracer_or(struct tracer *t, LLVMValueRef a, LLVMValueRef b); // of labels

void tracer_before(struct tracer *t, LLVMValueRef instruction);
void tracer_after(struct tracer *t, LLVMValueRef instruction);

// Labels are lost here: says so if there are any among the operands.
void tracer_unknown(struct tracer *t, LLVMValueRef instruction);

// A label for an operation on two values of the same type; op from abi/trace.h.
LLVMValueRef tracer_binary(struct tracer *t, unsigned op, bool negate, LLVMValueRef a, LLVMValueRef b,
                           LLVMValueRef result);

// --- trace_ops.c, trace_memory.c, trace_call.c: one function per kind ----------------

void trace_instruction(struct tracer *t, LLVMValueRef instruction);
void trace_memory(struct tracer *t, LLVMValueRef instruction);
void trace_call(struct tracer *t, LLVMValueRef call);
void trace_return(struct tracer *t, LLVMValueRef ret);
void trace_entry(struct tracer *t);

// --- trace_gate.c: checks of undefined behaviour -----------------------------------------

void trace_gate_checks(struct tracer *t); // before anything else in a function
bool trace_is_gate(LLVMValueRef branch);
void trace_gate(struct tracer *t, LLVMValueRef branch);
bool trace_gate_call(struct tracer *t, LLVMValueRef call); // false when it is an ordinary call

#endif
