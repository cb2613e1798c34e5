// Laying out struct site constants (abi/site.h) in an instrumented module.
#ifndef VEER_INSTRUMENT_SITE_H
#define VEER_INSTRUMENT_SITE_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct graph_plan;

struct site_maker {
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMTypeRef i32, i64, pointer, type;
	// Neighbouring sites share their names.
	LLVMValueRef function, function_name;
	char *file;
	LLVMValueRef file_name;
	// The name of an instruction in the unit's graph; NULL: there is none.
	uint64_t (*point)(const struct graph_plan *graph, LLVMValueRef at);
	const struct graph_plan *graph;
};

void site_maker_init(struct site_maker *s, LLVMModuleRef module);
void site_maker_release(struct site_maker *s);

// A site at the debug location of `at`, an instruction inside `function`.
LLVMValueRef site_make(struct site_maker *s, LLVMValueRef function, LLVMValueRef at, unsigned kind);

// The same with the cases of a switch.
LLVMValueRef site_make_switch(struct site_maker *s, LLVMValueRef function, LLVMValueRef at);

// The operand of llvm.ubsantrap when the instruction is a call of it, else -1.
int site_trap_kind(LLVMValueRef instruction);

// The same when the block does nothing but trap, else -1.
int site_trap_block(LLVMBasicBlockRef block);

// Part of a sanitizer's check, not of the program: clang marks what it adds.
bool site_is_sanitizer(LLVMValueRef instruction);

// A comparison of a pointer with null: half of a check for null and alignment.
int site_is_null_check(LLVMValueRef v);

#endif
