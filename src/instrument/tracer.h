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
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"
#include "instrument/module.h"
#include "instrument/site.h"

enum { LEAVES = 4 }; // structures in registers: labels for their first members

struct value_list {
	LLVMValueRef *v;
	size_t n, cap;
};

struct labels {
	LLVMValueRef leaf[LEAVES]; // leaf[0] of an ordinary value
};

struct label_entry {
	LLVMValueRef value;
	struct labels labels;
};
MAP(label_map, struct label_entry); // from values to labels

// Functions that compute checks, by what they compute.
struct check_entry {
	struct hash key; // of what it computes, written down
	LLVMValueRef function;
};
MAP(check_table, struct check_entry);

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
	LLVMValueRef frame;          // of a function with variables to register
	LLVMValueRef dynamic;        // head of the list of its variables whose size is not fixed
	LLVMValueRef kept_frames;    // of a function that calls setjmp
	struct check_table checks;
	struct label_map direct; // functions of trace_direct.c, and what they were, both ways
	bool models;             // the unit has models of libc
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

void value_list_push(struct value_list *l, LLVMValueRef v);

// One pointer per value, instead of labels; NULL when there is none.
void *label_map_get(const struct label_map *m, LLVMValueRef value);
void label_map_set(struct label_map *m, LLVMValueRef value, void *what);
// Whether the value was not there; it is afterwards.
bool label_map_add(struct label_map *m, LLVMValueRef value);

// Calls the runtime's entry __veer_t_NAME (abi/entries.def) or the inline helper
// __veer_h_NAME. The arguments end with NULL.
LLVMValueRef tracer_call(struct tracer *t, const char *name, ...);

// Which arguments of an entry are labels or marks, a bit each, and whether it changes
// labels of memory. 0 when it is none of abi/entries.def.
unsigned tracer_entry(const char *name, bool *ret_writes);

// A mark: may memory have labels? For the 4 KiB from an address on, and for other sizes.
LLVMValueRef tracer_mark(struct tracer *t, LLVMValueRef address);
LLVMValueRef tracer_present(struct tracer *t, LLVMValueRef address, LLVMValueRef size);

void tracer_clear(struct tracer *t, LLVMValueRef address, LLVMValueRef size); // labels of memory

LLVMValueRef tracer_site(struct tracer *t, LLVMValueRef at);
LLVMValueRef tracer_or(struct tracer *t, LLVMValueRef a, LLVMValueRef b); // of labels

// The first way of a branch is hardly ever taken.
void tracer_mark_unlikely(struct tracer *t, LLVMValueRef branch);

void tracer_begin(struct tracer *t, LLVMValueRef function);
void tracer_before(struct tracer *t, LLVMValueRef instruction);
void tracer_after(struct tracer *t, LLVMValueRef instruction);

// Labels are lost here: says so if there are any among the operands.
void tracer_unknown(struct tracer *t, LLVMValueRef instruction);

// A label for an operation on two values of the same type; op from abi/trace.h.
// The label of `result`: a function of abi/libm.h (FMA: LIBM_COUNT) of these operands.
void tracer_function(struct tracer *t, LLVMValueRef result, unsigned function, unsigned n,
                     const LLVMValueRef *operands);
// A float of a format that expressions have: no vector.
bool tracer_is_float(LLVMTypeRef type);
LLVMValueRef tracer_binary(struct tracer *t, unsigned op, bool negate, LLVMValueRef a, LLVMValueRef b,
                           LLVMValueRef result);

// --- trace_ops.c, trace_memory.c, trace_call.c: one function per kind ----------------
// What calls are made of: trace_variadic.c, trace_intrinsic.c, trace_assembler.c.

void trace_instruction(struct tracer *t, LLVMValueRef instruction);
void trace_memory(struct tracer *t, LLVMValueRef instruction);
// `instruction` is about to touch `size` bytes at a pointer: that must be in its object.
void trace_extent(struct tracer *t, LLVMValueRef instruction, LLVMValueRef pointer, LLVMValueRef size);
void trace_call(struct tracer *t, LLVMValueRef call);
void trace_return(struct tracer *t, LLVMValueRef ret);
void trace_entry(struct tracer *t);
void trace_intrinsic(struct tracer *t, LLVMValueRef call, const char *name);
void trace_assembler(struct tracer *t, LLVMValueRef call);
// Passes the labels of the arguments of `call` from number `fixed` on.
void trace_pass_variadic(struct tracer *t, LLVMValueRef call, LLVMValueRef callee, unsigned fixed);
// The type of an argument, or a function's parameter, that is passed by value in memory; NULL when it is not.
LLVMTypeRef trace_byval(LLVMValueRef call, unsigned index);
// The argument's label; for a structure passed by value, whether its memory may have any.
LLVMValueRef trace_argument(struct tracer *t, LLVMValueRef call, unsigned index);

// --- trace_model.c: functions of libc ------------------------------------------------------

void trace_models(struct tracer *t); // before everything else in a unit
bool trace_is_modelled(LLVMValueRef callee);
bool trace_is_plain(LLVMValueRef callee);                       // needs no model
bool trace_is_foreign(LLVMValueRef callee);                     // of the system, without a model
bool trace_takes_constant(LLVMValueRef callee, unsigned index); // the argument points to something const

// --- trace_lower.c: operations made of simpler ones ----------------------------------------

void trace_lower(struct tracer *t); // before anything else in a function

// A call of an intrinsic on two values of a type.
LLVMValueRef tracer_intrinsic(struct tracer *t, const char *name, LLVMValueRef a, LLVMValueRef b);

// --- trace_direct.c: labels as parameters ---------------------------------------------------

void trace_direct(struct tracer *t); // before instrumentation
// Each returns false when the called function takes and leaves labels as others do.
bool trace_direct_entry(struct tracer *t);
bool trace_direct_call(struct tracer *t, LLVMValueRef call, LLVMValueRef callee); // the call is gone if true
bool trace_direct_return(struct tracer *t, LLVMValueRef ret);
void trace_direct_finish(struct tracer *t); // after all functions

// --- trace_gate.c: checks of undefined behaviour -----------------------------------------

void trace_gate_detach(LLVMModuleRef module); // before all passes: nothing is concluded from checks
void trace_gate_checks(struct tracer *t);     // before instrumentation
bool trace_is_check(LLVMValueRef callee);
void trace_check_call(struct tracer *t, LLVMValueRef call);
unsigned trace_check_labels(unsigned n_arguments); // index of the first label among them
void trace_gate_finish(struct tracer *t);          // after all functions

// --- trace_object.c: variables that the runtime has to know -------------------------------

void trace_frame(struct tracer *t, LLVMValueRef first); // `first`: the function's first instruction
void trace_frame_return(struct tracer *t, LLVMValueRef ret);
bool trace_is_dynamic(LLVMValueRef variable); // an alloca that the function's entry does not make
void trace_dynamic(struct tracer *t, LLVMValueRef variable, LLVMValueRef size);
void trace_stack_restore(struct tracer *t, LLVMValueRef call); // of llvm.stackrestore
// Calls of setjmp and longjmp, whose result comes from elsewhere. False for any other call.
bool trace_jump_call(struct tracer *t, LLVMValueRef call);
void trace_globals(struct tracer *t);                              // after all functions
void tracer_run_at_start(struct tracer *t, LLVMValueRef function); // before the program's own constructors

struct graph_plan;

// --- trace_cover.c: what ran -----------------------------------------------------------------

struct cover_plan;
struct markers_table; // markers.h
// Before all passes. `markers`: segments are counted, too; NULL: they are not.
struct cover_plan *trace_cover_plan(struct module *m, const struct markers_table *markers);
void trace_cover_insert(struct cover_plan *p);                         // before instrumentation
void trace_cover_finish(struct tracer *t, const struct cover_plan *p); // after it
void trace_cover_free(struct cover_plan *p);
bool trace_cover_has(LLVMValueRef function); // counters, or could have
// The first counter of a branch, that of a target of a switch; UINT32_MAX: it has none.
uint32_t trace_cover_branch(const struct cover_plan *p, LLVMValueRef end);
uint32_t trace_cover_target(const struct cover_plan *p, LLVMBasicBlockRef block);
bool trace_cover_decides(const struct cover_plan *p, LLVMValueRef end); // has either
const struct graph_plan *trace_cover_graph(const struct cover_plan *p); // NULL: the unit is left out

// --- trace_paths.c: the segments that ran -------------------------------------------------------

// Where the table of a function's segments takes source lines from.
struct paths_source {
	void *opaque;
	uint32_t (*file)(void *opaque, LLVMMetadataRef scope); // its number
	// Appends file and line of each of a block's lines; returns how many.
	uint32_t (*lines)(void *opaque, LLVMBasicBlockRef block, struct buf *out);
	uint32_t (*point)(void *opaque, LLVMValueRef end); // of the graph, plus 1; 0: none
};

struct paths_plan;
struct paths_plan *trace_paths_plan(const struct markers_table *markers);      // before all passes
uint32_t trace_paths_count(const struct paths_plan *p, LLVMValueRef function); // segments that get bytes
// Adds the function's segments, of which there are some, as an item of its table, with bytes from number `first` on.
// Makes blocks on edges of switches, after all others that look at the function before the passes.
void trace_paths_describe(struct paths_plan *p, LLVMValueRef function, uint32_t first,
                          const struct paths_source *source, struct buf *items);
void trace_paths_insert(struct paths_plan *p, LLVMModuleRef module); // before instrumentation
void trace_paths_finish(struct paths_plan *p, LLVMValueRef pages);   // after it
void trace_paths_free(struct paths_plan *p);

// --- trace_pages.c: the counters' memory, and what describes it --------------------------------

LLVMValueRef trace_pages_make(struct module *m, uint32_t count, bool segments);
void trace_pages_describe(struct module *m, LLVMValueRef pages, uint32_t count, const struct buf *table,
                          const struct graph_plan *graph, const struct strv *words);

// --- trace_words.c: what its conditions compare with ----------------------------------------------

void trace_words_find(const struct module *m, struct strv *words);                          // before all passes
void trace_words_record(const struct module *m, const struct strv *words, struct buf *out); // as in abi/words.h

// --- trace_graph.c: what the code looks like ----------------------------------------------------

struct graph_plan *trace_graph_plan(struct module *m, const struct cover_plan *cover); // before all passes
void trace_graph_name_calls(struct graph_plan *p);                                     // before instrumentation
uint64_t trace_graph_point(const struct graph_plan *p, LLVMValueRef at);               // its name, or 0
uint32_t trace_graph_number(const struct graph_plan *p, LLVMValueRef at);              // likewise, plus 1
void trace_graph_record(const struct graph_plan *p, struct buf *out);                  // as in abi/graph.h
void trace_graph_free(struct graph_plan *p);

// --- trace_batch.c: few tests instead of many --------------------------------------------

void trace_batch(struct tracer *t); // after everything else in a function

#endif
