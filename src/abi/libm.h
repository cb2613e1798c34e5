// The functions of abi/libm.def, and some parts of others, as numbers and by name.
#ifndef VEER_ABI_LIBM_H
#define VEER_ABI_LIBM_H

#include <stdbool.h>
#include <stddef.h>

enum libm {
#define LIBM(name, operands, rounding) LIBM_##name,
#include "abi/libm.def"
#undef LIBM
	// What functions with two results give; these are in libc.
	LIBM_frexp_fraction, // 0.5 <= |r| < 1
	LIBM_frexp_exponent, // as a float
	LIBM_modf_fraction,
	LIBM_scalb, // a * 2^b, b being an integer
	LIBM_COUNT
};

enum libm_rounding { LIBM_NONE, LIBM_RNE, LIBM_RNA, LIBM_RTP, LIBM_RTN, LIBM_RTZ };

static inline unsigned libm_operands(unsigned f)
{
	static const unsigned char operands_of[] = {
#define LIBM(name, operands, rounding) operands,
#include "abi/libm.def"
#undef LIBM
		1, 1, 1, 2};
	return f < LIBM_COUNT ? operands_of[f] : 0;
}

static inline enum libm_rounding libm_rounding(unsigned f)
{
	static const enum libm_rounding roundings[] = {
#define LIBM(name, operands, rounding) LIBM_##rounding,
#include "abi/libm.def"
#undef LIBM
		LIBM_NONE, LIBM_NONE, LIBM_NONE, LIBM_NONE};
	return roundings[f];
}

static inline const char *libm_name(unsigned f)
{
	static const char *const names[] = {
#define LIBM(name, operands, rounding) #name,
#include "abi/libm.def"
#undef LIBM
		"frexp_fraction", "frexp_exponent", "modf_fraction", "scalb"};
	return names[f];
}

#endif
