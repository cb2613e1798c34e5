// Operators of expressions (abi/ops.def) and what is known of each.
//
// A function that does something for every operator switches over `enum trace_op` or `enum op_class` without a
// default, so that a new operator does not compile until it is handled there.
#ifndef VEER_ABI_OP_H
#define VEER_ABI_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/libm.h"

enum trace_op {
#define OP(NAME, operands, result, class, commutes, cost, infix, smt) OP_##NAME,
#include "abi/ops.def"
#undef OP
};

enum {
	OP_COUNT = 0
#define OP(NAME, operands, result, class, commutes, cost, infix, smt) +1
#include "abi/ops.def"
#undef OP
};

enum op_result { OP_RESULT_SAME, OP_RESULT_BIT, OP_RESULT_OWN };

enum op_class {
	OP_CLASS_LEAF,
	OP_CLASS_ARITHMETIC,
	OP_CLASS_DIVISION,
	OP_CLASS_SHIFT,
	OP_CLASS_BITWISE,
	OP_CLASS_COMPARISON,
	OP_CLASS_RESIZE,
	OP_CLASS_CHOICE,
	OP_CLASS_OVERFLOW,
	OP_CLASS_BIT_COUNT,
	OP_CLASS_TABLE,
	OP_CLASS_FLOAT, // of floats, a float; this class and those below work on floats
	OP_CLASS_FLOAT_COMPARISON,
	OP_CLASS_FLOAT_TO_INTEGER,
	OP_CLASS_INTEGER_TO_FLOAT,
	OP_CLASS_FLOAT_TO_FLOAT,
};

enum op_cost {
	OP_COST_WIRE,     // no gates
	OP_COST_LINEAR,   // in the width
	OP_COST_PRODUCT,  // quadratic, linear when one operand is a constant
	OP_COST_QUOTIENT, // quadratic
	OP_COST_SHIFTER,  // none when the distance is a constant
	OP_COST_COUNTER,  // quadratic
	OP_COST_TABLE,    // in the size of the table
};

static inline unsigned op_operands(unsigned op)
{
	static const uint8_t operands_of[] = {
#define OP(NAME, operands, result, class, commutes, cost, infix, smt) operands,
#include "abi/ops.def"
#undef OP
	};
	return operands_of[op];
}

static inline enum op_result op_result(unsigned op)
{
	static const uint8_t results[] = {
#define OP(NAME, operands, result, class, commutes, cost, infix, smt) OP_RESULT_##result,
#include "abi/ops.def"
#undef OP
	};
	return (enum op_result)results[op];
}

static inline enum op_class op_class(unsigned op)
{
	static const uint8_t classes[] = {
#define OP(NAME, operands, result, class, commutes, cost, infix, smt) OP_CLASS_##class,
#include "abi/ops.def"
#undef OP
	};
	return (enum op_class)classes[op];
}

static inline bool op_commutes(unsigned op)
{
	static const uint8_t commuting[] = {
#define OP(NAME, operands, result, class, commutes, cost, infix, smt) commutes,
#include "abi/ops.def"
#undef OP
	};
	return commuting[op];
}

static inline enum op_cost op_cost(unsigned op)
{
	static const uint8_t costs[] = {
#define OP(NAME, operands, result, class, commutes, cost, infix, smt) OP_COST_##cost,
#include "abi/ops.def"
#undef OP
	};
	return (enum op_cost)costs[op];
}

static inline bool op_is_float(unsigned op)
{
	return op_class(op) >= OP_CLASS_FLOAT;
}

// All operators on floats, for a switch that does the same with them; the compiler sees it when one is missing.
#define OP_CASES_FLOAT                                                                                                 \
	case OP_FADD:                                                                                                  \
	case OP_FSUB:                                                                                                  \
	case OP_FMUL:                                                                                                  \
	case OP_FDIV:                                                                                                  \
	case OP_FNEG:                                                                                                  \
	case OP_FABS:                                                                                                  \
	case OP_FSQRT:                                                                                                 \
	case OP_FEQ:                                                                                                   \
	case OP_FLT:                                                                                                   \
	case OP_FLE:                                                                                                   \
	case OP_FUNO:                                                                                                  \
	case OP_FTOUI:                                                                                                 \
	case OP_FTOSI:                                                                                                 \
	case OP_UITOF:                                                                                                 \
	case OP_SITOF:                                                                                                 \
	case OP_FTOF:                                                                                                  \
	case OP_FCALL:                                                                                                 \
	case OP_FCALL2:                                                                                                \
	case OP_FMA:                                                                                                   \
	case OP_DECIMAL:                                                                                               \
	case OP_DIGITS

// What a node has besides its operands: the lowest bit of EXTRACT in b, the function of FCALL in b and of FCALL2 in c.
enum op_extra { OP_EXTRA_NONE, OP_EXTRA_B, OP_EXTRA_C };
static inline enum op_extra op_extra(unsigned op)
{
	return op == OP_EXTRACT || op == OP_FCALL ? OP_EXTRA_B : op == OP_FCALL2 ? OP_EXTRA_C : OP_EXTRA_NONE;
}

// Can it be evaluated only: no solver knows more of it than its value? `b`: the node's.
static inline bool op_is_opaque(unsigned op, uint32_t b)
{
	return (op == OP_FCALL && !libm_rounding(b)) || op == OP_FCALL2 || op == OP_DECIMAL || op == OP_DIGITS;
}

// One bit, whatever the width of the operands.
static inline bool op_gives_bit(unsigned op)
{
	return op_result(op) == OP_RESULT_BIT;
}

static inline const char *op_name(unsigned op)
{
	static const char *const words[] = {
#define OP(NAME, operands, result, class, commutes, cost, infix, smt) #NAME,
#include "abi/ops.def"
#undef OP
	};
	return words[op];
}

// NULL: printed as a function.
static inline const char *op_infix(unsigned op)
{
	static const char *const words[] = {
#define OP(NAME, operands, result, class, commutes, cost, infix, smt) infix,
#include "abi/ops.def"
#undef OP
	};
	return words[op];
}

// NULL: has no SMT-LIB function of its own.
static inline const char *op_smt(unsigned op)
{
	static const char *const words[] = {
#define OP(NAME, operands, result, class, commutes, cost, infix, smt) smt,
#include "abi/ops.def"
#undef OP
	};
	return words[op];
}

#endif
