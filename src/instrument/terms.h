// Values that a function's code computes, as terms: constants, operations on other terms, and what is not known. Equal
// terms are made once, so equal numbers stand for equal values. Operations on constants, and some that hide others
// (comparisons of a comparison with 0), are simplified.
#ifndef VEER_INSTRUMENT_TERMS_H
#define VEER_INSTRUMENT_TERMS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"

enum term_kind { TERM_UNKNOWN = 1, TERM_CONSTANT, TERM_OPERATION };

struct term {
	enum term_kind kind;
	uint32_t opcode; // LLVM's, of an operation; its operands beyond two: see term_of_all
	uint64_t extra;  // what tells operations of one opcode apart; a constant's value; an unknown's name
	uint32_t a, b;   // of an operation
	uint32_t width;  // in bits; 0: no integer of up to 64 bits
};

struct term_slot {
	struct term term;
	uint32_t number; // 0: a free slot
};
MAP(term_map, struct term_slot);

struct terms {
	struct term_map map;
	struct term *v; // by number; v[0]: none
	uint32_t n, cap;
	uint64_t fresh;
};

void terms_init(struct terms *t);
void terms_release(struct terms *t);

uint32_t term_constant(struct terms *t, uint32_t width, uint64_t value);
uint32_t term_unknown(struct terms *t, const void *of, uint32_t width); // the same for the same `of`
uint32_t term_fresh(struct terms *t, uint32_t width);                   // equal to no other
uint32_t term_operation(struct terms *t, LLVMOpcode opcode, uint64_t extra, uint32_t a, uint32_t b, uint32_t width);
uint32_t term_not(struct terms *t, uint32_t a); // of one bit
// Whether it is this constant.
bool term_is(const struct terms *t, uint32_t term, uint64_t value);

uint64_t term_mask(uint32_t width);
int64_t term_signed(uint64_t value, uint32_t width);
bool term_compare(LLVMIntPredicate predicate, uint64_t a, uint64_t b, uint32_t width);

#endif
