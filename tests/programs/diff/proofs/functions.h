// Functions of two small numbers, in two versions: V(NAME) names one, NEW chooses the new version. Some pairs are the
// same for all numbers, some differ, a few of them for a single pair of numbers; brute.c finds out which by trying all.
typedef unsigned char u8;
typedef signed char s8;

int V(saturate)(u8 a, u8 b)
{
#ifndef NEW
	int sum = a + b;
	return sum > 255 ? 255 : sum;
#else
	u8 sum = (u8)(a + b);
	if (sum < a)
		return 255;
	return sum;
#endif
}

int V(remainder)(u8 a, u8 b)
{
#ifndef NEW
	return a % 8 + b / 4;
#else
	return (a & 7) + (b >> 2);
#endif
}

int V(signed_remainder)(s8 a, s8 b)
{
#ifndef NEW
	return a % 8 + b;
#else
	return (a & 7) + b;
#endif
}

int V(larger)(s8 a, s8 b)
{
#ifndef NEW
	return a > b ? a : b;
#else
	if (b >= a)
		return b;
	return a;
#endif
}

int V(average)(s8 a, s8 b)
{
#ifndef NEW
	return (a + b) / 2;
#else
	return a + (b - a) / 2;
#endif
}

int V(triple)(s8 a, s8 b)
{
#ifndef NEW
	return 3 * (a - b);
#else
	int t = a + a + a;
	return t - b - 2 * b;
#endif
}

int V(one_value)(u8 a, u8 b)
{
#ifndef NEW
	return 3 * a + b;
#else
	return a + a + a + (a == 177) + b;
#endif
}

int V(one_pair)(u8 a, u8 b)
{
#ifndef NEW
	return a ^ b;
#else
	return (a | b) - (a & b) + (a * 256 + b == 51966);
#endif
}

int V(letter)(u8 a, u8 b)
{
#ifndef NEW
	return ((a >= 'a' && a <= 'z') || (a >= 'A' && a <= 'Z')) && b;
#else
	if (!b)
		return 0;
	return (unsigned)(a | 32) - 'a' < 26;
#endif
}

int V(digit)(u8 a, u8 b)
{
#ifndef NEW
	return a >= '0' && a <= '9' ? a - '0' : b;
#else
	return a > '0' && a <= '9' ? a - '0' : b;
#endif
}

int V(clamp)(s8 a, s8 b)
{
#ifndef NEW
	if (a < -b)
		return -b;
	if (a > b)
		return b;
	return a;
#else
	int most = a > b ? b : a;
	return a < -b ? -b : most;
#endif
}

int V(lost_case)(u8 a, u8 b)
{
	switch (a) {
	case 3: return b;
	case 7: return b + 1;
#ifndef NEW
	case 250: return 5;
#endif
	default: return 0;
	}
}

int V(absolute)(s8 a, s8 b)
{
#ifndef NEW
	return (s8)(a < 0 ? -a : a) + b;
#else
	s8 sign = a >> 7;
	return (a ^ sign) - sign + b;
#endif
}

int V(shifted)(u8 a, u8 b)
{
#ifndef NEW
	return b < 8 ? a << b : 0;
#else
	int x = a;
	if (b >= 8)
		return 0;
	if (b & 4)
		x *= 16;
	if (b & 2)
		x *= 4;
	return b & 1 ? x + x : x;
#endif
}

struct V(two) {
	u8 low, high;
};

static struct V(two) V(split)(u8 a)
{
	return (struct V(two)){a & 15, a >> 4};
}

int V(parts)(u8 a, u8 b)
{
	struct V(two) x = V(split)(a);
#ifndef NEW
	return x.high * 16 + x.low + b;
#else
	return (x.high << 4 | x.low) + b;
#endif
}

int V(member)(u8 a, u8 b)
{
	struct V(two) x = V(split)(a);
#ifndef NEW
	return b > x.high ? x.low : x.high;
#else
	return b >= x.high ? x.low : x.high;
#endif
}

int V(table)(u8 a, u8 b)
{
#ifndef NEW
	static const u8 of[4] = {2, 3, 5, 7};
	return of[a & 3] + b;
#else
	switch (a % 4) {
	case 0: return 2 + b;
	case 1: return 3 + b;
	case 2: return 5 + b;
	}
	return 7 + b;
#endif
}

int V(exchange)(s8 a, s8 b)
{
#ifndef NEW
	int old = a;
	a = b;
	b = (s8)old;
	return a * 2 - b;
#else
	a ^= b;
	b ^= a;
	a ^= b;
	return a + a - b;
#endif
}
