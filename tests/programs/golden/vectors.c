// vectors: their elements, by scalarising
#include "golden.h"

typedef int int4 __attribute__((vector_size(16)));
typedef unsigned char byte16 __attribute__((vector_size(16)));
typedef float float4 __attribute__((vector_size(16)));
typedef int int8 __attribute__((vector_size(32)));
typedef short short2 __attribute__((vector_size(4)));

__attribute__((noinline)) static int4 twice(int4 v)
{
	return v + v;
}

int main(void)
{
	INPUT(int, a, 5);
	INPUT(float, f, 1.5f);
	int4 v = {a, 2, 3, 4}, w;
	IF(v[0] == 5);
	IF((v + 1)[0] == 6);
	IF(twice(v)[0] == 10);
	w = v > 3;
	IF(w[0] == -1);
	w = (v & (v > 4)) | (-v & ~(v > 4));
	IF(w[0] == 5);
	w = __builtin_shufflevector(v, v, 3, 0, 2, 1);
	IF(w[1] == 5);
	IF(__builtin_reduce_add(v) == 14);
	IF(__builtin_reduce_max(v) == 5);
	byte16 b = (byte16)v;
	IF(b[0] == 5);
	float4 g = {f, 1, 2, 3};
	IF((g * g)[0] == 2.25f);
	int4 i = __builtin_convertvector(g, int4);
	IF(i[0] == 1);
	int8 wide = {a, 1, 2, 3, 4, 5, 6, 7};
	IF((wide + wide)[0] == 10);
	short2 s = {(short)a, 1};
	IF(s[0] == 5);
	unsigned char n = 0;
	veer_make_symbolic(&n, 1, "n");
	IF(v[n & 3] == 5);
	return 0;
}
