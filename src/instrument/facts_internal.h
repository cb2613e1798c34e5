// Inside of facts.h: how code becomes bytes that are hashed.
#ifndef VEER_INSTRUMENT_FACTS_INTERNAL_H
#define VEER_INSTRUMENT_FACTS_INTERNAL_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "abi/facts.h"
#include "base/buf.h"
#include "base/map.h"
#include "instrument/shapes.h"

struct facts_slot {
	const void *value; // NULL: free
	uint32_t number;
};
MAP(facts_numbers, struct facts_slot);
MAP_FUNCTIONS(facts_numbers, struct facts_numbers, const void *, .value, .value, map_hash_pointer, map_same_pointer)

struct facts_name {
	const void *place; // NULL: free
	const char *text;
	unsigned size;
};
MAP(facts_names, struct facts_name);
MAP_FUNCTIONS(facts_names, struct facts_names, const void *, .place, .place, map_hash_pointer, map_same_pointer)

// What is being hashed.
struct facts_key {
	const struct shapes *shapes;
	LLVMTargetDataRef layout;
	bool by_name;         // members of structures by name, in place of their numbers and layouts
	bool silent;          // without literals that are passed to functions
	LLVMValueRef own;     // function: its name does not count
	LLVMValueRef call;    // whose arguments are being added; NULL: none
	struct strv *symbols; // in order of first use; NULL: symbols are part of the key
	struct buf bytes;
};

// --- facts_key.c: types and constants ---------------------------------------------------------------

void facts_add_type(struct facts_key *k, LLVMTypeRef type);
void facts_add_constant(struct facts_key *k, LLVMValueRef v);
// The member of a structure, by its name if the key wants that and debug information knows it.
void facts_add_member(struct facts_key *k, LLVMTypeRef structure, unsigned member);
// The symbol of the linker, without what clang adds to tell static variables of one name apart.
char *facts_symbol(LLVMValueRef v);

// --- facts_code.c: functions and blocks -------------------------------------------------------------

// Of a whole function: the key's bytes. Blocks are numbered in reverse post order, values in order of first use.
void facts_add_function(struct facts_key *k, LLVMValueRef function);

// The function's list of blocks (abi/facts.h), those of a chain as one. `names`: of variables, by where they live.
void facts_add_blocks(const struct shapes *shapes, LLVMTargetDataRef layout, const struct facts_names *names,
                      LLVMValueRef function, struct buf *out);

// --- facts_clean.c ----------------------------------------------------------------------------------

// Takes the sanitizers' checks out of the module: their branches, and what only these need.
void facts_drop_checks(LLVMModuleRef module);

#endif
