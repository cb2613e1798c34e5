// what compilers know of <math.h>; where labels end, the log says so
#include "golden.h"

int main(void)
{
	INPUT(double, d, -2.25);
	INPUT(float, f, 9);
	IF(__builtin_fabs(d) == 2.25);
	IF(__builtin_fabsf(f) == 9);
	IF(__builtin_elementwise_sqrt(__builtin_fabs(d)) == 1.5);
	IF(__builtin_isnan(d));
	IF(__builtin_isunordered(d, 1.0));
	IF(__builtin_isinf(d));
	IF(__builtin_isfinite(d));
	IF(__builtin_isnormal(d));
	IF(__builtin_issubnormal(d));
	IF(__builtin_iszero(f));
	IF(__builtin_issignaling(d));
	IF(__builtin_isfpclass(d, 0x220)); // +infinity or -0
	IF(__builtin_signbit(d));
	IF(__builtin_islessgreater(d, 1.0));
	IF(__builtin_isgreater(d, 1.0));
	IF(__builtin_islessequal(d, 1.0));
	IF(__builtin_copysign(3.0, d) == -3.0);
	IF(__builtin_fmin(d, 1.0) == -2.25);
	IF(__builtin_fmax(d, 1.0) == 1.0);
	IF(d * 2 + 1 == -3.5);
	IF(__builtin_fma(d, 2.0, 1.0) == -3.5);
	IF(__builtin_floor(d) == -3);
	IF(__builtin_trunc(d) == -2);
	IF((_Float16)f == 9);
	return 0;
}
