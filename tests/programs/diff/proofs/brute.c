// Both versions of each function, on all numbers: prints "NAME same" or "NAME different", a line each.
#include <stdio.h>
#define V(name) old_##name
#include "functions.h"
#undef V
#define NEW
#define V(name) new_##name
#define u8 new_u8
#define s8 new_s8
#include "functions.h"

#define TRY(name)                                                                                                      \
	for (int a = 0; a < 256; a++)                                                                                  \
		for (int b = 0; b < 256; b++)                                                                          \
			same &= old_##name(a, b) == new_##name(a, b);                                                  \
	printf(#name " %s\n", same ? "same" : "different");                                                            \
	same = 1

int main(void)
{
	int same = 1;
	TRY(saturate);
	TRY(remainder);
	TRY(signed_remainder);
	TRY(larger);
	TRY(average);
	TRY(triple);
	TRY(one_value);
	TRY(one_pair);
	TRY(letter);
	TRY(digit);
	TRY(clamp);
	TRY(lost_case);
	TRY(absolute);
	TRY(shifted);
	TRY(parts);
	TRY(member);
	TRY(table);
	TRY(exchange);
	return 0;
}
