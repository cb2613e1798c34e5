// What a run needs that begins at a block: which temporaries and which local variables may be read there before they
// are written. Of a function as clang made it, before any pass.
#ifndef VEER_INSTRUMENT_LIVE_H
#define VEER_INSTRUMENT_LIVE_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "instrument/tracer.h"

struct live;

// `named`: has the places in memory that debug information gives a name (instrument/variables.h), of this function and
// maybe of others. They are allocas, or parameters: structures that are passed by value, and the room for a result that
// is a local variable.
struct live *live_new(LLVMValueRef function, const struct label_map *named);
void live_free(struct live *l);

// Whether a run cannot begin at the block: a value is computed before and used there or behind, and debug information
// has no name for it.
bool live_temporary(const struct live *l, LLVMBasicBlockRef block);

// Calls `each` for the function's variables that may be read before they are written, by one who begins at the block,
// in the order of the function's code. A variable whose address is taken is read where the address is taken: whoever
// begins at the block has no older pointers to it.
void live_each(const struct live *l, LLVMBasicBlockRef block, void (*each)(LLVMValueRef place, void *opaque),
               void *opaque);

#endif
