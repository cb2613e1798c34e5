// One translation unit in LLVM: from bitcode to an object file.
#ifndef VEER_INSTRUMENT_MODULE_H
#define VEER_INSTRUMENT_MODULE_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/Config/llvm-config.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/hash.h"

struct module {
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMTargetMachineRef machine;
	struct hash hash; // of the bitcode
};

// Once per process, before anything else here.
void module_setup(void);

// Reads bitcode that somebody else may have damaged: all of LLVM's complaints
// become *err, and the module is verified.
int module_load(struct module *ret, const char *path, struct err *err);
void module_release(struct module *m);

// Calls of the function bypass lazy binding. A must for preserve_most: the loader's
// resolver, which runs at the first call, saves fewer registers than that promises.
void module_call_directly(LLVMValueRef function);

// `from` has become a predecessor of `to`: the phis there get the values for it that
// they have for `like`.
void module_join_like(LLVMBasicBlockRef to, LLVMBasicBlockRef like, LLVMBasicBlockRef from);

// A branch on a condition, and a jump without one: one kind of instruction up to LLVM 22, two from 23 on.
bool module_branches(LLVMValueRef i);
bool module_jumps(LLVMValueRef i);
#if LLVM_VERSION_MAJOR < 23
enum { LLVMCondBr = LLVMBr };
#endif

// The value of a case of a switch, whose successor it is the number of: 1 and up (0 is the default).
LLVMValueRef module_case_value(LLVMValueRef at, unsigned successor);

// Adds an element to the end of a list that the linker makes of those of all units, such as llvm.used. Returns the
// list.
LLVMValueRef module_append(LLVMModuleRef module, const char *list, LLVMValueRef element);

// Adds a function to such a list: llvm.global_ctors, of those that run before main, ahead of the program's own, or
// llvm.global_dtors, of those that run when the unit is unloaded, behind them.
void module_run_in(LLVMModuleRef module, const char *list, LLVMValueRef function);

// Gives `to` the attributes that `from` has at that index (of the result, of a parameter, of the whole), unless they
// are unusually many. Each of them is a function or a call.
void module_copy_attributes(LLVMValueRef to, LLVMValueRef from, unsigned index);

// Whether a function is an intrinsic of LLVM's; whether an instruction calls; what a pointer was computed from by steps
// into its object.
bool module_is_intrinsic(LLVMValueRef callee);
bool module_is_call(LLVMValueRef instruction);
LLVMValueRef module_base(LLVMValueRef pointer);

// Moves all instructions of `from` to the end of `to`.
void module_move_all(LLVMBasicBlockRef to, LLVMBasicBlockRef from);

// Likewise those before `until`, which is one of them, or NULL.
void module_move_until(LLVMBasicBlockRef to, LLVMBasicBlockRef from, LLVMValueRef until);

// Runs a pass pipeline in opt's textual form.
int module_run_passes(struct module *m, const char *pipeline, struct err *err);

int module_emit_object(struct module *m, const char *path, struct err *err);
int module_emit_bitcode(struct module *m, const char *path, struct err *err);

#endif
