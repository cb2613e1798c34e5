// What functions of libm give, for evaluation.
#define LIBM_REAL(name) name
#include "abi/libm_eval.h"
