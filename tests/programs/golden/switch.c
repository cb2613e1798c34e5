// switch: a case, none of them, ranges, signed values, wide values
#include "golden.h"

int main(void)
{
	INPUT(int, a, -3);
	INPUT(unsigned char, c, 'q');
	INPUT(unsigned long, l, 1ul << 40);
	switch (a) {
	case -3: taken = 1; break;
	case 4: taken = 2; break;
	}
	switch (c) {
	case 'a': taken = 3; break;
	case 'b': taken = 4; break;
	default: taken = 5;
	}
	switch (a) {
	case -10 ... 10: taken = 6; break;
	case 100 ... 100000: taken = 7; break;
	}
	switch (l) {
	case 1ul << 40: taken = 8; break;
	case 7: taken = 9;
	}
	switch (l > 5) {
	case 1: taken = 10; break;
	}
	return 0;
}
